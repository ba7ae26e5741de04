//! The last part of a run that goes on, as a page draws it, in bounded memory.

use serde::Serialize;

use super::timeline::Collector;
use super::{Loss, Timeline};
use crate::analysis::fact::Fact;
use crate::analysis::measure::Range;
use crate::capture::RunRecord;
use crate::watch::Watch;

/// Cells of all lanes together, and packets, at most: what can be made and drawn many times a second.
const CELLS_MAX: usize = 3_000;
const PACKETS_MAX: usize = 300;
/// The same where all of a run is drawn, which is asked for less often.
const CELLS_OF_ALL: usize = 30_000;
const PACKETS_OF_ALL: usize = 3_000;
/// Losses that are remembered.
const LOSSES_MAX: usize = 200;

/// Keeps what happened in the last so many cycles, at least.
#[derive(Debug)]
pub struct Rolling {
    names: Vec<String>,
    tick_cycles: u64,
    span: u64,
    /// Two that began a span apart. The older one is left when the younger one covers a whole span.
    older: Collector,
    younger: Option<Collector>,
    losses: Vec<Loss>,
}

/// What a page draws at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    pub range: Range,
    pub timeline: Timeline,
    pub losses: Vec<Loss>,
}

impl Rolling {
    /// The span of a drawing that never forgets; its lanes get coarser.
    pub const ALL: u64 = u64::MAX;

    /// For a run, from a cycle on.
    pub fn new(record: &RunRecord, from_cycle: u64, span: u64) -> Self {
        let tick_cycles = u64::from(record.machine.tick_cycles);
        Rolling {
            names: record.machine.processors.clone(),
            tick_cycles,
            span: span.max(tick_cycles),
            older: Self::collector(from_cycle, tick_cycles, span),
            younger: None,
            losses: Vec::new(),
        }
    }

    fn collector(from_cycle: u64, tick_cycles: u64, span: u64) -> Collector {
        let (cells, packets) = match span {
            Self::ALL => (CELLS_OF_ALL, PACKETS_OF_ALL),
            _ => (CELLS_MAX, PACKETS_MAX),
        };
        Collector::with_limits(Range { from_cycle, to_cycle: u64::MAX }, tick_cycles, cells, packets)
    }

    /// Takes the next fact.
    pub fn take(&mut self, fact: &Fact) {
        self.older.take(fact);
        if let Some(younger) = &mut self.younger {
            younger.take(fact);
        }
        if let Fact::Lost { processor, from } = *fact {
            self.losses.push(Loss { processor, cycle: from, discarded: None, ambiguous: false });
            let over = self.losses.len().saturating_sub(LOSSES_MAX);
            self.losses.drain(..over);
        }
    }

    /// The run has come to this cycle: forgets what is older than the span, if there is enough.
    pub fn advance(&mut self, cycle: u64) {
        if self.younger.is_none() && cycle >= self.older.start_cycle().saturating_add(self.span) {
            self.younger = Some(Self::collector(cycle, self.tick_cycles, self.span));
        }
        let covers = |younger: &Collector| cycle >= younger.start_cycle().saturating_add(self.span);
        if let Some(younger) = self.younger.take_if(|younger| covers(younger)) {
            self.older = younger;
            self.younger = Some(Self::collector(cycle, self.tick_cycles, self.span));
        }
    }

    /// What there is to draw when `watch`, which has taken the same events, has come to where it is.
    pub fn show(&self, watch: &Watch) -> Shown {
        let mut collector = self.older.clone();
        watch.present(&mut |fact| collector.take(fact));
        let range = Range { from_cycle: collector.start_cycle(), to_cycle: watch.now().max(collector.start_cycle()) };
        let losses = self.losses.iter().filter(|loss| range.contains(loss.cycle)).cloned().collect();
        Shown { range, timeline: collector.finish_at(range.to_cycle, &self.names), losses }
    }
}
