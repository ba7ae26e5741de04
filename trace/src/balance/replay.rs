//! What a policy would have asked for in a run: the code that the balancer runs, over the samples
//! that were recorded.
//!
//! Its requests move nothing in the recording. So its first ones are those that it would have made
//! there, and all later ones are made in a run in which nothing came of them: they expire, after a
//! time-slice, so that it may go on. A request that the run's own balancer made at that time too is
//! answered as it was in the run. So a policy
//! can be followed through a run that it balanced itself, another one through the same, and all of
//! them through a run with `--balance none`, in which threads stay where they were created.

use serde::{Deserialize, Serialize};
use testbed_balance::balancer::{Balancer, Sent};
use testbed_balance::log::parse::LogError;
use testbed_balance::log::Entry;
use testbed_balance::policies::boxed::Boxed;
use testbed_balance::reader::Read;
use testbed_balance::request::{Answer, Link, Request};
use testbed_definitions::event::{DIAG_LOAD, DIAG_READY};
use testbed_definitions::limits::TIME_SLICE_US;

use super::history::{self, History, Summary};
use super::log::{text, Log};
use super::samples::read;
use crate::capture::{Capture, CaptureError, Integrity, RunRecord, BALANCE};
use crate::order::{events, Event};

/// A balancer decides up to so much later than its samples come: it has to read them, and a search
/// of `gain` takes the master a quarter of a second at most.
const LATER_MS: u64 = 300;
/// Its clock is read before the samples are.
const SOONER_MS: u64 = 20;

/// What a policy asked for by one round of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The load, at the time when its last sample had come.
    pub load: Summary,
    pub asked: Vec<Asked>,
}

/// A request that a policy made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    pub number: u16,
    pub request: Request,
    /// The same request in the log of the run's own balancer, if that made it too.
    pub own: Option<history::Asked>,
}

/// How many requests there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub rounds: u64,
    pub requests: u64,
    /// Those of them that the run's own balancer made too.
    pub both: u64,
    /// Those that only the run's own balancer made.
    pub own_only: u64,
    /// Requests that make no sense, which were not made.
    pub faults: u64,
    /// Samples that were lost, or damaged.
    pub samples_lost: u64,
}

/// All that a policy asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    pub slaves: u8,
    pub rounds: Vec<Round>,
    pub counts: Counts,
}

/// Why a policy can't be followed through a run.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(
        "{0}: the run did not record the samples by which policies decide\n  \
         help: run the program again with --balance none, a --sample shorter than the run, and without class ready"
    )]
    NoSamples(String),
    #[error("{0}: the run was over before its first samples\n  help: run the program again with a shorter --sample")]
    TooShort(String),
    #[error("{dir}/{BALANCE}: {error}\n  help: restore it, or delete it: then no request is held against it")]
    Log { dir: String, error: LogError },
}

/// What this policy would have asked for in a run.
///
/// # Errors
/// The run has recorded no samples, or was over before there were any, or its files can't be read.
pub fn replay(capture: &Capture, integrity: &Integrity, policy: Boxed) -> Result<Replayed, ReplayError> {
    let (record, dir) = (&capture.record, || capture.dir.display().to_string());
    if record.dgl & DIAG_LOAD == 0 || record.dgl & DIAG_READY != 0 {
        return Err(ReplayError::NoSamples(dir()));
    }
    let log = text(capture)?.map(|text| Log::of(&text)).transpose();
    let log = log.map_err(|error| ReplayError::Log { dir: dir(), error })?.unwrap_or_default();
    let mut replay = Replay::new(record, &log.history, policy);
    for event in events(capture, integrity)? {
        let event = event?;
        replay.add(event.ticks() * u64::from(record.machine.tick_cycles), &event);
    }
    let replayed = replay.finish();
    if replayed.counts.rounds == 0 {
        let is_short = record.balance.is_some();
        return Err(if is_short { ReplayError::TooShort(dir()) } else { ReplayError::NoSamples(dir()) });
    }
    Ok(replayed)
}

/// Follows a policy through a run.
pub struct Replay {
    /// It is large.
    balancer: Box<Balancer<Boxed>>,
    millisecond: u64,
    /// Requests of the run's own balancer that the policy has not made as yet.
    own: Vec<history::Asked>,
    /// Answers that are to come: when, in cycles, and to which request.
    answers: Vec<(u64, u16, Answer)>,
    rounds: Vec<Round>,
}

impl Replay {
    /// Of this policy, through a run of which this is the record, and that what its own balancer's
    /// log tells; an empty one without a balancer.
    pub fn new(record: &RunRecord, own: &History, policy: Boxed) -> Self {
        let microsecond = record.machine.clock_hz / 1_000_000;
        let mut balancer = Box::new(Balancer::new(record.machine.slaves() as u8, policy));
        balancer.costs.slice = TIME_SLICE_US * microsecond;
        balancer.costs.millisecond = 1_000 * microsecond;
        let millisecond = u64::from(balancer.costs.millisecond).max(1);
        Replay { balancer, millisecond, own: own.asked.clone(), answers: Vec::new(), rounds: Vec::new() }
    }

    /// Takes the run's next event, which happened in this cycle.
    pub fn add(&mut self, cycle: u64, event: &Event) {
        match read(event) {
            Read::Nothing => return,
            Read::Lost(slave) => self.balancer.lost(slave),
            Read::Part(slave, part) => {
                self.answer(cycle);
                self.balancer.take(slave, cycle, part);
            }
        }
        self.step(cycle);
    }

    /// What has come of it at the end of the run.
    pub fn finish(self) -> Replayed {
        let summary = self.balancer.summary();
        let lost = summary.processors().map(|slave| u64::from(summary.slave(slave).lost)).sum();
        let both = self.rounds.iter().flat_map(|round| &round.asked).filter(|asked| asked.own.is_some()).count();
        let counts = Counts {
            rounds: self.balancer.counts.rounds.into(),
            requests: self.balancer.counts.requests.into(),
            both: both as u64,
            own_only: self.own.len() as u64,
            faults: self.balancer.counts.faults.into(),
            samples_lost: lost,
        };
        Replayed { slaves: summary.slaves, rounds: self.rounds, counts }
    }

    /// Gives the policy the answers that have come until this cycle, each at its time.
    fn answer(&mut self, until: u64) {
        loop {
            let due = (0..self.answers.len()).filter(|&at| self.answers[at].0 <= until);
            let Some(next) = due.min_by_key(|&at| (self.answers[at].0, self.answers[at].1)) else { return };
            let (cycle, number, answer) = self.answers.remove(next);
            self.balancer.answer(cycle, number, answer);
            self.step(cycle);
        }
    }

    /// Asks the policy, if it is time to.
    fn step(&mut self, cycle: u64) {
        let before = self.balancer.counts.rounds;
        let sent = self.balancer.step(cycle);
        let _ = self.balancer.take_given_up();
        let is_round = self.balancer.counts.rounds != before;
        if is_round || !sent.is_empty() && self.rounds.is_empty() {
            self.rounds.push(self.round(cycle));
        }
        for sent in sent {
            let asked = self.asked(cycle, &sent);
            self.rounds.last_mut().into_iter().for_each(|round| round.asked.push(asked));
        }
    }

    fn round(&self, cycle: u64) -> Round {
        let summary = self.balancer.summary();
        let time_ms = cycle / self.millisecond;
        let links = Link::all(summary.slaves).map(|link| summary.link(link).sends).collect();
        let queues = summary.processors().map(|slave| summary.slave(slave).ready.into()).collect();
        let load = Summary { time_ms, links, queues };
        Round { load, asked: Vec::new() }
    }

    /// Sees to what comes of a request.
    fn asked(&mut self, cycle: u64, sent: &Sent) -> Asked {
        // The log tells of a request by which round of samples it was made, which may be long ago; and
        // has what is asked for before there is a sample before its first summary.
        let round_ms = self.rounds.last().filter(|_| self.balancer.counts.rounds > 0);
        let round_ms = round_ms.map_or(0, |round| round.load.time_ms);
        let times = round_ms.saturating_sub(SOONER_MS)..=cycle / self.millisecond + LATER_MS;
        let is_same = |own: &history::Asked| own.request == sent.request && times.contains(&own.asked_ms);
        let own = self.own.iter().position(is_same).map(|at| self.own.remove(at));
        let answer = match own {
            // Nobody has answered it, or not until the end, if it has none.
            Some(own) => own.answer.and_then(|(ms, answer)| Some(((ms * self.millisecond).max(cycle), answer?))),
            None if sent.request.is_standing() => Some((cycle, Answer::Stands)),
            None => Some((cycle + u64::from(self.balancer.costs.slice), Answer::Expired)),
        };
        self.answers.extend(answer.map(|(cycle, answer)| (cycle, sent.number, answer)));
        Asked { number: sent.number, request: sent.request, own }
    }
}

impl Round {
    /// The lines of a balancer's log that say the same. Requests that the run's own balancer did not
    /// make have no answer there.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let history::Summary { time_ms, links, queues } = &self.load;
        let load = Entry::load(*time_ms, links.iter().copied(), queues.iter().copied());
        load.into_iter().chain(self.asked.iter().flat_map(Asked::entries))
    }
}

impl Asked {
    fn entries(&self) -> impl Iterator<Item = Entry> {
        let (number, request) = (u32::from(self.number), self.request);
        let own = self.own.and_then(|own| own.answer);
        let answer = own.map(|(time, answer)| Entry::answered(number, &request, answer, time));
        std::iter::once(Entry::Move { number, request }).chain(answer)
    }
}
