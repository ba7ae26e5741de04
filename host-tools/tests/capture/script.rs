//! A machine that does what a script says, and its output folder.

use std::path::Path;

use crate::common::{record, Scripted};
use tempfile::TempDir;
use testbed_definitions::monitor::Pair;
use testbed_machine::Machine;
use testbed_runner::drive::{drive, DriveError};
use testbed_runner::operator::Operator;
use testbed_sim::engine::{ConsoleByte, Exit};
use testbed_trace::capture::{CaptureWriter, RunRecord};

/// Five slaves, a pair every 40 cycles from each in turn, wrap markers in their place; exit in cycle 100,000.
pub fn script(pairs: u64) -> Scripted {
    let machine = Machine::testbed6();
    let mut engine = Scripted::new(machine);
    let mut epochs = [0u64; 6];
    for number in 0..pairs {
        let (cycle, smi) = (40 * number, (number % 5 + 1) as usize);
        // 100 times as fast as the clock says, so that it wraps within a short script.
        let ticks = cycle * 4;
        let pair = match ticks >> 16 {
            epoch if epoch > epochs[smi] => {
                epochs[smi] += 1;
                Pair { time: 0, datum: 0xaa00 | (epochs[smi] & 0xff) as u16 }
            }
            _ => Pair { time: ticks as u16, datum: 0x4000 | number as u16 & 0xfff },
        };
        engine.pair(cycle, smi as u8, pair);
    }
    let text = b"hello\nworld";
    engine.console = text.iter().map(|&byte| ConsoleByte { cycle: 5, processor: 1, byte }).collect();
    engine.exits = vec![Exit { cycle: 100_000, processor: 1, code: 0 }];
    engine
}

pub fn run(dir: &Path, mut engine: Scripted, limit: u64) -> Result<RunRecord, DriveError> {
    run_with(dir, &mut engine, limit, &mut Operator::nobody())
}

pub fn run_with(
    dir: &Path,
    engine: &mut Scripted,
    limit: u64,
    operator: &mut Operator,
) -> Result<RunRecord, DriveError> {
    let machine = engine.machine.clone();
    let writer = CaptureWriter::create(dir, &machine, &record(&machine))?;
    drive(engine, writer, record(&machine), limit, operator, |_| {})
}

pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}
