//! Requests to move threads of this processor ([`testbed_protocol::requests`]).

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::request::KEPT;
use testbed_protocol::requests::{Output, Requests};

pub struct Moves {
    pub requests: Requests,
    /// Threads that leave for one.
    leaving: u8,
    /// What is to be done since threads have left or ended: one for each that was leaving at most.
    left: [Output; KEPT],
    left_count: u8,
}

impl Moves {
    pub const NONE: Moves =
        Moves { requests: Requests::NONE, leaving: 0, left: [Output::Nothing; KEPT], left_count: 0 };

    /// Whether threads leave for requests.
    #[inline]
    pub fn are_leaving(&self) -> bool {
        self.leaving != 0
    }

    /// A thread leaves for a request.
    pub fn leaves(&mut self) {
        self.leaving += 1;
    }

    /// A thread has left, maybe for a request. `true`: requests have to be looked at.
    pub fn gone(&mut self, thread: ThreadNumber) -> bool {
        let output = self.requests.gone(thread);
        self.leave(output)
    }

    /// A thread is not here any more, for which a request may wait, or which may have been about to
    /// leave for one. `true`: requests have to be looked at.
    pub fn ended(&mut self, thread: ThreadNumber) -> bool {
        let output = self.requests.ended(thread);
        self.leave(output)
    }

    fn leave(&mut self, output: Output) -> bool {
        if output != Output::Nothing {
            self.leaving -= 1;
            self.left[self.left_count as usize % KEPT] = output;
            self.left_count += 1;
        }
        // Or one waits for a thread that is not here any more.
        output != Output::Nothing || self.requests.due() == Some(0)
    }

    /// Takes out what is to be done next; [`Output::Nothing`] if nothing is.
    pub fn take_left(&mut self) -> Output {
        match self.left_count.checked_sub(1) {
            None => Output::Nothing,
            Some(last) => {
                self.left_count = last;
                self.left[last as usize % KEPT]
            }
        }
    }
}
