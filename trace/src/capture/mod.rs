//! The output folder of a run.
//!
//! ```text
//! DIR/run.json        what ran and how it ended; written first with `complete: false`, replaced at the end
//! DIR/trace/          CTF 1.8: `metadata`, and a stream file an SMI named after its processor
//! DIR/mmi.raw         the MMI's words in the order of delivery, little-endian u32 each
//! DIR/console.txt     console lines, each with its processor's name
//! DIR/.lock           locked while a run writes to the folder
//! ```
//!
//! `mmi.raw` demultiplexed is exactly the stream files: the capture holds every pair twice, which is what lets
//! [`verify`] tell a capture that is whole up to its end from one that was damaged.
//! Everything is appended in the order of machine time, so whatever was written when a run was killed is a prefix.

mod claim;
mod console;
mod ctf;
mod error;
mod reader;
mod record;
mod verify;
mod writer;

pub use claim::Claim;
pub use error::CaptureError;
pub use reader::{Capture, MmiReader, PairReader, Torn};
pub use record::{ExitRecord, KernelKind, MachineRecord, RunRecord, Stop};
pub use verify::{verify, Damage, Integrity};
pub use writer::CaptureWriter;

/// Names inside the output folder.
pub const TRACE: &str = "trace";
pub const METADATA: &str = "metadata";
pub const MMI_RAW: &str = "mmi.raw";
pub const CONSOLE: &str = "console.txt";
pub const RUN_JSON: &str = "run.json";
pub const LOCK: &str = ".lock";
