//! `testbed report`: a run as one page for a browser.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_trace::analysis::Options;
use testbed_trace::capture::{verify, Capture, REPORT};
use testbed_trace::report::collect;

use super::analyse::cycles_if;
use super::source::warn;
use super::{grouped, Exit, Failure};

/// Writes one page of HTML about a run: what ran, a time-line, figures, losses.
///
/// The page holds its data, style and script, and asks nothing of the network: it can be opened
/// from the file, sent, kept. Of long runs the time-line is coarser, and the page says so; with
/// --from and --to a part is shown exactly.
#[derive(Args, Debug)]
pub struct Report {
    /// The folder that `run` left
    dir: PathBuf,
    /// Write to this file; without it to report.html in the folder
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show only what happened from this machine time on
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Show only what happened before this machine time
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
}

impl Report {
    pub fn run(&self) -> Result<Exit, Failure> {
        let capture = Capture::open(&self.dir)?;
        let clock_hz = capture.record.machine.clock_hz;
        let options = Options {
            from_cycle: cycles_if("--from", self.from.as_ref(), clock_hz)?,
            to_cycle: cycles_if("--to", self.to.as_ref(), clock_hz)?,
            ..Options::default()
        };
        let path = self.output.clone().unwrap_or_else(|| self.dir.join(REPORT));
        if capture.owns(&path) {
            let message =
                format!("{} is a part of the output folder itself\n  help: give another name with -o", path.display());
            return Err(Failure::new(Exit::Input, message));
        }
        let integrity = verify(&capture)?;
        warn(&capture, &integrity);
        let page = collect(&capture, &options)?.html();
        fs::write(&path, &page).map_err(|error| {
            let help = match (error.kind(), &self.output) {
                (ErrorKind::StorageFull, _) => "free some space",
                (_, Some(_)) => "check the path given with -o",
                (_, None) => "give a path that can be written with -o",
            };
            let message = format!("cannot write {}: {error}\n  help: {help}", path.display());
            Failure::new(Exit::Environment, message)
        })?;
        writeln!(io::stdout(), "{}: {} bytes; open it in a browser", path.display(), grouped(page.len() as u64))?;
        Ok(if integrity.damage.is_empty() { Exit::Success } else { Exit::Negative })
    }
}
