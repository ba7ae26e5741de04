//! The runs that figures are made of.

use itertools::Itertools;
use testbed_trace::capture::KernelKind;

use super::report::INSTRUCTIONS_A_MS;
use crate::fit;
use crate::observed::{ObserveError, Observed};
use crate::query::{Answer, Query};

/// A run with its name, such as `local-default-quiet`.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub observed: Observed,
}

/// All runs, and how their cycles are converted.
#[derive(Clone, Debug)]
pub struct Material {
    pub clock_hz: u32,
    pub tick_cycles: u32,
    /// Cycles an instruction of each kernel.
    pub cpi: Vec<(KernelKind, Cpi)>,
    pub sources: Vec<Source>,
}

/// One in so many of the sends, the shortest ones, is counted for the services.
const SHORTEST: usize = 20;

/// Cycles an instruction: a copy by pairs of registers takes more of them than the rest of the
/// kernel, which, divided by the mean of both, would seem to have fewer instructions than it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cpi {
    /// In the services of the shortest local messages, which hardly copy.
    pub services: f64,
    /// Of what longer ones take more.
    pub copy: f64,
}

impl Cpi {
    /// Of the spans of cycles of local sends, and of the instructions executed in each.
    pub fn of(spans: &[(u64, u64)], executed: &[u64]) -> Self {
        let points = spans.iter().zip(executed).map(|((from, to), executed)| (to - from, *executed)).sorted_unstable();
        let points: Vec<_> = points.map(|(cycles, executed)| (cycles as f64, executed as f64)).collect();
        let shortest = points.iter().take(points.len() / SHORTEST + 1);
        let (cycles, instructions) = shortest.fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let services = cycles / f64::max(instructions, 1.0);
        let copy = fit::line("instructions", &points).map_or(services, |line| 1.0 / line.slope);
        Cpi { services, copy }
    }
}

/// What one query gives for one run.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    pub source: &'a Source,
    pub kernel: KernelKind,
    pub is_busy: bool,
    pub answer: Answer,
}

impl Found<'_> {
    pub fn load(&self) -> &'static str {
        if self.is_busy {
            "busy"
        } else {
            "quiet"
        }
    }

    /// Points of a series.
    pub fn series(&self, name: &str) -> &[(f64, f64)] {
        self.answer.iter().find(|(series, _)| *series == name).map_or(&[], |(_, points)| points)
    }
}

impl Material {
    /// Runs of a program, quiet ones first, the default kernel first.
    pub fn of_program<'a>(&'a self, program: &'a str) -> impl Iterator<Item = &'a Source> {
        let places = [
            (false, KernelKind::Default),
            (false, KernelKind::Tos94),
            (true, KernelKind::Default),
            (true, KernelKind::Tos94),
        ];
        places.into_iter().flat_map(move |(is_busy, kernel)| {
            self.sources.iter().find(move |source| {
                let subject = source.observed.subject();
                subject.program == program
                    && subject.is_busy == is_busy
                    && source.observed.record.kernel == Some(kernel)
            })
        })
    }

    /// Asks a query of all runs of its program.
    ///
    /// # Errors
    /// A run does not show what its program does.
    pub fn ask(&self, query: &Query) -> Result<Vec<Found<'_>>, ObserveError> {
        let found = |source: &'_ Source| query.ask(&source.observed);
        self.of_program(query.program)
            .map(|source| {
                let kernel = source.observed.record.kernel.unwrap_or_default();
                let is_busy = source.observed.subject().is_busy;
                Ok(Found { source, kernel, is_busy, answer: found(source)? })
            })
            .collect()
    }

    /// Cycles an instruction.
    pub fn cpi(&self, kernel: KernelKind) -> Cpi {
        self.cpi.iter().find(|(own, _)| *own == kernel).map_or(Cpi { services: 1.0, copy: 1.0 }, |(_, cpi)| *cpi)
    }

    /// Microseconds at the machine's clock.
    pub fn microseconds(&self, cycles: f64) -> f64 {
        cycles * 1e6 / f64::from(self.clock_hz)
    }

    /// Milliseconds at the machine's clock.
    pub fn milliseconds(&self, cycles: f64) -> f64 {
        cycles * 1e3 / f64::from(self.clock_hz)
    }

    /// Milliseconds that the report's processor needs for the instructions of so many cycles.
    pub fn report_ms(&self, kernel: KernelKind, cycles: f64) -> f64 {
        cycles / self.cpi(kernel).services / INSTRUCTIONS_A_MS
    }
}
