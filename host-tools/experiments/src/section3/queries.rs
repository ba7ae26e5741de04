//! The queries over an ordered trace from which the figures come, each by its name. What they give
//! is in machine cycles; a stamp is exact to a tick of the global clock.

use std::collections::BTreeSet;

use testbed_trace::analysis::fact::{Episode, Stage};
use testbed_trace::analysis::protocol::{Phase, Protocol};

use super::lengths::lengths;
use super::multi_phase::{distributions, ready_queues, send_latencies, send_requests};
use crate::observed::{ObserveError, Observed};
use crate::query::{Answer, Ask, Query};
use crate::subject::{Subject, START};

const LENGTH: &str = "message length, bytes";
const TIME: &str = "time, cycles";
const CYCLES: &str = "cycles";

const fn query(figure: u8, name: &'static str, program: &'static str, x: &'static str, ask: Ask) -> Query {
    Query { figure, name, program, x, y: CYCLES, ask }
}

/// All of them, in the order of the report's figures.
pub const QUERIES: [Query; 17] = [
    query(9, "local-send-service", "local", LENGTH, local_send),
    query(10, "local-services-corrected", "local", LENGTH, local_corrected),
    query(11, "remote-request-services", "remote", LENGTH, remote_requests),
    query(12, "message-services", "remote", LENGTH, message_services),
    query(13, "message-flights", "remote", LENGTH, flights),
    query(14, "msg-queueing-and-flight", "remote", LENGTH, msg_flight),
    query(15, "remote-delays", "remote", LENGTH, remote_delays),
    query(16, "migration-phases", "migrate", "migration", migration_phases),
    query(17, "page-phases", "migrate", "page", page_phases),
    Query { y: "length of the ready queue", ..query(19, "ready-queues", "multi-phase", TIME, ready_queues) },
    Query { y: "requests", ..query(20, "send-requests", "multi-phase", TIME, send_requests) },
    query(21, "send-latencies", "multi-phase", TIME, send_latencies),
    Query { x: "latency, cycles", y: "sends", ..query(22, "latency-distributions", "multi-phase", "", distributions) },
    query(24, "local-send-latency", "local", LENGTH, local_latency),
    query(25, "remote-send-latency", "remote", LENGTH, remote_latency),
    query(26, "migration-latency", "migrate", "migration", migration_latency),
    query(27, "page-latency", "migrate", "page", page_latency),
];

/// The query with this name.
pub fn named(name: &str) -> Option<&'static Query> {
    QUERIES.iter().find(|query| query.name == name)
}

/// The query of a figure; `None` for 18 and 23, which are no curves.
pub fn of_figure(figure: u8) -> Option<&'static Query> {
    QUERIES.iter().find(|query| query.figure == figure)
}

/// Cycles of a stage without probes and timer interrupts.
fn corrected(observed: &Observed, stage: &Stage) -> f64 {
    let timers = match stage.from.processor == stage.to.processor {
        true => observed.timer_cycles(stage.processor, stage.from.cycle, stage.to.cycle),
        false => 0,
    };
    (stage.span.corrected() - timers as i64) as f64
}

/// Cycles of the phases of an episode that are among `phases`, as the stamps are, or corrected;
/// `None` if it has none of them.
fn sum(observed: &Observed, episode: &Episode, phases: &[Phase], correct: bool) -> Option<f64> {
    let stages = episode.stages.iter().chain(&episode.beside).filter(|stage| phases.contains(&stage.phase));
    stages
        .map(|stage| if correct { corrected(observed, stage) } else { stage.span.cycles as f64 })
        .reduce(|sum, cycles| sum + cycles)
}

/// The program's messages with their lengths, without the empty one at the end.
fn messages<'a>(
    observed: &'a Observed,
    subject: &Subject,
    protocol: Protocol,
) -> Result<Vec<(f64, &'a Episode)>, ObserveError> {
    let lengths = lengths(subject);
    let found: Vec<_> = observed.episodes_of(protocol, subject.process).collect();
    if found.len() != lengths.len() {
        let (dir, program) = (observed.dir.clone(), subject.program.clone());
        return Err(ObserveError::Count { dir, program, found: found.len(), expected: lengths.len() });
    }
    Ok(lengths
        .into_iter()
        .zip(found)
        .filter(|(length, _)| *length > 0)
        .map(|(length, one)| (length as f64, one))
        .collect())
}

/// A series for each set of phases, over messages.
fn by_length(
    observed: &Observed,
    subject: &Subject,
    protocol: Protocol,
    series: &[(&'static str, &[Phase])],
    correct: bool,
) -> Result<Answer, ObserveError> {
    let messages = messages(observed, subject, protocol)?;
    let of = |phases: &[Phase]| {
        let value = |(length, episode): &(f64, &Episode)| Some((*length, sum(observed, episode, phases, correct)?));
        messages.iter().filter_map(value).collect()
    };
    Ok(series.iter().map(|(name, phases)| (*name, of(phases))).collect())
}

fn local_send(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    by_length(observed, subject, Protocol::Local, &[("send request", &[Phase::SecondRequest])], false)
}

fn local_corrected(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 2] =
        [("send request", &[Phase::SecondRequest]), ("receive request", &[Phase::FirstRequest])];
    by_length(observed, subject, Protocol::Local, &series, true)
}

fn local_latency(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    by_length(observed, subject, Protocol::Local, &[("local send", &[Phase::SecondRequest])], true)
}

fn remote_requests(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 2] =
        [("send request", &[Phase::SenderRequest]), ("receive request", &[Phase::ReceiverRequest])];
    by_length(observed, subject, Protocol::Remote, &series, true)
}

fn message_services(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 3] =
        [("rtr", &[Phase::RtrService]), ("msg", &[Phase::MsgService]), ("focus", &[Phase::FocusService])];
    by_length(observed, subject, Protocol::Remote, &series, true)
}

const FOCUS: [Phase; 2] = [Phase::FocusQueue, Phase::FocusFlight];
const RTR: [Phase; 2] = [Phase::RtrQueue, Phase::RtrFlight];
const MSG: [Phase; 2] = [Phase::MsgQueue, Phase::MsgFlight];

fn flights(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 3] = [("msg", &MSG), ("rtr", &RTR), ("focus", &FOCUS)];
    by_length(observed, subject, Protocol::Remote, &series, false)
}

fn msg_flight(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 2] = [("queued", &[Phase::MsgQueue]), ("pure flight", &[Phase::MsgFlight])];
    by_length(observed, subject, Protocol::Remote, &series, false)
}

/// What a sender passes until it goes on.
const SENDER: [Phase; 7] = [
    Phase::SenderRequest,
    Phase::FocusQueue,
    Phase::FocusFlight,
    Phase::FocusService,
    Phase::RtrQueue,
    Phase::RtrFlight,
    Phase::RtrService,
];
/// What a receiver passes until it goes on, once the sender has asked.
const RECEIVER: [Phase; 8] = [
    Phase::ReceiverRequest,
    Phase::FocusService,
    Phase::RtrQueue,
    Phase::RtrFlight,
    Phase::RtrService,
    Phase::MsgQueue,
    Phase::MsgFlight,
    Phase::MsgService,
];

fn remote_delays(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 2] = [("receiver", &RECEIVER), ("sender", &SENDER)];
    by_length(observed, subject, Protocol::Remote, &series, true)
}

fn remote_latency(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    by_length(observed, subject, Protocol::Remote, &[("remote send", &SENDER)], true)
}

/// A series for each set of phases, over episodes, numbered from 1.
fn by_number<'a>(
    observed: &Observed,
    episodes: impl Iterator<Item = &'a Episode> + Clone,
    series: &[(&'static str, &[Phase])],
    correct: bool,
) -> Answer {
    let of = |phases: &[Phase]| {
        let value = |(number, episode)| Some(((number + 1) as f64, sum(observed, episode, phases, correct)?));
        episodes.clone().enumerate().filter_map(value).collect()
    };
    series.iter().map(|(name, phases)| (*name, of(phases))).collect()
}

/// Numbers of the migrations that bring the program to a processor for the first time: it has to be made known there.
fn first_visits(observed: &Observed, subject: &Subject) -> BTreeSet<usize> {
    let mut known = BTreeSet::from([START]);
    let migrations = observed.episodes_of(Protocol::Migration, subject.process).enumerate();
    let arrivals = migrations.filter_map(|(number, one)| Some((number + 1, one.stages.last()?.processor)));
    arrivals.filter(|(_, processor)| known.insert(*processor)).map(|(number, _)| number).collect()
}

/// What the names of series contain that show a program's first visits to processors.
pub const FIRST_VISIT: &str = "first visit";

/// Takes first visits out of series `from`, into one of their own.
fn part(answer: &mut Answer, first: &BTreeSet<usize>, from: &str, name: &'static str) {
    let is_first = |point: &(f64, f64)| first.contains(&(point.0 as usize));
    let Some((_, points)) = answer.iter_mut().find(|(series, _)| *series == from) else { return };
    let (apart, rest) = points.iter().copied().partition(is_first);
    *points = rest;
    answer.push((name, apart));
}

fn migration_phases(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 3] = [
        ("packing", &[Phase::Packing]),
        ("flight", &[Phase::ThreadQueue, Phase::ThreadFlight]),
        ("unpacking", &[Phase::Unpacking]),
    ];
    let mut answer = by_number(observed, observed.episodes_of(Protocol::Migration, subject.process), &series, true);
    part(&mut answer, &first_visits(observed, subject), "unpacking", "unpacking, first visit");
    Ok(answer)
}

fn migration_latency(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let phases = [Phase::Packing, Phase::ThreadQueue, Phase::ThreadFlight, Phase::Unpacking];
    let mut answer = by_number(
        observed,
        observed.episodes_of(Protocol::Migration, subject.process),
        &[("migration", &phases)],
        true,
    );
    part(&mut answer, &first_visits(observed, subject), "migration", "first visit to a processor");
    Ok(answer)
}

fn page_phases(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let series: [(_, &[_]); 3] = [
        ("page flight", &[Phase::PageFlight, Phase::PageArrival]),
        ("request flight", &[Phase::RequestFlight]),
        ("fault, to the request's departure", &[Phase::FaultService, Phase::RequestQueue]),
    ];
    // Only where the trace tells the request from other messages about the page, the parts are known.
    let is_told = |one: &&Episode| one.stages.iter().any(|stage| stage.phase == Phase::RequestFlight);
    Ok(by_number(observed, observed.episodes_of(Protocol::Page, subject.process).filter(is_told), &series, false))
}

fn page_latency(observed: &Observed, subject: &Subject) -> Result<Answer, ObserveError> {
    let phases = [
        Phase::FaultService,
        Phase::RequestQueue,
        Phase::RequestFlight,
        Phase::PageFlight,
        Phase::PageAway,
        Phase::PageArrival,
    ];
    let pages = observed.episodes_of(Protocol::Page, subject.process);
    Ok(by_number(observed, pages, &[("remote page copy", &phases)], true))
}
