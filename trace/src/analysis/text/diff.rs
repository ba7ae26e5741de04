//! Two runs side by side.

use std::fmt::{self, Write};

use testbed_machine::printable;

use super::{grouped, Table};
use crate::analysis::diff::{Change, Diff, FirstDifference, Place};

/// Rows that are shown of what got slower, and of what got faster.
const ROWS: usize = 20;

/// The comparison as text.
pub fn diff(diff: &Diff) -> String {
    let mut out = String::new();
    write(&mut out, diff).expect("a String takes everything");
    out
}

fn write(out: &mut String, diff: &Diff) -> fmt::Result {
    for (name, run, cycles) in [("a", &diff.a, diff.cycles.0), ("b", &diff.b, diff.cycles.1)] {
        let arguments = run.arguments.iter().fold(String::new(), |line, argument| line + " " + &printable(argument));
        let (program, kernel, machine) = (&run.program, &run.kernel, &run.machine);
        let (events, cycles) = (grouped(run.events), grouped(cycles));
        writeln!(
            out,
            "{name}: {program}{arguments}, kernel {kernel}, machine {machine}: {cycles} cycles, {events} events"
        )?;
    }
    diff.caveats.iter().try_for_each(|caveat| writeln!(out, "note: {caveat}"))?;
    first(out, &diff.first)?;
    let slower: Vec<_> = diff.changes.iter().filter(|change| change.significant && change.total_cycles > 0).collect();
    let faster: Vec<_> = diff.changes.iter().filter(|change| change.significant && change.total_cycles < 0).collect();
    changes(out, "more time in b", &slower)?;
    changes(out, "less time in b", &faster)?;
    if slower.is_empty() && faster.is_empty() {
        writeln!(out, "\nno phase, latency or processor differs by more than a tick of the clock")?;
    }
    Ok(())
}

fn first(out: &mut String, first: &[FirstDifference]) -> fmt::Result {
    if first.is_empty() {
        return writeln!(out, "\nevery processor has the same events at the same times");
    }
    writeln!(out, "\nwhere the processors' events first differ")?;
    for difference in first {
        let both = [("other time ", &difference.time), ("other event", &difference.content)];
        for (what, place) in both {
            if let Some(Place { number, a, b, .. }) = place {
                let text = |event: &Option<String>| event.clone().unwrap_or_else(|| "(the trace has ended)".into());
                writeln!(out, "  {:<8} {what}  event {}", difference.processor, grouped(*number))?;
                writeln!(out, "    a: {}", text(a))?;
                writeln!(out, "    b: {}", text(b))?;
            }
        }
    }
    Ok(())
}

fn changes(out: &mut String, title: &str, changes: &[&Change]) -> fmt::Result {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}, in cycles")?;
    let header = ["what", "count a", "count b", "mean a", "mean b", "net a", "net b", "change", "all together"];
    let mut table = Table::new(&header);
    for change in changes.iter().take(ROWS) {
        let both = [change.a, change.b];
        let count = both.map(|figures| figures.map_or("-".into(), |figures| grouped(figures.count)));
        let mean = both.map(|figures| figures.map_or("-".into(), |figures| format!("{:.1}", figures.mean_cycles)));
        let net =
            both.map(|figures| figures.map_or("-".into(), |figures| format!("{:.1}", figures.corrected_mean_cycles)));
        let part = match (change.a, change.b) {
            (Some(a), Some(b)) if a.mean_cycles > 0.0 => {
                format!("{:+.1}%", 100.0 * (b.mean_cycles - a.mean_cycles) / a.mean_cycles)
            }
            _ => "-".into(),
        };
        let sign = if change.total_cycles < 0 { "-" } else { "+" };
        let total = format!("{sign}{}", grouped(change.total_cycles.unsigned_abs()));
        let cells = [vec![change.what.clone()], count.to_vec(), mean.to_vec(), net.to_vec(), vec![part, total]];
        table.row(cells.concat());
    }
    table.write(out)?;
    match changes.len().saturating_sub(ROWS) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more (--json shows all)"),
    }
}
