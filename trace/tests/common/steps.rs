//! Events of traces that are written by hand, without their times.

use testbed_definitions::event::{self, message_argument, request_argument, thread_number, SCHEDULE};

pub use testbed_trace::synthetic::GAP;

pub const EARTH: u8 = 1;
pub const AIR: u8 = 2;
pub const FIRE: u8 = 3;
/// Two threads of one process.
pub const FIRST: u16 = thread_number(EARTH, 1, 1);
pub const SECOND: u16 = thread_number(EARTH, 1, 2);

/// One event as [`testbed_trace::synthetic::event`] takes it: processor, code, second word.
pub type Step = (u8, u16, u16);

pub fn tx(from: u8, to: u8, kind: u8, channel: u8) -> Step {
    (from, event::TX_MPC, message_argument(to, kind, channel))
}
pub fn rx(at: u8, from: u8, kind: u8, channel: u8) -> Step {
    (at, event::RX_MPC, message_argument(from, kind, channel))
}
pub fn plain(at: u8, code: u16) -> Step {
    (at, code, 0)
}
pub fn runs(at: u8, thread: u16) -> Step {
    (at, SCHEDULE, thread)
}
/// TRAP7 and REQUEST.
pub fn request(at: u8, receive: bool, channel: u8) -> [Step; 2] {
    [plain(at, event::TRAP7), (at, event::REQUEST, request_argument(receive, false, false, channel))]
}
