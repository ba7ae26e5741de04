//! Which signals to write to a wave file, and when.

use std::path::PathBuf;

use crate::engine::EngineError;

/// Units of a wave file's time in a second: it is machine time in picoseconds, since the period of few
/// clocks is a whole number of nanoseconds.
const UNITS_PER_SECOND: u128 = 1_000_000_000_000;

/// The time in a wave file, in picoseconds, at which half cycle `half` of a machine with this clock
/// begins. Edges are rounded down one by one, so that the error of none exceeds a picosecond.
pub fn time_of(half: u64, clock_hz: u32) -> u64 {
    (u128::from(half) * UNITS_PER_SECOND / (2 * u128::from(clock_hz))) as u64
}

/// A wave file of part of a run. Cycle `t` begins at time `time_of(2 t)` of the file with a rising
/// clock, its second half at `time_of(2 t + 1)` with a falling one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// VCD, or FST if the engine can write it and the name ends in `.fst`.
    pub path: PathBuf,
    /// First cycle recorded.
    pub from: u64,
    /// First cycle no longer recorded.
    pub until: u64,
    /// Topmost instance recorded, by path, e.g. `top.processors$1`; empty for the whole machine. In the `verilator`
    /// engine's files, `top` is inside a scope `TOP`.
    pub scope: String,
    /// Levels of instances from `scope` down: 1 for its own signals only, 0 for all.
    pub depth: u32,
}

impl Waves {
    /// Everything, for the cycles `from` to `until - 1`.
    pub fn new(path: impl Into<PathBuf>, from: u64, until: u64) -> Self {
        Waves { path: path.into(), from, until, scope: String::new(), depth: 0 }
    }

    /// The path of the topmost instance recorded.
    pub(crate) fn top(&self) -> &str {
        if self.scope.is_empty() {
            "top"
        } else {
            &self.scope
        }
    }

    /// The scope is not in the machine.
    pub(crate) fn no_instance(&self) -> EngineError {
        let (path, scope) = (self.path.display(), self.top());
        EngineError::Failed(format!("waves cannot be written to {path}: the machine has no instance {scope}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_machine_and_do_not_drift() {
        assert_eq!([0, 1, 2, 3].map(|half| time_of(half, 25_000_000)), [0, 20_000, 40_000, 60_000]);
        assert_eq!(time_of(2 * 33_000_000, 33_000_000), 1_000_000_000_000);
        assert_eq!(time_of(2, 33_000_000), 30_303);
        // Two days at 25 MHz.
        assert_eq!(time_of(2 * 25_000_000 * 172_800, 25_000_000), 172_800_000_000_000_000);
    }
}
