//! The part of a page that says what balancing did: load, requests, moves.

use serde::{Deserialize, Serialize};
use testbed_balance::request::{Answer, Reason};

use super::history::{Asked, Counts, Quality};
use super::log::{text, Log};
use super::samples::{Sample, Samples};
use crate::analysis::measure::Range;
use crate::capture::{Capture, CaptureError, RunRecord, BALANCE};
use crate::order::Event;
use crate::summary::{processor_text, thread_text};

/// Points of a slave's series that a page holds, at most.
pub const POINTS_MAX: usize = 600;
/// Requests that a page lists, at most.
pub const REQUESTS_MAX: usize = 300;
/// Moves that a page draws, at most.
pub const MOVES_MAX: usize = 3_000;
/// Remarks of the log that a page repeats: the last ones, which count all before.
const REMARKS: usize = 2;

/// What balancing did in the time that a page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Balancing {
    /// The slaves whose samples there are; empty if class `load` was not recorded.
    pub slaves: Vec<SlaveLoad>,
    /// What the balancer's log tells; `None` without one that can be read.
    pub log: Option<Told>,
    /// Why the log can't be read.
    pub unreadable: Option<String>,
}

/// A slave's load over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlaveLoad {
    pub processor: u8,
    pub points: Vec<Point>,
    /// Samples that were lost, or damaged.
    pub lost: u32,
}

/// A sample, or some that follow each other: from and to which cycle, the ready threads on average,
/// the most ready threads at the samples' moments, the share of the time in which threads ran.
pub type Point = (u64, u64, f64, u8, f64);

/// What a log tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    pub counts: Counts,
    /// The quality of the whole log, whatever part of the run is shown.
    pub quality: Quality,
    pub requests: Vec<Request>,
    pub moves: Vec<Shift>,
    pub remarks: Vec<String>,
}

/// A request, in words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub number: u32,
    pub from: u8,
    pub to: u8,
    /// What it was for.
    pub reason: String,
    /// What came of it.
    pub answer: String,
    pub asked_cycle: u64,
    pub answered_cycle: Option<u64>,
}

/// A thread's move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    pub thread: String,
    pub from: u8,
    pub to: u8,
    pub asked_cycle: u64,
    pub arrived_cycle: u64,
}

/// Collects the samples for a page while events pass.
pub struct Collector {
    samples: Samples,
    points: Vec<Vec<Point>>,
}

impl Collector {
    /// For a run of which this is the record.
    pub fn new(record: &RunRecord) -> Self {
        let slaves = record.machine.slaves();
        Collector { samples: Samples::new(slaves as u8), points: vec![Vec::new(); slaves] }
    }

    /// Takes the next event, which happened in this cycle; samples whose end lies in `range` count.
    pub fn add(&mut self, cycle: u64, event: &Event, range: Range) {
        let Some(Sample { processor, cycle, period_cycles, ready, average, user }) = self.samples.take(cycle, event)
        else {
            return;
        };
        let from = cycle.saturating_sub(period_cycles).max(range.from_cycle);
        let points = self.points.get_mut(usize::from(processor).wrapping_sub(1));
        if let Some(points) = points.filter(|_| range.contains(cycle)) {
            points.push((from, cycle, average, ready, user));
        }
    }

    /// The part of a page about this run; `None` if there is neither a sample nor a log. And what
    /// it leaves out, in sentences.
    ///
    /// # Errors
    /// The log can't be read from the disk.
    pub fn finish(self, capture: &Capture, range: Range) -> Result<Option<(Balancing, Vec<String>)>, CaptureError> {
        let mut left_out = Vec::new();
        let slaves = self.slaves(&mut left_out);
        let text = text(capture)?;
        if slaves.iter().all(|slave| slave.points.is_empty()) && text.is_none() {
            return Ok(None);
        }
        let (log, unreadable) = match text.as_deref().map(Log::of).transpose() {
            Ok(log) => (log.map(|log| told(&log, &capture.record, range, &mut left_out)), None),
            Err(error) => (None, Some(format!("{BALANCE}: {error}"))),
        };
        Ok(Some((Balancing { slaves, log, unreadable }, left_out)))
    }

    fn slaves(&self, left_out: &mut Vec<String>) -> Vec<SlaveLoad> {
        let longest = self.points.iter().map(Vec::len).max().unwrap_or(0);
        let width = longest.div_ceil(POINTS_MAX).max(1);
        if width > 1 {
            left_out.push(format!("Load: {width} samples that follow each other are drawn as one."));
        }
        if longest == 0 {
            return Vec::new();
        }
        let of = |(processor, points): (u8, &Vec<Point>)| SlaveLoad {
            processor,
            points: points.chunks(width).map(joined).collect(),
            lost: self.samples.lost(processor),
        };
        (1..).zip(&self.points).map(of).collect()
    }
}

/// Samples that follow each other as one: means by their lengths.
fn joined(points: &[Point]) -> Point {
    let length = |point: &Point| (point.1 - point.0).max(1) as f64;
    let whole: f64 = points.iter().map(length).sum();
    let mean =
        |of: fn(&Point) -> f64| points.iter().map(|point| of(point) * length(point)).sum::<f64>() / whole.max(1.0);
    let ready = points.iter().map(|point| point.3).max().unwrap_or(0);
    let ends = (points.first().map_or(0, |first| first.0), points.last().map_or(0, |last| last.1));
    (ends.0, ends.1, mean(|point| point.2), ready, mean(|point| point.4))
}

/// What the log tells of a part of the run.
fn told(log: &Log, record: &RunRecord, range: Range, left_out: &mut Vec<String>) -> Told {
    let cycle = |milliseconds: u64| milliseconds.saturating_mul(record.machine.clock_hz.into()) / 1_000;
    let names = &record.machine.processors;
    let history = &log.history;
    let is_in = |asked: &&Asked| {
        let end = asked.answer.map_or(asked.asked_ms, |(time, _)| time);
        cycle(end) >= range.from_cycle && cycle(asked.asked_ms) < range.to_cycle
    };
    let asked: Vec<_> = history.asked.iter().filter(is_in).collect();
    let moves: Vec<_> = history
        .moves
        .iter()
        .filter(|one| cycle(one.arrived_ms) >= range.from_cycle && cycle(one.asked_ms) < range.to_cycle)
        .map(|one| Shift {
            thread: thread_text(one.thread.bits(), names),
            from: one.from,
            to: one.to,
            asked_cycle: cycle(one.asked_ms),
            arrived_cycle: cycle(one.arrived_ms),
        })
        .collect();
    for (what, count, most) in [("Requests", asked.len(), REQUESTS_MAX), ("Moves", moves.len(), MOVES_MAX)] {
        if count > most {
            left_out.push(format!("{what}: the first {most} of {count} are shown; all are in {BALANCE}."));
        }
    }
    let skipped = log.remarks.len().saturating_sub(REMARKS);
    let counted: super::History =
        super::History { asked: asked.iter().map(|one| **one).collect(), ..Default::default() };
    Told {
        counts: counted.counts(u64::MAX),
        quality: history.quality(),
        requests: asked.iter().take(REQUESTS_MAX).map(|asked| request(asked, names, &cycle)).collect(),
        moves: moves.into_iter().take(MOVES_MAX).collect(),
        remarks: log.remarks[skipped..].to_vec(),
    }
}

fn request(asked: &Asked, names: &[String], cycle: &dyn Fn(u64) -> u64) -> Request {
    let testbed_balance::request::Request { reason, from, to } = asked.request;
    let reason = match reason {
        Reason::Compute => "to shorten the queue".to_string(),
        Reason::New => "a new one, to shorten the queue".to_string(),
        Reason::Created(places) => {
            let names: Vec<_> = places.iter().map(|place| processor_text(place.number(), names)).collect();
            format!("new ones, to {}", names.join(", "))
        }
        Reason::Link(link) => {
            let (low, high) = link.numbers();
            format!("to quieten {}–{}", processor_text(low, names), processor_text(high, names))
        }
        Reason::Thread(thread) => format!("that thread: {}", thread_text(thread.bits(), names)),
    };
    let answer = match asked.answer {
        None => "open".into(),
        Some((_, None)) => "not answered".into(),
        Some((_, Some(Answer::Moved(thread)))) => format!("moved {}", thread_text(thread.bits(), names)),
        Some((_, Some(Answer::Stands))) => "holds".into(),
        Some((_, Some(Answer::Expired))) => "expired".into(),
        Some((_, Some(Answer::Refused))) => "refused".into(),
    };
    Request {
        number: asked.number,
        from,
        to,
        reason,
        answer,
        asked_cycle: cycle(asked.asked_ms),
        answered_cycle: asked.answer.map(|(time, _)| cycle(time)),
    }
}
