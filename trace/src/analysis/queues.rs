//! How long the ready queues are: the report's metric RQ-LENGTH (Figures 19 and 34). The running thread is not counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::measure::{Omitted, Range};
use super::windows::Windows;

/// Collects the lengths of queues.
#[derive(Debug)]
pub struct Queues {
    range: Range,
    window: u64,
    processors: BTreeMap<u8, Collected>,
    omitted: Omitted,
}

#[derive(Debug)]
struct Collected {
    since: u64,
    length: Option<u32>,
    untold: u32,
    lengths: BTreeMap<u32, u64>,
    unknown: u64,
    untold_cycles: u64,
    windows: Windows<Window>,
    changes: u64,
}

/// A window of a queue, while it goes on.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    /// Threads times cycles, and the cycles in which the length is known.
    product: u64,
    known: u64,
    most: u32,
}

/// Lengths of all ready queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuesReport {
    /// `ready`: from the class's own events; `profile`: from the states of threads, so that a
    /// thread counts from its first event on.
    pub source: Source,
    pub window_cycles: u64,
    pub processors: Vec<QueueReport>,
    /// Events that contradict what the queue held.
    pub contradictions: Omitted,
}

/// Which events tell of the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Ready,
    Profile,
}

/// The ready queue of one processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueReport {
    pub processor: u8,
    /// Mean over the time in which the length is known; `None` if it never is.
    pub mean: Option<f64>,
    pub max: u32,
    /// Threads that may have been ready besides, on average: they made a call that no event tells of (yield, or delay).
    pub untold_mean: f64,
    /// How often the length changed.
    pub changes: u64,
    /// Cycles by length.
    pub cycles_by_length: BTreeMap<u32, u64>,
    /// Cycles after a loss, of which nothing is known.
    pub unknown_cycles: u64,
    /// Mean length in each window; `None` where it is not known.
    pub windows: Vec<Option<f64>>,
    /// The greatest length in each window.
    pub window_max: Vec<u32>,
}

impl Queues {
    /// For the processors with monitors.
    pub fn new(range: Range, window: u64, processors: u8) -> Self {
        let new = |processor| {
            let collected = Collected {
                since: 0,
                length: Some(0),
                untold: 0,
                lengths: BTreeMap::new(),
                unknown: 0,
                untold_cycles: 0,
                windows: Windows::new(range, window),
                changes: 0,
            };
            (processor, collected)
        };
        Queues { range, window, processors: (1..processors).map(new).collect(), omitted: Omitted::default() }
    }

    pub fn take(&mut self, fact: &Fact) {
        match *fact {
            Fact::Queue { processor, cycle, length, untold } => {
                let range = self.range;
                let Some(collected) = self.processors.get_mut(&processor) else { return };
                collected.until(range, cycle);
                collected.changes += u64::from(collected.length != length && range.contains(cycle));
                (collected.length, collected.untold) = (length, untold);
            }
            Fact::QueueContradiction { cycle, reason } if self.range.contains(cycle) => self.omitted.add(reason),
            _ => {}
        }
    }

    pub fn finish(mut self, source: Source) -> QueuesReport {
        let range = self.range;
        let processors = std::mem::take(&mut self.processors).into_iter().map(|(processor, mut collected)| {
            collected.until(range, range.to_cycle);
            collected.report(processor)
        });
        let processors = processors.collect();
        QueuesReport { source, window_cycles: self.window, processors, contradictions: self.omitted }
    }
}

impl Collected {
    /// Time passes with the length unchanged.
    fn until(&mut self, range: Range, cycle: u64) {
        let from = self.since;
        self.since = from.max(cycle);
        let cycles = range.overlap(from, cycle);
        if cycles == 0 {
            return;
        }
        let Some(length) = self.length else {
            self.unknown += cycles;
            return;
        };
        *self.lengths.entry(length).or_default() += cycles;
        self.untold_cycles += u64::from(self.untold) * cycles;
        self.windows.spread(from, cycle, |window, cycles| {
            window.product += u64::from(length) * cycles;
            window.known += cycles;
            window.most = window.most.max(length);
        });
    }

    fn report(self, processor: u8) -> QueueReport {
        let known: u64 = self.lengths.values().sum();
        let product: u64 = self.lengths.iter().map(|(length, cycles)| u64::from(*length) * cycles).sum();
        let mean = |product: u64, known: u64| (known > 0).then(|| product as f64 / known as f64);
        let windows = self.windows.finish();
        QueueReport {
            processor,
            mean: mean(product, known),
            max: self.lengths.last_key_value().map_or(0, |(length, _)| *length),
            untold_mean: mean(self.untold_cycles, known).unwrap_or(0.0),
            changes: self.changes,
            cycles_by_length: self.lengths,
            unknown_cycles: self.unknown,
            windows: windows.iter().map(|window| mean(window.product, window.known)).collect(),
            window_max: windows.iter().map(|window| window.most).collect(),
        }
    }
}
