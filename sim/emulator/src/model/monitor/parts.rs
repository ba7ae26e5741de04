//! What an SMI is made of beside its registers.

use testbed_definitions::monitor::Pair;

/// An event behind the queue, with its time.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    pub time: u16,
    pub datum: u16,
    pub wraps: u8,
}

/// What goes into the queue in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// The second half of a gap marker or a total.
    Low(Pair),
    Front,
    Latch,
    Gap,
    /// The total of this rule.
    Total(u8),
}

/// An entry of the queue that the MMI has not taken, and the cycle in which it was enqueued.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub pair: Pair,
    pub cycle: u64,
}
