//! System calls: `ecall` with the number in `a7`, arguments in `a0`.., result in `a0` (negative: an [`Error`]).

pub const EXIT: u32 = 1;
pub const CREATE: u32 = 2;
pub const WAIT: u32 = 3;
pub const SEND: u32 = 4;
pub const RECEIVE: u32 = 5;
/// Emit one user event; 0 if the monitor's queue is full, 1 if it was taken.
pub const SEND_EVENT: u32 = 6;
/// Write bytes to the console.
pub const WRITE: u32 = 7;
/// Give up the rest of the time-slice.
pub const YIELD: u32 = 8;
/// Milliseconds since reset.
pub const CLOCK: u32 = 9;
/// This thread's number, processor, or the processors of the machine, by `a0` = 0, 1, 2.
pub const IDENTITY: u32 = 10;

/// Exit codes with a meaning (report, section 2.1.3).
pub const EXIT_HALT: u32 = 0xffff_fffe;
pub const EXIT_STOP: u32 = 0xffff_ffff;

/// Errors, returned negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Error {
    UnknownCall = 1,
    BadPointer = 2,
    BadLength = 3,
    BadChannel = 4,
    ChannelInUse = 5,
    BadProcessor = 6,
    NoThread = 7,
    NoMemory = 8,
}
