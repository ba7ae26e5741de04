//! The trait of all policies, and what they see.

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;

use crate::request::{Answer, Reason, Request};
use crate::summary::Summary;

/// Requests that may be pending in the whole machine at a time.
pub const PENDING: usize = 16;

/// What moves and messages cost, in cycles: `docs/firmware.md` has the measured figures, and the
/// balancer may replace them by what it measures in this run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    /// What a move costs until the thread goes on: packing, flight, unpacking.
    pub migration: u32,
    /// What each page costs that the thread touches after it.
    pub page: u32,
    /// Pages that follow a thread.
    pub pages: u32,
    /// What both processors together do for a local message.
    pub local: u32,
    /// What both processors together do for a remote message.
    pub remote: u32,
    /// How long a remote message is under way, beyond what the processors do.
    pub flight: u32,
    /// The same of each of its bytes, in 256ths of a cycle.
    pub flight_byte: u32,
    /// A time-slice.
    pub slice: u32,
    /// A millisecond.
    pub millisecond: u32,
}

impl Default for Costs {
    fn default() -> Self {
        Costs::DEFAULT
    }
}

impl Costs {
    /// Not known yet: all bytes are 0.
    pub const UNKNOWN: Costs = Costs {
        migration: 0,
        page: 0,
        pages: 0,
        local: 0,
        remote: 0,
        flight: 0,
        flight_byte: 0,
        slice: 0,
        millisecond: 0,
    };

    /// As measured on an idle machine with the default core; the tests of the documents compare them.
    pub const DEFAULT: Costs = Costs {
        migration: 1_743,
        page: 2_549,
        pages: 3,
        local: 462,
        remote: 1_001,
        flight: 440,
        flight_byte: 282,
        slice: 500_000,
        millisecond: 25_000,
    };

    /// Whether several moves take a time-slice at most.
    pub const fn moves_are_cheap(&self) -> bool {
        const SEVERAL: u32 = 8;
        SEVERAL * self.of_move() <= self.slice
    }

    /// So many cycles in milliseconds.
    pub fn milliseconds(&self, cycles: u64) -> u32 {
        (cycles / u64::from(self.millisecond.max(1))) as u32
    }

    /// What a move costs in all.
    pub const fn of_move(&self) -> u32 {
        self.migration + self.pages * self.page
    }
}

/// When a policy is asked, and how much it may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Requests that may be pending at a time.
    pub pending: usize,
    /// Requests that it may make when it is asked.
    pub at_once: usize,
    /// It is asked when a request is answered too, not only when all slaves have sent a new sample.
    pub on_answers: bool,
}

/// What a policy sees when it is asked.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub now: u64,
    pub summary: &'a Summary,
    pub costs: &'a Costs,
    /// Counts the rounds of samples: as long as it is the same, nothing new is known of the load.
    pub round: u32,
    /// Requests that are not answered yet.
    pub pending: &'a [Request],
}

impl View<'_> {
    /// The time in milliseconds.
    pub fn milliseconds(&self) -> u32 {
        self.costs.milliseconds(self.now)
    }
}

/// Why a request can't be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// From a processor to itself.
    SameProcessor,
    /// One of the processors is no slave.
    NoSlave,
    /// No thread is known where one is to come from.
    NoThreads,
    /// The named thread is not known to be there.
    NotThere,
    /// The named thread is in a pending request already.
    Asked,
    /// There are too many requests.
    TooMany,
}

/// Takes a policy's requests.
#[derive(Debug)]
pub struct Ask<'a> {
    view: View<'a>,
    pace: Pace,
    requests: ArrayVec<Request, PENDING>,
    /// Requests that were not taken.
    pub faults: u32,
}

impl<'a> Ask<'a> {
    /// Takes what the policy of this pace may ask for.
    pub fn new(view: View<'a>, pace: Pace) -> Self {
        Ask { view, pace, requests: ArrayVec::new(), faults: 0 }
    }

    /// How many requests may still be made.
    pub fn left(&self) -> usize {
        let pending = self.pace.pending.min(PENDING).saturating_sub(self.view.pending.len() + self.requests.len());
        pending.min(self.pace.at_once.saturating_sub(self.requests.len()))
    }

    /// Asks the slave `from` for a thread; one that can't be made is counted and says why.
    pub fn request(&mut self, reason: Reason, from: u8, to: u8) -> Result<(), Fault> {
        let checked = self.check(reason, from, to);
        match checked {
            Ok(()) => self.requests.push(Request { reason, from, to }),
            Err(_) => self.faults += 1,
        }
        checked
    }

    /// Asks to move this thread from where it is.
    pub fn thread(&mut self, thread: ThreadNumber, to: u8) -> Result<(), Fault> {
        let from = self.view.summary.thread(thread).map_or(0, |known| known.processor);
        self.request(Reason::Thread(thread), from, to)
    }

    /// Whether a request that is pending, or was just made, names this thread.
    pub fn is_asked(&self, thread: ThreadNumber) -> bool {
        let both = self.view.pending.iter().chain(&self.requests);
        both.into_iter().any(|request| request.reason == Reason::Thread(thread))
    }

    /// The requests.
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    fn check(&self, reason: Reason, from: u8, to: u8) -> Result<(), Fault> {
        let summary = self.view.summary;
        if from == to {
            return Err(Fault::SameProcessor);
        }
        if !summary.is_slave(from) || !summary.is_slave(to) {
            return Err(Fault::NoSlave);
        }
        if self.left() == 0 {
            return Err(Fault::TooMany);
        }
        match reason {
            Reason::Thread(thread) if self.is_asked(thread) => Err(Fault::Asked),
            Reason::Thread(thread) if summary.thread(thread).is_none_or(|known| known.processor != from) => {
                Err(Fault::NotThere)
            }
            Reason::Created(places) => {
                let are_slaves = places.iter().all(|place| summary.is_slave(place.number()));
                are_slaves.then_some(()).ok_or(Fault::NoSlave)
            }
            Reason::Thread(_) => Ok(()),
            _ if !summary.has_threads(from) => Err(Fault::NoThreads),
            _ => Ok(()),
        }
    }
}

/// Decides which threads move. A policy is a state machine without side effects: the same views and
/// answers make it ask for the same.
pub trait Policy {
    /// Its name on command lines and in tables.
    fn name(&self) -> &'static str;

    /// When it is asked, and how much it may ask for.
    fn pace(&self) -> Pace;

    /// Makes requests before anything is known of the load, or none.
    fn begin(&mut self, _view: &View<'_>, _ask: &mut Ask<'_>) {}

    /// Makes requests, or none.
    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>);

    /// Cycles from sample to sample that it wants for now, if the period that the balancer was told
    /// is too long.
    fn hurry(&self) -> Option<u32> {
        None
    }

    /// A request of its has been answered; or it was not, which counts as [`Answer::Expired`].
    fn answered(&mut self, _now: u64, _request: &Request, _answer: Answer) {}
}
