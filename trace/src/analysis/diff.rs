//! Two runs side by side: what got slower or faster, and where they first differ.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::measure::Distribution;
use super::{analyse, AnalysisError, Kind, Options, Report, Run};
use crate::capture::{verify, Capture, Integrity};
use crate::order::{events, Event};
use crate::summary::describe;

/// What differs between two runs, `a` and `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diff {
    pub a: Run,
    pub b: Run,
    /// What keeps the runs from being compared like with like: other machines, clocks, event classes.
    pub caveats: Vec<String>,
    /// Machine cycles from start to end.
    pub cycles: (u64, u64),
    /// By processor, the earliest first, where the events differ first; empty if all are the same.
    pub first: Vec<FirstDifference>,
    /// Phases, latencies and processors' time; those that cost most more or less first.
    pub changes: Vec<Change>,
}

/// Where two streams of one processor's events part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstDifference {
    pub processor: String,
    /// First event that is another one, or has another argument.
    pub content: Option<Place>,
    /// First event that is the same but stands at another time; before `content`, if that is there.
    pub time: Option<Place>,
}

/// An event in both runs, as text; `None` where the trace has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Number among the processor's events, from 0.
    pub number: u64,
    /// Ticks of the global clock in the run in which it is earlier.
    pub ticks: u64,
    pub a: Option<String>,
    pub b: Option<String>,
}

/// What was measured in both runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Such as `remote communication: rtr service`.
    pub what: String,
    /// `None` where a run has none.
    pub a: Option<Figures>,
    pub b: Option<Figures>,
    /// All of `b` less all of `a`, in cycles.
    pub total_cycles: i64,
    /// The means differ by more than one tick of the global clock, or only one run has it.
    pub significant: bool,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub count: u64,
    pub median_cycles: u64,
    pub mean_cycles: f64,
    /// Without the probes' own cost.
    pub corrected_mean_cycles: f64,
    pub total_cycles: u64,
}

impl From<&Distribution> for Figures {
    fn from(found: &Distribution) -> Self {
        Figures {
            count: found.count,
            median_cycles: found.median_cycles,
            mean_cycles: found.mean_cycles,
            corrected_mean_cycles: found.corrected_mean_cycles,
            total_cycles: found.total_cycles,
        }
    }
}

/// Compares two captures.
///
/// # Errors
/// One can't be read, or the runs have recorded no events that both can be compared by.
pub fn diff(a: &Capture, b: &Capture) -> Result<Diff, AnalysisError> {
    let kinds = [Kind::Phases, Kind::Latency, Kind::Cpu];
    let options = Options { kinds: kinds.to_vec(), ..Options::default() };
    let (one, other) = (analyse(a, &options)?, analyse(b, &options)?);
    Ok(Diff {
        caveats: caveats(a, b),
        cycles: (one.range.to_cycle, other.range.to_cycle),
        first: first_differences(a, b)?,
        changes: changes(&one, &other),
        a: one.run,
        b: other.run,
    })
}

fn caveats(a: &Capture, b: &Capture) -> Vec<String> {
    let (a, b) = (&a.record, &b.record);
    let mut caveats = Vec::new();
    let mut note = |differs: bool, what: &str| {
        if differs {
            caveats.push(what.to_string());
        }
    };
    note(a.program != b.program || a.arguments != b.arguments, "the programs or their arguments differ");
    note(a.kernel != b.kernel, "the kernels differ");
    note(a.machine != b.machine, "the machines differ; times are compared in cycles");
    note(a.dgl != b.dgl, "the event classes differ, and with them what the probes cost");
    note(a.seed != b.seed, "the seeds differ");
    note(!a.complete || !b.complete, "a run did not come to its end");
    caveats
}

/// Everything that two reports both may have, by name.
fn figures(report: &Report) -> BTreeMap<String, Figures> {
    let mut all = BTreeMap::new();
    for protocol in report.phases.iter().flat_map(|phases| &phases.protocols) {
        let name = protocol.protocol.name();
        if let Some(whole) = &protocol.whole {
            all.insert(format!("{name}: whole"), Figures::from(whole));
        }
        for row in &protocol.phases {
            let beside = if row.beside { ", beside" } else { "" };
            all.insert(format!("{name}: {}{beside}", row.phase.describe().0), Figures::from(&row.figures));
        }
    }
    for row in report.latency.iter().flat_map(|latency| &latency.services) {
        if let Some(ready) = &row.ready {
            all.insert(format!("latency: {}", row.service.name()), Figures::from(ready));
        }
    }
    for processor in report.cpu.iter().flat_map(|cpu| &cpu.processors) {
        for (doing, cycles) in &processor.cycles {
            let name = format!("processor {}: {}", report.run.processor(processor.processor), doing.name());
            let mean = *cycles as f64;
            let figures = Figures {
                count: 1,
                median_cycles: *cycles,
                mean_cycles: mean,
                corrected_mean_cycles: mean,
                total_cycles: *cycles,
            };
            all.insert(name, figures);
        }
    }
    all
}

fn changes(a: &Report, b: &Report) -> Vec<Change> {
    let tick = a.run.tick_cycles.max(b.run.tick_cycles) as f64;
    let (one, mut other) = (figures(a), figures(b));
    let mut changes = Vec::new();
    let mut change = |what: String, a: Option<Figures>, b: Option<Figures>| {
        let total = |figures: Option<Figures>| figures.map_or(0, |figures| figures.total_cycles) as i64;
        let significant = match (a, b) {
            (Some(a), Some(b)) => (a.mean_cycles - b.mean_cycles).abs() > tick,
            _ => true,
        };
        changes.push(Change { what, a, b, total_cycles: total(b) - total(a), significant });
    };
    for (what, figures) in one {
        let theirs = other.remove(&what);
        change(what, Some(figures), theirs);
    }
    for (what, figures) in other {
        change(what, None, Some(figures));
    }
    changes.sort_by_key(|change| (std::cmp::Reverse(change.total_cycles.unsigned_abs()), change.what.clone()));
    changes
}

/// Where each processor's events first differ.
///
/// # Errors
/// A capture can't be read.
pub fn first_differences(a: &Capture, b: &Capture) -> Result<Vec<FirstDifference>, AnalysisError> {
    let integrity = (verify(a)?, verify(b)?);
    let smis = a.smis().end.max(b.smis().end);
    let mut found = Vec::new();
    for smi in 1..smis {
        let name = |capture: &Capture| capture.record.machine.processors.get(smi).cloned();
        let (content, time) = one_processor((a, &integrity.0), (b, &integrity.1), smi as u8)?;
        if content.is_some() || time.is_some() {
            let processor = name(a).or(name(b)).unwrap_or_default();
            found.push(FirstDifference { processor, content, time });
        }
    }
    let ticks =
        |found: &FirstDifference| [&found.content, &found.time].into_iter().flatten().map(|place| place.ticks).min();
    found.sort_by_key(ticks);
    Ok(found)
}

type Difference = (Option<Place>, Option<Place>);

/// The events of one processor, one after the other in both runs.
fn one_processor(
    (a, whole_a): (&Capture, &Integrity),
    (b, whole_b): (&Capture, &Integrity),
    smi: u8,
) -> Result<Difference, AnalysisError> {
    let of = |event: &Result<Event, _>| event.as_ref().map_or(true, |event: &Event| event.smi == smi);
    let mut one = events(a, whole_a)?.filter(of);
    let mut other = events(b, whole_b)?.filter(of);
    let (mut time, mut number) = (None, 0);
    loop {
        let (mine, theirs) = (one.next().transpose()?, other.next().transpose()?);
        let place = || {
            let ticks = [&mine, &theirs].into_iter().flatten().map(Event::ticks).min().unwrap_or(0);
            let text = |event: &Option<Event>, capture: &Capture| {
                event.map(|event| describe(&event, &capture.record).trim_start().to_string())
            };
            Place { number, ticks, a: text(&mine, a), b: text(&theirs, b) }
        };
        match (&mine, &theirs) {
            (None, None) => return Ok((None, time)),
            (Some(mine), Some(theirs)) if (mine.what, mine.argument) == (theirs.what, theirs.argument) => {
                let differs = (mine.epoch, mine.time) != (theirs.epoch, theirs.time);
                if differs && time.is_none() {
                    time = Some(place());
                }
            }
            _ => return Ok((Some(place()), time)),
        }
        number += 1;
    }
}
