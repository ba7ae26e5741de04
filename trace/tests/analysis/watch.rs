//! What is shown of a run that goes on is what the analyses say of the run up to there.

use proptest::prelude::*;
use testbed_trace::analysis::fact::{Doing, On, ThreadState};
use testbed_trace::analysis::{Options, Report};
use testbed_trace::order::{Event, What};
use testbed_trace::watch::{View, Watch};

use super::properties::{any_event, trace};
use super::supersteps::three;
use crate::analysis::scripts::*;

/// A window that holds all of a script.
const ALL: u64 = 1 << 40;

fn watched(events: &[Event], window: u64, end: u64) -> View {
    let mut watch = Watch::new(&record(CLASSES), window);
    events.iter().for_each(|event| watch.add(event));
    watch.advance(end);
    watch.view()
}

fn of(steps: &[Step]) -> Vec<Event> {
    steps.iter().map(|step| event(*step)).collect()
}

/// The same figures from both. What the trace does not tell yet is untold here, and the kernel's there.
fn agree(view: &View, report: &Report, end: u64) {
    let share = |cycles: u64| cycles as f64 / end as f64;
    let cpu = report.cpu.as_ref().unwrap();
    let queues = report.queues.as_ref().unwrap();
    for (processor, (cpu, queue)) in view.processors.iter().zip(cpu.processors.iter().zip(&queues.processors)) {
        let both = |get: &dyn Fn(Doing) -> f64| {
            let kernel = get(Doing::Kernel) + get(Doing::Untold);
            let others = Doing::ALL.into_iter().filter(|doing| !matches!(doing, Doing::Kernel | Doing::Untold));
            others.map(get).chain([kernel]).collect::<Vec<_>>()
        };
        let shown = both(&|doing| processor.shares[doing as usize]);
        let expected = both(&|doing| cpu.cycles.get(&doing).map_or(0.0, |cycles| share(*cycles)));
        let close = shown.iter().zip(&expected).all(|(shown, expected)| (shown - expected).abs() < 1e-9);
        assert!(close, "processor {}: {shown:?}, not {expected:?}", cpu.processor);
        assert_eq!(processor.queue_history, queue.windows, "processor {}", queue.processor);
    }
    let threads = &report.threads.as_ref().unwrap().threads;
    for thread in &view.threads {
        // A number that several threads have had is one thread there.
        let Some(expected) = threads.iter().find(|other| other.thread == thread.thread && other.lives == 1) else {
            assert!(threads.iter().any(|other| other.thread == thread.thread));
            continue;
        };
        let ran = expected.states.get(&ThreadState::Running).copied().unwrap_or(0);
        assert!((thread.share - share(ran)).abs() < 1e-9, "{thread:?}: {ran} of {end}");
    }
    for link in &report.links.as_ref().unwrap().links {
        let shown = view.links.iter().find(|shown| (shown.from, shown.to) == (link.from, link.to));
        let shown = shown.map_or((0, 0), |shown| (shown.packets, shown.communications));
        assert_eq!(shown, (link.sent.values().sum(), link.communications), "{link:?}");
    }
    let Report { uncertainty, .. } = report;
    assert_eq!(&view.uncertainty, uncertainty);
}

#[test]
fn known_scripts_show_what_the_analyses_say() {
    for steps in [local(EARTH), remote_receiver_first(), remote_receiver_late(), migration(), page()] {
        let events = of(&steps);
        let end = steps.iter().map(|step| step.0).max().unwrap() + 100;
        let view = watched(&events, ALL, end);
        let options = Options { window_cycles: Some(view.piece_cycles), ..Options::default() };
        let report = analysed(&events, CLASSES, &options, end).unwrap_or_else(|error| panic!("{error}"));
        agree(&view, &report, end);
    }
}

#[test]
fn the_present_is_shown_before_an_event_ends_it() {
    let steps = remote_receiver_first();
    let until = |cycle: u64| {
        let events: Vec<_> = of(&steps).into_iter().filter(|event| event.ticks() <= cycle).collect();
        watched(&events, ALL, cycle)
    };
    let thread = |view: &View, number| *view.threads.iter().find(|thread| thread.thread == number).unwrap();
    // The sender is blocked, and its focus token under way.
    let view = until(345);
    let sender = thread(&view, FIRST);
    assert_eq!((sender.state, sender.on, sender.processor), (ThreadState::Channel, On::Send(5), EARTH));
    let receiver = thread(&view, SECOND);
    assert_eq!((receiver.state, receiver.on), (ThreadState::Channel, On::Receive(5)));
    assert_eq!(
        view.links.iter().map(|link| (link.from, link.to, link.under_way)).collect::<Vec<_>>(),
        [(EARTH, Some(AIR), 1)]
    );
    assert_eq!(view.processors[0].running, None);
    // It has gone on, and runs still; the message has been received by a thread that is ready.
    let view = until(655);
    assert_eq!(view.processors[0].running, Some(FIRST));
    let sender = thread(&view, FIRST);
    // From 160 to its request at 300, and from 540 on.
    assert!((sender.share - (140.0 + 115.0) / 655.0).abs() < 1e-9, "{sender:?}");
    assert_eq!(sender.communications, 1);
    assert_eq!((view.processors[1].ready, thread(&view, SECOND).state), (Some(1), ThreadState::Ready));
    let link = view.links.iter().find(|link| link.from == EARTH).unwrap();
    assert_eq!((link.packets, link.communications, link.under_way), (2, 1, 0));
    assert!((link.communication_rate - f64::from(record(CLASSES).machine.clock_hz) / 655.0).abs() < 1e-3, "{link:?}");
}

#[test]
fn losses_are_counted_where_they_are() {
    let steps = [runs(50, EARTH, FIRST), (100, EARTH, GAP, 7), runs(150, AIR, SECOND), (200, EARTH, GAP, 5)];
    let mut events = of(&steps);
    events.push(Event { what: What::Gap(None), doubtful: true, ..event(runs(300, AIR, SECOND)) });
    let view = watched(&events, 1_600, 400);
    let [earth, air] = [&view.processors[0], &view.processors[1]];
    assert_eq!((earth.gaps, earth.lost, earth.uncounted, earth.ready), (2, 12, 0, None));
    assert_eq!((air.gaps, air.lost, air.uncounted, air.unproven), (1, 0, 1, 1));
    assert_eq!((view.uncertainty.gaps, view.uncertainty.discarded), (3, 12));
    assert_eq!(earth.queue_history.last(), Some(&None));
}

#[test]
fn rates_are_those_of_the_trailing_window() {
    // An event every 100 cycles, on earth to cycle 10,000, then on air.
    let steps = (1..200).map(|number| runs(100 * number, if number < 100 { EARTH } else { AIR }, FIRST));
    let events: Vec<_> = steps.map(event).collect();
    let view = watched(&events, 1_600, 20_000);
    let hz = f64::from(record(CLASSES).machine.clock_hz);
    assert_eq!(view.window.map(|window| (window.from_cycle, window.to_cycle)), Some((18_500, 20_000)));
    assert_eq!(view.processors[0].event_rate, 0.0);
    assert!((view.processors[1].event_rate - hz / 100.0).abs() < hz / 1_000.0, "{}", view.processors[1].event_rate);
    assert_eq!((view.processors[0].events, view.processors[1].events), (99, 100));
}

proptest! {
    /// Whatever the trace, also nonsense.
    #[test]
    fn every_trace_shows_what_the_analyses_say(steps in prop::collection::vec(any_event(), 1..200)) {
        let (events, end) = trace(steps);
        let view = watched(&events, ALL, end);
        let options = Options { window_cycles: Some(view.piece_cycles), ..Options::default() };
        let report = analysed(&events, CLASSES, &options, end).unwrap_or_else(|error| panic!("{error}"));
        agree(&view, &report, end);
    }
}

#[test]
fn supersteps_are_those_of_the_analysis() {
    let mut steps = three();
    // What was over is told when the group goes on.
    steps.push((2_500, EARTH, testbed_definitions::event::SYNC, steps[2].3));
    let events = of(&steps);
    let report = analysed(&events, CLASSES, &Options::default(), 3_000).unwrap().bsp.unwrap();
    let view = watched(&events, ALL, 3_000);
    let ([shown], [found]) = (&view.groups[..], &report.groups[..]) else { panic!("{:?}", view.groups) };
    assert_eq!((shown.process, shown.processes), (found.process, found.processes));
    assert_eq!((shown.supersteps, shown.incomplete), (found.totals.supersteps, 0));
    assert_eq!((shown.supersteps, shown.last), (2, found.supersteps[1].sums));
    let work = found.totals.w_cycles as f64 / found.totals.cycles as f64;
    assert!((shown.work_share.unwrap() - work).abs() < 1e-9, "{shown:?}");
    let rate = 2.0 * f64::from(record(CLASSES).machine.clock_hz) / 3_000.0;
    assert!((shown.rate - rate).abs() < 1e-3 * rate, "{shown:?}");
    // A loss may hide another process of the first superstep.
    let mut events = events;
    events.insert(0, event((50, FIRE, GAP, 7)));
    let report = analysed(&events, CLASSES, &Options::default(), 3_000).unwrap().bsp.unwrap();
    let view = watched(&events, ALL, 3_000);
    let complete = report.groups[0].totals.supersteps;
    assert_eq!((view.groups[0].supersteps, view.groups[0].incomplete), (complete, 2 - complete));
    assert!(complete < 2);
}
