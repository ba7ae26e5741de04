//! Points of the BSP space: machines that others have measured, and ours.
//!
//! Others give l and g in floating-point operations; divided by the rate and multiplied by the clock
//! they are cycles, of which a faster processor has no fewer for being faster. Ours are measured in
//! cycles. The g of both is that of long messages, which the Oxford toolset calls asymptotic, and l
//! is that of a superstep in which nothing is done.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use testbed_machine::input;

use crate::bsp::parameters::Parameters;

/// Machines that others have measured.
const PUBLISHED: &str = include_str!("published.toml");
/// The longest file of parameters that is read.
const FILE_BYTES: u64 = 1 << 20;
/// The way of sending, and the kind of operations, that are compared.
const WAY: &str = "put";
const OPERATIONS: &str = "f64";
/// Where our own points are from.
const MEASURED: &str = "measured by testbed bsp probe";

/// A machine with so many processes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    pub machine: String,
    /// What it is.
    pub what: String,
    /// Whether it has been measured by this program.
    pub ours: bool,
    pub processes: u32,
    pub clock_mhz: f64,
    /// Millions of floating-point operations a second on one processor.
    pub speed_mflops: f64,
    /// In floating-point operations, and those a word.
    pub l_flops: f64,
    pub g_flops: f64,
    /// In cycles, and those a word.
    pub l_cycles: f64,
    pub g_cycles: f64,
    /// Where the numbers are from.
    pub source: String,
}

/// What [`PUBLISHED`] has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    machine: Vec<PublishedMachine>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedMachine {
    name: String,
    what: String,
    clock_mhz: f64,
    speed_mflops: f64,
    source: String,
    points: Vec<PublishedPoint>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedPoint {
    processes: u32,
    l: f64,
    g: f64,
}

/// Why there is no point.
#[derive(Debug, thiserror::Error)]
pub enum PointsError {
    #[error("the table of published machines can't be read: {0}")]
    Published(#[from] toml::de::Error),
    #[error("{}: cannot be read: {source}\n  help: name a file that `testbed bsp probe --json` has printed", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {what}\n  help: make the file by `testbed bsp probe --json --processes 2,5 > FILE`", path.display())]
    NoParameters { path: PathBuf, what: String },
    #[error(
        "{place}: {name} is {value}, and has to be above 0\n  help: measure it again by `testbed bsp probe --json`"
    )]
    NoNumber { place: String, name: &'static str, value: f64 },
}

/// The machines that others have measured.
///
/// # Errors
/// The table of them is wrong.
pub fn published() -> Result<Vec<Point>, PointsError> {
    let all: Published = toml::from_str(PUBLISHED)?;
    Ok(all.machine.iter().flat_map(|machine| machine.points.iter().map(|point| of_published(machine, point))).collect())
}

fn of_published(machine: &PublishedMachine, point: &PublishedPoint) -> Point {
    let cycles = machine.clock_mhz / machine.speed_mflops;
    Point {
        machine: machine.name.clone(),
        what: machine.what.clone(),
        ours: false,
        processes: point.processes,
        clock_mhz: machine.clock_mhz,
        speed_mflops: machine.speed_mflops,
        l_flops: point.l,
        g_flops: point.g,
        l_cycles: point.l * cycles,
        g_cycles: point.g * cycles,
        source: machine.source.clone(),
    }
}

/// Ours, as the probe has measured it; `None` of one process, which has nobody to send to. `place`
/// says in an error where it is from.
///
/// # Errors
/// A number is none, or not above 0.
pub fn measured(parameters: &Parameters, place: &str) -> Result<Option<Point>, PointsError> {
    if parameters.processes < 2 {
        return Ok(None);
    }
    let clock_mhz = f64::from(parameters.clock_hz) / 1e6;
    let speed = parameters.speed.iter().find(|(kind, _)| kind == OPERATIONS).map_or(0.0, |(_, speed)| speed / 1e6);
    let g = parameters.way(WAY).map_or(0.0, |way| way.long.slope);
    let l = f64::from(parameters.barrier);
    let place = || format!("{place}, {} processes", parameters.processes);
    for (name, value) in [("the clock", clock_mhz), ("the rate of f64", speed), ("g of long messages", g), ("l", l)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(PointsError::NoNumber { place: place(), name, value });
        }
    }
    let flops = speed / clock_mhz;
    Ok(Some(Point {
        machine: "Testbed".into(),
        what: format!("{} soft processors on one bus, doubles by software ({})", parameters.slaves, parameters.machine),
        ours: true,
        processes: parameters.processes,
        clock_mhz,
        speed_mflops: speed,
        l_flops: l * flops,
        g_flops: g * flops,
        l_cycles: l,
        g_cycles: g,
        source: MEASURED.into(),
    }))
}

/// The parameters in a file that `testbed bsp probe --json` has printed.
///
/// # Errors
/// It can't be read, is something else, or has none.
pub fn read(path: &Path) -> Result<Vec<Parameters>, PointsError> {
    let unreadable = |source| PointsError::Unreadable { path: path.into(), source };
    let none = |what: String| PointsError::NoParameters { path: path.into(), what };
    let text = input::text(path, FILE_BYTES).map_err(unreadable)?;
    if text.trim().is_empty() {
        return Err(none("the file is empty".into()));
    }
    let found: Vec<Parameters> =
        serde_json::from_str(&text).map_err(|error| none(format!("these are no parameters of a probe: {error}")))?;
    if found.iter().all(|parameters| parameters.processes < 2) {
        return Err(none("it has no parameters of two processes or more".into()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_point_has_a_source_and_sane_numbers() {
        let all = published().unwrap();
        assert!(!all.is_empty());
        for point in &all {
            assert!(
                point.source.contains("https://") && !point.machine.is_empty() && !point.what.is_empty(),
                "{point:?}"
            );
            assert!((1..=1_024).contains(&point.processes), "{point:?}");
            assert!((1.0..=10_000.0).contains(&point.clock_mhz), "{point:?}");
            // No processor of these years does more than four operations a cycle.
            assert!(point.speed_mflops > 0.0 && point.speed_mflops <= 4.0 * point.clock_mhz, "{point:?}");
            assert!((0.1..=1e4).contains(&point.g_flops) && (10.0..=1e7).contains(&point.l_flops), "{point:?}");
            assert!(point.l_flops > point.g_flops, "{point:?}");
        }
        let mut of: Vec<_> = all.iter().map(|point| (&point.machine, point.processes)).collect();
        let count = of.len();
        of.sort();
        of.dedup();
        assert_eq!(of.len(), count, "a machine has a number of processes twice");
    }

    /// Three of them stand in `docs/bsp.md` too.
    #[test]
    fn operations_become_cycles_by_rate_and_clock() {
        let all = published().unwrap();
        let of = |machine: &str, processes| {
            let found = all.iter().find(|point| point.machine == machine && point.processes == processes);
            found.map(|point| (point.l_cycles.round(), (10.0 * point.g_cycles).round() / 10.0)).unwrap()
        };
        assert_eq!(of("Pentium II cluster", 4), (53_450.0, 143.2));
        assert_eq!(of("SGI PowerChallenge", 4), (1_928.0, 9.4));
        assert_eq!(of("SGI Origin 2000", 5), (4_791.0, 21.4));
    }
}
