//! What the kernel's services cost, from the monitors' stamps alone: traces of the program
//! `kernel-bench` on a machine whose clock ticks every cycle.
//!
//! Each figure is the median of a hundred rounds. Between two user events lies what the program did
//! and one *empty* event call, known from pairs of events with nothing between; it is subtracted.
//! What the kernel's own events cost in between (a test of the class, and a store a word) is
//! subtracted too: a store as measured between the two words of an event, the test by its
//! instructions.

mod measure;
mod spans;
mod table;

pub use measure::{local, migration, page, remote, switch, Local, Migration, Page, Remote, Switch};
pub use spans::{median, Probe};
pub use table::{Figures, Row, INSTRUCTIONS_A_REPORT_MS, PEERS};

use testbed_trace::capture::{verify, Capture, CaptureError};
use testbed_trace::order::{events, Event, What};

/// Data of `kernel-bench`'s events, as its source says.
pub mod datum {
    pub const EMPTY: u16 = 0x1000;
    pub const EMPTY_END: u16 = 0x1001;
    pub const LEAVE: u16 = 0x1002;
    pub const ENTER: u16 = 0x1003;
    pub const SEND: u16 = 0x1004;
    pub const SENT: u16 = 0x1005;
    pub const RECEIVE: u16 = 0x1006;
    pub const RECEIVED: u16 = 0x1007;
    pub const READ: u16 = 0x1008;
    pub const READ_END: u16 = 0x1009;
    pub const WRITE: u16 = 0x100a;
    pub const WRITE_END: u16 = 0x100b;
    pub const STORE: u16 = 0x100c;
    pub const STORE_END: u16 = 0x100d;
    pub const SENDER_WAITS: u16 = 0x1010;
    pub const RECEIVER_WAITS: u16 = 0x1011;
}

/// Why nothing can be said.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error(transparent)]
    Capture(#[from] CaptureError),
    #[error("the clock of machine {machine} ticks every {cycles} cycles\n  help: use machine `bench`, whose clock ticks every cycle")]
    Tick { machine: String, cycles: u32 },
    #[error("kernel-bench {case}: {what}\n  help: run it by `testbed run kernel-bench {case} --machine bench` and look at its trace")]
    Trace { case: String, what: String },
}

/// The whole trace of one case, every event certain.
pub struct Case {
    pub name: String,
    pub events: Vec<Event>,
    pub probe: Probe,
}

impl Case {
    /// Reads a capture.
    ///
    /// # Errors
    /// It can't be read, is damaged or lossy, ended with another code than 0, or its clock is too coarse.
    pub fn read(capture: &Capture) -> Result<Self, BenchError> {
        let record = &capture.record;
        let name = record.arguments.join(" ");
        let wrong = |what: String| BenchError::Trace { case: name.clone(), what };
        if record.machine.tick_cycles != 1 {
            let (machine, cycles) = (record.machine.name.clone(), record.machine.tick_cycles);
            return Err(BenchError::Tick { machine, cycles });
        }
        match record.exits.first() {
            Some(exit) if exit.code == 0 => {}
            Some(exit) => return Err(wrong(format!("ended with code {}", exit.code))),
            None => return Err(wrong("did not end in time".into())),
        }
        let integrity = verify(capture)?;
        let events: Vec<_> = events(capture, &integrity)?.collect::<Result<_, _>>()?;
        if let Some(event) = events.iter().find(|event| !event.is_certain() || matches!(event.what, What::Gap(_))) {
            return Err(wrong(format!("events were lost or are ambiguous from cycle {} on", event.ticks())));
        }
        let probe = testbed_trace::analysis::probe::Probe::measure(capture)?.into();
        Ok(Case { name, events, probe })
    }

    fn wrong(&self, what: &str) -> BenchError {
        BenchError::Trace { case: self.name.clone(), what: what.into() }
    }
}

/// Least squares through `points`: value at 0, and slope.
pub fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let slope = if spread > 0.0 { across / spread } else { 0.0 };
    (y - slope * x, slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found() {
        let (intercept, slope) = fit(&[(0.0, 10.0), (4.0, 18.0), (10.0, 30.0)]);
        assert!((intercept - 10.0).abs() < 1e-9 && (slope - 2.0).abs() < 1e-9);
        assert_eq!(fit(&[(4.0, 7.0)]), (7.0, 0.0));
    }

    #[test]
    fn the_median_ignores_one_wild_value() {
        assert_eq!(median(vec![5, 900, 4]), Some(5));
        assert_eq!(median(vec![]), None);
    }
}
