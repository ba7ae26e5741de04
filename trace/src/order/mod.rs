//! From the monitors' pairs to one ordered trace, with every event's epoch proven or reported as ambiguous.
//!
//! 1. [`testbed_events::unwrap`]: pairs of one SMI become words with an *epoch*, the number of times
//!    that the global clock has wrapped, counted by the wrap markers in the stream.
//! 2. [`testbed_events::grammar`]: words of one SMI become events, some of which take two words.
//! 3. [`Ordered`]: the streams of all SMIs are merged by (epoch, time, SMI).
//!
//! Of streams that still grow, [`Growing`] gives out what is proven to come next.
//!
//! All three work on blocks of words, and memory does not grow with the trace.

mod decode;
mod growing;
mod merge;
mod pairs;

pub use decode::{Events, Input, OrderError};
pub use growing::Growing;
pub use merge::{events, Ordered, HELD_MAX};
pub use pairs::{Next, Pairs};
pub use testbed_events::{Convention, Epoch, Event, Hole, What};
