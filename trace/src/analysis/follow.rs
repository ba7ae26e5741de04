//! Follows a trace: one pass over its ordered events, from which facts come.
//!
//! The state machines of [`crate::conform`] say what each event means for threads, services and
//! packets. Memory is bounded by threads, channels and packets under way.

mod flights;
mod look;

use serde::{Deserialize, Serialize};
use testbed_definitions::{event, packet};

use super::episodes::{Episodes, Seen};
use super::exchange::Exchange;
use super::fact::{Fact, Flight};
use super::lives::Lives;
use super::measure::Mark;
use super::probe::Probe;
use super::processors::Present;
use crate::capture::RunRecord;
use crate::conform::service::FRAMED;
use crate::conform::Checker;
use crate::order::{Convention, Event, What};
use flights::Flights;

pub use super::fact::ThreadNow;

/// Destination of a broadcast, as the four bits in an event show it.
pub const ALL: u8 = packet::BROADCAST & 0xf;

/// What makes a trace's times uncertain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncertainty {
    /// Events without a proven epoch; what was going on on their processor is left out as after a loss.
    pub ambiguous: u64,
    /// Events that follow a loss and may be misread; left out.
    pub doubtful: u64,
    /// Places where full queues discarded events, and how many these were.
    pub gaps: u64,
    pub discarded: u64,
    /// Events that are not what the protocols allow; `testbed conform` lists them.
    pub deviations: u64,
    /// Damage of the capture's files.
    pub damage: Vec<String>,
}

/// What is counted of a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    probes: u64,
    probe_cycles: u64,
    /// Cycle of its last certain event.
    last: u64,
}

/// Follows one trace.
pub struct Follower {
    tick_cycles: u64,
    probe: Probe,
    convention: Convention,
    checker: Checker,
    lives: Lives,
    episodes: Episodes,
    presents: Vec<Present>,
    counts: Vec<Count>,
    flights: Flights,
    /// Events that were given to the checker.
    number: u64,
    uncertainty: Uncertainty,
}

impl Follower {
    /// For a run's trace.
    pub fn new(record: &RunRecord, probe: Probe) -> Self {
        let processors = record.machine.processors.len();
        Follower {
            tick_cycles: u64::from(record.machine.tick_cycles),
            probe,
            convention: Convention::of(record.dgl),
            checker: Checker::new(&record.machine.processors, record.dgl & event::DIAG_DETAIL != 0),
            lives: Lives::new(processors),
            episodes: Episodes::new(processors),
            presents: vec![Present::default(); processors],
            counts: vec![Count::default(); processors],
            flights: Flights::new(processors),
            number: 0,
            uncertainty: Uncertainty::default(),
        }
    }

    /// Cycle of an event.
    pub fn cycle(&self, event: &Event) -> u64 {
        event.ticks() * self.tick_cycles
    }

    /// Takes the next event, and says what it shows.
    pub fn add(&mut self, event: &Event, tell: &mut impl FnMut(&Fact)) {
        if event.smi as usize >= self.counts.len() {
            return;
        }
        if let What::Gap(count) = event.what {
            self.uncertainty.gaps += 1;
            self.uncertainty.discarded += u64::from(count.unwrap_or(0));
        }
        if !event.epoch.is_certain() {
            self.uncertainty.ambiguous += 1;
            // When that was nobody knows; that something is missing, everybody.
            let last = self.counts[event.smi as usize].last;
            return self.lose(event.smi, last, tell);
        }
        let cycle = self.cycle(event);
        if matches!(event.what, What::Gap(_)) || event.lacks_argument() || event.changes_classes() {
            return self.lose(event.smi, cycle, tell);
        }
        if event.doubtful {
            self.uncertainty.doubtful += 1;
            let from = self.counts[event.smi as usize].last;
            return tell(&Fact::Lost { processor: event.smi, from });
        }
        match self.convention {
            Convention::Ready => self.ready(event, cycle, tell),
            Convention::Profile => self.profile(event, cycle, tell),
        }
    }

    fn mark(&self, processor: u8, cycle: u64) -> Mark {
        let count = self.counts[processor as usize];
        Mark { processor, cycle, probes: count.probes, probe_cycles: count.probe_cycles }
    }

    /// A joining or leaving thread, of the ready-queue class.
    fn ready(&mut self, event: &Event, cycle: u64, tell: &mut impl FnMut(&Fact)) {
        let (thread, joins) = match event.what {
            What::Joins(thread) => (thread, true),
            What::Leaves(thread) => (thread, false),
            _ => return,
        };
        self.counts[event.smi as usize].last = cycle;
        self.lives.queue(event.smi, thread, joins, cycle);
        self.lives.drain().for_each(|fact| tell(&fact));
    }

    fn profile(&mut self, event: &Event, cycle: u64, tell: &mut impl FnMut(&Fact)) {
        let me = event.smi as usize;
        let mark = self.mark(event.smi, cycle);
        let before = self.checker.service(event.smi);
        let code = match event.what {
            What::Known(kind) => Some(kind.code),
            _ => None,
        };
        self.checker.add(event);
        let steps = self.checker.steps();
        let after = self.checker.service(event.smi);
        self.uncertainty.deviations += u64::from(steps.deviates);
        let runner = self.lives.scheduled(event.smi);
        let doing = self.presents[me].step(event, cycle, self.lives.able(event.smi), after, runner);
        self.flights.passes(&doing);
        tell(&doing);
        let flight = steps.arrived.and_then(|packet| self.flights.arrive(packet.number, mark, event));
        let checker = &self.checker;
        let seen = Seen { event, number: self.number, mark, code, before, after, steps, flight };
        self.lives.step(event, cycle, steps, before, |thread| checker.request_of(thread));
        self.episodes.step(&seen, |thread| checker.request_of(thread));
        self.lives.drain().for_each(|fact| tell(&fact));
        self.episodes.drain().for_each(|fact| tell(&fact));
        if let Some(what) = code.and_then(|code| Exchange::of(code, event.argument?, runner)) {
            tell(&Fact::Exchange { processor: event.smi, cycle, what });
        }
        self.packet(event, mark, code, flight, tell);
        self.number += 1;
        let count = &mut self.counts[me];
        count.probes += u64::from(self.probe.cost(event) > 0);
        count.probe_cycles += self.probe.cost(event);
        count.last = cycle;
    }

    /// Packets that leave and are served.
    fn packet(
        &mut self,
        event: &Event,
        mark: Mark,
        code: Option<u16>,
        flight: Option<Flight>,
        tell: &mut impl FnMut(&Fact),
    ) {
        let (other, kind, channel) = event::message_fields(event.argument.unwrap_or(0));
        match code {
            Some(event::RX_MPC) => tell(&Fact::Served { mark, from: other, kind, channel, flight }),
            Some(event::TX_MPC) => {
                tell(&Fact::Sent { mark, to: other, kind, channel });
                if !FRAMED.contains(&kind) {
                    return;
                }
                let processors = self.counts.len() as u8;
                let to_all = other == ALL && processors <= ALL;
                let to: Vec<_> = if to_all { (0..processors).collect() } else { vec![other] };
                for to in to {
                    if to != event.smi && !self.checker.is_dark(to) && !self.checker.is_dark(event.smi) {
                        self.flights.send(self.number, mark, to);
                    }
                }
            }
            _ => {}
        }
    }

    /// Events of a processor are missing since its last one; what it did until `cycle` is not known.
    fn lose(&mut self, processor: u8, cycle: u64, tell: &mut impl FnMut(&Fact)) {
        let from = self.counts[processor as usize].last;
        let cycle = cycle.max(from);
        tell(&self.presents[processor as usize].lose(processor, cycle));
        tell(&Fact::Lost { processor, from });
        self.checker.lose_after(processor);
        self.lives.lose(processor, cycle);
        let checker = &self.checker;
        self.episodes.lose(processor, cycle, |thread| checker.knows(thread));
        self.flights.forget(processor);
        self.lives.drain().for_each(|fact| tell(&fact));
        self.episodes.drain().for_each(|fact| tell(&fact));
        self.counts[processor as usize].last = cycle;
    }

    /// The trace ends at `cycle`.
    pub fn finish(mut self, cycle: u64, tell: &mut impl FnMut(&Fact)) -> Uncertainty {
        for processor in 1..self.presents.len() as u8 {
            let able = self.lives.able(processor);
            tell(&self.presents[processor as usize].end(processor, cycle, able));
        }
        self.lives.finish(cycle);
        self.episodes.finish(cycle);
        self.lives.drain().for_each(|fact| tell(&fact));
        self.episodes.drain().for_each(|fact| tell(&fact));
        self.uncertainty
    }
}
