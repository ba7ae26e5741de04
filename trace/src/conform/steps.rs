//! What one event has changed, for those who look on while a trace is checked (see [`crate::analysis`]).

use super::packets::Packet;
use super::thread::{Happening, State};

/// A thread's state has moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub number: u16,
    pub happening: Happening,
    pub before: State,
}

/// Everything that the last event has changed.
#[derive(Debug, Default)]
pub struct Steps {
    /// In order; a TRAP72 moves two threads.
    pub threads: Vec<Move>,
    /// The packet that is served from here on, where its sending is known.
    pub arrived: Option<Packet>,
    /// Events of this processor are missing: nothing of what was known of it holds any more.
    pub lost: bool,
    /// The event was left out, because it may be the second word of another.
    pub misread: bool,
    /// The event is not what the state machines allow.
    pub deviates: bool,
}

impl Steps {
    pub fn clear(&mut self) {
        self.threads.clear();
        (self.arrived, self.lost, self.misread, self.deviates) = (None, false, false, false);
    }
}
