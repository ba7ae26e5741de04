//! Tables of phases, latencies and paths.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use itertools::Itertools;

use super::parts::{bar, omitted, percent};
use super::{grouped, Table};
use crate::analysis::fact::Doing;
use crate::analysis::latency::LatencyReport;
use crate::analysis::measure::Distribution;
use crate::analysis::path::{Path, PathReport};
use crate::analysis::phases::PhasesReport;
use crate::analysis::Run;

/// Channels of which latencies are shown.
const CHANNELS: usize = 16;

fn figures(found: &Distribution) -> Vec<String> {
    vec![
        grouped(found.count),
        grouped(found.min_cycles),
        grouped(found.median_cycles),
        grouped(found.p90_cycles),
        grouped(found.p99_cycles),
        grouped(found.max_cycles),
        format!("{:.1}", found.mean_cycles),
        format!("{:.1}", found.probes as f64 / found.count as f64),
        grouped(found.corrected_median_cycles),
        format!("{:.1}", found.corrected_mean_cycles),
    ]
}

const FIGURES: [&str; 10] = ["count", "min", "median", "p90", "p99", "max", "mean", "probes", "net median", "net mean"];

fn with_figures(first: &[String], found: &Distribution) -> Vec<String> {
    first.iter().cloned().chain(figures(found)).collect()
}

pub fn phases(out: &mut String, report: &PhasesReport, run: &Run) -> fmt::Result {
    for protocol in &report.protocols {
        writeln!(out, "\nphases of {}, in cycles", protocol.protocol.name())?;
        let mut header = vec!["phase"];
        header.extend(FIGURES);
        header.push("from, to<");
        let mut table = Table::new(&header);
        for row in &protocol.phases {
            let (name, lasts) = row.phase.describe();
            let name = if row.beside { format!("({name})") } else { name.into() };
            let mut cells = with_figures(&[name], &row.figures);
            cells.push(lasts.into());
            table.row(cells);
        }
        if let Some(whole) = &protocol.whole {
            let mut cells = with_figures(&["whole".into()], whole);
            cells.push(format!("mean {}", run.time_of(whole.mean_cycles)));
            table.row(cells);
            table.write(out)?;
        }
        if protocol.phases.iter().any(|row| row.beside) {
            writeln!(out, "  (in brackets: beside the others, not a part of the whole)")?;
        }
        omitted(out, &protocol.omitted)?;
    }
    if report.protocols.is_empty() {
        writeln!(out, "\nphases: the trace shows no communication, migration or page")?;
    }
    Ok(())
}

pub fn latency(out: &mut String, report: &LatencyReport, run: &Run, details: bool) -> fmt::Result {
    writeln!(out, "\nlatencies, in cycles: from the call to where the thread is ready, and to where it runs")?;
    let mut header = vec!["service", "until<"];
    header.extend(FIGURES);
    let mut table = Table::new(&header);
    for row in &report.services {
        for (until, found) in [("ready", &row.ready), ("runs", &row.runs)] {
            if let Some(found) = found {
                table.row(with_figures(&[row.service.name().into(), until.into()], found));
            }
        }
    }
    if table.is_empty() {
        writeln!(out, "  no thread waited")?;
    } else {
        table.write(out)?;
    }
    for row in report.services.iter().filter(|row| row.ready_unknown > 0) {
        let count = grouped(row.ready_unknown);
        writeln!(out, "  {}, {count}: no event says since when the thread was ready", row.service.name())?;
    }
    omitted(out, &report.omitted)?;
    if !details {
        return Ok(());
    }
    for row in report.services.iter().filter(|row| row.bars.len() > 1) {
        writeln!(out, "\n{} until ready, cycles", row.service.name())?;
        let most = row.bars.iter().map(|bar| bar.count).max().unwrap_or(0);
        let mut table = Table::new(&["from", "to", "count", "<"]);
        // A run of empty steps is one row.
        for steps in row.bars.chunk_by(|one, other| one.count == 0 && other.count == 0) {
            let (Some(first), Some(last)) = (steps.first(), steps.last()) else { continue };
            let bar = bar(first.count as f64, most as f64, 50);
            table.row(vec![grouped(first.from_cycles), grouped(last.to_cycles), grouped(first.count), bar]);
        }
        table.write(out)?;
    }
    channels(out, report, run)
}

fn channels(out: &mut String, report: &LatencyReport, run: &Run) -> fmt::Result {
    if report.channels.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nby channel, until ready, in cycles; those that took most")?;
    let rows = report.channels.iter().sorted_by_key(|row| std::cmp::Reverse(row.ready.total_cycles));
    let mut table = Table::new(&["process", "channel", "service<", "count", "median", "max", "total"]);
    for row in rows.take(CHANNELS) {
        table.row(vec![
            run.process(row.process),
            row.channel.to_string(),
            row.service.name().into(),
            grouped(row.ready.count),
            grouped(row.ready.median_cycles),
            grouped(row.ready.max_cycles),
            grouped(row.ready.total_cycles),
        ]);
    }
    table.write(out)?;
    match report.channels.len().saturating_sub(CHANNELS) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more (--json shows all)"),
    }
}

/// `idle 80%, message 20%`: the greatest parts.
fn busy(times: &BTreeMap<Doing, u64>) -> String {
    let whole: u64 = times.values().sum();
    let parts = times.iter().map(|(doing, cycles)| (percent(*cycles, whole), doing.name()));
    let parts = parts.filter(|(part, _)| *part >= 0.5).sorted_by(|a, b| b.0.total_cmp(&a.0)).take(3);
    parts.map(|(part, name)| format!("{name} {part:.0}%")).join(", ")
}

pub fn path(out: &mut String, report: &PathReport, run: &Run, details: bool) -> fmt::Result {
    for protocol in &report.protocols {
        writeln!(out, "\ncritical path of {}: {} followed", protocol.protocol.name(), grouped(protocol.count))?;
        let mut table = Table::new(&["phase", "count", "mean", "net mean", "share", "<", "receiver meanwhile<"]);
        for row in &protocol.phases {
            let share = percent(row.whole.cycles, protocol.whole.cycles);
            let (part, bar) = match row.phase.awaits() {
                true => ("-".into(), String::new()),
                false => (format!("{share:.1}%"), bar(share, 100.0, 40)),
            };
            table.row(vec![
                row.phase.describe().0.into(),
                grouped(row.count),
                format!("{:.1}", row.whole.cycles as f64 / row.count as f64),
                format!("{:.1}", row.whole.corrected() as f64 / row.count as f64),
                part,
                bar,
                busy(&row.busy),
            ]);
        }
        if !table.is_empty() {
            table.write(out)?;
        }
        for path in protocol.slowest.iter().filter(|_| details) {
            one_path(out, path, run)?;
        }
        omitted(out, &protocol.omitted)?;
    }
    if report.protocols.is_empty() {
        writeln!(out, "\ncritical path: the trace shows no communication, migration or page")?;
    }
    Ok(())
}

fn one_path(out: &mut String, path: &Path, run: &Run) -> fmt::Result {
    let who = match path.channel {
        Some(channel) => {
            format!("{} to {}, channel {channel}", run.thread(path.threads.0), run.thread(path.threads.1))
        }
        None if path.threads.0 != path.threads.1 => {
            format!("{} to {}", run.thread(path.threads.0), run.thread(path.threads.1))
        }
        None => run.thread(path.threads.0),
    };
    let (at, cycles) = (run.time(path.from_cycle), grouped(path.whole.cycles));
    let awaited = match path.awaited.cycles {
        0 => String::new(),
        cycles => format!(", and {} until the partner asked", grouped(cycles)),
    };
    let net = path.whole.corrected();
    writeln!(out, "  slow: {who}, from {at} on: {cycles} cycles ({net} without probes){awaited}")?;
    let mut table = Table::new(&["", "phase<", "at<", "cycles", "probes", "<", "receiver meanwhile<"]);
    for step in &path.steps {
        table.row(vec![
            run.time(step.from_cycle),
            step.phase.describe().0.into(),
            run.processor(step.processor),
            grouped(step.span.cycles),
            step.span.probes.to_string(),
            if step.phase.awaits() {
                String::new()
            } else {
                bar(step.span.cycles as f64, path.whole.cycles as f64, 40)
            },
            busy(&step.busy),
        ]);
    }
    table.write(out)
}
