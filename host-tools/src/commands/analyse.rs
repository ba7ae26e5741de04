//! `testbed analyse`: where a run's time goes.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_machine::units;
use testbed_trace::analysis::bsp::model::Figures;
use testbed_trace::analysis::{analyse, text, Kind, Options, Report};
use testbed_trace::capture::{verify, Capture, Integrity};
use testbed_trace::waits::{self, Verdict, WaitsReport};

use super::source::warn;
use super::{Exit, Failure};

/// The analysis that needs more than events.
const WAITS: &str = "waits";

/// Says where a run's time went: protocol phases, latencies, threads, ready queues, processors,
/// links, critical paths, supersteps; and who waited for whom when it was stopped.
///
/// One analysis is shown with its histograms and series, several only with their tables. Times are
/// in machine cycles, as stamped and, as `net`, without what the monitoring itself cost. What the
/// trace leaves open is left out and counted.
#[derive(Args, Debug)]
pub struct Analyse {
    /// The folder that `run` left
    dir: PathBuf,
    /// phases, latency, threads, queues, cpu, links, path, bsp, waits, or all that the run's events allow
    #[arg(default_value = "all")]
    analyses: Vec<String>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// Length of the windows of series, such as 1ms or 500 cycles
    #[arg(long, value_name = "TIME")]
    window: Option<String>,
    /// Look only at what happened from this machine time on
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Look only at what happened before this machine time
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Cost model of supersteps: cycles a word that a process sends or receives; measured from the
    /// run if it is not given
    #[arg(long, value_name = "CYCLES", value_parser = figure)]
    g: Option<f64>,
    /// Cost model of supersteps: cycles of a superstep's end
    #[arg(long, value_name = "CYCLES", value_parser = figure)]
    l: Option<f64>,
    /// Cost model of supersteps: cycles of the end of a superstep in which nobody has a word for
    /// another; --l if only that is given
    #[arg(long, value_name = "CYCLES", value_parser = figure)]
    l0: Option<f64>,
}

impl Analyse {
    pub fn run(&self) -> Result<Exit, Failure> {
        let capture = Capture::open(&self.dir)?;
        let clock_hz = capture.record.machine.clock_hz;
        let options = Options {
            kinds: self.kinds()?,
            window_cycles: window(self.window.as_ref(), clock_hz)?,
            from_cycle: cycles_if("--from", self.from.as_ref(), clock_hz)?,
            to_cycle: cycles_if("--to", self.to.as_ref(), clock_hz)?,
            bsp: Figures { g_cycles: self.g, l_cycles: self.l, l0_cycles: self.l0 },
        };
        let integrity = verify(&capture)?;
        warn(&capture, &integrity);
        let mut waits = self.waits(&capture, &integrity)?;
        if self.analyses.iter().all(|name| name == WAITS) {
            self.print_waits(waits.as_ref())?;
        } else {
            let mut report = analyse(&capture, &options)?;
            report.waits = waits.take();
            self.print(&report)?;
        }
        Ok(if integrity.damage.is_empty() { Exit::Success } else { Exit::Negative })
    }

    /// The analyses asked for; none stands for all.
    fn kinds(&self) -> Result<Vec<Kind>, Failure> {
        if self.analyses.iter().any(|name| name == "all") {
            return Ok(Vec::new());
        }
        let kinds = self.analyses.iter().filter(|name| *name != WAITS);
        Ok(kinds.map(|name| name.parse()).collect::<Result<_, _>>()?)
    }

    /// Who waited for whom, if that is asked for; among all others only of a run whose program was not over.
    fn waits(&self, capture: &Capture, integrity: &Integrity) -> Result<Option<WaitsReport>, Failure> {
        let named = self.analyses.iter().any(|name| name == WAITS);
        let among_all = self.analyses.iter().any(|name| name == "all") && capture.record.stopped.is_some();
        if !named && !among_all {
            return Ok(None);
        }
        let report = waits::waits(capture, integrity)?;
        Ok(Some(report).filter(|report| named || report.verdict != Verdict::Over))
    }

    fn print_waits(&self, report: Option<&WaitsReport>) -> Result<(), Failure> {
        let (Some(report), mut out) = (report, io::stdout().lock()) else { return Ok(()) };
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(report).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", waits::text(report))?;
        }
        Ok(())
    }

    fn print(&self, report: &Report) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(report).map_err(io::Error::from)?)?;
        } else {
            let one = self.analyses.len() == 1 && self.analyses[0] != "all";
            write!(out, "{}", text::text(report, one))?;
        }
        Ok(())
    }
}

/// A figure of the cost model.
fn figure(text: &str) -> Result<f64, String> {
    let figure = text.parse().ok().filter(|figure: &f64| figure.is_finite() && *figure >= 0.0);
    figure.ok_or_else(|| "write a number of cycles that is not negative, such as 5000 or 16.5".into())
}

/// The cycles of an option that may be there; see [`cycles_of`].
pub(super) fn cycles_if(option: &str, text: Option<&String>, clock_hz: u32) -> Result<Option<u64>, Failure> {
    text.map(|text| cycles_of(option, text, clock_hz)).transpose()
}

/// The trailing window of `--window`, in cycles.
pub(super) fn window(text: Option<&String>, clock_hz: u32) -> Result<Option<u64>, Failure> {
    match cycles_if("--window", text, clock_hz)? {
        Some(0) => {
            let message = "--window: a window has a length\n  help: give one of some cycles, as in 100ms";
            Err(Failure::new(Exit::Input, message))
        }
        window => Ok(window),
    }
}

/// A time of the machine, or a number of cycles, as cycles.
fn cycles_of(option: &str, text: &str, clock_hz: u32) -> Result<u64, Failure> {
    let cycles = match units::parse(text, units::CYCLES) {
        Ok(cycles) => u64::try_from(cycles).ok(),
        Err(_) => {
            let picoseconds = units::parse(text, units::TIME).map_err(|error| wrong_time(option, &error))?;
            units::cycles(picoseconds, clock_hz).map(|(cycles, _)| cycles)
        }
    };
    cycles.ok_or_else(|| wrong_time(option, &format!("`{text}` is too long")))
}

fn wrong_time(option: &str, what: &dyn std::fmt::Display) -> Failure {
    let message =
        format!("{option}: {what}\n  help: write a number and one of {}, cycles, as in 1ms", units::names(units::TIME));
    Failure::new(Exit::Input, message)
}
