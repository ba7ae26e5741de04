//! A program of one size on so many processes, measured and predicted.

use serde::Serialize;

use super::cause::{self, Cause};
use super::ends::{Ends, Predicted};
use super::step::{Step, Steps};

/// From which error on, of a prediction by the measured time, a superstep is off.
pub const OFF: f64 = 0.1;

/// A program of one size, in cycles over all of its supersteps but the first, in which its processes
/// are started.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub program: String,
    pub size: u32,
    pub processes: u8,
    pub supersteps: usize,
    /// Supersteps that the trace does not show whole, and that are left out.
    pub incomplete: usize,
    /// From the end of one superstep to the end of the next, all together.
    pub measured: u64,
    pub work: u64,
    pub words: u64,
    /// w + g h + l, and max{l, w, g hs, g hr}.
    pub sum: f64,
    pub max: f64,
    /// w + g(k) h + l(s).
    pub by_length: f64,
    /// The supersteps that take longer than l.
    pub long: Vec<Long>,
}

/// A superstep that takes longer than l, in cycles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Long {
    pub number: u64,
    pub work: u64,
    /// h, and the messages that a process sends and receives.
    pub words: u32,
    pub messages: u32,
    /// Processes that have words.
    pub senders: u32,
    pub measured: u64,
    pub sum: f64,
    pub by_length: f64,
    /// What is to blame where `sum` is off, and `by_length`.
    pub cause: Option<Cause>,
    pub cause_by_length: Option<Cause>,
}

/// How far a prediction is from what was measured.
pub fn error(predicted: f64, measured: u64) -> f64 {
    predicted / measured as f64 - 1.0
}

impl Long {
    fn of(step: &Step, ends: &Ends, predicted: &Predicted) -> Long {
        let is_off = |predicted: f64| error(predicted, step.cycles).abs() > OFF;
        Long {
            number: step.number,
            work: step.work,
            words: step.words(),
            messages: step.messages,
            senders: step.senders,
            measured: step.cycles,
            sum: predicted.sum,
            by_length: predicted.by_length,
            cause: cause::constant(step, ends).filter(|_| is_off(predicted.sum)),
            cause_by_length: cause::by_length(step, ends).filter(|_| is_off(predicted.by_length)),
        }
    }
}

impl Row {
    /// The row of a program's supersteps.
    pub fn of((program, size): (&str, u32), ends: &Ends, steps: &Steps) -> Row {
        let mut row = Row {
            program: program.into(),
            size,
            processes: ends.processes,
            supersteps: steps.whole.len(),
            incomplete: steps.incomplete,
            measured: 0,
            work: 0,
            words: 0,
            sum: 0.0,
            max: 0.0,
            by_length: 0.0,
            long: Vec::new(),
        };
        for step in &steps.whole {
            let predicted = ends.predict(step);
            row.measured += step.cycles;
            row.work += step.work;
            row.words += u64::from(step.words());
            row.sum += predicted.sum;
            row.max += predicted.max;
            row.by_length += predicted.by_length;
            if step.cycles as f64 > ends.l {
                row.long.push(Long::of(step, ends, &predicted));
            }
        }
        row
    }
}
