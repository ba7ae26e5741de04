//! Traces of any size, made as they are read: every event in its place, in bounded memory.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use testbed_trace::capture::Words;
use testbed_trace::order::{Convention, Event, Input, Ordered, What};
use testbed_trace::synthetic::{Mix, Mmi, Smi, StreamBytes};

const SMIS: u8 = 5;
/// Events of each of five streams: 20 million in all.
const EVENTS: u64 = 4_000_000;
/// Events of each stream with `TESTBED_LONG=1`: 10 GB of pairs in all.
const EVENTS_LONG: u64 = 470_000_000;
/// Memory that reading may take, whatever the size.
const MEMORY: u64 = 64 << 20;

fn models(seed: u64, events: u64) -> Vec<Smi> {
    (1..=SMIS).map(|smi| Smi::new(smi, Mix::default(), seed, events)).collect()
}

fn ordered(seed: u64, events: u64) -> Ordered<'static> {
    let input = |smi: Smi, number: u8| {
        let words = Words::new(StreamBytes::new(smi), Path::new("synthetic"), 0);
        Input { smi: number, pairs: Box::new(words), guarded: true }
    };
    let inputs = models(seed, events).into_iter().zip(1..).map(|(smi, number)| input(smi, number));
    Ordered::new(inputs.collect(), Convention::Profile, None)
}

/// The greatest resident size that this process has had, in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this test reads /proc/self/status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the kernel tells VmHWM");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number of kB") * 1024
}

/// One test, since the memory is that of the whole process.
#[test]
fn millions_of_events_are_all_in_place_in_bounded_memory() {
    let events = if std::env::var_os("TESTBED_LONG").is_some() { EVENTS_LONG } else { EVENTS };
    let truth = Mmi::new(models(3, events)).filter_map(|(_, pair)| pair.event);
    let mut found = ordered(3, events).map(|event| event.unwrap());
    let (mut count, mut certain, mut orphans, mut epochs) = (0u64, 0u64, 0u64, 0);
    // Streams in which a word whose first one was lost has taken the next event for its second, and
    // that word's index. (A wrap marker may stand between the two.)
    let mut swallowed = HashMap::new();
    for truth in truth {
        // Other streams' events may stand between such a word and what it took.
        let event = loop {
            if swallowed.get(&truth.smi).is_some_and(|index| truth.index > *index) {
                swallowed.remove(&truth.smi);
                break Event { doubtful: true, ..truth };
            }
            let event = found.next().unwrap_or_else(|| panic!("the trace ends before {truth:?}"));
            if !event.doubtful || event == (Event { doubtful: true, ..truth }) {
                break event;
            }
            orphans += 1;
            if event.argument.is_some() {
                swallowed.insert(event.smi, event.index);
            }
        };
        count += 1;
        certain += u64::from(event.is_certain());
        epochs = event.epoch.low();
        let right = Event { doubtful: event.doubtful, ..truth };
        assert!(event == right, "event {count}: {event:?}, the truth is {truth:?}");
        assert!(!event.doubtful || !matches!(event.what, What::Gap(_)));
    }
    let rest = found.filter(|event| !event.doubtful).count();
    assert_eq!(rest, 0, "events behind the last");
    assert!(count >= u64::from(SMIS) * events);
    // What follows one of the losses may be misread; all else is certain.
    assert!(count - certain < count / 5_000, "{certain} of {count} are certain, {orphans} misread");
    assert!(epochs > 1_000, "{epochs} wraps");
    assert!(peak() < MEMORY, "{} KiB in memory", peak() / 1024);
    println!("{count} events, {certain} certain, over {epochs} wraps; at most {} KiB in memory", peak() / 1024);
}
