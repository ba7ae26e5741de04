//! Makes figures and tables of the runs, and writes them: `balance.json`, `balance.html`, the points
//! of each figure in `figures/`, the best placements in `placements/`.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use testbed_machine::input;
use testbed_trace::analysis::probe::Probe;
use testbed_trace::analysis::text::grouped;
use testbed_trace::capture::{Capture, CONSOLE};

use super::found::Found;
use super::logs::{self, Balanced, Log, Times};
use super::placement::moving::{bound, Bound};
use super::placement::search::{best, Best};
use super::placement::traced::{rendezvous, traced};
use super::placement::{of_policy, of_program};
use super::plan::{balanced, programs, Part, Planned, Program, APART, LEVELS};
use super::queries::{QUERIES, SLAVES};
use super::sizes::Sizes;
use super::sweep::Sweep;
use super::table9::{row, seconds, Verified};
use super::tables::tables;
use super::variation::Variation;
use super::{figures, page, table8, table9};
use crate::error::ExperimentError;
use crate::model::{Run, Table};
use crate::observed::Observed;
use crate::query::csv;
use crate::runs::Runs;

/// Policies whose logs are drawn.
const DRAWN: [&str; 2] = ["report", "gain"];
/// The longest console that is read.
const CONSOLE_BYTES: u64 = 1 << 20;

/// The best placement of a program's threads, and the run that verifies it.
pub struct Placed {
    pub program: Program,
    pub best: Best,
    /// What no placement is below, also if threads move for nothing.
    pub moving: Bound,
    /// Messages whose receiver is not known.
    pub untold: u64,
    pub run: Planned,
    /// The runs with the policy that moves threads there.
    pub moved: Vec<Planned>,
}

/// Looks for the best placement of each program, by its traced sequential run, and writes them.
pub fn place(
    out: &Path,
    sizes: &Sizes,
    plan: &[Planned],
    captures: &[Capture],
) -> Result<Vec<Placed>, ExperimentError> {
    let folder = out.join("placements");
    fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
    let mut all = Vec::new();
    for (index, program) in programs(sizes).into_iter().enumerate() {
        let observed = |part| Ok::<_, ExperimentError>(Observed::read(of_part(plan, captures, part)?)?);
        let others = APART.map(|seed| observed(Part::Apart(index, seed)));
        let others = others.into_iter().collect::<Result<Vec<_>, _>>()?;
        let sequential = observed(Part::Graph(index))?;
        let graph = traced(&sequential, &others);
        let moving = bound(&rendezvous(&sequential, &others), SLAVES.len());
        let best = best(&graph, SLAVES.len());
        let places = of_program(&graph, &best.places);
        let moved = of_policy(&graph, &best.places);
        for (name, text) in [("static", &moved), ("places", &places)] {
            let path = folder.join(format!("{}.{name}", program.name));
            fs::write(&path, text).map_err(ExperimentError::unwritable(&path))?;
        }
        let moved = program.moved(index, sizes, &moved);
        let run = program.verify(index, places);
        all.push(Placed { program, best, moving, untold: graph.untold, run, moved });
    }
    Ok(all)
}

/// The run for this purpose.
fn of_part<'a>(plan: &[Planned], captures: &'a [Capture], part: Part) -> Result<&'a Capture, ExperimentError> {
    let place = plan.iter().position(|run| run.part == part).and_then(|place| captures.get(place));
    place.ok_or_else(|| ExperimentError::Option(format!("there is no run for {part:?}")))
}

/// Runs as they were planned, and what they left.
type Made<'a> = (&'a [Planned], &'a [Capture]);

/// Makes and writes all figures and tables. `verified`: the runs with the best placements.
pub fn write(
    out: &Path,
    runs: &Runs,
    reduced: bool,
    (plan, captures): (&[Planned], &[Capture]),
    (placed, verified, moved): (&[Placed], &[Capture], &[Capture]),
    (sizes, logs, swept): (&Sizes, Vec<Log>, Option<Made>),
) -> Result<Found, ExperimentError> {
    let capture = of_part(plan, captures, Part::Metrics)?;
    let observed = Observed::read(capture)?;
    let metrics = table8::table8(&observed, Probe::measure(capture)?, &|name| later(plan, captures, name))?;
    let mut all_figures = figures::metrics_of(&observed)?;
    let mut rows = Vec::new();
    for (index, (placed, verified)) in placed.iter().zip(verified).enumerate() {
        let best = Verified::of(&placed.best, placed.untold, runs.machine.clock_hz, seconds(verified));
        rows.extend(row(index, &placed.program, (plan, captures), (best, placed.moving)));
        if placed.program.program == "wator" {
            let capture = of_part(plan, captures, Part::Apart(index, APART[0]))?;
            let console = input::bytes(&capture.dir.join(CONSOLE), CONSOLE_BYTES)?;
            let observed = Observed::read(capture)?;
            all_figures.extend(figures::unbalanced(&observed, &String::from_utf8_lossy(&console))?);
        }
    }
    let moves: Vec<&Planned> = placed.iter().flat_map(|placed| &placed.moved).collect();
    let policies = plan.iter().zip(captures).chain(moves.iter().copied().zip(moved));
    let mut logs = logs;
    for (run, capture) in policies.clone() {
        logs.extend(of_policy_run(sizes, run, capture, (plan, captures), &rows)?);
    }
    logs::sort(&mut logs);
    all_figures.extend(logs::figures(&logs));
    all_figures.sort_by_key(|figure| figure.number);
    let machine = runs.machine;
    let more = swept.map_or((&[][..], &[][..]), |swept| swept);
    let more = more.0.iter().zip(more.1);
    let sweep = swept.is_some().then(|| {
        let known: Vec<_> = plan.iter().zip(captures).chain(more.clone()).collect();
        swept_times(sizes, &known)
    });
    let all = policies.chain(placed.iter().map(|placed| &placed.run).zip(verified)).chain(more);
    let found = Found {
        engine: runs.engine.into(),
        machine: machine.name.clone(),
        clock_hz: machine.clock_hz,
        tick_cycles: machine.tick_cycles,
        reduced,
        figures: all_figures,
        metrics,
        programs: rows,
        policies: logs::rows(&logs),
        sweep,
        runs: all.map(|(run, capture)| about(run, capture)).collect(),
    };
    let costs = collecting(plan, captures);
    save(out, &found, &observed, costs)?;
    Ok(found)
}

/// What programs took with each variation, from all runs that there are.
fn swept_times(sizes: &Sizes, known: &[(&Planned, &Capture)]) -> Sweep {
    Sweep::of(sizes, |program: &Program, variation: &Variation| {
        let name = format!("{}-{}", program.name, variation.name());
        known.iter().find(|(run, _)| run.name == name).map(|(_, capture)| seconds(capture))
    })
}

/// The log of a run, if a policy moved its threads. Those of the report's policy and of `gain`, each with
/// its own period, are drawn.
fn of_policy_run(
    sizes: &Sizes,
    run: &Planned,
    capture: &Capture,
    (plan, captures): (&[Planned], &[Capture]),
    rows: &[table9::Row],
) -> Result<Option<Log>, ExperimentError> {
    let Part::Policy(index, policy, period_us) = run.part else { return Ok(None) };
    let (first, last) = (sizes.periods_us.first(), sizes.periods_us.last());
    let own = if policy == "gain" { last } else { first };
    let times = Times {
        seconds: seconds(capture),
        sequential: seconds(of_part(plan, captures, Part::Sequential(index))?),
        best: rows.get(index).map(|row| row.best_known),
    };
    let programs = balanced(sizes);
    let is_shown = DRAWN.contains(&policy) && own == Some(&period_us);
    let name = programs[index].name;
    Ok(Some(Balanced { capture, name, policy, period_us, times: Some(times), is_shown }.read()?))
}

/// What a run was. Events are those that the monitors had; their words without markers may be more.
fn about(run: &Planned, capture: &Capture) -> Run {
    let files: String = run.files.iter().map(|(name, _)| format!(" --file {name}")).collect();
    let ledger = capture.record.ledger.as_ref();
    let dropped: u32 = ledger.map_or(0, |ledger| ledger.smis.iter().map(|smi| smi.dropped).sum());
    Run {
        name: run.name.clone(),
        command: format!(
            "testbed run {} {}{files} --dgl {} --seed {}",
            run.programs[0],
            run.arguments.join(" "),
            run.dgl,
            run.seed
        ),
        cycles: capture.record.cycles,
        events: ledger.map_or(0, |ledger| ledger.smis.iter().map(|smi| u64::from(smi.emitted)).sum()),
        sound: dropped == 0,
    }
}

/// By how many cycles `multi-phase` ends later with these classes of events than without.
fn later(plan: &[Planned], captures: &[Capture], name: &str) -> Option<i64> {
    let end = |name: &str| {
        let dgl = LEVELS.iter().find(|level| level.0 == name)?.1;
        let run = plan.iter().position(|run| run.dgl == dgl && run.programs == ["multi-phase"])?;
        Some(captures.get(run)?.record.exits.first()?.cycle as i64)
    };
    Some(end(name)? - end(LEVELS[0].0)?)
}

/// What classes of events take from `multi-phase`, by when it ends.
fn collecting(plan: &[Planned], captures: &[Capture]) -> Table {
    let all = LEVELS.iter().filter_map(|(name, dgl)| {
        let run = plan.iter().position(|run| run.dgl == *dgl && run.programs == ["multi-phase"])?;
        let record = &captures.get(run)?.record;
        let words: u64 = record.ledger.iter().flat_map(|ledger| &ledger.smis).map(|smi| u64::from(smi.emitted)).sum();
        Some((*name, words, record.exits.first()?.cycle))
    });
    let all: Vec<_> = all.collect();
    let base = all.first().map_or(0, |(.., end)| *end);
    let rows = all.iter().map(|(name, words, end)| {
        let more = *end as i64 - base as i64;
        vec![
            name.to_string(),
            grouped(*words),
            grouped(*end),
            format!("{more:+} ({:+.4} %)", 100.0 * more as f64 / base.max(1) as f64),
        ]
    });
    Table {
        title: "What collecting takes, by runs".into(),
        explanation: "The same multi-phase with classes of events: the words that slaves have stored, and the cycle in which the program ended. RQ-LENGTH has a class \
                      of its own, ready; N-THREADS and CPU-TIME are parts of profile, and take less than it. load samples once a second all that a balancer wants to know, links and threads too. A shift by a time-slice here or there moves the end \
                      either way."
            .into(),
        columns: ["classes", "words", "end, cycles", "later than without"].map(String::from).into(),
        rows: rows.collect(),
    }
}

/// Writes all files.
fn save(out: &Path, found: &Found, observed: &Observed, costs: Table) -> Result<(), ExperimentError> {
    let folder = out.join("figures");
    fs::create_dir_all(&folder).map_err(ExperimentError::unwritable(&folder))?;
    let write = |path: &Path, text: &str| fs::write(path, text).map_err(ExperimentError::unwritable(path));
    for query in &QUERIES {
        let path = folder.join(format!("{}-{}.csv", query.figure, query.name));
        write(&path, &csv(query, &query.ask(observed)?))?;
    }
    let json = serde_json::to_string_pretty(found).map_err(io::Error::from)?;
    write(&out.join("balance.json"), &format!("{json}\n"))?;
    write(&out.join("balance.html"), &page::html(found, costs)?)
}

/// What the command prints.
pub fn text(found: &Found, out: &Path) -> String {
    let mut text = format!(
        "{} figures of the report's section 4, engine {}, machine {}\n\n",
        found.figures.len(),
        found.engine,
        found.machine
    );
    for table in tables(found) {
        let _ = writeln!(text, "{}", table.title);
        table.align(&mut text);
        text.push('\n');
    }
    let _ = writeln!(text, "left in {}: balance.html, balance.json, figures/, placements/ and runs/", out.display());
    text
}
