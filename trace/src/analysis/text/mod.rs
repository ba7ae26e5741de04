//! Reports as tables.

mod bsp;
mod diff;
mod parts;
mod protocols;
mod resources;
mod table;

use std::fmt::{self, Write};

use testbed_machine::printable;

use super::{Report, Run};
use crate::summary::{process_text, processor_text, thread_text};

pub use diff::diff;
pub use resources::on;
pub use table::grouped;
use table::Table;

/// The report as text. `details`: with histograms, series and the slowest paths.
pub fn text(report: &Report, details: bool) -> String {
    let mut out = String::new();
    write(&mut out, report, details).expect("a String takes everything");
    out
}

fn write(out: &mut String, report: &Report, details: bool) -> fmt::Result {
    head(out, report)?;
    if let Some(phases) = &report.phases {
        protocols::phases(out, phases, &report.run)?;
    }
    if let Some(latency) = &report.latency {
        protocols::latency(out, latency, &report.run, details)?;
    }
    if let Some(path) = &report.path {
        protocols::path(out, path, &report.run, details)?;
    }
    if let Some(found) = &report.bsp {
        bsp::supersteps(out, found, &report.run, details)?;
    }
    if let Some(threads) = &report.threads {
        resources::threads(out, threads, report)?;
    }
    if let Some(queues) = &report.queues {
        resources::queues(out, queues, report, details)?;
    }
    if let Some(cpu) = &report.cpu {
        resources::cpu(out, cpu, report, details)?;
    }
    if let Some(links) = &report.links {
        resources::links(out, links, report, details)?;
    }
    if let Some(waits) = &report.waits {
        write!(out, "\n{}", crate::waits::text(waits))?;
    }
    for (kind, option) in &report.not_recorded {
        writeln!(out, "\nnot recorded: what `{}` needs; run the program with --dgl {option}", kind.name())?;
    }
    Ok(())
}

fn head(out: &mut String, report: &Report) -> fmt::Result {
    let Report { run, range, probe, uncertainty, .. } = report;
    let arguments = run.arguments.iter().fold(String::new(), |line, argument| line + " " + &printable(argument));
    writeln!(
        out,
        "{}{arguments}, kernel {}, machine {}: {} events",
        run.program,
        run.kernel,
        run.machine,
        grouped(run.events)
    )?;
    writeln!(
        out,
        "observed: {} to {}; a stamp is exact to {}{}",
        run.time(range.from_cycle),
        run.time(range.to_cycle),
        run.time(run.tick_cycles),
        if run.complete { "" } else { "; the run did not come to its end" }
    )?;
    writeln!(
        out,
        "probe: {} cycles to test an event's class, {} a word ({}); net: without these",
        probe.test_cycles,
        probe.store_cycles,
        if probe.measured { "measured" } else { "by its instruction" }
    )?;
    for class in &run.classes_missing {
        writeln!(out, "not recorded: class {class}")?;
    }
    let counts = [
        (uncertainty.ambiguous, "events whose time is not proven"),
        (uncertainty.doubtful, "events that follow a loss and may be misread"),
        (uncertainty.gaps, "gaps"),
        (uncertainty.discarded, "events discarded in gaps"),
        (uncertainty.deviations, "events that the protocols don't allow (`testbed conform` lists them)"),
    ];
    for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
        writeln!(out, "uncertain: {} {what}", grouped(count))?;
    }
    uncertainty.damage.iter().try_for_each(|damage| writeln!(out, "damaged: {damage}"))
}

impl Run {
    /// Cycles as a time, to the precision that three digits after the point give.
    pub fn time(&self, cycles: u64) -> String {
        self.time_of(cycles as f64)
    }

    pub(crate) fn time_of(&self, cycles: f64) -> String {
        time_text(self.microseconds(cycles))
    }

    pub(crate) fn microseconds(&self, cycles: f64) -> f64 {
        cycles * 1e6 / f64::from(self.clock_hz)
    }

    pub(crate) fn processor(&self, number: u8) -> String {
        processor_text(number, &self.processors)
    }

    pub(crate) fn thread(&self, number: u16) -> String {
        thread_text(number, &self.processors)
    }

    /// A process by home and place, as threads' numbers begin.
    pub(crate) fn process(&self, process: u16) -> String {
        process_text(process, &self.processors)
    }
}

/// Microseconds with the unit that suits them, and two or three digits behind the point.
pub fn time_text(microseconds: f64) -> String {
    match microseconds.abs() {
        us if us >= 1e6 => format!("{:.3} s", microseconds / 1e6),
        us if us >= 1e4 => format!("{:.3} ms", microseconds / 1e3),
        _ => format!("{microseconds:.2} us"),
    }
}
