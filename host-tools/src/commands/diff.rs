//! `testbed diff`: what got slower from one run to another, and where they first differ.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_trace::analysis::{diff::diff, text};
use testbed_trace::capture::{verify, Capture};

use super::source::warn;
use super::{Exit, Failure};

/// Says what takes more or less time in the second run, and which events first differ on each processor.
///
/// Ends with 1 if anything differs. `compare` looks at everything, byte by byte, and stops at the first difference.
#[derive(Args, Debug)]
pub struct Diff {
    a: PathBuf,
    b: PathBuf,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub fn run(&self) -> Result<Exit, Failure> {
        let (a, b) = (Capture::open(&self.a)?, Capture::open(&self.b)?);
        for capture in [&a, &b] {
            warn(capture, &verify(capture)?);
        }
        let found = diff(&a, &b)?;
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&found).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", text::diff(&found))?;
        }
        let same = found.first.is_empty() && found.changes.iter().all(|change| !change.significant);
        Ok(if same { Exit::Success } else { Exit::Negative })
    }
}
