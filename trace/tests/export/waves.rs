//! VCD and FST, read back with the library that Surfer reads them with.

use std::collections::BTreeMap;
use std::io::Cursor;

use proptest::prelude::*;
use testbed_trace::export::Format;
use testbed_trace::order::{Epoch, Event, What};
use wellen::simple::{read_from_reader, Waveform};

use super::events::{any_events, known, record, story, written};

/// Picoseconds a tick on this machine.
const TICK: u64 = 1_000_000;

/// An event as a wave file shows it.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    ticks: u64,
    name: String,
    code: u64,
    value: Option<u64>,
    certain: bool,
    doubtful: bool,
    low: Option<u64>,
    high: Option<u64>,
}

fn expected(event: &Event) -> Shown {
    let (low, high) = match event.epoch {
        Epoch::Certain(_) => (None, None),
        Epoch::Ambiguous { low, high } => (Some(low), high),
    };
    let code = match event.what {
        What::Known(kind) => kind.code,
        What::Unknown(code) => code,
        What::Schedule(_) | What::Joins(_) => 0x4000,
        What::Leaves(_) => 0,
        What::Gap(_) => 0xab00,
        What::Total { rule, .. } => 0xabc0 + 16 * u16::from(rule),
    };
    Shown {
        ticks: event.ticks(),
        name: event.what.name().into(),
        code: code.into(),
        value: event.value().map(u64::from),
        certain: event.is_certain(),
        doubtful: event.doubtful,
        low,
        high,
    }
}

/// All changes of a variable.
type Changes = BTreeMap<u64, String>;

fn changes(file: &mut Waveform, processor: &str, name: &str) -> Changes {
    let hierarchy = file.hierarchy();
    let var = hierarchy.lookup_var(&[processor], name).unwrap_or_else(|| panic!("{processor}.{name} is not there"));
    let signal = hierarchy[var].signal_ref();
    file.load_signals(&[signal]);
    let times = file.time_table().to_vec();
    let changes = file.get_signal(signal).expect("just loaded").iter_changes();
    changes.map(|(index, value)| (times[index as usize], value.to_string())).collect()
}

fn at(changes: &Changes, time: u64) -> &str {
    changes.range(..=time).next_back().map_or("x", |(_, value)| value)
}

/// `None` if unknown.
fn number(text: &str) -> Option<u64> {
    match text.contains('x') {
        true => None,
        false => Some(u64::from_str_radix(text, 2).unwrap_or_else(|_| panic!("{text} is no number"))),
    }
}

/// A string, or characters in bits.
fn characters(text: &str) -> String {
    let is_vector = text.len() % 8 == 0 && text.chars().all(|digit| matches!(digit, '0' | '1'));
    if !is_vector {
        return text.into();
    }
    let bytes = (0..text.len() / 8).map(|place| u8::from_str_radix(&text[8 * place..8 * place + 8], 2).unwrap());
    String::from_utf8(bytes.skip_while(|byte| *byte == 0).collect()).unwrap()
}

/// The events of a processor, from the changes of its count.
fn events_of(file: &mut Waveform, processor: &str) -> Vec<Shown> {
    let mut all = |name| changes(file, processor, name);
    let (count, name, code, value) = (all("count"), all("event"), all("code"), all("value"));
    let (certain, doubtful, stamp) = (all("certain"), all("doubtful"), all("stamp"));
    let (low, high) = (all("epoch_low"), all("epoch_high"));
    let mut last = 0;
    let mut events = Vec::new();
    for (&time, text) in &count {
        let number_of = |changes: &Changes| number(at(changes, time));
        let counted = number(text).unwrap();
        if counted == 0 {
            continue;
        }
        assert_eq!(counted, last + 1, "no event of {processor} is lost");
        last = counted;
        events.push(Shown {
            ticks: number_of(&stamp).unwrap_or(time / TICK),
            name: characters(at(&name, time)),
            code: number_of(&code).unwrap(),
            value: number_of(&value),
            certain: number_of(&certain) == Some(1),
            doubtful: number_of(&doubtful) == Some(1),
            low: number_of(&low),
            high: number_of(&high),
        });
    }
    events
}

fn check(events: &[Event], format: Format) {
    let mut file = read_from_reader(Cursor::new(written(events, format))).unwrap();
    for (smi, processor) in record().machine.processors.iter().enumerate().skip(1) {
        let own: Vec<_> = events.iter().filter(|event| usize::from(event.smi) == smi).map(expected).collect();
        assert_eq!(events_of(&mut file, processor), own, "{processor} in {format:?}");
    }
}

proptest! {
    #[test]
    fn vcd_shows_every_event(events in any_events()) {
        check(&events, Format::Vcd);
    }

    #[test]
    fn fst_shows_every_event(events in any_events()) {
        check(&events, Format::Fst);
    }
}

#[test]
fn equal_events_stay_visible() {
    let same = |ticks| known(ticks, 1, testbed_definitions::event::USER, 7);
    let events = [same(0), same(0), same(0), same(4), same(4), same(90)];
    for format in [Format::Vcd, Format::Fst] {
        let mut file = read_from_reader(Cursor::new(written(&events, format))).unwrap();
        let times: Vec<_> = changes(&mut file, "earth", "count").into_keys().filter(|time| *time > 0).collect();
        assert_eq!(times, [1, 2, 3, 4 * TICK, 4 * TICK + 1, 90 * TICK], "{format:?}");
        check(&events, format);
    }
}

#[test]
fn what_follows_from_events_is_shown() {
    for format in [Format::Vcd, Format::Fst] {
        let mut file = read_from_reader(Cursor::new(written(&story(21), format))).unwrap();
        let running = changes(&mut file, "earth", "running");
        let thread = u64::from(super::events::thread(1, 1));
        assert_eq!(number(at(&running, 3 * TICK)), Some(thread));
        assert_eq!(number(at(&running, 8 * TICK)), None, "blocked by TRAP70");
        let under_way = changes(&mut file, "earth", "under_way");
        let counts = [5, 8, 15, 34, 46].map(|tick| number(at(&under_way, tick * TICK)).unwrap());
        assert_eq!(counts, [0, 1, 0, 1, 0]);
        let ready = changes(&mut file, "air", "ready");
        assert_eq!([46, 48, 51].map(|tick| number(at(&ready, tick * TICK)).unwrap()), [0, 1, 0]);
    }
}

/// More than one section of an FST file.
#[test]
fn long_traces_are_written_in_parts() {
    let events = story(1_500_000);
    let mut file = read_from_reader(Cursor::new(written(&events, Format::Fst))).unwrap();
    let counted = changes(&mut file, "air", "count");
    let own = events.iter().filter(|event| event.smi == 2).count();
    assert_eq!(counted.values().filter(|value| number(value) != Some(0)).count(), own);
}
