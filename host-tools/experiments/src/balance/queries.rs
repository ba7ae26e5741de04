//! The metrics of load as named queries over an ordered trace: the report's Figures 33 to 38.

use testbed_trace::analysis::windows::WINDOWS_MAX;

use super::metrics::{centred, count, link, trailing, user};
use crate::load::{Message, Stay};
use crate::observed::{ObserveError, Observed};
use crate::query::{Answer, Ask, Query};
use crate::subject::Subject;

/// The slot of all series but those that are sampled, in milliseconds: a time-slice.
pub const SLOT_MS: u64 = 20;
/// The period of REM-COMM's samples, in milliseconds.
pub const PERIOD_MS: u64 = 1_000;
/// Slots of the windows of Figures 35, 36 and 37.
pub const WIDTHS: [usize; 3] = [1, 10, 100];

/// The default machine's slaves.
pub const SLAVES: [(u8, &str); 5] = [(1, "earth"), (2, "air"), (3, "fire"), (4, "water"), (5, "space")];
/// Its links in the report's order.
pub const LINKS: [((u8, u8), &str); 10] = [
    ((1, 2), "1-2"),
    ((1, 3), "1-3"),
    ((1, 4), "1-4"),
    ((1, 5), "1-5"),
    ((2, 3), "2-3"),
    ((2, 4), "2-4"),
    ((2, 5), "2-5"),
    ((3, 4), "3-4"),
    ((3, 5), "3-5"),
    ((4, 5), "4-5"),
];

const THREADS: &str = "threads";
const USER: &str = "time of threads, per cent";

const fn query(figure: u8, name: &'static str, y: &'static str, ask: Ask) -> Query {
    Query { figure, name, program: "multi-phase", x: "time, cycles", y, ask }
}

/// All of them, in the order of the report's figures.
pub const QUERIES: [Query; 10] = [
    query(33, "n-threads", THREADS, n_threads),
    query(34, "rq-length", THREADS, rq_length),
    query(35, "cpu-time-20ms", USER, |run, _| cpu_time(run, WIDTHS[0], trailing)),
    query(36, "cpu-time-200ms", USER, |run, _| cpu_time(run, WIDTHS[1], trailing)),
    query(36, "cpu-time-200ms-centred", USER, |run, _| cpu_time(run, WIDTHS[1], centred)),
    query(37, "cpu-time-2s", USER, |run, _| cpu_time(run, WIDTHS[2], trailing)),
    query(37, "cpu-time-2s-centred", USER, |run, _| cpu_time(run, WIDTHS[2], centred)),
    query(38, "rem-comm", "messages", |run, _| rem_comm(run, PERIOD_MS, |_| 1)),
    query(38, "rem-comm-200ms", "messages", |run, _| rem_comm(run, 200, |_| 1)),
    query(38, "rem-comm-bytes", "bytes", |run, _| rem_comm(run, PERIOD_MS, |one| one.bytes)),
];

/// The queries of a figure.
pub fn of_figure(figure: u8) -> impl Iterator<Item = &'static Query> {
    QUERIES.iter().filter(move |query| query.figure == figure)
}

/// Cycles of so many milliseconds.
pub fn cycles(observed: &Observed, milliseconds: u64) -> u64 {
    (milliseconds * u64::from(observed.record.machine.clock_hz) / 1_000).max(1)
}

/// The whole pieces of so many cycles in a run.
///
/// # Errors
/// There are more than a figure can show.
pub fn slots(observed: &Observed, slot: u64) -> Result<usize, ObserveError> {
    match observed.record.cycles / slot {
        count @ ..=WINDOWS_MAX => Ok(count as usize),
        count => {
            let what = format!("the run has {count} windows, more than the {WINDOWS_MAX} that a figure can show");
            Err(ObserveError::Unsound { dir: observed.dir.clone(), what })
        }
    }
}

fn counted(observed: &Observed, stays: &[Stay]) -> Answer {
    let end = observed.record.cycles;
    let of = |processor| {
        let steps = count(stays, processor);
        let last = steps.last().map(|last| (end.max(last.0) as f64, f64::from(last.1)));
        steps.iter().map(|&(cycle, value)| (cycle as f64, f64::from(value))).chain(last).collect()
    };
    SLAVES.map(|(processor, name)| (name, of(processor))).into()
}

fn n_threads(observed: &Observed, _: &Subject) -> Result<Answer, ObserveError> {
    Ok(counted(observed, &observed.load.stays))
}

fn rq_length(observed: &Observed, _: &Subject) -> Result<Answer, ObserveError> {
    Ok(counted(observed, &observed.load.ready))
}

/// Values at the ends of their slots.
fn points(values: &[f64], slot: u64) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(index, value)| (((index as u64 + 1) * slot) as f64, *value)).collect()
}

fn cpu_time(observed: &Observed, width: usize, mean: fn(&[f64], usize) -> Vec<f64>) -> Result<Answer, ObserveError> {
    let slot = cycles(observed, SLOT_MS);
    let slots = slots(observed, slot)?;
    let of = |processor| points(&mean(&user(&observed.load, processor, slot, slots), width), slot);
    Ok(SLAVES.map(|(processor, name)| (name, of(processor))).into())
}

fn rem_comm(observed: &Observed, period_ms: u64, of: fn(&Message) -> u64) -> Result<Answer, ObserveError> {
    let period = cycles(observed, period_ms);
    let periods = slots(observed, period)?;
    let points = |ends| points(&link(&observed.load.messages, ends, period, periods, of), period);
    Ok(LINKS.map(|(ends, name)| (name, points(ends))).into())
}
