//! Tables of threads, queues, processors and links.

use std::fmt::{self, Write};

use itertools::Itertools;
use testbed_definitions::event;

use super::parts::{bar, omitted, percent};
use super::{grouped, Table};
use crate::analysis::cpu::CpuReport;
use crate::analysis::fact::{Doing, On, ThreadState};
use crate::analysis::links::LinksReport;
use crate::analysis::queues::{QueuesReport, Source};
use crate::analysis::threads::ThreadsReport;
use crate::analysis::{Report, Run};

/// Rows of a series that are shown as text.
const ROWS: usize = 200;

/// What a thread is blocked on, in words.
pub fn on(on: On) -> String {
    match on {
        On::Nothing => "nothing told".into(),
        On::Send(channel) => format!("send on {channel}"),
        On::Receive(channel) => format!("receive on {channel}"),
        On::Alternative(channel) => format!("alternative from {channel}"),
        On::SomeChannel => "a channel".into(),
        On::Page(page) => format!("page {page:#x}"),
        On::Call(call) => event::awaited(call).into(),
    }
}

pub fn threads(out: &mut String, report: &ThreadsReport, whole: &Report) -> fmt::Result {
    let run = &whole.run;
    writeln!(out, "\nthreads: per cent of their time in each state")?;
    let shown = |state: &ThreadState| report.threads.iter().any(|thread| thread.states.contains_key(state));
    let states: Vec<_> = ThreadState::ALL.into_iter().filter(shown).collect();
    let names: Vec<_> = states.iter().map(|state| state.name()).collect();
    let header: Vec<_> = ["thread", "time"].into_iter().chain(names).chain(["blocked longest on<"]).collect();
    let mut table = Table::new(&header);
    for thread in &report.threads {
        let elapsed = thread.elapsed_cycles;
        let part = |state: &ThreadState| {
            thread.states.get(state).map_or(String::new(), |cycles| format!("{:.1}", percent(*cycles, elapsed)))
        };
        let blocked = thread.blocked.iter().take(3);
        let mut blocked = blocked.map(|blocked| format!("{} {:.0}%", on(blocked.on), percent(blocked.cycles, elapsed)));
        let mut cells = vec![run.thread(thread.thread), run.time(elapsed)];
        cells.extend(states.iter().map(part));
        cells.push(blocked.join(", "));
        table.row(cells);
    }
    table.write(out)?;
    writeln!(out, "\ntime-lines; a letter is {}", run.time(report.column_cycles))?;
    for thread in &report.threads {
        writeln!(out, "  {:<12} |{}|", run.thread(thread.thread), thread.line)?;
    }
    let mut legend = states.iter().map(|state| format!("{} {}", state.letter(), state.name()));
    writeln!(out, "  {}", legend.join(", "))
}

/// The rows of a series that text shows, and a note if there are more.
fn rows<T>(out: &mut String, series: &[T]) -> Result<usize, fmt::Error> {
    if series.len() > ROWS {
        writeln!(out, "  (the first {ROWS} of {} windows; --json shows all)", grouped(series.len() as u64))?;
    }
    Ok(series.len().min(ROWS))
}

pub fn queues(out: &mut String, report: &QueuesReport, whole: &Report, details: bool) -> fmt::Result {
    let run = &whole.run;
    let source = match report.source {
        Source::Ready => "class ready",
        Source::Profile => "states of threads; class ready tells more exactly",
    };
    writeln!(out, "\nready queues, the running thread not counted (from {source})")?;
    let mut table = Table::new(&["processor", "mean", "max", "perhaps besides", "changes", "empty", "unknown"]);
    for queue in &report.processors {
        let known: u64 = queue.cycles_by_length.values().sum();
        let empty = queue.cycles_by_length.get(&0).copied().unwrap_or(0);
        table.row(vec![
            run.processor(queue.processor),
            queue.mean.map_or("?".into(), |mean| format!("{mean:.4}")),
            queue.max.to_string(),
            format!("{:.4}", queue.untold_mean),
            grouped(queue.changes),
            format!("{:.1}%", percent(empty, known)),
            format!("{:.1}%", percent(queue.unknown_cycles, known + queue.unknown_cycles)),
        ]);
    }
    table.write(out)?;
    omitted(out, &report.contradictions)?;
    if !details {
        return Ok(());
    }
    writeln!(out, "\nmean length of the ready queues, windows of {}", run.time(report.window_cycles))?;
    let Some(first) = report.processors.first() else { return Ok(()) };
    let count = rows(out, &first.windows)?;
    let mut header = vec!["from".to_string()];
    header.extend(report.processors.iter().map(|queue| run.processor(queue.processor)));
    header.push("sum<".into());
    let mut table = Table::new(&header.iter().map(String::as_str).collect::<Vec<_>>());
    let sum = |row: usize| report.processors.iter().filter_map(|queue| queue.windows[row]).sum::<f64>();
    let most = (0..count).map(sum).fold(0.0, f64::max);
    for row in 0..count {
        let mut cells = vec![window_start(run, whole, report.window_cycles, row)];
        let mean = |mean: Option<f64>| mean.map_or("?".into(), |mean| format!("{mean:.2}"));
        cells.extend(report.processors.iter().map(|queue| mean(queue.windows[row])));
        cells.push(bar(sum(row), most, 40));
        table.row(cells);
    }
    table.write(out)
}

fn window_start(run: &Run, whole: &Report, window: u64, row: usize) -> String {
    run.time(whole.range.from_cycle + row as u64 * window)
}

pub fn cpu(out: &mut String, report: &CpuReport, whole: &Report, details: bool) -> fmt::Result {
    let run = &whole.run;
    writeln!(out, "\nprocessors: per cent of the time")?;
    let shown = |doing: &Doing| report.processors.iter().any(|processor| processor.cycles.contains_key(doing));
    let doings: Vec<_> = Doing::ALL.into_iter().filter(shown).collect();
    let header: Vec<_> = std::iter::once("processor").chain(doings.iter().map(|doing| doing.name())).collect();
    let mut table = Table::new(&header);
    let time = whole.range.cycles();
    for processor in &report.processors {
        let part = |doing: &Doing| {
            processor.cycles.get(doing).map_or(String::new(), |cycles| format!("{:.2}", percent(*cycles, time)))
        };
        let cells = std::iter::once(run.processor(processor.processor)).chain(doings.iter().map(part));
        table.row(cells.collect());
    }
    table.write(out)?;
    if !details {
        return Ok(());
    }
    writeln!(out, "\nuser time, per cent of windows of {}", run.time(report.window_cycles))?;
    let Some(first) = report.processors.first() else { return Ok(()) };
    let count = rows(out, &first.windows)?;
    let mut header = vec!["from".to_string()];
    header.extend(report.processors.iter().map(|processor| run.processor(processor.processor)));
    header.push("all<".into());
    let mut table = Table::new(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for row in 0..count {
        let start = row as u64 * report.window_cycles;
        let length = report.window_cycles.min(time - start);
        let user: Vec<_> =
            report.processors.iter().map(|processor| processor.windows[row][Doing::User as usize]).collect();
        let mut cells = vec![window_start(run, whole, report.window_cycles, row)];
        cells.extend(user.iter().map(|cycles| format!("{:.1}", percent(*cycles, length))));
        let all = percent(user.iter().sum(), length * user.len() as u64);
        cells.push(format!("{:<25} {all:.1}", bar(all, 100.0, 25)));
        table.row(cells);
    }
    table.write(out)
}

pub fn links(out: &mut String, report: &LinksReport, whole: &Report, details: bool) -> fmt::Result {
    let run = &whole.run;
    writeln!(out, "\nlinks: packets handed to Centrenet, and those whose service events tell of")?;
    let to = |to: Option<u8>| to.map_or("all".into(), |to| run.processor(to));
    let header = ["link", "messages", "packets", "served", "flight median", "max", "packets by type<"];
    let mut table = Table::new(&header);
    for link in &report.links {
        let kinds = if link.sent.is_empty() { &link.served } else { &link.sent };
        let mut kinds = kinds.iter().map(|(kind, count)| format!("{kind} {}", grouped(*count)));
        let flight = |cycles: fn(&crate::analysis::measure::Distribution) -> u64| {
            link.flights.as_ref().map_or(String::new(), |found| grouped(cycles(found)))
        };
        table.row(vec![
            format!("{} > {}", run.processor(link.from), to(link.to)),
            grouped(link.communications),
            grouped(link.sent.values().sum()),
            grouped(link.served.values().sum()),
            flight(|found| found.median_cycles),
            flight(|found| found.max_cycles),
            kinds.join(", "),
        ]);
    }
    if table.is_empty() {
        return writeln!(out, "  no packets");
    }
    table.write(out)?;
    omitted(out, &report.omitted)?;
    if details {
        link_windows(out, report, whole)?;
    }
    Ok(())
}

fn link_windows(out: &mut String, report: &LinksReport, whole: &Report) -> fmt::Result {
    let run = &whole.run;
    writeln!(out, "\npackets in windows of {}, all links, and the busiest", run.time(report.window_cycles))?;
    let windows = report.links.iter().map(|link| link.windows.len()).max().unwrap_or(0);
    let count = rows(out, &vec![(); windows])?;
    let sum = |row: usize| report.links.iter().map(|link| link.windows[row]).sum::<u64>();
    let most = (0..count).map(sum).max().unwrap_or(0);
    let mut table = Table::new(&["from", "packets", "<", "busiest<"]);
    for row in 0..count {
        let busiest = report.links.iter().max_by_key(|link| link.windows[row]).filter(|link| link.windows[row] > 0);
        let busiest = busiest.map_or(String::new(), |link| {
            let to = link.to.map_or("all".into(), |to| run.processor(to));
            format!("{} > {to} {}", run.processor(link.from), grouped(link.windows[row]))
        });
        let start = window_start(run, whole, report.window_cycles, row);
        table.row(vec![start, grouped(sum(row)), bar(sum(row) as f64, most as f64, 40), busiest]);
    }
    table.write(out)
}
