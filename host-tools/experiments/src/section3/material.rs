//! The runs that figures are made of.

use testbed_trace::capture::KernelKind;

use super::report::INSTRUCTIONS_A_MS;
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
    /// Cycles an instruction in the services of each kernel.
    pub cpi: Vec<(KernelKind, f64)>,
    pub sources: Vec<Source>,
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
    pub fn cpi(&self, kernel: KernelKind) -> f64 {
        self.cpi.iter().find(|(own, _)| *own == kernel).map_or(1.0, |(_, cpi)| *cpi)
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
        cycles / self.cpi(kernel) / INSTRUCTIONS_A_MS
    }
}
