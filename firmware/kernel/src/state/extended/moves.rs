//! Requests to move threads of this processor ([`testbed_protocol::requests`]).

use testbed_protocol::requests::Requests;

pub struct Moves {
    pub requests: Requests,
    /// Threads that leave for one.
    pub leaving: u8,
}

impl Moves {
    pub const NONE: Moves = Moves { requests: Requests::NONE, leaving: 0 };
}
