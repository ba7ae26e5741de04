//! Table 8: what each metric of load costs, how late it is, and what it tells.

use serde::{Deserialize, Serialize};
use testbed_definitions::timing::{CYCLES_ALU, CYCLES_LOAD, CYCLES_STORE};
use testbed_trace::analysis::probe::Probe;
use testbed_trace::analysis::text::grouped;

use super::judge::{lag, relevance, Relevance, Sight};
use super::metrics::{changes, count, held, link, means, sampled, trailing, user};
use super::queries::{cycles, slots, LINKS, PERIOD_MS, SLAVES, SLOT_MS, WIDTHS};
use super::report::TABLE_8;
use crate::load::{Load, Message};
use crate::model::Table;
use crate::observed::{id_of, ObserveError, Observed};
use crate::section3::multi_phase::phases;

/// The longest lag that is looked for, in milliseconds.
const LAG_MOST_MS: u64 = 4_000;
/// What a slave does to count a message that it sends: it loads, adds and stores.
const COUNTING: u64 = CYCLES_LOAD + CYCLES_ALU + CYCLES_STORE;
/// The shorter one of the periods at which links are sampled, in milliseconds.
const SHORT_MS: u64 = 200;

/// A line of Table 8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub metric: String,
    /// Events that an instrumented kernel emits for it, and those of a second of machine time.
    pub events: u64,
    pub events_a_second: f64,
    /// Cycles that all slaves together spend on it.
    pub cycles: u64,
    /// The classes of events that tell it, whether they tell nothing else, and by how many cycles the
    /// program ended later with them than without.
    pub measured: (String, bool, i64),
    /// By how much it lags behind the truth, in milliseconds; `None` if it does not follow it.
    pub lag_ms: Option<f64>,
    /// Slots in which it tells the right phase, or one bit of it, in per cent.
    pub phases: f64,
    pub kinds: f64,
    pub places: f64,
    pub lengths: f64,
    /// The line of the report's Table 8: event driven, cost, relevant, timeliness.
    pub report: [String; 4],
}

/// What is known of a metric before it is judged.
struct Metric {
    name: String,
    /// Its line in the report's table.
    line: usize,
    events: u64,
    cycles: u64,
    /// Values of each processor or link in each slot: as they were, and as they are known.
    truth: Vec<Vec<f64>>,
    shown: Vec<Vec<f64>>,
}

/// The run in slots.
struct Slots<'a> {
    observed: &'a Observed,
    load: &'a Load,
    slot: u64,
    slots: usize,
    probe: Probe,
}

impl Slots<'_> {
    fn event(&self, words: u64) -> u64 {
        self.probe.test_cycles + words * self.probe.store_cycles
    }

    fn counted(&self, line: usize, words: u64) -> Metric {
        let (name, stays) = match line {
            0 => ("N-THREADS", &self.load.stays),
            _ => ("RQ-LENGTH", &self.load.ready),
        };
        let steps: Vec<_> = SLAVES.iter().map(|slave| count(stays, slave.0)).collect();
        let events = changes(stays);
        Metric {
            name: name.into(),
            line,
            events,
            cycles: events * self.event(words),
            truth: steps.iter().map(|steps| means(steps, self.slot, self.slots)).collect(),
            shown: steps.iter().map(|steps| held(steps, self.slot, self.slots)).collect(),
        }
    }

    fn cpu_time(&self, width: usize) -> Metric {
        // Somebody is given the processor, and loses it.
        let events = 2 * self.load.user.len() as u64;
        let truth: Vec<_> = SLAVES.iter().map(|slave| user(self.load, slave.0, self.slot, self.slots)).collect();
        Metric {
            name: format!("CPU-TIME, {} ms", width as u64 * SLOT_MS),
            line: 2,
            events,
            cycles: events * self.event(1),
            shown: truth.iter().map(|truth| trailing(truth, width)).collect(),
            truth,
        }
    }

    fn rem_comm(&self, period_ms: u64, what: &str, of: fn(&Message) -> u64, words: u64) -> Metric {
        let Slots { slot, slots, load, .. } = *self;
        let width = (period_ms / SLOT_MS) as usize;
        let whole = slots / width;
        let between = |ends, length, count| link(&load.messages, ends, length, count, of);
        let truth: Vec<_> = LINKS.iter().map(|link| between(link.0, slot, slots)).collect();
        let periods = |ends| between(ends, slot * width as u64, whole);
        // Each slave tells of its links to the others.
        let told = (SLAVES.len() * (SLAVES.len() - 1) * whole) as u64;
        let remote = load.messages.iter().filter(|one| one.processors.0 != one.processors.1).count() as u64;
        Metric {
            name: format!("REM-COMM, {what} in {period_ms} ms"),
            line: 3,
            events: told,
            cycles: told * self.event(words) + remote * COUNTING,
            shown: LINKS.iter().map(|link| sampled(&periods(link.0), width, slots)).collect(),
            truth,
        }
    }

    /// The phase of each slot that lies wholly in one, until the last thread but that which keeps the
    /// phases is done.
    fn phases(&self) -> Result<Vec<Option<usize>>, ObserveError> {
        let observed = self.observed;
        let mut of = vec![None; self.slots];
        for (phase, (from, to)) in phases(observed, &observed.subject())?.into_iter().enumerate() {
            let at_work = self.load.ready.iter().filter(|stay| id_of(stay.thread) != 1 && stay.from < to);
            let end = at_work.map(|stay| stay.to.min(to)).max().unwrap_or(from);
            let (first, last) = (from.div_ceil(self.slot), end / self.slot);
            for slot in first..last.min(self.slots as u64) {
                of[slot as usize] = Some(phase);
            }
        }
        Ok(of)
    }
}

impl Metric {
    fn judged(
        self,
        slots: &Slots,
        phases: &[Option<usize>],
        later: &dyn Fn(&str) -> Option<i64>,
    ) -> Result<Row, ObserveError> {
        let Metric { name, line, events, cycles, truth, shown } = self;
        let most = (LAG_MOST_MS / SLOT_MS) as usize;
        let sight = |(slot, phase): (usize, &Option<usize>)| {
            Some(Sight { phase: (*phase)?, values: shown.iter().map(|own| own[slot]).collect() })
        };
        let sights: Vec<_> = phases.iter().enumerate().filter_map(sight).collect();
        let Some(Relevance { phases, kinds, places, lengths }) = relevance(&sights) else {
            let (dir, program) = (slots.observed.dir.clone(), "multi-phase's slots of 20 ms in every phase".into());
            return Err(ObserveError::Count { dir, program, found: sights.len(), expected: 16 });
        };
        let (classes, alone) = CLASSES[line];
        let measured = (classes.to_string(), alone, later(classes).unwrap_or_default());
        let seconds = slots.observed.record.cycles as f64 / f64::from(slots.observed.record.machine.clock_hz);
        Ok(Row {
            metric: name,
            events,
            events_a_second: events as f64 / seconds,
            cycles,
            measured,
            lag_ms: lag(&truth, &shown, most).map(|(late, _)| (late as u64 * SLOT_MS) as f64),
            phases,
            kinds,
            places,
            lengths,
            report: TABLE_8[line].1.map(String::from),
        })
    }
}

/// The classes of events with which each line of the report's table is told, and whether they tell of
/// that metric alone.
const CLASSES: [(&str, bool); 4] = [("profile", false), ("ready", true), ("profile", false), ("load", false)];

/// Table 8, from the run of `multi-phase`. `later`: by how many cycles the program ended later with a
/// class of events than without any.
///
/// # Errors
/// The run does not show all phases, or some too short to be seen.
pub fn table8(
    observed: &Observed,
    probe: Probe,
    later: &dyn Fn(&str) -> Option<i64>,
) -> Result<Vec<Row>, ObserveError> {
    let slot = cycles(observed, SLOT_MS);
    let run = Slots { observed, load: &observed.load, slot, slots: slots(observed, slot)?, probe };
    let phases = run.phases()?;
    let metrics = [run.counted(0, 2), run.counted(1, 1)]
        .into_iter()
        .chain(WIDTHS.map(|width| run.cpu_time(width)))
        .chain([PERIOD_MS, SHORT_MS].map(|period| run.rem_comm(period, "messages", |_| 1, 2)))
        // The count and the bytes of a link are two events of two words.
        .chain([run.rem_comm(SHORT_MS, "bytes", |one| one.bytes, 4)]);
    metrics.map(|metric| metric.judged(&run, &phases, later)).collect()
}

/// The heads of Table 8's columns.
const COLUMNS: [&str; 9] = [
    "metric",
    "events",
    "events/s",
    "cycles, all slaves",
    "program later by, cycles",
    "lag",
    "phases told apart",
    "work, place, length",
    "report: event driven, cost, relevant, timely",
];

impl Row {
    /// Its cells.
    pub fn cells(&self) -> Vec<String> {
        let [driven, cost, relevant, timeliness] = &self.report;
        let (classes, alone, later) = &self.measured;
        vec![
            self.metric.clone(),
            grouped(self.events),
            format!("{:.1}", self.events_a_second),
            grouped(self.cycles),
            format!("{}{later:+} ({classes})", if *alone { "" } else { "< " }),
            self.lag_ms.map_or("none".into(), |lag| format!("{lag:.0} ms")),
            format!("{:.0} %", self.phases),
            format!("{:.0} %, {:.0} %, {:.0} %", self.kinds, self.places, self.lengths),
            format!("{driven}, {cost}, {relevant}, {timeliness}"),
        ]
    }
}

/// Table 8 for the page.
pub fn table(rows: &[Row]) -> Table {
    let explanation = format!(
        "Events are those that a kernel emits for this metric alone; cycles are their tests and stores, and what slaves do to count messages.\nProgram later by: how much later multi-phase ended in a run with the class of events that tells the metric than in one without events. Where the class tells more \
         than the metric (<) the metric costs less than that. Only RQ-LENGTH has a class of its own; the monitor's filters are no help, since they take out words that the kernel \
         has emitted, and so save it no time. A time-slice here or there moves the end either way.\nLag: at which \
         delay the metric resembles most what happened in each slot of {SLOT_MS} ms, by correlation over all processors or links.\nPhases told apart: slots of \
         {SLOT_MS} ms that are attributed to the right one of the eight phases of Table 5 by what the metric shows in the other half of each phase (by chance \
         12.5 %), and to a phase with the right one of its three properties (by chance 50 %): work is computing or communicating, place local or remote, length short or long messages."
    );
    Table {
        title: "Table 8: the metrics of load".into(),
        explanation,
        columns: COLUMNS.map(String::from).into(),
        rows: rows.iter().map(Row::cells).collect(),
    }
}
