//! What the trace says of threads that wait: since when, after which communication, and who faults over and over.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use itertools::Itertools;
use serde::{Deserialize, Serialize};
use testbed_definitions::event::{self, DIAG_DETAIL, DIAG_PROFILE};

use crate::capture::RunRecord;
use crate::conform::service::Service;
use crate::conform::thread::{Happening, Request};
use crate::conform::Checker;
use crate::order::{Convention, Event, What};

/// Faults on one page since a thread last got on, from which on it is said that it may be in a live-lock.
const FAULTS_MIN: u64 = 64;

/// An event of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Its number in the ordered trace, from 0.
    pub event: u64,
    pub name: Cow<'static, str>,
    /// Machine cycle, exact to a tick of the global clock; if it is not certain, the earliest.
    pub cycle: u64,
    pub certain: bool,
}

/// A thread that needs the same page over and over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    pub page: u16,
    pub count: u64,
    pub first: Mark,
    pub last: Mark,
}

/// What the trace says of one thread.
#[derive(Clone, Debug, Default)]
pub struct Life {
    /// The last event of which it is certain that it is the thread's.
    pub last: Option<Mark>,
    /// What that said.
    happening: Option<Happening>,
    /// Its last communication, with the channel if the trace tells it; and the last on each channel.
    pub communication: Option<(Mark, Option<u8>)>,
    pub channels: BTreeMap<u8, Mark>,
    /// Its end.
    pub ended: Option<Mark>,
    /// Events of its processor were lost since then.
    pub lost: bool,
    at: u8,
    /// Faults since it last got on.
    faults: BTreeMap<u16, Faults>,
}

impl Life {
    /// The processor of its last event.
    pub fn at(&self) -> u8 {
        self.at
    }

    /// The event that has blocked it, if that is the last one: by a request, by a page, by waiting
    /// for children or in another call.
    pub fn blocked(&self) -> Option<&Mark> {
        use Happening::{Blocks, Calls, PageBlocks, Synchronizes, Waits};
        let blocks = matches!(self.happening, Some(Blocks | PageBlocks | Waits | Calls | Synchronizes));
        self.last.as_ref().filter(|_| blocks && !self.lost)
    }

    /// The same, if it has blocked it in this way; what was on its way out of the machine when it
    /// was stopped may say otherwise.
    pub(super) fn blocked_by(&self, happening: Happening) -> Option<&Mark> {
        self.blocked().filter(|_| self.happening == Some(happening))
    }

    /// The page that it needs over and over without getting on, up to the end of the run.
    pub fn live_lock(&self, end: u64) -> Option<&Faults> {
        let most = self.faults.values().max_by_key(|faults| faults.count)?;
        // The longest pause between two faults that it has shown, many times over.
        let pause = (most.last.cycle - most.first.cycle) / most.count.max(1);
        let goes_on = end.saturating_sub(most.last.cycle) <= 16 * pause.max(1);
        (most.count >= FAULTS_MIN && goes_on && !self.lost).then_some(most)
    }
}

/// What a trace says of all threads.
#[derive(Debug)]
pub struct Evidence {
    lives: HashMap<u16, Life>,
    checker: Checker,
    running: Vec<Option<u16>>,
    tick_cycles: u64,
    number: u64,
    /// Why the trace does not tell more.
    pub gaps: BTreeMap<String, u64>,
}

impl Evidence {
    pub fn new(record: &RunRecord) -> Self {
        let names = &record.machine.processors;
        Evidence {
            lives: HashMap::new(),
            checker: Checker::new(names, record.dgl & DIAG_DETAIL != 0),
            running: vec![None; names.len()],
            tick_cycles: u64::from(record.machine.tick_cycles),
            number: 0,
            gaps: BTreeMap::new(),
        }
    }

    /// Whether a run with these event classes tells anything of threads.
    pub fn is_recorded(record: &RunRecord) -> bool {
        record.dgl & DIAG_PROFILE != 0 && Convention::of(record.dgl) == Convention::Profile
    }

    /// The last request of a thread, if class `detail` tells it.
    pub(super) fn request_of(&self, thread: u16) -> Option<Request> {
        self.checker.request_of(thread)
    }

    /// Every thread that has shown itself, by number.
    pub fn threads(&self) -> Vec<u16> {
        self.lives.keys().copied().sorted_unstable().collect()
    }

    /// What is known of a thread.
    pub fn of(&self, thread: u16) -> Option<&Life> {
        self.lives.get(&thread)
    }

    /// Takes the next event.
    pub fn add(&mut self, event: &Event) {
        // A message's channel is known until its service ends, which this event may do.
        let service = self.checker.service(event.smi);
        self.checker.add(event);
        let mark = Mark {
            event: self.number,
            name: event.what.name().into(),
            cycle: event.ticks() * self.tick_cycles,
            certain: event.is_certain(),
        };
        self.number += 1;
        let steps = self.checker.steps();
        if steps.lost {
            self.lives.values_mut().filter(|life| life.at == event.smi).for_each(|life| life.lost = true);
            if let Some(running) = self.running.get_mut(usize::from(event.smi)) {
                *running = None;
            }
            *self.gaps.entry("events were lost, or their classes changed".into()).or_default() += 1;
        }
        for step in &steps.threads {
            let life = self.lives.entry(step.number).or_default();
            (life.at, life.lost) = (event.smi, false);
            // A release by a partner that no event names is found when the thread runs: then its own event says more.
            (life.last, life.happening) = (Some(mark.clone()), Some(step.happening));
            if matches!(step.happening, Happening::Released | Happening::Copies) {
                let asked = self.checker.request_of(step.number).filter(|request| !request.alternative);
                let channel = match service {
                    Service::Message { channel, .. } => Some(channel),
                    _ => asked.map(|request| request.channel),
                };
                life.communication = Some((mark.clone(), channel));
                life.channels.extend(channel.map(|channel| (channel, mark.clone())));
            }
            match step.happening {
                Happening::Scheduled => self.running[usize::from(event.smi)] = Some(step.number),
                Happening::Ends => *life = Life { ended: Some(mark.clone()), ..Life::default() },
                Happening::Blocks
                | Happening::Copies
                | Happening::Released
                | Happening::Waits
                | Happening::Calls
                | Happening::Synchronizes
                | Happening::GetsThrough => life.faults.clear(),
                Happening::Faults => life.fault(event.argument.unwrap_or(0), &mark),
                _ => {}
            }
        }
        // A program that emits events of its own gets on.
        let is_users = matches!(event.what, What::Known(kind) if kind.code == event::USER);
        let running = self.running.get(usize::from(event.smi)).copied().flatten();
        if let (true, Some(life)) = (is_users, running.and_then(|running| self.lives.get_mut(&running))) {
            life.faults.clear();
        }
    }
}

impl Life {
    fn fault(&mut self, page: u16, mark: &Mark) {
        let faults = self.faults.entry(page).or_insert_with(|| Faults {
            page,
            count: 0,
            first: mark.clone(),
            last: mark.clone(),
        });
        faults.count += 1;
        faults.last = mark.clone();
    }
}
