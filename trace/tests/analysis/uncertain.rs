//! What is not known is left out and counted, not guessed.

use std::time::{Duration, Instant};

use testbed_definitions::{event, mpc};
use testbed_trace::analysis::fact::{Doing, ThreadState};
use testbed_trace::analysis::follow::Follower;
use testbed_trace::analysis::phases::ProtocolReport;
use testbed_trace::analysis::protocol::Protocol;
use testbed_trace::analysis::{AnalysisError, Kind, Options, Report};
use testbed_trace::order::Epoch;

use crate::analysis::scripts::*;

fn of(report: &Report, protocol: Protocol) -> ProtocolReport {
    let all = &report.phases.as_ref().unwrap().protocols;
    all.iter().find(|found| found.protocol == protocol).cloned().expect("something is said of it")
}

/// `steps` with `what` put in so that the cycles stay in order.
fn with(mut steps: Vec<Step>, what: Step) -> Vec<Step> {
    let place = steps.partition_point(|step| step.0 <= what.0);
    steps.insert(place, what);
    steps
}

#[test]
fn a_loss_ends_what_is_under_way() {
    for at in [EARTH, AIR] {
        let report = report(&with(remote_receiver_first(), (500, at, GAP, 7)), 700);
        let remote = of(&report, Protocol::Remote);
        assert_eq!(remote.whole, None);
        assert!(remote.omitted.total() >= 1);
        assert_eq!((report.uncertainty.gaps, report.uncertainty.discarded), (1, 7));
    }
}

#[test]
fn after_a_loss_a_thread_is_nowhere_until_it_is_seen() {
    // The last event of earth before the loss is SCHEDULE of the first thread, at 160.
    let report = report(&with(local(EARTH), (200, EARTH, GAP, 1)), 600);
    let threads = report.threads.unwrap().threads;
    let unknown: Vec<_> = threads.iter().map(|thread| thread.states[&ThreadState::Unknown]).collect();
    // Until TRAP72 (its request after the loss is nobody's), and until SCHEDULE.
    assert_eq!(unknown, [500 - 160, 420 - 160]);
    let earth = &report.cpu.unwrap().processors[0];
    // Before the first event, and from the last one before the loss to the next one after it.
    assert_eq!(earth.cycles[&Doing::Unknown], 50 + 140);
    let queue = &report.queues.unwrap().processors[0];
    assert_eq!(queue.unknown_cycles, 600 - 160);
}

#[test]
fn an_event_whose_time_is_not_proven_ends_what_is_under_way() {
    let mut events: Vec<_> = local(EARTH).into_iter().map(event).collect();
    // TRAP72.
    events[7].epoch = Epoch::Ambiguous { low: 0, high: Some(3) };
    let report = analysed(&events, CLASSES, &Options::default(), 600).unwrap();
    assert_eq!(report.uncertainty.ambiguous, 1);
    assert!(report.phases.unwrap().protocols.iter().all(|protocol| protocol.whole.is_none()));
}

#[test]
fn an_event_that_may_be_misread_is_left_out() {
    let mut events: Vec<_> = local(EARTH).into_iter().map(event).collect();
    events[7].doubtful = true;
    let report = analysed(&events, CLASSES, &Options::default(), 600).unwrap();
    assert_eq!(report.uncertainty.doubtful, 1);
    assert!(report.phases.unwrap().protocols.is_empty());
}

#[test]
fn partners_that_can_t_be_told_apart_are_left_out() {
    // A third thread waits too, and without class detail nobody says on what.
    let third = SECOND + 1;
    let mut steps = vec![runs(10, EARTH, third), plain(20, EARTH, event::TRAP7), plain(30, EARTH, event::TRAP70)];
    steps.extend(local(EARTH).into_iter().filter(|step| step.2 != event::REQUEST));
    let events: Vec<_> = steps.into_iter().map(event).collect();
    let report = analysed(&events, event::DIAG_DEFAULT, &Options::default(), 600).unwrap();
    let local = of(&report, Protocol::Local);
    assert_eq!((local.whole, local.omitted.total()), (None, 1));
    assert!(local.omitted.0.keys().next().unwrap().contains("detail"));
    assert!(report.run.classes_missing.iter().any(|class| class.starts_with("detail")));
    // The latency of the second partner is known all the same.
    let services = report.latency.unwrap().services;
    assert!(services.iter().any(|row| row.ready.is_some_and(|ready| ready.total_cycles == 100)));
}

#[test]
fn one_channel_number_of_two_processes_is_left_out() {
    let other = 2 << 6 | 1 << 10 | 1;
    let mut steps = vec![runs(10, EARTH, other)];
    steps.extend(request(20, EARTH, false, 5));
    steps.extend([plain(40, EARTH, event::TRAP70), tx(45, EARTH, AIR, mpc::FOCUS, 5)]);
    steps.push(rx(48, AIR, EARTH, mpc::FOCUS, 5));
    steps.push(plain(49, AIR, event::RX_FOCUS));
    steps.extend(remote_receiver_first());
    let report = report(&steps, 700);
    let remote = of(&report, Protocol::Remote);
    assert_eq!(remote.whole, None);
    assert!(remote.omitted.0.keys().any(|reason| reason.contains("used twice")), "{:?}", remote.omitted);
}

#[test]
fn what_is_not_over_at_the_end_is_counted() {
    let steps: Vec<_> = remote_receiver_first().into_iter().filter(|step| step.0 < 450).collect();
    let report = report(&steps, 500);
    let remote = of(&report, Protocol::Remote);
    assert_eq!((remote.whole, remote.omitted.total()), (None, 1));
    assert_eq!(report.latency.unwrap().omitted.total(), 2);
}

#[test]
fn a_call_that_no_event_tells_of_is_neither_user_nor_idle_time() {
    // The first thread delays, say; nobody else is ready; the second one is scheduled later.
    let steps = [runs(100, EARTH, FIRST), runs(300, EARTH, SECOND), runs(350, EARTH, FIRST)];
    let report = report(&steps, 400);
    let earth = &report.cpu.unwrap().processors[0];
    assert_eq!(earth.cycles[&Doing::Untold], 250);
    assert_eq!(earth.cycles[&Doing::User], 50);
    let threads = report.threads.unwrap().threads;
    assert_eq!(threads[0].states[&ThreadState::Untold], 250);
    assert_eq!(threads[0].states[&ThreadState::Running], 50);
}

#[test]
fn classes_that_are_not_there_are_named_with_their_option() {
    let wanted = |kind: Kind, dgl: u32| {
        let options = Options { kinds: vec![kind], ..Options::default() };
        analysed(&[], dgl, &options, 100)
    };
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Queues) {
        for dgl in [event::DIAG_READY, event::DIAG_USER, 0] {
            let error = wanted(kind, dgl).unwrap_err().to_string();
            assert!(error.contains(kind.name()) && error.contains("--dgl profile+timer+user"), "{error}");
        }
    }
    assert!(wanted(Kind::Queues, event::DIAG_READY).is_ok());
    let error = wanted(Kind::Queues, event::DIAG_USER).unwrap_err().to_string();
    assert!(error.contains("--dgl ready"), "{error}");
    // Of all, those that are possible.
    let report = analysed(&[], event::DIAG_READY, &Options::default(), 100).unwrap();
    assert!(report.queues.is_some() && report.cpu.is_none() && report.not_recorded.len() == Kind::ALL.len() - 1);
    assert!(matches!(
        analysed(&[], event::DIAG_USER, &Options::default(), 100),
        Err(AnalysisError::NotRecorded { .. })
    ));
}

#[test]
fn ranges_and_windows_that_make_no_sense() {
    let empty = Options { from_cycle: Some(500), ..Options::default() };
    assert!(matches!(analysed(&[], CLASSES, &empty, 400), Err(AnalysisError::EmptyRange { .. })));
    assert!(matches!(analysed(&[], CLASSES, &Options::default(), 0), Err(AnalysisError::Nothing(_))));
    let tiny = Options { window_cycles: Some(1), ..Options::default() };
    let error = analysed(&[], CLASSES, &tiny, 1_000_000).unwrap_err();
    assert!(error.to_string().contains("1000000 windows") && error.to_string().contains("--window"));
    assert!("phase".parse::<Kind>().unwrap_err().to_string().contains("phases, latency"));
}

/// A filter may take out all that tells of services. Then packets are sent and never served.
#[test]
fn packets_that_are_never_served_take_no_longer_than_others() {
    const EVENTS: u64 = 200_000;
    let each = |number: u64| {
        let cycle = 100 + 20 * number;
        [tx(cycle, EARTH, AIR, mpc::RTR, 3), plain(cycle + 10, AIR, event::TIMER)]
    };
    let events: Vec<_> = (0..EVENTS).flat_map(each).map(event).collect();
    let started = Instant::now();
    let mut follower = Follower::new(&record(CLASSES), probe());
    events.iter().for_each(|event| follower.add(event, &mut |_| {}));
    let passed = started.elapsed();
    assert_eq!(follower.under_way(EARTH, AIR), EVENTS as usize);
    assert!(passed < Duration::from_secs(5), "{passed:?}");
}
