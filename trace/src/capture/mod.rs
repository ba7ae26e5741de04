//! The output folder of a run.
//!
//! ```text
//! DIR/run.json        what ran and how it ended; written first with `complete: false`, replaced at the end
//! DIR/trace/          CTF 1.8: `metadata`, and a stream file an SMI named after its processor
//! DIR/mmi.raw         the MMI's words in the order of delivery, little-endian u32 each
//! DIR/trace/.*.sums   sums of the blocks of each stream file, and
//! DIR/.mmi.raw.sums   of mmi.raw: what a damaged file held, and where, is proven block by block
//! DIR/console.txt     console lines, each with its processor's name
//! DIR/console.log     what each processor printed and in which cycle, if anything was printed
//! DIR/holes           where pairs were lost on the way from a board (`testbed attach`), if any were
//! DIR/input           what was given to the machine's console, and in which cycles, if anything was
//! DIR/threads.json    what every thread did when the run was stopped, if its program was not over
//! DIR/files/          what programs left in the filestores, if it was asked for
//! DIR/.lock           locked while a run writes to the folder
//! DIR/report.html     a page about the run, if somebody has asked for it
//! ```
//!
//! `mmi.raw` demultiplexed is exactly the stream files: the capture holds every pair twice, which is what lets
//! [`verify`] tell a capture that is whole up to its end from one that was damaged.
//! Everything is appended in the order of machine time, so whatever was written when a run was killed is a prefix.

use std::path::Path;

mod check;
#[cfg(feature = "files")]
mod claim;
mod console;
mod ctf;
mod error;
mod files;
mod holes;
mod input;
mod integrity;
mod link;
mod meaning;
mod pieces;
mod printed;
mod proven;
mod reader;
mod record;
mod repair;
mod run_json;
mod sums;
#[cfg(feature = "files")]
mod tail;
mod tsdl;
#[cfg(feature = "files")]
mod vcd;
mod verify;
#[cfg(feature = "files")]
mod wave;
mod words;
mod writer;

pub use check::CYCLES_MAX;
#[cfg(feature = "files")]
pub use claim::{hold, is_held, Claim};
pub use console::{Lines, LINE_MAX};
pub use error::CaptureError;
pub(crate) use error::Context;
pub use files::{Files, Source};
pub use input::Gift;
pub use integrity::{Damage, Integrity};
pub use link::{LinkFigures, Received, Receiver, Transmitter};
pub use pieces::{Copy, Piece, Pieces};
pub use printed::Printed;
pub use reader::{Capture, MmiReader, PairReader};
pub use record::{BalanceRecord, ExitRecord, FaultsRecord, KernelKind, MachineRecord, RunRecord, Stop};
pub use sums::{sums_path, BLOCK as SUM_BLOCK};
#[cfg(feature = "files")]
pub use tail::{Holder, Part, Tail, Writing};
pub use verify::verify;
#[cfg(feature = "files")]
pub use wave::wave;
pub use words::{Torn, Words};
pub use writer::CaptureWriter;

/// Names inside the output folder.
pub const TRACE: &str = "trace";
pub const METADATA: &str = "metadata";
pub const MMI_RAW: &str = "mmi.raw";
pub const CONSOLE: &str = "console.txt";
/// See [`Printed`].
pub const CONSOLE_LOG: &str = "console.log";
/// Where pairs were lost on a link, and how many.
pub const HOLES: &str = "holes";
/// See [`Gift`].
pub const INPUT: &str = "input";
pub const RUN_JSON: &str = "run.json";
/// What [`RunRecord::engine`] says of a capture from a port.
pub const ATTACHED: &str = "attached";
pub const LOCK: &str = ".lock";
/// What every thread did when a run was stopped before its program was over: [`crate::waits::Snapshot`].
pub const THREADS: &str = "threads.json";
/// What the balancer has logged, if the load was balanced: the form of the report's Figure 41.
pub const BALANCE: &str = "balance.log";
/// Files that the run left in the processors' filestores, if they were asked for, in folders by
/// processor; and which file is which, a line each: its path there, its bytes, its name.
pub const FILES: &str = "files";
pub const FILES_INDEX: &str = "index.txt";
/// Where `testbed report` writes unless told otherwise; a new run removes it.
pub const REPORT: &str = "report.html";

/// What a run's folder holds anyway.
const OWN: [&str; 12] =
    [TRACE, MMI_RAW, CONSOLE, CONSOLE_LOG, HOLES, INPUT, RUN_JSON, LOCK, THREADS, BALANCE, REPORT, FILES];

/// Whether a run itself may write a file or folder of this name into its folder.
pub fn is_own(name: &str) -> bool {
    OWN.contains(&name) || sums_path(Path::new(MMI_RAW)).as_os_str() == name
}
