//! System calls: `ecall` with the number in `a7`, arguments in `a0`.., result in `a0` (negative: an [`Error`]).
//! All other registers keep their values.
//!
//! | call | arguments | result |
//! |---|---|---|
//! | [`EXIT`] | exit code | does not return |
//! | [`CREATE`] | id, pages of stack, processor (negative: any), entry, stack top | child's number |
//! | [`WAIT`] | | children that ended with a code other than 0 |
//! | [`SEND`] | channel, buffer, bytes | bytes transferred |
//! | [`RECEIVE`] | channel, buffer, bytes at most | bytes received |
//! | [`SEND_EVENT`] | datum | 1 if taken, 0 if the queue is full |
//! | [`WRITE`] | buffer, bytes | bytes accepted, possibly fewer |
//! | [`YIELD`] | | 0 |
//! | [`CLOCK`] | | milliseconds |
//! | [`IDENTITY`] | what | the answer |

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
/// A fact about the caller or the machine; `a0` is one of [`identity`].
pub const IDENTITY: u32 = 10;

/// What [`IDENTITY`] can be asked for.
pub mod identity {
    /// This thread's number.
    pub const THREAD: u32 = 0;
    /// The processor it runs on.
    pub const PROCESSOR: u32 = 1;
    /// Processors of the machine.
    pub const PROCESSORS: u32 = 2;
    /// Nominal clock in hertz.
    pub const CLOCK_HZ: u32 = 3;
}

/// Exit codes with a meaning (report, section 2.1.3): the whole program is over; this thread can't go on.
/// A thread that is ended for a fault gets the second, a program's first thread the first.
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
    /// The datum is reserved for the monitor's markers.
    BadDatum = 9,
    /// This processor has no monitoring interface.
    NoMonitor = 10,
    /// The program's file cannot be loaded.
    BadProgram = 11,
}

impl Error {
    /// What a system call returns for this error.
    pub const fn code(self) -> i32 {
        -(self as u32 as i32)
    }
    /// The error that a system call returned; `None` for results and unknown codes.
    pub const fn from_code(code: i32) -> Option<Error> {
        Some(match code {
            -1 => Error::UnknownCall,
            -2 => Error::BadPointer,
            -3 => Error::BadLength,
            -4 => Error::BadChannel,
            -5 => Error::ChannelInUse,
            -6 => Error::BadProcessor,
            -7 => Error::NoThread,
            -8 => Error::NoMemory,
            -9 => Error::BadDatum,
            -10 => Error::NoMonitor,
            -11 => Error::BadProgram,
            _ => return None,
        })
    }
    pub const fn meaning(self) -> &'static str {
        match self {
            Error::UnknownCall => "no such system call",
            Error::BadPointer => "bad pointer",
            Error::BadLength => "bad length",
            Error::BadChannel => "no such channel",
            Error::ChannelInUse => "channel in use by other threads",
            Error::BadProcessor => "no such processor",
            Error::NoThread => "no thread free",
            Error::NoMemory => "out of memory",
            Error::BadDatum => "datum reserved for the monitor",
            Error::NoMonitor => "no monitoring interface on this processor",
            Error::BadProgram => "program cannot be loaded",
        }
    }
}
