//! Traces to export: random ones with everything that can be in a trace, and a plausible one of any length.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use proptest::sample::select;
use testbed_definitions::event::{self, thread_number, KINDS};
use testbed_definitions::mpc;
use testbed_machine::Machine;
use testbed_trace::capture::RunRecord;
use testbed_trace::export::{export, Choice, Exported, Filter, Format, Target};
use testbed_trace::order::{Epoch, Event, OrderError, What};

/// Slaves of the machine that all these traces are of.
pub const SLAVES: u8 = 5;

pub fn record() -> RunRecord {
    RunRecord { complete: true, ..RunRecord::new(&Machine::testbed6(), "story") }
}

pub fn filter(choice: &Choice) -> Filter {
    Filter::new(choice, &record()).unwrap()
}

/// Memory that is still there when the export is over.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn ok(events: &[Event]) -> impl Iterator<Item = Result<Event, OrderError>> + '_ {
    events.iter().map(|event| Ok(*event))
}

/// What is written of `events`, with what the exporter says of it.
pub fn written_of(events: &[Event], format: Format, choice: &Choice) -> (Vec<u8>, Exported) {
    let filter = filter(choice);
    if format.needs_file() {
        let mut file = tempfile::tempfile().unwrap();
        let target = Target::File(Box::new(file.try_clone().unwrap()));
        let exported = export(ok(events), &record(), &filter, format, target, true).unwrap();
        file.rewind().unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        return (bytes, exported);
    }
    let out = Shared::default();
    let target = Target::Stream(Box::new(out.clone()));
    let exported = export(ok(events), &record(), &filter, format, target, true).unwrap();
    let bytes = out.0.lock().unwrap().clone();
    (bytes, exported)
}

/// All of `events` in a format.
pub fn written(events: &[Event], format: Format) -> Vec<u8> {
    written_of(events, format, &Choice::default()).0
}

/// All of `events` in a format of text.
pub fn text(events: &[Event], format: Format) -> String {
    String::from_utf8(written(events, format)).unwrap()
}

/// Writes `events` to a file.
pub fn write_file(events: &[Event], format: Format, path: &std::path::Path) {
    let target = Target::File(Box::new(File::create(path).unwrap()));
    export(ok(events), &record(), &Filter::default(), format, target, true).unwrap();
}

/// The thread's number from its home, with the same place for all.
pub fn thread(home: u8, id: u8) -> u16 {
    thread_number(home, 1, id)
}

fn what() -> impl Strategy<Value = (What, Option<u16>)> {
    let threads = (1..=SLAVES, 1u8..4).prop_map(|(home, id)| thread(home, id));
    let argument = prop_oneof![
        threads.clone(),
        any::<u16>(),
        (1..=SLAVES, 1u8..16, 0u8..3)
            .prop_map(|(processor, kind, channel)| event::message_argument(processor, kind, channel)),
    ];
    prop_oneof![
        4 => threads.clone().prop_map(|thread| (What::Schedule(thread), None)),
        1 => threads.clone().prop_map(|thread| (What::Joins(thread), None)),
        1 => threads.prop_map(|thread| (What::Leaves(thread), None)),
        12 => (select(KINDS.iter().collect::<Vec<_>>()), argument, prop::bool::weighted(0.95)).prop_map(|(kind, argument, whole)| {
            (What::Known(kind), kind.argument.filter(|_| whole).map(|_| argument))
        }),
        1 => (0x300u16..0x3fff, prop::option::of(any::<u16>())).prop_map(|(code, argument)| (What::Unknown(code), argument)),
        1 => prop::option::of(0u32..1 << 24).prop_map(|count| (What::Gap(count), None)),
        1 => (0..4u8, prop::option::of(0u32..1 << 20)).prop_map(|(rule, count)| (What::Total { rule, count }, None)),
    ]
}

/// How far the epoch is known: `None` for certain; else by how much it may be more.
fn doubt() -> impl Strategy<Value = Option<Option<u64>>> {
    prop_oneof![
        12 => Just(None),
        1 => Just(Some(None)),
        1 => (0u64..3).prop_map(|more| Some(Some(more))),
    ]
}

/// Any trace, with several events in a tick, equal ones, losses, and bounds that fall as a damaged stream's may.
pub fn any_events() -> impl Strategy<Value = Vec<Event>> {
    let wait = prop_oneof![4 => Just(0u64), 4 => 1u64..40, 1 => 1u64..200_000];
    let one = (wait, 1..=SLAVES, what(), doubt(), prop::bool::weighted(0.05), prop::bool::weighted(0.02));
    prop::collection::vec(one, 0..120).prop_map(|steps| {
        let (mut ticks, mut index) = (0u64, [0u64; 16]);
        let mut events = Vec::new();
        for (wait, smi, (what, argument), doubt, doubtful, falls) in steps {
            ticks += wait;
            let low = (ticks >> 16).saturating_sub(u64::from(falls));
            let epoch = match doubt {
                None => Epoch::Certain(ticks >> 16),
                Some(more) => Epoch::Ambiguous { low, high: more.map(|more| low + more) },
            };
            let number = &mut index[usize::from(smi)];
            events.push(Event { epoch, time: ticks as u16, smi, index: *number, what, argument, doubtful });
            *number += 1;
        }
        events
    })
}

fn proven(ticks: u64, smi: u8, what: What, argument: Option<u16>) -> Event {
    Event { epoch: Epoch::Certain(ticks >> 16), time: ticks as u16, smi, index: ticks, what, argument, doubtful: false }
}

/// One event of the table.
pub fn known(ticks: u64, smi: u8, code: u16, argument: u16) -> Event {
    let kind = event::kind(code).unwrap();
    proven(ticks, smi, What::Known(kind), kind.argument.map(|_| argument))
}

pub fn runs(ticks: u64, smi: u8, thread: u16) -> Event {
    proven(ticks, smi, What::Schedule(thread), None)
}

pub fn gap(ticks: u64, smi: u8, count: u32) -> Event {
    proven(ticks, smi, What::Gap(Some(count)), None)
}

/// A thread of earth sends to one of air on channel 3; both run before and after. From tick `at` on, for 100 ticks.
pub fn remote(at: u64) -> Vec<Event> {
    let (sender, receiver) = (thread(1, 1), thread(2, 1));
    let message = event::message_argument;
    vec![
        runs(at, 1, sender),
        runs(at + 2, 2, receiver),
        known(at + 5, 1, event::TRAP7, 0),
        known(at + 6, 1, event::TX_MPC, message(2, mpc::FOCUS, 3)),
        known(at + 6, 1, event::TRAP70, 0),
        known(at + 10, 2, event::RX_MPC, message(1, mpc::FOCUS, 3)),
        known(at + 12, 2, event::RX_FOCUS, 0),
        known(at + 20, 2, event::TRAP7, 0),
        known(at + 21, 2, event::TX_MPC, message(1, mpc::RTR, 3)),
        known(at + 22, 2, event::TRAP70, 0),
        known(at + 30, 1, event::RX_MPC, message(2, mpc::RTR, 3)),
        known(at + 32, 1, event::TX_MPC, message(2, mpc::MSG, 3)),
        known(at + 33, 1, event::COMMS, sender),
        runs(at + 40, 1, sender),
        known(at + 45, 2, event::RX_MPC, message(1, mpc::MSG, 3)),
        known(at + 47, 2, event::COMMR, receiver),
        runs(at + 50, 2, receiver),
        known(at + 60, 2, event::USER, 7),
        known(at + 60, 2, event::USER, 7),
        known(at + 70, 1, event::TIMER, 0),
        known(at + 72, 1, event::TIMER_END, 0),
    ]
}

/// At least so many events of the same kind as [`remote`].
pub fn story(count: usize) -> Vec<Event> {
    (0u64..).flat_map(|round| remote(100 * round)).take(count).collect()
}
