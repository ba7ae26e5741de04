//! `testbed conform`: a run's events against the protocols' state machines.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_host_tools::capture::Capture;
use testbed_host_tools::conform::conform;
use testbed_host_tools::summary::describe;

use super::{grouped, Exit, Failure};

/// Holds a run's events against the protocols' state machines (the report's Figures 5 to 8 and what was added).
///
/// Says which event deviates, and what was expected in its place. Runs with `--dgl profile+timer+user+detail` are checked most closely.
#[derive(Args, Debug)]
pub struct Conform {
    /// The folder that `run` left
    dir: PathBuf,
}

impl Conform {
    pub fn run(&self) -> Result<Exit, Failure> {
        let capture = Capture::open(&self.dir)?;
        let found = conform(&capture)?;
        let mut out = io::stdout().lock();
        for deviation in &found.deviations {
            let event = describe(&deviation.event, &capture.record);
            writeln!(out, "event {}: {}", deviation.number, event.trim_start())?;
            writeln!(out, "  {}; expected: {}", deviation.what, deviation.expected)?;
        }
        for (what, count) in &found.unchecked {
            writeln!(out, "not checked, {}: {what}", grouped(*count))?;
        }
        let filtered =
            capture.record.ledger.iter().flat_map(|ledger| &ledger.smis).map(|line| u64::from(line.filtered));
        match filtered.sum() {
            0 => {}
            words => writeln!(
                out,
                "not there, {}: words that the filter took out, which may look like deviations",
                grouped(words)
            )?,
        }
        let verdict = match found.deviations.len() {
            0 => "conforms".into(),
            1 => "1 deviation".into(),
            more => format!("{more} deviations"),
        };
        writeln!(
            out,
            "{verdict}: {} events, {} lives of threads, {} requests, {} packets served, {} migrations, {} page faults",
            grouped(found.events),
            grouped(found.threads),
            grouped(found.requests),
            grouped(found.packets),
            grouped(found.migrations),
            grouped(found.faults)
        )?;
        Ok(if found.deviations.is_empty() { Exit::Success } else { Exit::Negative })
    }
}
