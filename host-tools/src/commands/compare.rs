//! `testbed compare`: the first difference between two output folders.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_trace::capture::Capture;

use super::{grouped, Exit, Failure};

/// Compares two runs: events, raw words, console, what ran, counters, final cycle (not engine and wall time).
#[derive(Args, Debug)]
pub struct Compare {
    a: PathBuf,
    b: PathBuf,
}

impl Compare {
    pub fn run(&self) -> Result<Exit, Failure> {
        let (a, b) = (Capture::open(&self.a)?, Capture::open(&self.b)?);
        let differences = testbed_trace::compare::compare(&a, &b)?;
        let mut out = io::stdout().lock();
        for difference in &differences {
            writeln!(out, "{difference}")?;
        }
        if !differences.is_empty() {
            return Ok(Exit::Negative);
        }
        let bytes = std::fs::metadata(a.dir.join(testbed_trace::capture::MMI_RAW))?.len();
        writeln!(out, "equal: {} pairs, {} cycles", grouped(bytes / 8), grouped(a.record.cycles))?;
        Ok(Exit::Success)
    }
}
