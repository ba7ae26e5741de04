//! Limits of TOS, all from the report.

/// Processes a processor.
pub const PROCESSES: usize = 16;
/// Threads a process.
pub const THREADS: usize = 64;
/// Channels a process.
pub const CHANNELS: usize = 128;
/// Files a processor's filestore holds.
pub const FILES: usize = 64;
/// Bytes a file may have.
pub const FILE_BYTES: usize = 512 * 1024;
/// Time-slice in microseconds.
pub const TIME_SLICE_US: u32 = 20_000;
/// The report's largest message, in bytes.
pub const MESSAGE_BYTES_REPORT: usize = 5_000;
