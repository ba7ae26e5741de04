//! Requests to move threads of this processor ([`testbed_protocol::requests`]).

use testbed_protocol::requests::Requests;

pub struct Moves {
    pub requests: Requests,
    /// Threads that leave for one.
    pub leaving: u8,
}

impl crate::state::kernel::Kernel {
    /// Whether threads leave for requests.
    #[inline]
    pub fn is_leaving_for_requests(&self) -> bool {
        self.moves.leaving != 0
    }
}

impl Moves {
    pub const NONE: Moves = Moves { requests: Requests::NONE, leaving: 0 };
}
