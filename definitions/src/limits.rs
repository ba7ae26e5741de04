//! Limits of TOS: those of the report, and what a processor's memory is shared by.

/// Processes a processor.
pub const PROCESSES: usize = 16;
/// Threads a process.
pub const THREADS: usize = 64;
/// Channels a process.
pub const CHANNELS: usize = 128;
/// Pages of the stack that a process's first thread has.
pub const FIRST_STACK_PAGES: u32 = 16;
/// The same where the small kernel runs.
pub const SMALL_FIRST_STACK_PAGES: u32 = 2;
/// Files a processor's filestore holds.
pub const FILES: usize = 64;
/// Bytes a file may have.
pub const FILE_BYTES: usize = 512 * 1024;
/// Time-slice in microseconds.
pub const TIME_SLICE_US: u32 = 20_000;
/// The report's largest message, in bytes.
pub const MESSAGE_BYTES_REPORT: usize = 5_000;

/// Processes of a group whose members exchange at the ends of supersteps.
pub const GROUP_MEMBERS: usize = 64;
/// Segments of what a process exchanges.
pub const SEGMENTS: usize = 1_024;

/// A process has at most this many times as many pages of a processor's RAM as stay free there. So
/// a single process can have eight ninths, each of several has the same share, and there is always
/// something left for the next one. The small kernel, which has one process, shares nothing out.
pub const PROCESS_SHARE: u32 = 8;
/// The same for all files of a filestore together, which can have two thirds.
pub const FILES_SHARE: u32 = 2;
