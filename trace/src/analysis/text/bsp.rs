//! Tables of supersteps.

use std::fmt::{self, Write};

use itertools::Itertools;

use super::parts::omitted;
use super::{grouped, Table};
use crate::analysis::bsp::model::{Figures, Model};
use crate::analysis::bsp::superstep::{Member, Superstep};
use crate::analysis::bsp::{BspReport, GroupReport};
use crate::analysis::Run;

/// Supersteps of a group of which a table has rows.
const ROWS: usize = 200;

const HEADER: [&str; 9] = ["superstep", "begins", "w", "hs", "hr", "h", "waited", "last", "cycles"];
const MODEL: [&str; 5] = ["max{l,w,g hs,g hr}", "error", "rules<", "w+g h+l", "error"];

pub fn supersteps(out: &mut String, report: &BspReport, run: &Run, details: bool) -> fmt::Result {
    if report.groups.is_empty() {
        if details {
            writeln!(out, "\nsupersteps: the trace shows none; programs have them that use bsp_sync")?;
            omitted(out, &report.omitted)?;
        }
        return Ok(());
    }
    for group in &report.groups {
        table(out, group, run, details)?;
        if details {
            members(out, group, run)?;
        }
    }
    model(out, &report.model)?;
    omitted(out, &report.omitted)
}

fn name(group: &GroupReport, run: &Run) -> String {
    run.process(group.process)
}

/// How far a prediction is from what was measured.
fn error(predicted: f64, cycles: u64) -> String {
    match cycles {
        0 => "-".into(),
        cycles => format!("{:+.1}%", 100.0 * (predicted / cycles as f64 - 1.0)),
    }
}

fn rounded(cycles: f64) -> String {
    let number = grouped(cycles.abs().round() as u64);
    if cycles < -0.5 {
        format!("-{number}")
    } else {
        number
    }
}

fn row(step: &Superstep) -> Vec<String> {
    let begins = step.begin_cycle().map_or("?".into(), grouped);
    let mut cells = vec![step.exchange.to_string(), begins];
    let Some(sums) = step.sums else { return cells };
    let words = |words: u32| format!("{}{}", if sums.words_untold { ">=" } else { "" }, grouped(words.into()));
    cells.push(grouped(sums.w_cycles));
    cells.extend([sums.hs_words, sums.hr_words, sums.h_words()].map(words));
    cells.extend([grouped(sums.waited_cycles), sums.last.to_string(), grouped(sums.cycles)]);
    if let Some(predicted) = step.predicted {
        cells.extend([
            rounded(predicted.max_cycles),
            error(predicted.max_cycles, sums.cycles),
            predicted.rules.name().into(),
            rounded(predicted.sum_cycles),
            error(predicted.sum_cycles, sums.cycles),
        ]);
    }
    cells
}

/// The first rows if not all are shown.
fn shown<'a>(out: &mut String, group: &'a GroupReport, details: bool) -> Result<&'a [Superstep], fmt::Error> {
    let count = group.supersteps.len().min(if details { ROWS } else { ROWS / 10 });
    let all = group.supersteps.len() as u64 + group.beyond;
    if (count as u64) < all {
        let whence = if details { "--json shows more" } else { "`analyse DIR bsp` shows more" };
        writeln!(out, "  (the first {count} of {} supersteps; {whence})", grouped(all))?;
    }
    Ok(&group.supersteps[..count])
}

fn table(out: &mut String, group: &GroupReport, run: &Run, details: bool) -> fmt::Result {
    writeln!(out, "\nsupersteps of the group of {}, {} processes, in cycles", name(group, run), group.processes)?;
    let steps = shown(out, group, details)?;
    let predicted = group.supersteps.iter().any(|step| step.predicted.is_some());
    let header: Vec<_> = HEADER.into_iter().chain(MODEL.into_iter().filter(|_| predicted)).collect();
    let mut table = Table::new(&header);
    steps.iter().for_each(|step| table.row(row(step)));
    let totals = &group.totals;
    let mut cells = vec!["all".to_string(), grouped(totals.from_cycle), grouped(totals.w_cycles)];
    cells.extend([totals.hs_words, totals.hr_words, totals.h_words, totals.waited_cycles].map(grouped));
    cells.extend([String::new(), grouped(totals.cycles)]);
    table.row(cells);
    let part = &totals.predicted;
    if part.supersteps > 0 {
        let mut cells = vec![format!("{} predicted", grouped(part.supersteps))];
        cells.resize(HEADER.len() - 1, String::new());
        cells.extend([
            grouped(part.cycles),
            rounded(part.max_cycles),
            error(part.max_cycles, part.cycles),
            String::new(),
            rounded(part.sum_cycles),
            error(part.sum_cycles, part.cycles),
        ]);
        table.row(cells);
    }
    table.write(out)?;
    if totals.supersteps > 0 {
        let time = run.time(totals.to_cycle - totals.from_cycle);
        let count = grouped(totals.supersteps);
        writeln!(out, "  {count} complete, from the first beginning to the last end {time}")?;
    }
    group.incomplete.0.iter().try_for_each(|(why, count)| writeln!(out, "  incomplete, {}: {why}", grouped(*count)))
}

fn members(out: &mut String, group: &GroupReport, run: &Run) -> fmt::Result {
    writeln!(out, "\nprocesses of the group of {} by superstep, in cycles", name(group, run))?;
    let header = [
        "superstep",
        "rank",
        "thread<",
        "on<",
        "begins",
        "sync",
        "through",
        "w",
        "untold",
        "sent",
        "received",
        "waited",
    ];
    let mut table = Table::new(&header);
    for step in shown(out, group, true)? {
        step.members.iter().for_each(|member| table.row(member_row(step.exchange, member, run)));
    }
    table.write(out)
}

fn member_row(exchange: u64, member: &Member, run: &Run) -> Vec<String> {
    let told = |number: Option<u64>| number.map_or("?".into(), grouped);
    vec![
        exchange.to_string(),
        member.rank.to_string(),
        run.thread(member.thread),
        run.processor(member.processor),
        told(member.begin_cycle),
        grouped(member.sync_cycle),
        told(member.through_cycle),
        told(member.w_cycles),
        grouped(member.untold_cycles),
        told(member.sent_words.map(u64::from)),
        told(member.received_words.map(u64::from)),
        told(member.waited_cycles()),
    ]
}

fn model(out: &mut String, model: &Model) -> fmt::Result {
    let Figures { g_cycles, l_cycles, l0_cycles } = model.figures;
    let given = [model.given.g_cycles, model.given.l_cycles, model.given.l0_cycles.or(model.given.l_cycles)];
    let names = [("g", "cycles a word"), ("l", "cycles"), ("l without words", "cycles")];
    let mut text =
        names.iter().zip([g_cycles, l_cycles, l0_cycles]).zip(given).map(|(((name, unit), figure), given)| {
            let whence = if given.is_some() { "given" } else { "fitted to this run" };
            figure.map_or(format!("{name} unknown"), |figure| format!("{name} = {figure:.1} {unit} ({whence})"))
        });
    writeln!(out, "\ncost model: {}", text.join(", "))?;
    if given.iter().all(Option::is_some) {
        return Ok(());
    }
    let (with, without) = (grouped(model.with_words), grouped(model.without_words));
    writeln!(
        out,
        "  fitted by w + g h + l to the supersteps of this run, {with} with words and {without} without, of which the errors are too;"
    )?;
    writeln!(
        out,
        "  a group's first superstep, in which its processes are started, is left out of the fit and of the sums"
    )?;
    if g_cycles.is_none() || l_cycles.is_none() {
        writeln!(out, "  too few supersteps with different numbers of words: give --g and --l, as `testbed bsp probe` measures them")?;
    }
    Ok(())
}
