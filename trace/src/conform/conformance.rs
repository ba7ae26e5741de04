//! What a check of a trace has found.

use std::collections::BTreeMap;

use crate::order::Event;

/// An event that the protocols do not allow where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Number of the event in the ordered trace, from 0.
    pub number: u64,
    /// The event; for something that is missing at the end, the last that says that it was due.
    pub event: Event,
    pub what: String,
    pub expected: String,
}

/// A thread that waits when the trace is over, and has done so for long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub thread: u16,
    /// The event that says that it waits, and its number in the ordered trace, from 0.
    pub since: Event,
    pub number: u64,
    /// For what, in words that follow "waits".
    pub what: String,
}

/// What a check says of a run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The capture holds the whole run, the run came to its end, and every event is what the protocols allow.
    Conforms,
    /// Some events are not.
    Deviates,
    /// All events that are there are, but the run or its capture is not whole.
    Incomplete,
    /// The events that are there can't say.
    NoVerdict,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conformance {
    pub deviations: Vec<Deviation>,
    /// Threads that have waited since long before the end, in order of that; none if nobody knows when the end was.
    pub waiting: Vec<Waiting>,
    /// Why this is not a whole run, a sentence each.
    pub incomplete: Vec<String>,
    /// Why the events can't say whether the run conforms, with the remedy.
    pub no_verdict: Option<String>,
    /// Events that gap markers say were discarded, or 1 for each gap without a count.
    pub discarded: u64,
    /// What could not be checked, and how often.
    pub unchecked: BTreeMap<String, u64>,
    pub events: u64,
    pub threads: u64,
    /// Packets that were matched with their service, and requests, migrations and page faults that were followed.
    pub packets: u64,
    pub requests: u64,
    pub migrations: u64,
    pub faults: u64,
}

/// Deviations that are kept; more are only counted as not checked.
pub(crate) const DEVIATIONS_MAX: usize = 100;

impl Conformance {
    /// What all of it says of the run.
    pub fn verdict(&self) -> Verdict {
        match self {
            _ if self.no_verdict.is_some() => Verdict::NoVerdict,
            _ if !self.deviations.is_empty() => Verdict::Deviates,
            _ if !self.incomplete.is_empty() || !self.waiting.is_empty() => Verdict::Incomplete,
            _ => Verdict::Conforms,
        }
    }
}
