//! From the monitors' pairs to one ordered trace, with every event's epoch proven or reported as ambiguous.
//!
//! 1. [`unwrap`]: pairs of one SMI become words with an *epoch*, the number of times that the global clock has wrapped, counted
//!    by the wrap markers in the stream.
//! 2. [`grammar`]: words of one SMI become events, some of which take two words.
//! 3. [`events`]: the streams of all SMIs are merged by (epoch, time, SMI).
//!
//! All three stream: memory does not grow with the trace.

mod event;
mod grammar;
mod merge;
mod unwrap;

pub use event::{Convention, Event, What};
pub use grammar::Events;
pub use merge::{events, merge, OrderError};
pub use unwrap::{Proof, Stamped, Unwrap, Word, SEGMENT_MAX};

/// How often the global clock had wrapped when a word was stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epoch {
    /// Proven by the markers around the word.
    Certain(u64),
    /// At least `low`, and at most `high` where something bounds it.
    Ambiguous { low: u64, high: Option<u64> },
}

impl Epoch {
    /// The epoch, or its lower bound.
    pub fn low(self) -> u64 {
        match self {
            Epoch::Certain(epoch) => epoch,
            Epoch::Ambiguous { low, .. } => low,
        }
    }

    pub fn is_certain(self) -> bool {
        matches!(self, Epoch::Certain(_))
    }

    fn new(low: u64, high: Option<u64>) -> Self {
        match high {
            Some(high) if high <= low => Epoch::Certain(low),
            high => Epoch::Ambiguous { low, high },
        }
    }
}
