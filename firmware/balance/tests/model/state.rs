//! Where threads and processors are.

use std::collections::VecDeque;

use testbed_balance::request::Link;
use testbed_definitions::ids::ThreadNumber;

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Ready,
    Waiting,
    Moving,
    Ended,
}

/// A thread of the model.
pub struct Thread {
    pub number: ThreadNumber,
    pub at: u8,
    pub state: State,
    pub last: Option<Link>,
    /// It has come from another processor, and has communicated.
    pub has_come: bool,
    pub has_communicated: bool,
    /// Its edges in order, the number of the next in this round, and the round.
    pub edges: Vec<usize>,
    pub next: usize,
    pub round: u32,
    pub has_computed: bool,
    /// Cycles left of what it does, and whether they are its own.
    pub left: u64,
    pub is_work: bool,
    /// The edge whose service is done when `left` is.
    pub serving: Option<usize>,
}

impl Thread {
    /// It was created here, and has not communicated.
    pub fn is_new(&self) -> bool {
        !self.has_come && !self.has_communicated
    }
}

/// A processor of the model.
pub struct Processor {
    pub queue: VecDeque<usize>,
    pub running: Option<usize>,
    pub turn: u32,
    pub began: u64,
    pub slice_end: u64,
    /// Cycles of the kernel that the next turn waits for.
    pub debt: u64,
    pub seen: bool,
}
