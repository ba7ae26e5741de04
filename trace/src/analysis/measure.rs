//! Moments, spans between them, and distributions of spans.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

/// A moment on one processor, with what its probes have cost until then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    pub processor: u8,
    /// Machine cycles since the start, to the tick of the global clock.
    pub cycle: u64,
    /// Events of the kernel on this processor before this one, and the cycles that they took.
    pub probes: u64,
    pub probe_cycles: u64,
}

/// From one [`Mark`] to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Cycles between the stamps.
    pub cycles: u64,
    /// Events of the kernel that delayed it: from the one that begins it on, the one that ends it not included.
    pub probes: u64,
    /// Cycles that they took: what lies between two stamps is the first event's stores, and the second one's test.
    pub probe_cycles: u64,
}

impl Span {
    /// The span between two marks; `None` if they are in the wrong order. Between processors no
    /// probe is counted: a packet on its way executes nothing.
    pub fn between(from: Mark, to: Mark) -> Option<Span> {
        let cycles = to.cycle.checked_sub(from.cycle)?;
        if from.processor != to.processor {
            return Some(Span { cycles, probes: 0, probe_cycles: 0 });
        }
        let probe_cycles = to.probe_cycles.saturating_sub(from.probe_cycles);
        Some(Span { cycles, probes: to.probes.saturating_sub(from.probes), probe_cycles })
    }

    /// Cycles without the probes; below 0 only as far as the clock's tick is longer than the span.
    pub fn corrected(&self) -> i64 {
        self.cycles as i64 - self.probe_cycles as i64
    }
}

impl std::ops::Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span {
            cycles: self.cycles + other.cycles,
            probes: self.probes + other.probes,
            probe_cycles: self.probe_cycles + other.probe_cycles,
        }
    }
}

impl std::iter::Sum for Span {
    fn sum<I: Iterator<Item = Span>>(spans: I) -> Span {
        spans.fold(Span::default(), |sum, span| sum + span)
    }
}

/// Spans of one kind, counted. Memory is bounded by the logarithm of the longest span.
#[derive(Clone, Debug)]
pub struct Spans {
    raw: Histogram<u64>,
    corrected: Histogram<u64>,
    total: Span,
    least: Option<u64>,
    most: u64,
}

impl Default for Spans {
    fn default() -> Self {
        // Three digits: values to 2,047 cycles are exact, others to 0.1 %.
        let histogram = || Histogram::new(3).expect("three digits are possible");
        Spans { raw: histogram(), corrected: histogram(), total: Span::default(), least: None, most: 0 }
    }
}

impl Spans {
    pub fn add(&mut self, span: Span) {
        // They grow as needed; a histogram that can't still counts what is too long as its longest.
        for (histogram, cycles) in [(&mut self.raw, span.cycles), (&mut self.corrected, span.corrected().max(0) as u64)]
        {
            if histogram.record(cycles).is_err() {
                histogram.saturating_record(cycles);
            }
        }
        self.total = self.total + span;
        self.least = Some(self.least.map_or(span.cycles, |least| least.min(span.cycles)));
        self.most = self.most.max(span.cycles);
    }

    pub fn count(&self) -> u64 {
        self.raw.len()
    }

    /// All of them together.
    pub fn total(&self) -> Span {
        self.total
    }

    /// The figures; `None` if there is no span.
    pub fn summary(&self) -> Option<Distribution> {
        let count = self.count();
        let at = |histogram: &Histogram<u64>, quantile| histogram.value_at_quantile(quantile).min(self.most);
        (count > 0).then(|| Distribution {
            count,
            min_cycles: self.least.unwrap_or(0),
            median_cycles: at(&self.raw, 0.5),
            p90_cycles: at(&self.raw, 0.9),
            p99_cycles: at(&self.raw, 0.99),
            max_cycles: self.most,
            mean_cycles: self.total.cycles as f64 / count as f64,
            total_cycles: self.total.cycles,
            probes: self.total.probes,
            probe_cycles: self.total.probe_cycles,
            corrected_median_cycles: at(&self.corrected, 0.5),
            corrected_mean_cycles: self.total.corrected() as f64 / count as f64,
        })
    }

    /// Counts by length, in at most `rows` steps whose bounds grow by equal factors; empty steps at
    /// the ends are left out.
    pub fn bars(&self, rows: usize) -> Vec<Bar> {
        let (Some(least), most) = (self.least, self.most) else { return Vec::new() };
        let octaves = (most.max(1) as f64 / least.max(1) as f64).log2();
        let steps = [8.0, 4.0, 2.0, 1.0].into_iter().find(|steps| octaves * steps + 2.0 <= rows as f64).unwrap_or(0.5);
        let step_of = |cycles: u64| ((cycles.max(1) as f64).log2() * steps).floor() as i64;
        let edge = |step: i64| (step as f64 / steps).exp2().ceil() as u64;
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        for value in self.raw.iter_recorded() {
            let cycles = value.value_iterated_to().clamp(least, most);
            *counts.entry(step_of(cycles)).or_default() += value.count_since_last_iteration();
        }
        let (Some((&first, _)), Some((&last, _))) = (counts.first_key_value(), counts.last_key_value()) else {
            return Vec::new();
        };
        (first..=last)
            .map(|step| Bar {
                from_cycles: if step <= 0 { 0 } else { edge(step) },
                to_cycles: edge(step + 1),
                count: counts.get(&step).copied().unwrap_or(0),
            })
            .collect()
    }
}

/// Figures of a kind of span. Quantiles are exact to 2,047 cycles and else to 0.1 %; a stamp is
/// exact to one tick of the global clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    pub count: u64,
    pub min_cycles: u64,
    pub median_cycles: u64,
    pub p90_cycles: u64,
    pub p99_cycles: u64,
    pub max_cycles: u64,
    pub mean_cycles: f64,
    pub total_cycles: u64,
    /// Events of the kernel in all of them, and the cycles that these took.
    pub probes: u64,
    pub probe_cycles: u64,
    /// Without the probes' own cost.
    pub corrected_median_cycles: u64,
    pub corrected_mean_cycles: f64,
}

/// A bar of a histogram: spans of at least `from_cycles` and less than `to_cycles`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    pub from_cycles: u64,
    pub to_cycles: u64,
    pub count: u64,
}

/// What an analysis has left out, and how often, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Omitted(pub BTreeMap<String, u64>);

impl Omitted {
    pub fn add(&mut self, reason: &str) {
        match self.0.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.0.insert(reason.into(), 1);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }
}

/// A part of the run, in machine cycles since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub from_cycle: u64,
    pub to_cycle: u64,
}

impl Range {
    /// How much of `from` to `to` lies in it.
    pub fn overlap(&self, from: u64, to: u64) -> u64 {
        to.min(self.to_cycle).saturating_sub(from.max(self.from_cycle))
    }

    pub fn contains(&self, cycle: u64) -> bool {
        (self.from_cycle..self.to_cycle).contains(&cycle)
    }

    pub fn cycles(&self) -> u64 {
        self.to_cycle.saturating_sub(self.from_cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(processor: u8, cycle: u64, probes: u64, probe_cycles: u64) -> Mark {
        Mark { processor, cycle, probes, probe_cycles }
    }

    #[test]
    fn a_span_counts_the_probes_of_its_own_processor() {
        let span = Span::between(mark(1, 100, 3, 30), mark(1, 400, 5, 54)).unwrap();
        assert_eq!((span.cycles, span.probes, span.probe_cycles, span.corrected()), (300, 2, 24, 276));
        let flight = Span::between(mark(1, 100, 3, 30), mark(2, 400, 50, 540)).unwrap();
        assert_eq!((flight.cycles, flight.probes, flight.corrected()), (300, 0, 300));
        assert_eq!(Span::between(mark(1, 400, 0, 0), mark(2, 399, 0, 0)), None);
    }

    #[test]
    fn figures_of_known_spans() {
        let mut spans = Spans::default();
        for cycles in [100, 200, 300, 400, 1_000_000] {
            spans.add(Span { cycles, probes: 1, probe_cycles: 10 });
        }
        let found = spans.summary().unwrap();
        assert_eq!((found.count, found.min_cycles, found.median_cycles), (5, 100, 300));
        assert_eq!((found.max_cycles, found.total_cycles, found.probes), (1_000_000, 1_001_000, 5));
        assert_eq!(found.corrected_median_cycles, 290);
        assert!((found.corrected_mean_cycles - 200_190.0).abs() < 1e-6);
        let bars = spans.bars(20);
        assert_eq!(bars.iter().map(|bar| bar.count).sum::<u64>(), 5);
        assert!(bars.len() <= 20 && bars[0].from_cycles <= 100 && bars.last().unwrap().to_cycles > 1_000_000);
        assert!(bars.windows(2).all(|two| two[0].to_cycles == two[1].from_cycles));
        assert_eq!(Spans::default().summary(), None);
    }

    #[test]
    fn a_range_clips() {
        let range = Range { from_cycle: 10, to_cycle: 20 };
        assert_eq!([range.overlap(0, 15), range.overlap(12, 14), range.overlap(25, 30)], [5, 2, 0]);
        assert!(range.contains(10) && !range.contains(20));
    }
}
