//! Requests to move threads of this processor ([`testbed_protocol::requests`]).

use testbed_protocol::requests::Requests;

use crate::drivers::events::{self, AWAITING};

pub struct Moves {
    pub requests: Requests,
    /// Threads that leave for one.
    pub leaving: u8,
}

impl crate::state::kernel::Kernel {
    /// Whether requests wait for threads, or threads leave for requests.
    #[inline]
    pub fn has_requests(&self) -> bool {
        self.moves.leaving != 0 || events::enabled(AWAITING)
    }
}

impl Moves {
    pub const NONE: Moves = Moves { requests: Requests::NONE, leaving: 0 };
}
