//! The tables.

use std::fmt::{self, Write};

use testbed_trace::analysis::text::grouped;

use super::results::{Found, Layout, Pattern, Row, Way};
use super::theory::fullest;

pub fn text(found: &Found) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = patterns(&mut text, found)
        .and_then(|()| {
            more(&mut text, found, "more processes on each slave, 16 elements a process", &found.more_processes)
        })
        .and_then(|()| more(&mut text, found, "one process on each slave, more elements at once", &found.more_reads));
    text
}

fn layout(row: &Row) -> &'static str {
    ["blocks", "in turn", "hashed"][row.layout as usize]
}

fn pattern(row: &Row) -> &'static str {
    ["by lot", "stride p", "consecutive", "the same one"][row.pattern as usize]
}

fn way(row: &Row) -> &'static str {
    ["lists", "lists, once each", "bsp_get"][row.way as usize]
}

/// A count with a digit behind the point, or a dash.
fn count(number: Option<f64>) -> String {
    number.map_or("-".into(), |number| format!("{number:.1}"))
}

fn patterns(text: &mut String, found: &Found) -> fmt::Result {
    let reads = found.patterns.first().map_or(0, |row| row.reads);
    writeln!(
        text,
        "{} slaves, a process on each, {reads} elements a process at once: elements asked of the slave that is asked for most, and cycles",
        found.slaves
    )?;
    writeln!(
        text,
        "  elements      spread   read by               most   worst    mean    cycles a round  an element"
    )?;
    for row in &found.patterns {
        writeln!(
            text,
            "  {:<13} {:<8} {:<17} {:>8} {:>7} {:>7} {:>17} {:>11.0}",
            pattern(row),
            layout(row),
            way(row),
            count(row.most),
            count(row.worst.filter(|_| row.layout == Layout::Hashed)),
            count(row.mean),
            grouped(row.cycles.round() as u64),
            row.cycles_an_element(found.slaves),
        )?;
    }
    let by_lot = |row: &&Row| (row.layout, row.pattern, row.way) == (Layout::Hashed, Pattern::ByLot, Way::Lists);
    let Some(row) = found.patterns.iter().find(by_lot) else { return Ok(()) };
    let balls = fullest(row.reads * row.processes, found.slaves);
    writeln!(text, "balls in bins: the fullest of {} has {balls:.1} of {}", found.slaves, row.reads * row.processes)
}

/// A table of more and more requests at once.
fn more(text: &mut String, found: &Found, what: &str, rows: &[Row]) -> fmt::Result {
    writeln!(text, "\nhashed, elements by lot: {what}")?;
    writeln!(text, "  of a slave  rounds      most    mean  most/mean  balls in bins    cycles a round  an element")?;
    for row in rows {
        let all = row.processes * row.reads;
        let a_slave = all / found.slaves;
        let over = row.most.zip(row.mean).map(|(most, mean)| most / mean);
        writeln!(
            text,
            "  {a_slave:>10} {:>7} {:>9} {:>7} {:>10} {:>14.2} {:>17} {:>11.0}",
            row.rounds,
            count(row.most),
            count(row.mean),
            over.map_or("-".into(), |over| format!("{over:.2}")),
            fullest(all, found.slaves) / f64::from(a_slave),
            grouped(row.cycles.round() as u64),
            row.cycles_an_element(found.slaves),
        )?;
    }
    Ok(())
}
