//! System calls: `ecall` with the number in `a7`, arguments in `a0`.., result in `a0` (negative: an
//! [`Error`]), a second result in `a1` where the table names one. A call is like a function call:
//! `t0` to `t6` and `a1` to `a7` do not keep their values; of [`YIELD`] neither do `s2` to `s11`.
//! *Process* is a process id (see [`crate::process`]), *thread* a thread's number
//! ([`crate::event::thread_number`]). Strings are an address and a length in bytes, without NUL;
//! arguments are strings with a NUL after each. `docs/changing.md` says which other files a new
//! call touches.
//!
//! | call | arguments | result | second result |
//! |---|---|---|---|
//! | [`EXIT`] | exit code | does not return | |
//! | [`CREATE`] | id, pages of stack, processor (negative: any), entry, stack top | child's number | |
//! | [`WAIT`] | | children that ended with a code other than 0 | |
//! | [`SEND`] | channel, buffer, bytes | bytes transferred | |
//! | [`RECEIVE`] | channel, buffer, bytes at most | bytes received | |
//! | [`SEND_EVENT`] | datum | 1 if taken, 0 if the queue is full | |
//! | [`WRITE`] | buffer, bytes, one of [`mod@write`] | bytes accepted, possibly fewer | |
//! | [`YIELD`] | | 0 | |
//! | [`CLOCK`] | | milliseconds | microseconds, 32 bits, wrapping |
//! | [`IDENTITY`] | what | the answer | |
//! | [`ALT`] | channels (bytes), how many, buffer, bytes at most, timeout in us ([`FOREVER`]: none) | bytes received | index in the list |
//! | [`DELAY`] | microseconds | 0 | |
//! | [`MIGRATE`] | thread (0: the caller), the processor it is on (negative: this one), destination (negative: any) | 0 | |
//! | [`INVOKE`] | name, length, arguments, length, processor (negative: this one) and [`invoke`] flags in bits 15:8 | process | |
//! | [`AWAIT`] | process | 0 once it has ended | its exit code |
//! | [`KILL`] | process | 0 | |
//! | [`CONTROL`] | process, one of [`control`] | 0 | |
//! | [`STATUS`] | one of [`status`], first record, buffer, records at most | records written | |
//! | [`PEEK`] | process, address, buffer, bytes | bytes read; for trusted programs | |
//! | [`OPEN`] | name, length, [`open`] flags | handle | bytes in the file |
//! | [`READ_FILE`] | handle, offset, buffer, bytes | bytes read | |
//! | [`WRITE_FILE`] | handle, offset, buffer, bytes | bytes written | |
//! | [`UNLINK`] | name, length | 0 | |
//! | [`RENAME`] | old name, length, new name, length | 0 | |
//! | [`CHMOD`] | name, length, permissions ([`crate::file`]) | 0 | |
//! | [`READ_LINE`] | buffer, bytes at most, one of [`read`] | bytes read, 0 at the end of input | |
//! | [`MONITOR`] | one of [`monitor`], value | the event classes or a register, or 0 | |
//! | [`READ_MONITOR`] | buffer, words at most | words of the monitoring bus read | |
//! | [`FORM`] | process ids (words), how many, which group | 0 | |
//! | [`EXCHANGE`] | [`crate::exchange::member`], [`crate::exchange::said`], where there is room, for how many bytes, segments | what the members have said ([`crate::exchange::signs`]) | bytes received |
//! | [`REQUEST`] | which thread ([`crate::request::Wanted`]), from which slave, to which | the number of the thread that has arrived | |

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
/// occam's ALT: receive from the first channel of the list whose sender is ready, or from the first that becomes so.
/// A timeout of 0 only looks. Channels of the list are claimed for the caller as by [`RECEIVE`].
pub const ALT: u32 = 11;
/// Wait for at least so many microseconds.
pub const DELAY: u32 = 12;
/// Move a ready thread without children to another processor. It goes on there as if nothing had happened.
pub const MIGRATE: u32 = 13;
/// Start a program from a file.
pub const INVOKE: u32 = 14;
/// Wait until a process has ended. Only the process that invoked it can. With [`KEYS`] as the second
/// argument a key at the console ends the waiting too: the results are then [`PRESSED`] and the key.
pub const AWAIT: u32 = 15;
/// End a process and all its threads, wherever they are; its exit code is [`EXIT_HALT`]. A process can
/// end and control itself and those that it has invoked, an operator ([`crate::process::OPERATOR`]) all.
pub const KILL: u32 = 16;
pub const CONTROL: u32 = 17;
pub const STATUS: u32 = 18;
/// Read another process's memory. For programs whose file has [`crate::file::TRUSTED`].
pub const PEEK: u32 = 19;
/// Files of the filestore of the processor on which the caller is; handles are good on that processor only.
pub const OPEN: u32 = 20;
pub const READ_FILE: u32 = 21;
pub const WRITE_FILE: u32 = 22;
pub const UNLINK: u32 = 23;
pub const RENAME: u32 = 24;
pub const CHMOD: u32 = 25;
/// Read console input: the rest of a line with its newline, or as much of it as the buffer has room
/// for. The caller waits until a line is there.
pub const READ_LINE: u32 = 26;
/// Ask or tell the monitors. Only an operator can change anything.
pub const MONITOR: u32 = 27;
/// Takes words ([`crate::monitor::MmiWord`]) from the master's queue. On the master only, for operators.
pub const READ_MONITOR: u32 = 28;
/// Ask a slave to move one of its threads, whosever it is. The caller waits until it has arrived, or
/// the slave has said that none can move ([`Error::Timeout`]) or may (any other error). For operators.
pub const REQUEST: u32 = 29;

/// Make processes a group, whose members exchange at the ends of supersteps. A process can have 256
/// groups; each ends with it, and can't go on when another member has ended. The other processes must
/// not have begun to exchange.
pub const FORM: u32 = 30;
/// The end of a superstep: the caller, a process without other threads, waits until all members of
/// the group have come to theirs, and what they have for it has come. With
/// [`Error::BadLength`] there is more than it has room for, so many bytes as the
/// second result; it says so with the same call when it has more.
pub const EXCHANGE: u32 = 31;

/// The byte (Ctrl-D) behind which the console gives nothing more: from then on [`READ_LINE`] says 0 to everybody.
pub const END_OF_INPUT: u8 = 0x04;

/// The bytes (Ctrl-C, Ctrl-Z) that are no input where a thread waits for another process with
/// [`AWAIT`] and has asked for keys: it gets them as that call's result. To others they are bytes as
/// any other.
pub const INTERRUPT: u8 = 0x03;
pub const PAUSE: u8 = 0x1a;
/// The byte (Ctrl-]) that leads the console to another seat ([`control::CONSOLE`]) where somebody
/// sits: the next byte is the number of its processor, in hexadecimal.
pub const SWITCH: u8 = 0x1d;
/// The second argument of [`AWAIT`] that asks for keys, and its first result when one was pressed.
pub const KEYS: u32 = 1;
pub const PRESSED: u32 = 1;

/// No timeout.
pub const FOREVER: u32 = u32::MAX;

/// Flags of [`INVOKE`], in bits 15:8 of its last argument; bits 7:0 are the processor, 0xff for this one.
pub mod invoke {
    /// Nobody waits for it at the console.
    pub const BACKGROUND: u32 = 1 << 8;
    /// Its threads do not run before [`super::control::RESUME`]; it ends if its invoker ends before that.
    pub const SUSPENDED: u32 = 1 << 9;
    /// It is an operator ([`crate::process::OPERATOR`]), as its invoker must be.
    pub const OPERATOR: u32 = 1 << 10;
}

/// What [`CONTROL`] does to a process.
pub mod control {
    pub const FOREGROUND: u32 = 0;
    pub const BACKGROUND: u32 = 1;
    /// Its threads stop running, on every processor.
    pub const SUSPEND: u32 = 2;
    pub const RESUME: u32 = 3;
    /// What the process reads, where its output and its error messages go: one of these, and from bit
    /// [`FILE_SHIFT`] on the handle of a file of its home processor, or 0 for the console. Output is
    /// appended. Threads on other processors use their console.
    pub const INPUT: u32 = 4;
    pub const OUTPUT: u32 = 5;
    pub const ERRORS: u32 = 6;
    /// From where on the process reads its file: this, and the offset from bit [`FILE_SHIFT`] on.
    pub const SEEK: u32 = 7;
    pub const STREAM_MASK: u32 = 7;
    pub const FILE_SHIFT: u32 = 3;
    /// The process sits down at the console, and has its home's seat until it ends. Whatever it
    /// invokes has that seat too. Only processes of the seat that was last sat down at get what is
    /// typed, and those that have none.
    pub const CONSOLE: u32 = 1 << FILE_SHIFT | FOREGROUND;
    /// The process has its home's seat, but the console stays where it is, if anybody sits there.
    pub const SEAT: u32 = 2 << FILE_SHIFT | FOREGROUND;
}

/// What [`STATUS`] tells: records of 32-bit words, as many words as given.
pub mod status {
    /// Processes of this processor: process, state ([`BACKGROUND`] and those below it), threads here,
    /// file's index.
    pub const PROCESSES: u32 = 0;
    pub const PROCESS_WORDS: usize = 4;
    /// Bits of a process's state; without the first it is in the foreground.
    pub const BACKGROUND: u32 = 1 << 0;
    pub const SUSPENDED: u32 = 1 << 4;
    /// It sits at the console.
    pub const SITS: u32 = 1 << 5;
    /// Threads on this processor: number, state, channel or page it waits for, pc.
    pub const THREADS: u32 = 1;
    pub const THREAD_WORDS: usize = 4;
    /// One record of this kernel's counters.
    pub const COUNTERS: u32 = 2;
    pub const COUNTER_WORDS: usize = 8;
    /// Files: index, permissions, bytes, pages, then the name, [`crate::file::NAME_BYTES`] padded with NUL.
    pub const FILES: u32 = 3;
    pub const FILE_WORDS: usize = 4 + crate::file::NAME_BYTES / 4;

    /// One record of the caller's own streams: the file that it reads, and how far it has come; the
    /// file to which its output goes, and the one for error messages. 0 is the console.
    pub const STREAMS: u32 = 4;
    pub const STREAM_WORDS: usize = 4;

    /// Words of [`COUNTERS`].
    pub mod counter {
        pub const FREE_PAGES: usize = 0;
        pub const FREE_THREADS: usize = 1;
        /// Processes of which this processor has something.
        pub const PROCESSES: usize = 2;
        /// Threads that have left and come, by migration, since reset.
        pub const LEFT: usize = 3;
        pub const COME: usize = 4;
        /// Pages sent to other processors, and received, since reset.
        pub const PAGES_SENT: usize = 5;
        pub const PAGES_RECEIVED: usize = 6;
        /// Messages that waited in kernel memory for a page of their receiver, since reset.
        pub const STAGED: usize = 7;
    }
}

/// What [`MONITOR`] does.
pub mod monitor {
    /// Tells the event classes.
    pub const CLASSES: u32 = 0;
    /// Changes the event classes on all processors. What decides how words are read, class `ready`,
    /// stays as it was when the machine started.
    pub const SET_CLASSES: u32 = 1;
    /// Has the MMI pass a command ([`crate::filter::Command`]) to the monitors' filters. The
    /// register that says whether words come in pairs stays as it is.
    pub const COMMAND: u32 = 2;
    /// Tells a register of the filter of this processor's monitor; on the master, as commands to
    /// all of them have set it.
    pub const SETTING: u32 = 3;
    /// Sets where the MMI puts what it collects, and tells where it has put it so far: bits of
    /// [`crate::map::mmi::CONTROL`]. On the master only.
    pub const DELIVER: u32 = 4;
    /// Sets which pairs go to the master's queue: [`crate::map::mmi::WANTED`],
    /// [`crate::map::mmi::WANTED_DATUM`]. On the master only.
    pub const WANT: u32 = 5;
    pub const WANT_DATUM: u32 = 6;
    /// Tells how many pairs that were wanted found no room in the master's queue
    /// ([`crate::map::mmi::MISSED`]). On the master only.
    pub const MISSED: u32 = 7;
    /// Tells the period of load samples in microseconds; with another value than 0 it sets it first, on all processors
    /// ([`crate::load::PERIODS_US`]).
    pub const SAMPLE_PERIOD: u32 = 8;
}

/// Which stream [`WRITE`] writes to; without a file both are the console.
pub mod write {
    pub const OUTPUT: u32 = 0;
    pub const ERRORS: u32 = 1;
}

/// What [`READ_LINE`] reads.
pub mod read {
    /// The file that the process reads, if it reads one.
    pub const INPUT: u32 = 0;
    /// The console in any case.
    pub const CONSOLE: u32 = 1;
}

/// Flags of [`OPEN`].
pub mod open {
    pub const READ: u32 = 1 << 0;
    pub const WRITE: u32 = 1 << 1;
    /// Make it if it isn't there.
    pub const CREATE: u32 = 1 << 2;
    /// Make it empty.
    pub const TRUNCATE: u32 = 1 << 3;
}

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
    /// The caller's process.
    pub const PROCESS: u32 = 4;
    /// The run's seed (not in the small kernel).
    pub const SEED: u32 = 5;
}

/// The exit code of a process that was ended because there was no memory for what one of its threads
/// touched, or for a message to it.
pub const EXIT_NO_MEMORY: u32 = 0xffff_fffd;
/// Exit codes with a meaning (report, section 2.1.3): the whole program is over; this thread can't go on.
/// A thread that is ended for a fault gets the second, a program's first thread the first.
pub const EXIT_HALT: u32 = 0xffff_fffe;
pub const EXIT_STOP: u32 = 0xffff_ffff;

macro_rules! errors {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        /// Errors, returned negated.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u32)]
        pub enum Error {
            $(#[doc = $meaning] $name = $code,)*
        }

        impl Error {
            /// Every error, in order of code.
            pub const ALL: &[Error] = &[$(Error::$name),*];
            /// What a system call returns for this error.
            pub const fn code(self) -> i32 {
                -(self as u32 as i32)
            }
            /// The error that a system call returned; `None` for results and unknown codes.
            pub const fn from_code(code: i32) -> Option<Error> {
                match code.wrapping_neg() {
                    $($code => Some(Error::$name),)*
                    _ => None,
                }
            }
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Error::$name => $meaning,)*
                }
            }
        }
    };
}

errors! {
    UnknownCall = 1, "no such system call";
    BadPointer = 2, "bad pointer";
    BadLength = 3, "bad length";
    BadChannel = 4, "no such channel";
    ChannelInUse = 5, "channel in use by other threads";
    BadProcessor = 6, "no such processor";
    NoThread = 7, "no thread free";
    NoMemory = 8, "out of memory";
    BadDatum = 9, "datum reserved for the monitor";
    NoMonitor = 10, "no monitoring interface on this processor";
    BadProgram = 11, "program cannot be loaded";
    ThreadExists = 12, "thread id in use";
    NotReady = 13, "thread is not ready, or has children";
    NotHere = 14, "not on this processor";
    Timeout = 15, "timed out";
    NoProcess = 16, "no such process";
    TooManyProcesses = 17, "too many processes";
    NoFile = 18, "no such file";
    BadName = 19, "bad file name";
    NoPermission = 20, "permission denied";
    TooManyFiles = 21, "filestore is full";
    FileTooLarge = 22, "file too large";
    FileExists = 23, "file exists";
    Killed = 24, "process was killed";
    FixedSetting = 25, "cannot be changed while the machine runs";
}
