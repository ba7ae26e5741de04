//! How many times faster a program is on several processes than on one.
//!
//! Measured is what the program prints: the cycles of its slowest process from the moment at which
//! all have their part of the input until it has its part of the result. Predicted is the same with
//! the model's time for the program's supersteps in place of the measured one. What follows the last
//! of them is work, and is taken as it is, like all work.

use nom::bytes::complete::{tag, take_until};
use nom::character::complete::u64 as number;
use nom::combinator::all_consuming;
use nom::sequence::terminated;
use nom::{IResult, Parser};
use serde::Serialize;
use testbed_machine::input;
use testbed_trace::capture::{Capture, CONSOLE};

use super::ends::Ends;
use super::step::Steps;
use crate::error::ExperimentError;

/// The longest console that is read.
const CONSOLE_BYTES: u64 = 1 << 16;
/// Supersteps behind the computation: one tells what the comparison has found, one ends the program.
const BEHIND: usize = 2;

/// A program of one size on so many processes and on one, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Speedup {
    pub program: String,
    pub size: u32,
    pub processes: u8,
    /// On one process.
    pub alone: u64,
    pub measured: u64,
    /// With w + g(k) h + l(s) for the supersteps; `None` if the trace does not show all of them.
    pub predicted: Option<f64>,
    /// The same if the work of one process were shared out evenly, and nothing were added to it.
    pub even: Option<f64>,
}

impl Speedup {
    /// The speed-up of a program's run on several processes over its time on one.
    pub fn of((program, size): (&str, u32), alone: u64, measured: u64, ends: &Ends, steps: &Steps) -> Speedup {
        let own = steps.whole.len().checked_sub(BEHIND).filter(|_| steps.incomplete == 0);
        let own = own.map(|count| &steps.whole[..count]);
        let even = alone as f64 / f64::from(ends.processes);
        let changed = |step: &super::step::Step| ends.predict(step).by_length - step.cycles as f64;
        Speedup {
            program: program.into(),
            size,
            processes: ends.processes,
            alone,
            measured,
            predicted: own.map(|own| measured as f64 + own.iter().map(changed).sum::<f64>()),
            even: own.map(|own| even + own.iter().map(|step| ends.end_by_length(step)).sum::<f64>()),
        }
    }

    /// How many times faster it is than on one process, in so many cycles.
    pub fn speedup(&self, cycles: f64) -> f64 {
        self.alone as f64 / cycles
    }

    /// The same by the number of processes.
    pub fn efficiency(&self, cycles: f64) -> f64 {
        self.speedup(cycles) / f64::from(self.processes)
    }
}

/// The cycles in a line such as `earth: bsp-lu 48 on 5: right, 5639400 cycles`.
fn line(text: &str) -> IResult<&str, u64> {
    let (text, _) = (take_until(": right, "), tag(": right, ")).parse(text)?;
    all_consuming(terminated(number, tag(" cycles"))).parse(text)
}

/// What a program says that its computation has taken.
///
/// # Errors
/// Its console can't be read, or does not say so.
pub fn cycles(capture: &Capture) -> Result<u64, ExperimentError> {
    let console = capture.dir.join(CONSOLE);
    let text = String::from_utf8_lossy(&input::bytes(&console, CONSOLE_BYTES)?).into_owned();
    let found = text.lines().find_map(|text| line(text.trim_end()).ok());
    found.map(|(_, cycles)| cycles).filter(|cycles| *cycles != 0).ok_or_else(|| ExperimentError::Failed {
        folder: capture.dir.clone(),
        what: "its program has not said that its result is right, and what it took".into(),
        console,
    })
}

#[cfg(test)]
mod tests {
    use super::super::ends::ByLength;
    use super::super::step::Step;
    use super::*;

    #[test]
    fn a_result_has_its_cycles_only_if_it_is_right() {
        let found = |text| line(text).ok().map(|(_, cycles)| cycles);
        assert_eq!(found("earth: bsp-lu 48 on 5: right, 5639400 cycles"), Some(5_639_400));
        assert_eq!(found("earth: matmul 13 on 5: WRONG, element 0 is -49, not 15"), None);
        assert_eq!(found("earth: bsp-lu 48 on 5: right, many cycles"), None);
    }

    #[test]
    fn what_follows_the_computation_does_not_count() {
        let by_length = ByLength { word: 5.0, message: 0.0, sender: 500.0 };
        let ends = Ends { processes: 2, g: 10.0, l: 2_000.0, l0: 1_000.0, by_length };
        let step = |cycles| Step { cycles, work: 8_000, computing: 8_000, senders: 2, moved: 20, ..Step::default() };
        // By the model each takes 8,000 + 1,000 + 1,000 + 100.
        let steps = Steps { whole: vec![step(10_100), step(11_100), step(99_000), step(1)], incomplete: 0 };
        let found = Speedup::of(("bsp-inner", 10), 30_000, 25_000, &ends, &steps);
        assert_eq!((found.predicted, found.even), (Some(24_000.0), Some(15_000.0 + 2.0 * 2_100.0)));
        assert_eq!((found.speedup(15_000.0), found.efficiency(15_000.0)), (2.0, 1.0));
        let torn = Steps { incomplete: 1, ..steps };
        assert_eq!(Speedup::of(("bsp-inner", 10), 30_000, 25_000, &ends, &torn).predicted, None);
    }
}
