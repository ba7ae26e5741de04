//! From the monitors' pairs to one ordered trace, with every event's epoch proven or reported as ambiguous.
//!
//! 1. `unwrap`: pairs of one SMI become words with an *epoch*, the number of times that the global clock has wrapped, counted
//!    by the wrap markers in the stream.
//! 2. `grammar`: words of one SMI become events, some of which take two words.
//! 3. [`Ordered`]: the streams of all SMIs are merged by (epoch, time, SMI).
//!
//! Of streams that still grow, [`Growing`] gives out what is proven to come next.
//!
//! All three work on blocks of words, and memory does not grow with the trace.

mod decode;
mod event;
mod grammar;
mod growing;
mod merge;
mod pairs;
mod unwrap;

pub use decode::{Events, Input};
pub use event::{Convention, Event, What};
pub use growing::Growing;
pub use merge::{events, OrderError, Ordered, HELD_MAX};
pub use pairs::{Hole, Next, Pairs};

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
}
