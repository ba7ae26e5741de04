//! Traces whose answers are known.

use std::collections::BTreeMap;

use testbed_definitions::{event, mpc};
use testbed_trace::analysis::fact::{Doing, On, ThreadState};
use testbed_trace::analysis::latency::Service;
use testbed_trace::analysis::protocol::{Phase, Protocol};
use testbed_trace::analysis::{text, Kind, Options, Report};

use crate::analysis::scripts::*;

/// Phases of one protocol: cycles, probes, and cycles of these, in the order of the report.
fn phases(report: &Report, protocol: Protocol) -> Vec<(Phase, bool, u64, u64, u64)> {
    let all = &report.phases.as_ref().unwrap().protocols;
    let found = all.iter().find(|found| found.protocol == protocol).expect("the protocol is there");
    let rows = found.phases.iter().map(|row| {
        let figures = &row.figures;
        (row.phase, row.beside, figures.total_cycles, figures.probes, figures.probe_cycles)
    });
    rows.collect()
}

fn whole(report: &Report, protocol: Protocol) -> u64 {
    let all = &report.phases.as_ref().unwrap().protocols;
    all.iter().find(|found| found.protocol == protocol).unwrap().whole.as_ref().unwrap().total_cycles
}

#[test]
fn phases_of_a_local_communication() {
    let report = report(&local(EARTH), 600);
    assert_eq!(
        phases(&report, Protocol::Local),
        [
            // TRAP7 and REQUEST; TRAP70 and SCHEDULE; TRAP7 and REQUEST.
            (Phase::FirstRequest, false, 40, 2, ONE + TWO),
            (Phase::PartnerAwaited, false, 160, 2, 2 * ONE),
            (Phase::SecondRequest, false, 100, 2, ONE + TWO),
        ]
    );
    assert_eq!(whole(&report, Protocol::Local), 300);
}

#[test]
fn phases_of_a_remote_communication_whose_receiver_waits() {
    let report = report(&remote_receiver_first(), 700);
    assert_eq!(
        phases(&report, Protocol::Remote),
        [
            (Phase::SenderAwaited, false, 200, 0, 0),
            (Phase::SenderRequest, false, 30, 2, ONE + TWO),
            (Phase::FocusQueue, false, 10, 1, ONE),
            (Phase::FocusFlight, false, 50, 0, 0),
            (Phase::FocusService, false, 20, 1, TWO),
            (Phase::ReceiverRequest, true, 40, 2, ONE + TWO),
            (Phase::RtrQueue, false, 15, 1, ONE),
            (Phase::RtrFlight, false, 55, 0, 0),
            (Phase::RtrService, false, 40, 1, TWO),
            (Phase::MsgQueue, false, 10, 1, TWO),
            (Phase::MsgFlight, false, 70, 0, 0),
            (Phase::MsgService, false, 50, 1, TWO),
        ]
    );
    assert_eq!(whole(&report, Protocol::Remote), 550);
}

#[test]
fn phases_of_a_remote_communication_whose_receiver_is_late() {
    let report = report(&remote_receiver_late(), 1_400);
    let cycles: Vec<_> = phases(&report, Protocol::Remote).into_iter().map(|row| (row.0, row.1, row.2)).collect();
    assert_eq!(
        cycles,
        [
            (Phase::SenderRequest, false, 30),
            (Phase::FocusQueue, false, 10),
            (Phase::FocusFlight, false, 50),
            (Phase::FocusService, false, 20),
            (Phase::ReceiverAwaited, false, 790),
            (Phase::ReceiverRequest, false, 40),
            (Phase::RtrQueue, false, 20),
            (Phase::RtrFlight, false, 50),
            (Phase::RtrService, false, 40),
            // Up to the second fragment.
            (Phase::MsgQueue, false, 90),
            (Phase::MsgFlight, false, 60),
            (Phase::MsgService, false, 30),
        ]
    );
    assert_eq!(whole(&report, Protocol::Remote), 1_230);
}

#[test]
fn a_token_is_followed_to_where_its_receiver_has_gone() {
    let mut steps = vec![runs(50, FIRE, SECOND)];
    steps.extend(request(60, FIRE, true, 5));
    steps.extend([plain(80, FIRE, event::TRAP70), runs(90, EARTH, FIRST)]);
    steps.extend(request(100, EARTH, false, 5));
    steps.extend([
        plain(130, EARTH, event::TRAP70),
        tx(140, EARTH, AIR, mpc::FOCUS, 5),
        rx(190, AIR, EARTH, mpc::FOCUS, 5),
        plain(200, AIR, event::RX_FOCUS),
        tx(210, AIR, FIRE, mpc::FOCUS, 5),
        rx(260, FIRE, AIR, mpc::FOCUS, 5),
        plain(280, FIRE, event::RX_FOCUS),
        tx(290, FIRE, EARTH, mpc::RTR, 5),
        rx(340, EARTH, FIRE, mpc::RTR, 5),
        (360, EARTH, event::COMMS, FIRST),
        tx(370, EARTH, FIRE, mpc::MSG, 5),
        rx(420, FIRE, EARTH, mpc::MSG, 5),
        (450, FIRE, event::COMMR, SECOND),
    ]);
    let report = report(&steps, 500);
    let found = phases(&report, Protocol::Remote);
    let cycles = |phase| found.iter().find(|row| row.0 == phase).map(|row| row.2);
    assert_eq!(cycles(Phase::FocusFlight), Some(50));
    assert_eq!(cycles(Phase::FocusPassedOn), Some(70));
    assert_eq!(cycles(Phase::FocusService), Some(20));
    assert_eq!(whole(&report, Protocol::Remote), 390);
}

#[test]
fn phases_of_a_migration() {
    let report = report(&migration(), 400);
    assert_eq!(
        phases(&report, Protocol::Migration),
        [
            (Phase::Packing, false, 50, 1, TWO),
            (Phase::ThreadQueue, false, 20, 1, ONE),
            (Phase::ThreadFlight, false, 70, 0, 0),
            (Phase::Unpacking, false, 50, 1, TWO),
        ]
    );
}

#[test]
fn phases_of_a_page() {
    let report = report(&page(), 500);
    assert_eq!(
        phases(&report, Protocol::Page),
        [
            (Phase::FaultService, false, 30, 1, TWO),
            (Phase::RequestQueue, false, 10, 1, ONE),
            (Phase::RequestFlight, false, 60, 0, 0),
            (Phase::PageFlight, false, 150, 0, 0),
            (Phase::PageArrival, false, 50, 1, TWO),
        ]
    );
    assert_eq!(whole(&report, Protocol::Page), 300);
}

#[test]
fn latencies_until_ready_and_until_a_thread_runs() {
    let report = report(&remote_receiver_first(), 700);
    let services = &report.latency.as_ref().unwrap().services;
    let found: Vec<_> = services
        .iter()
        .map(|row| (row.service, row.ready.unwrap().total_cycles, row.runs.unwrap().total_cycles))
        .collect();
    assert_eq!(found, [(Service::RemoteSend, 220, 240), (Service::RemoteReceive, 550, 560)]);
    let sent = services[0].ready.unwrap();
    // TRAP7, REQUEST, TRAP70, TX_MPC, RX_MPC.
    assert_eq!((sent.probes, sent.probe_cycles), (5, 2 * ONE + 3 * TWO));
    assert_eq!(sent.corrected_mean_cycles, (220 - 2 * ONE - 3 * TWO) as f64);
    let channels = &report.latency.as_ref().unwrap().channels;
    assert!(channels.iter().all(|row| row.channel == 5 && row.process == FIRST >> 6) && channels.len() == 2);
}

#[test]
fn a_request_that_lacks_a_page_lasts_from_its_first_call() {
    let mut steps = vec![runs(10, EARTH, SECOND)];
    steps.extend(request(20, EARTH, true, 5));
    steps.extend([plain(40, EARTH, event::TRAP70), runs(60, EARTH, FIRST)]);
    steps.extend(request(100, EARTH, false, 5));
    steps.extend([
        (110, EARTH, event::PAGE_FAULT, 0x201),
        plain(120, EARTH, event::PAGE_BLOCKED),
        (200, EARTH, event::PAGE_READY, FIRST),
        runs(210, EARTH, FIRST),
    ]);
    steps.extend(request(220, EARTH, false, 5));
    steps.extend([plain(260, EARTH, event::TRAP72), runs(270, EARTH, SECOND), runs(280, EARTH, FIRST)]);
    let report = report(&steps, 300);
    let services = &report.latency.as_ref().unwrap().services;
    let ready = |service| services.iter().find(|row| row.service == service).unwrap().ready.unwrap().total_cycles;
    assert_eq!(ready(Service::LocalSendSecond), 160);
    assert_eq!(ready(Service::LocalReceiveFirst), 240);
    // Its service is that of the call that was met.
    let second = phases(&report, Protocol::Local).into_iter().find(|row| row.0 == Phase::SecondRequest).unwrap();
    assert_eq!(second.2, 40);
}

#[test]
fn states_of_threads_and_what_they_are_blocked_on() {
    let report = report(&local(EARTH), 600);
    let threads = &report.threads.as_ref().unwrap().threads;
    let states = |number: u16| threads.iter().find(|thread| thread.thread == number).unwrap();
    let second = states(SECOND);
    assert_eq!(
        second.states,
        BTreeMap::from([
            // 50 to 100, 420 to 500; 400 to 420 and, preempted without a word, from 500 on.
            (ThreadState::Running, 130),
            (ThreadState::Ready, 20),
            (ThreadState::Serviced, 40),
            (ThreadState::Channel, 260),
            (ThreadState::Untold, 100),
        ])
    );
    assert_eq!((second.blocked[0].on, second.blocked[0].cycles), (On::Receive(5), 260));
    assert_eq!((second.born_cycle, second.died_cycle, second.elapsed_cycles), (50, None, 550));
    assert_eq!(states(FIRST).states[&ThreadState::Running], 140 + 100);
    assert_eq!(states(FIRST).processors, BTreeMap::from([(EARTH, 440)]));
}

#[test]
fn a_moving_thread_is_where_it_was_until_it_arrives() {
    let report = report(&migration(), 400);
    let thread = &report.threads.as_ref().unwrap().threads[0];
    assert_eq!(thread.states[&ThreadState::Moving], 190);
    assert_eq!(thread.processors, BTreeMap::from([(EARTH, 190), (AIR, 160)]));
}

#[test]
fn an_interrupted_thread_goes_on_when_the_service_is_over() {
    let steps = [
        runs(100, AIR, SECOND),
        tx(150, EARTH, AIR, mpc::PAGE, 0),
        rx(200, AIR, EARTH, mpc::PAGE, 0),
        plain(230, AIR, event::PAGE_END),
        // It goes on without being scheduled.
        plain(300, AIR, event::TRAP7),
        plain(310, AIR, event::TRAP70),
    ];
    let report = report(&steps, 400);
    let thread = &report.threads.as_ref().unwrap().threads[0];
    assert_eq!(thread.states[&ThreadState::Running], 170);
    assert_eq!(thread.states[&ThreadState::Interrupted], 30);
    let air = &report.cpu.as_ref().unwrap().processors[1];
    assert_eq!(air.cycles[&Doing::User], 170);
    assert_eq!(air.cycles[&Doing::Message], 30);
    assert_eq!(air.cycles[&Doing::Idle], 90);
}

#[test]
fn queues_from_states_of_threads() {
    let report = report(&local(EARTH), 600);
    let earth = &report.queues.as_ref().unwrap().processors[0];
    // Both are ready from TRAP72 on, the second until 420, the first until 500.
    assert_eq!(earth.cycles_by_length, BTreeMap::from([(0, 500), (1, 80), (2, 20)]));
    assert_eq!(earth.mean, Some(120.0 / 600.0));
    assert_eq!((earth.max, earth.unknown_cycles), (2, 0));
    assert_eq!(earth.untold_mean, 100.0 / 600.0);
}

#[test]
fn queues_from_their_own_class() {
    use testbed_trace::order::What;
    let step = |cycle, what| testbed_trace::order::Event { what, ..event((cycle, EARTH, event::TRAP7, 0)) };
    let events = [
        step(100, What::Joins(FIRST)),
        step(150, What::Joins(SECOND)),
        step(200, What::Leaves(FIRST)),
        step(300, What::Leaves(SECOND)),
        // It never joined.
        step(350, What::Leaves(FIRST)),
    ];
    let options = Options { kinds: vec![Kind::Queues], window_cycles: Some(200), ..Options::default() };
    let report = analysed(&events, event::DIAG_READY, &options, 400).unwrap();
    let queues = report.queues.unwrap();
    let earth = &queues.processors[0];
    assert_eq!(earth.cycles_by_length, BTreeMap::from([(0, 200), (1, 150), (2, 50)]));
    assert_eq!(earth.windows, [Some(0.75), Some(0.5)]);
    assert_eq!(earth.window_max, [2, 1]);
    assert_eq!(queues.contradictions.total(), 1);
}

#[test]
fn what_processors_do_and_when() {
    let events: Vec<_> = remote_receiver_first().into_iter().map(event).collect();
    let options = Options { window_cycles: Some(350), ..Options::default() };
    let report = analysed(&events, CLASSES, &options, 700).unwrap();
    let cpu = report.cpu.unwrap();
    let air = &cpu.processors[1];
    assert_eq!(
        air.cycles,
        BTreeMap::from([
            (Doing::User, 50 + 40),
            (Doing::Request, 40),
            (Doing::Message, 20 + 50),
            // To the rtr's TX_MPC; from COMMR to SCHEDULE.
            (Doing::Kernel, 15 + 10),
            (Doing::Idle, 250 + 175),
            (Doing::Unknown, 50),
        ])
    );
    assert_eq!(air.windows.len(), 2);
    assert_eq!(air.windows[0][Doing::Idle as usize], 210);
    assert_eq!(air.windows[1][Doing::Idle as usize], 215);
    let earth = &cpu.processors[0];
    assert_eq!((earth.cycles[&Doing::User], earth.cycles[&Doing::Idle]), (140 + 160, 140));
}

#[test]
fn what_passes_between_processors() {
    let report = report(&remote_receiver_late(), 1_400);
    let links = report.links.unwrap();
    let link = |from: u8, to: u8| links.links.iter().find(|link| (link.from, link.to) == (from, Some(to))).unwrap();
    let there = link(EARTH, AIR);
    assert_eq!(there.sent, BTreeMap::from([("focus".into(), 1), ("msg".into(), 2)]));
    assert_eq!(there.sent, there.served);
    assert_eq!((there.communications, there.windows.iter().sum::<u64>()), (1, 3));
    let flights = there.flights.unwrap();
    assert_eq!((flights.count, flights.min_cycles, flights.max_cycles), (3, 50, 60));
    assert_eq!(link(AIR, EARTH).sent, BTreeMap::from([("rtr".into(), 1)]));
    assert!(links.omitted.is_empty());
}

#[test]
fn the_path_of_a_message_says_what_its_receiver_did_meanwhile() {
    let report = report(&remote_receiver_late(), 1_400);
    let path = &report.path.as_ref().unwrap().protocols[0];
    assert_eq!((path.count, path.whole.cycles, path.awaited.cycles), (1, 440, 790));
    let slowest = &path.slowest[0];
    assert_eq!((slowest.threads, slowest.channel), ((FIRST, SECOND), Some(6)));
    assert_eq!(slowest.steps.iter().map(|step| step.span.cycles).sum::<u64>(), 1_230);
    // The focus arrives while a thread runs; the last fragment after the service of the one before.
    let busy = |phase| slowest.steps.iter().find(|step| step.phase == phase).unwrap().busy.clone();
    assert_eq!(busy(Phase::FocusFlight), BTreeMap::from([(Doing::User, 50)]));
    assert_eq!(busy(Phase::MsgFlight), BTreeMap::from([(Doing::Message, 20), (Doing::Idle, 40)]));
}

#[test]
fn only_what_lies_in_the_range_counts() {
    let events: Vec<_> = local(EARTH).into_iter().map(event).collect();
    let options = Options { from_cycle: Some(200), to_cycle: Some(450), ..Options::default() };
    let report = analysed(&events, CLASSES, &options, 600).unwrap();
    let local = &report.phases.as_ref().unwrap().protocols[0];
    assert_eq!((local.whole, local.omitted.total()), (None, 1));
    let threads = &report.threads.unwrap().threads;
    assert!(threads.iter().all(|thread| thread.elapsed_cycles == 250));
    assert_eq!(report.queues.unwrap().processors[0].cycles_by_length.values().sum::<u64>(), 250);
    let earth = &report.cpu.unwrap().processors[0];
    assert_eq!(earth.cycles.values().sum::<u64>(), 250);
    assert_eq!(earth.cycles[&Doing::User], 100 + 30);
}

#[test]
fn reports_are_text_and_json() {
    let report = report(&remote_receiver_first(), 700);
    let table = text::text(&report, true);
    for part in
        ["rtr service", "remote send", "receiver meanwhile", "time-lines", "earth > air", "(receiver's request)"]
    {
        assert!(table.contains(part), "{part} is not in\n{table}");
    }
    let json = serde_json::to_string(&report).unwrap();
    let read: Report = serde_json::from_str(&json).unwrap();
    // Everything that has no fractions, whose last digit the text may change.
    assert_eq!((read.run, read.range, read.threads, read.cpu), (report.run, report.range, report.threads, report.cpu));
    assert_eq!(read.path, report.path);
}
