//! What a trace says about where time goes: protocol phases, latencies, threads, ready queues,
//! processors, links, critical paths, supersteps.
//!
//! One pass over the ordered events ([`follow`]) makes [`fact::Fact`]s, which the analyses take;
//! each keeps sums and histograms, never events. All times in results are machine cycles; a stamp
//! is exact to one tick of the global clock (`tick_cycles`).
//!
//! Nothing is guessed. What an event leaves open is left out and counted with its reason, or has a
//! state of its own (`untold`, `unknown`). After a loss on a processor, what was under way there is
//! given up, and packets from and to it are not matched any more.
//!
//! What watching has cost is known ([`probe`]): each figure says how many of the kernel's events it
//! contains, and what it is without them.

pub mod bsp;
pub mod cpu;
pub mod diff;
mod episodes;
pub mod exchange;
pub mod fact;
pub mod follow;
pub mod latency;
pub mod links;
mod lives;
pub mod measure;
pub mod path;
pub mod phases;
pub mod probe;
mod processors;
pub mod protocol;
pub mod queues;
pub mod text;
pub mod threads;
pub mod windows;

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use testbed_definitions::event::{DIAG_DETAIL, DIAG_PROFILE, DIAG_READY, DIAG_TIMER};
use testbed_machine::{brief, suggest};

use crate::capture::{verify, Capture, CaptureError, Integrity, RunRecord};
use crate::order::{events, Event};
use crate::waits::WaitsReport;
use fact::Fact;
use follow::{Follower, Uncertainty};
use measure::Range;
use probe::Probe;
use windows::{round_window, WINDOWS_MAX};

/// What `testbed analyse` takes besides the names of these analyses.
const BESIDE: [&str; 2] = ["waits", "all"];

/// The analyses that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Phases,
    Latency,
    Threads,
    Queues,
    Cpu,
    Links,
    Path,
    Bsp,
}

impl Kind {
    pub const ALL: [Kind; 8] =
        [Kind::Phases, Kind::Latency, Kind::Threads, Kind::Queues, Kind::Cpu, Kind::Links, Kind::Path, Kind::Bsp];

    /// What `testbed analyse` takes.
    fn names() -> impl Iterator<Item = &'static str> {
        Kind::ALL.into_iter().map(Kind::name).chain(BESIDE)
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        ["phases", "latency", "threads", "queues", "cpu", "links", "path", "bsp"][self as usize]
    }

    /// The value of `--dgl` with which a run records what the analysis needs; `None` if a run with
    /// these classes has it.
    fn missing(self, dgl: u32) -> Option<&'static str> {
        let has = match self {
            Kind::Queues => dgl & (DIAG_PROFILE | DIAG_READY) != 0,
            _ => dgl & DIAG_PROFILE != 0 && dgl & DIAG_READY == 0,
        };
        let option = match self {
            Kind::Queues => "ready",
            Kind::Phases | Kind::Latency | Kind::Threads | Kind::Path => "profile+timer+user+detail",
            Kind::Cpu | Kind::Links | Kind::Bsp => "profile+timer+user",
        };
        (!has).then_some(option)
    }
}

impl FromStr for Kind {
    type Err = AnalysisError;
    fn from_str(name: &str) -> Result<Self, AnalysisError> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| AnalysisError::NoAnalysis(name.into()))
    }
}

/// Why an analysis can't be made.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error(
        "there is no analysis `{}`\n  help: {}use {}, {}",
        brief(.0),
        suggest::question(.0, Kind::names()),
        Kind::ALL.map(Kind::name).join(", "),
        BESIDE.join(" or ")
    )]
    NoAnalysis(String),
    #[error("{dir}: the run did not record the events that `{analysis}` needs\n  help: run the program again with --dgl {option}")]
    NotRecorded { dir: String, analysis: &'static str, option: &'static str },
    #[error("{dir}: no time lies between {from} and {to} cycles; the trace ends at {end}\n  help: give another --from and --to")]
    EmptyRange { dir: String, from: u64, to: u64, end: u64 },
    #[error("{0}: nothing was captured\n  help: `testbed trace` says what there is")]
    Nothing(String),
    #[error("{dir}: a window of {window} cycles makes {count} windows\n  help: give a --window so long that there are at most {WINDOWS_MAX}")]
    TooManyWindows { dir: String, window: u64, count: u64 },
}

/// What to look at. Cycles count from the start of the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The analyses to make; an empty list for all that the run's events allow.
    pub kinds: Vec<Kind>,
    pub from_cycle: Option<u64>,
    pub to_cycle: Option<u64>,
    /// Length of the windows of series; without it one that makes tables of about 40 rows.
    pub window_cycles: Option<u64>,
    /// Figures of the cost model of supersteps; what is not given is measured from the run.
    pub bsp: bsp::model::Figures,
}

/// Which run this is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub program: String,
    pub arguments: Vec<String>,
    pub kernel: String,
    pub machine: String,
    pub clock_hz: u32,
    /// Cycles of one tick of the global clock: what a stamp is exact to.
    pub tick_cycles: u64,
    /// Names by number; the first one has no monitor.
    pub processors: Vec<String>,
    pub complete: bool,
    pub events: u64,
    /// Classes that would have told more, with what is less exact without them.
    pub classes_missing: Vec<String>,
}

/// What an analysis of a run has found. What was not asked for, or can't be said from this run's events, is `None`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub run: Run,
    pub range: Range,
    pub probe: Probe,
    pub uncertainty: Uncertainty,
    pub phases: Option<phases::PhasesReport>,
    pub latency: Option<latency::LatencyReport>,
    pub threads: Option<threads::ThreadsReport>,
    pub queues: Option<queues::QueuesReport>,
    pub cpu: Option<cpu::CpuReport>,
    pub links: Option<links::LinksReport>,
    pub path: Option<path::PathReport>,
    #[serde(default)]
    pub bsp: Option<bsp::BspReport>,
    /// Who waited for whom, of a run that was stopped; the caller's to add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitsReport>,
    /// Analyses that this run's events don't allow, each with the option that records what it needs.
    pub not_recorded: Vec<(Kind, String)>,
}

/// The analyses that take facts.
#[derive(Debug, Default)]
pub struct Analyses {
    phases: Option<phases::Phases>,
    latency: Option<latency::Latency>,
    threads: Option<threads::Threads>,
    queues: Option<queues::Queues>,
    cpu: Option<cpu::Cpu>,
    links: Option<links::Links>,
    path: Option<path::Paths>,
    bsp: Option<bsp::Bsp>,
}

impl Analyses {
    /// Those of `kinds`, over `range`, with windows of `window` cycles, for a machine of so many processors.
    pub fn new(kinds: &[Kind], range: Range, window: u64, processors: u8, figures: bsp::model::Figures) -> Self {
        let has = |kind| kinds.contains(&kind);
        Analyses {
            phases: has(Kind::Phases).then(|| phases::Phases::new(range)),
            latency: has(Kind::Latency).then(|| latency::Latency::new(range)),
            threads: has(Kind::Threads).then(|| threads::Threads::new(range)),
            queues: has(Kind::Queues).then(|| queues::Queues::new(range, window, processors)),
            cpu: has(Kind::Cpu).then(|| cpu::Cpu::new(range, window, processors)),
            links: has(Kind::Links).then(|| links::Links::new(range, window, processors)),
            path: has(Kind::Path).then(|| path::Paths::new(range)),
            bsp: has(Kind::Bsp).then(|| bsp::Bsp::new(range, figures)),
        }
    }

    pub fn take(&mut self, fact: &Fact) {
        macro_rules! each {
            ($($analysis:ident)*) => {
                $(if let Some(analysis) = &mut self.$analysis { analysis.take(fact); })*
            };
        }
        each!(phases latency threads queues cpu links path bsp);
    }
}

/// Analyses an ordered trace: `events` of a run with this record, which ends at `end` (a cycle).
///
/// # Errors
/// The first error of `events`, or options that don't fit the run.
pub fn analyse_events<E>(
    record: &RunRecord,
    probe: Probe,
    options: &Options,
    end: u64,
    events: impl IntoIterator<Item = Result<Event, E>>,
    dir: &str,
) -> Result<Report, AnalysisError>
where
    AnalysisError: From<E>,
{
    if end == 0 {
        return Err(AnalysisError::Nothing(dir.into()));
    }
    let range =
        Range { from_cycle: options.from_cycle.unwrap_or(0), to_cycle: options.to_cycle.unwrap_or(end).min(end) };
    if range.cycles() == 0 {
        let Range { from_cycle: from, .. } = range;
        let to = options.to_cycle.unwrap_or(end);
        return Err(AnalysisError::EmptyRange { dir: dir.into(), from, to, end });
    }
    let machine = &record.machine;
    let tick_cycles = u64::from(machine.tick_cycles);
    let window =
        options.window_cycles.unwrap_or_else(|| round_window(range.cycles(), 40, machine.clock_hz, tick_cycles));
    let count = range.cycles().div_ceil(window.max(1));
    if count > WINDOWS_MAX {
        return Err(AnalysisError::TooManyWindows { dir: dir.into(), window, count });
    }
    let (kinds, not_recorded) = choose(record, &options.kinds, dir)?;
    let mut analyses = Analyses::new(&kinds, range, window, machine.processors.len() as u8, options.bsp);
    let mut follower = Follower::new(record, probe);
    let mut number = 0;
    for event in events {
        let event = event?;
        if event.epoch.is_certain() && follower.cycle(&event) >= range.to_cycle && range.to_cycle < end {
            break;
        }
        number += 1;
        follower.add(&event, &mut |fact| analyses.take(fact));
    }
    let uncertainty = follower.finish(range.to_cycle, &mut |fact| analyses.take(fact));
    let source = if record.dgl & DIAG_READY != 0 { queues::Source::Ready } else { queues::Source::Profile };
    Ok(Report {
        run: describe_run(record, number),
        range,
        probe,
        uncertainty,
        phases: analyses.phases.map(phases::Phases::finish),
        latency: analyses.latency.map(latency::Latency::finish),
        threads: analyses.threads.map(threads::Threads::finish),
        queues: analyses.queues.map(|queues| queues.finish(source)),
        cpu: analyses.cpu.map(cpu::Cpu::finish),
        links: analyses.links.map(links::Links::finish),
        path: analyses.path.map(path::Paths::finish),
        bsp: analyses.bsp.map(bsp::Bsp::finish),
        waits: None,
        not_recorded,
    })
}

/// Analyses a capture.
///
/// # Errors
/// It can't be read, its events don't allow what is asked for, or the options don't fit it. Damage
/// and losses are no error: what they leave uncertain is left out and counted.
pub fn analyse(capture: &Capture, options: &Options) -> Result<Report, AnalysisError> {
    let integrity = verify(capture)?;
    let probe = Probe::measure(capture)?;
    let end = end_cycle(capture, &integrity)?;
    let dir = capture.dir.display().to_string();
    let mut report = analyse_events(&capture.record, probe, options, end, events(capture, &integrity)?, &dir)?;
    report.uncertainty.damage = integrity.damage.iter().map(ToString::to_string).collect();
    Ok(report)
}

/// Where the run ended; of one that did not come to its end, one tick after its last event.
pub(crate) fn end_cycle(capture: &Capture, integrity: &Integrity) -> Result<u64, CaptureError> {
    let record = &capture.record;
    if record.complete {
        return Ok(record.cycles);
    }
    Ok(ticks_shown(capture, integrity)?.max(1) * u64::from(record.machine.tick_cycles))
}

/// Ticks of the global clock up to and with the last event that is certain; 0 without any.
///
/// # Errors
/// The capture can't be read.
pub fn ticks_shown(capture: &Capture, integrity: &Integrity) -> Result<u64, CaptureError> {
    let mut ticks = 0;
    for event in events(capture, integrity)? {
        let event = event?;
        if event.epoch.is_certain() {
            ticks = ticks.max(event.ticks() + 1);
        }
    }
    Ok(ticks)
}

/// Analyses that can't be made, each with the option that a run needs for them.
type NotRecorded = Vec<(Kind, String)>;

/// The analyses that can be made, and those that can't.
fn choose(record: &RunRecord, kinds: &[Kind], dir: &str) -> Result<(Vec<Kind>, NotRecorded), AnalysisError> {
    let wanted = if kinds.is_empty() { &Kind::ALL[..] } else { kinds };
    let missing: Vec<_> = wanted.iter().filter_map(|kind| Some((*kind, kind.missing(record.dgl)?))).collect();
    if let Some((kind, option)) = missing.first() {
        if !kinds.is_empty() || missing.len() == Kind::ALL.len() {
            let analysis = if kinds.is_empty() { "all" } else { kind.name() };
            return Err(AnalysisError::NotRecorded { dir: dir.into(), analysis, option });
        }
    }
    let possible = wanted.iter().copied().filter(|kind| kind.missing(record.dgl).is_none()).collect();
    Ok((possible, missing.into_iter().map(|(kind, option)| (kind, option.to_string())).collect()))
}

fn describe_run(record: &RunRecord, events: u64) -> Run {
    let machine = &record.machine;
    let mut classes_missing = Vec::new();
    if record.dgl & DIAG_READY == 0 {
        if record.dgl & DIAG_TIMER == 0 {
            classes_missing.push("timer: the ends of time-slices look like calls that no event tells of".into());
        }
        if record.dgl & DIAG_DETAIL == 0 {
            classes_missing.push("detail: channels of requests are known only where a release tells them".into());
        }
    }
    Run {
        program: record.program.clone(),
        arguments: record.arguments.clone(),
        kernel: record.kernel_name().into(),
        machine: machine.name.clone(),
        clock_hz: machine.clock_hz,
        tick_cycles: u64::from(machine.tick_cycles),
        processors: machine.processors.clone(),
        complete: record.complete,
        events,
        classes_missing,
    }
}
