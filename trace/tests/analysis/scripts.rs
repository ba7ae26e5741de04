//! Traces written by hand: events at cycles of a machine whose clock ticks every cycle.

use std::convert::Infallible;

use testbed_definitions::event;
use testbed_definitions::mpc;
use testbed_machine::Machine;
use testbed_trace::analysis::fact::Fact;
use testbed_trace::analysis::follow::Follower;
use testbed_trace::analysis::probe::Probe;
use testbed_trace::analysis::{analyse_events, AnalysisError, Options, Report};
use testbed_trace::capture::RunRecord;
use testbed_trace::order::Event;
use testbed_trace::synthetic;

pub use crate::common::steps::{AIR, EARTH, FIRE, FIRST, GAP, SECOND};

use crate::common::steps;

/// A cycle, a processor, a code (or [`SCHEDULE`] for a thread that is scheduled) and a second word.
pub type Step = (u64, u8, u16, u16);

/// The probe of the tests: 7 cycles a test, 3 a word.
pub fn probe() -> Probe {
    Probe { test_cycles: 7, store_cycles: 3, measured: true }
}

/// Cycles of an event of one word, and of two.
pub const ONE: u64 = 10;
pub const TWO: u64 = 13;

pub fn event((cycle, smi, code, argument): Step) -> Event {
    synthetic::event(cycle, smi, code, argument)
}

/// A run of [`Machine`] `bench` with these event classes.
pub fn record(dgl: u32) -> RunRecord {
    let machine = Machine::named("bench").unwrap();
    RunRecord { dgl, complete: true, ..RunRecord::new(&machine, "script") }
}

pub const CLASSES: u32 = event::DIAG_DEFAULT | event::DIAG_DETAIL;

/// The analyses of `options` over events, which end at `end`.
pub fn analysed(events: &[Event], dgl: u32, options: &Options, end: u64) -> Result<Report, AnalysisError> {
    let events = events.iter().map(|event| Ok::<_, Never>(*event));
    analyse_events(&record(dgl), probe(), options, end, events, "script")
}

/// No error.
pub enum Never {}
impl From<Never> for AnalysisError {
    fn from(never: Never) -> Self {
        match never {}
    }
}
impl From<Infallible> for Never {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// All analyses of a script that ends at `end`.
pub fn report(steps: &[Step], end: u64) -> Report {
    let events: Vec<_> = steps.iter().map(|step| event(*step)).collect();
    analysed(&events, CLASSES, &Options::default(), end).unwrap_or_else(|error| panic!("{error}"))
}

/// Everything that a trace says.
pub fn facts(events: &[Event], end: u64) -> Vec<Fact> {
    let mut follower = Follower::new(&record(CLASSES), probe());
    let mut facts = Vec::new();
    for event in events {
        follower.add(event, &mut |fact| facts.push(fact.clone()));
    }
    follower.finish(end, &mut |fact| facts.push(fact.clone()));
    facts
}

fn at(cycle: u64, (smi, code, argument): steps::Step) -> Step {
    (cycle, smi, code, argument)
}

pub fn tx(cycle: u64, from: u8, to: u8, kind: u8, channel: u8) -> Step {
    at(cycle, steps::tx(from, to, kind, channel))
}
pub fn rx(cycle: u64, here: u8, from: u8, kind: u8, channel: u8) -> Step {
    at(cycle, steps::rx(here, from, kind, channel))
}
pub fn plain(cycle: u64, here: u8, code: u16) -> Step {
    at(cycle, steps::plain(here, code))
}
pub fn runs(cycle: u64, here: u8, thread: u16) -> Step {
    at(cycle, steps::runs(here, thread))
}
/// TRAP7, and 3 cycles later REQUEST.
pub fn request(cycle: u64, here: u8, receive: bool, channel: u8) -> [Step; 2] {
    let [call, detail] = steps::request(here, receive, channel);
    [at(cycle, call), at(cycle + 3, detail)]
}

/// The report's Figure 5: the second thread receives from cycle 100 on, the first sends at 300, and has copied at 400.
pub fn local(at: u8) -> Vec<Step> {
    let mut steps = vec![runs(50, at, SECOND)];
    steps.extend(request(100, at, true, 5));
    steps.extend([plain(140, at, event::TRAP70), runs(160, at, FIRST)]);
    steps.extend(request(300, at, false, 5));
    steps.extend([plain(400, at, event::TRAP72), runs(420, at, SECOND), runs(500, at, FIRST)]);
    steps
}

/// Figure 6, where the receiver waits first.
pub fn remote_receiver_first() -> Vec<Step> {
    let mut steps = vec![runs(50, AIR, SECOND)];
    steps.extend(request(100, AIR, true, 5));
    steps.extend([plain(140, AIR, event::TRAP70), runs(160, EARTH, FIRST)]);
    steps.extend(request(300, EARTH, false, 5));
    steps.extend([
        plain(330, EARTH, event::TRAP70),
        tx(340, EARTH, AIR, mpc::FOCUS, 5),
        rx(390, AIR, EARTH, mpc::FOCUS, 5),
        plain(410, AIR, event::RX_FOCUS),
        tx(425, AIR, EARTH, mpc::RTR, 5),
        rx(480, EARTH, AIR, mpc::RTR, 5),
        (520, EARTH, event::COMMS, FIRST),
        tx(530, EARTH, AIR, mpc::MSG, 5),
        runs(540, EARTH, FIRST),
        rx(600, AIR, EARTH, mpc::MSG, 5),
        (650, AIR, event::COMMR, SECOND),
        runs(660, AIR, SECOND),
    ]);
    steps
}

/// Where the receiver is late, and the message goes in two fragments.
pub fn remote_receiver_late() -> Vec<Step> {
    let mut steps = vec![runs(20, AIR, SECOND), runs(50, EARTH, FIRST)];
    steps.extend(request(100, EARTH, false, 6));
    steps.extend([
        plain(130, EARTH, event::TRAP70),
        tx(140, EARTH, AIR, mpc::FOCUS, 6),
        rx(190, AIR, EARTH, mpc::FOCUS, 6),
        plain(210, AIR, event::RX_FOCUS),
        runs(220, AIR, SECOND),
    ]);
    steps.extend(request(1_000, AIR, true, 6));
    steps.extend([
        plain(1_040, AIR, event::TRAP70),
        tx(1_060, AIR, EARTH, mpc::RTR, 6),
        rx(1_110, EARTH, AIR, mpc::RTR, 6),
        plain(1_150, EARTH, event::RX_END),
        tx(1_170, EARTH, AIR, mpc::MSG, 6),
        (1_200, EARTH, event::COMMS, FIRST),
        rx(1_230, AIR, EARTH, mpc::MSG, 6),
        tx(1_240, EARTH, AIR, mpc::MSG, 6),
        runs(1_250, EARTH, FIRST),
        plain(1_260, AIR, event::RX_END),
        rx(1_300, AIR, EARTH, mpc::MSG, 6),
        (1_330, AIR, event::COMMR, SECOND),
        runs(1_340, AIR, SECOND),
    ]);
    steps
}

/// Figure 7.
pub fn migration() -> Vec<Step> {
    vec![
        runs(50, EARTH, FIRST),
        (100, EARTH, event::PACK, FIRST),
        plain(150, EARTH, event::PACKED),
        tx(170, EARTH, AIR, mpc::THREAD, 0),
        rx(240, AIR, EARTH, mpc::THREAD, 0),
        (290, AIR, event::UNPACKED, FIRST),
        runs(300, AIR, FIRST),
    ]
}

/// Figure 8: the page is at its home.
pub fn page() -> Vec<Step> {
    vec![
        runs(50, AIR, FIRST),
        (100, AIR, event::PAGE_FAULT, 0x201),
        plain(130, AIR, event::PAGE_BLOCKED),
        tx(140, AIR, EARTH, mpc::PAGE, 1),
        rx(200, EARTH, AIR, mpc::PAGE, 1),
        plain(230, EARTH, event::PAGE_END),
        tx(250, EARTH, AIR, mpc::PAGE, 1),
        tx(260, EARTH, AIR, mpc::PAGE_DATA, 0),
        rx(300, AIR, EARTH, mpc::PAGE, 1),
        plain(310, AIR, event::PAGE_END),
        rx(350, AIR, EARTH, mpc::PAGE_DATA, 0),
        (400, AIR, event::PAGE_READY, FIRST),
        plain(410, AIR, event::PAGE_END),
        runs(430, AIR, FIRST),
    ]
}
