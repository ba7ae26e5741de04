//! Table 9: how long programs take with their threads in different places.

use serde::{Deserialize, Serialize};
use testbed_trace::capture::Capture;

use super::placement::moving::Bound;
use super::placement::search::Best;
use super::plan::{Part, Planned, Program};
use super::report::{Times, TABLE_9};
use crate::model::Table;

/// A line of Table 9, in seconds of machine time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// In the names of its runs.
    pub name: String,
    pub title: String,
    pub command: String,
    pub clock_hz: u32,
    /// All threads on one processor.
    pub sequential: f64,
    /// Threads by lot: least, mean and most of some placements, and how many.
    pub random: [f64; 3],
    pub seeds: usize,
    pub best: Verified,
    /// The least of all placements that were run and stay as they are: sequential, by lot, the best by
    /// the model.
    pub best_known: f64,
    /// What no placement is below, also if threads move for nothing: cycles.
    pub moving: Bound,
    /// The report's: sequential, random, balancing.
    pub report: (Option<f64>, f64, f64),
}

/// The best static placement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// By the model, which knows no waiting; and what no placement is below by it.
    pub predicted: f64,
    pub bound: f64,
    /// As it was run.
    pub measured: f64,
    /// Messages that the model does not know, since no trace tells their receiver.
    pub untold: u64,
}

impl Verified {
    /// The row of a placement, with how long the program took.
    pub fn of(best: &Best, untold: u64, clock_hz: u32, measured: f64) -> Self {
        let second = f64::from(clock_hz);
        Verified { predicted: best.time / second, bound: best.bound / second, measured, untold }
    }

    /// By how much the placement may be above the best by the model, in per cent.
    fn gap(&self) -> f64 {
        100.0 * (self.predicted / self.bound.max(f64::MIN_POSITIVE) - 1.0)
    }
}

/// Machine time until the program's end.
pub fn seconds(capture: &Capture) -> f64 {
    let record = &capture.record;
    let end = record.exits.first().map_or(record.cycles, |exit| exit.cycle);
    end as f64 / f64::from(record.machine.clock_hz)
}

/// The line of a program, by its place in the plan; `None` if a run is missing.
pub fn row(
    index: usize,
    program: &Program,
    (plan, captures): (&[Planned], &[Capture]),
    (best, moving): (Verified, Bound),
) -> Option<Row> {
    let of = |is: &dyn Fn(Part) -> bool| -> Vec<f64> {
        plan.iter().zip(captures).filter(|(run, _)| is(run.part)).map(|(_, capture)| seconds(capture)).collect()
    };
    let sequential = *of(&|part| part == Part::Sequential(index)).first()?;
    let random = of(&|part| matches!(part, Part::Random(own, _) if own == index));
    let least = random.iter().copied().fold(f64::INFINITY, f64::min);
    let most = random.iter().copied().fold(0.0, f64::max);
    let mean = random.iter().sum::<f64>() / random.len().max(1) as f64;
    let best_known = random.iter().copied().chain([sequential, best.measured]).fold(f64::INFINITY, f64::min);
    let Times { sequential: theirs, random: by_lot, balancing } = *TABLE_9.get(index)?;
    Some(Row {
        name: program.name.into(),
        title: program.title.into(),
        command: program.command(),
        clock_hz: captures.first().map_or(0, |capture| capture.record.machine.clock_hz),
        sequential,
        random: [least, mean, most],
        seeds: random.len(),
        best,
        best_known,
        moving,
        report: (theirs, by_lot, balancing),
    })
}

const COLUMNS: [&str; 7] = [
    "program",
    "sequential, s",
    "random: least, mean, most, s",
    "best by the model, s",
    "predicted, bound, s",
    "best static known, s",
    "report: sequential, random, balancing, s",
];

/// Seconds, and as a part of others.
fn part(seconds: f64, whole: Option<f64>) -> String {
    match whole {
        Some(whole) => format!("{seconds:.2} ({:.0} %)", 100.0 * seconds / whole),
        None => format!("{seconds:.2}"),
    }
}

impl Row {
    /// Its cells.
    pub fn cells(&self) -> Vec<String> {
        let [least, mean, most] = self.random;
        let (theirs, by_lot, balancing) = self.report;
        // The report's own percentages of `wator` are those of the random placement.
        let whole = theirs.unwrap_or(by_lot);
        let percent = |seconds: f64| format!("{seconds:.0} ({:.0} %)", 100.0 * seconds / whole);
        vec![
            self.title.clone(),
            format!("{:.2}", self.sequential),
            format!("{least:.2}, {}, {most:.2}", part(mean, Some(self.sequential))),
            part(self.best.measured, Some(self.sequential)),
            format!("{:.2}, {:.2} (gap {:.2} %)", self.best.predicted, self.best.bound, self.best.gap()),
            part(self.best_known, Some(self.sequential)),
            format!("{}, {}, {}", theirs.map_or("-".into(), percent), percent(by_lot), percent(balancing)),
        ]
    }
}

/// Table 9 for the page.
pub fn table(rows: &[Row]) -> Table {
    let commands: Vec<_> = rows.iter().map(|row| format!("{} is {}", row.title, row.command)).collect();
    let seeds = rows.first().map_or(0, |row| row.seeds);
    let untold: Vec<_> = rows.iter().filter(|row| row.best.untold > 0).collect();
    let untold =
        untold.iter().map(|row| format!("\nOf {} the model does not know {} messages.", row.command, row.best.untold));
    let explanation = format!(
        "Seconds of machine time, without events: all threads on one processor; {seeds} placements by lot, all slaves with as many threads as any other or one \
         more; and the best static placement by a model, run. The model has what a traced sequential run has shown: the work of each thread, and what its \
         messages cost; it knows no waiting. No placement is below the bound by the model, and the gap says how far the one that was found may be from the best. The best static known is the least of all these.\n{}.{}",
        commands.join("; "),
        untold.collect::<String>()
    );
    Table {
        title: "Table 9: times of the programs".into(),
        explanation,
        columns: COLUMNS.map(String::from).into(),
        rows: rows.iter().map(Row::cells).collect(),
    }
}
