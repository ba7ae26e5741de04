//! Runs an engine into a capture until the program is over.

use std::time::Instant;

use testbed_sim::engine::{Engine, EngineError};

use crate::capture::{CaptureError, CaptureWriter, ExitRecord, RunRecord, Stop};
use crate::counters::ledger;

/// Whether a run is over is looked at after every so many cycles: the same on every engine.
pub const CHUNK: u64 = 65_536;
/// Outputs are taken and written after every so many cycles, so that a slow engine's are on disk early.
const SLICE: u64 = 8_192;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error("the engine failed: {0}")]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

/// Runs `engine` from where it is until cycle `limit` at the latest, writing what it shows to `writer`.
///
/// Ends earlier at the first multiple of [`CHUNK`] by which a processor has stored to EXIT and every SMI has delivered what it
/// held. Returns `record` completed. `progress` is told the cycle now and then.
///
/// # Errors
/// The engine's, or the disk's; the folder then keeps what was written, and says that it is not complete.
pub fn drive(
    engine: &mut dyn Engine,
    mut writer: CaptureWriter,
    record: RunRecord,
    limit: u64,
    mut progress: impl FnMut(u64),
) -> Result<RunRecord, DriveError> {
    let started = Instant::now();
    let patience = drain_cycles(engine);
    let mut stopped = Stop::Limit;
    while engine.cycle() < limit {
        let next = (engine.cycle() / SLICE + 1) * SLICE;
        engine.run_until(next.min(limit))?;
        writer.words(engine.take_trace().into_iter().map(|word| (word.cycle, word.word)))?;
        writer.console(engine.take_console().into_iter().map(|byte| (byte.processor, byte.byte)))?;
        progress(engine.cycle());
        if engine.cycle().is_multiple_of(CHUNK) && is_over(engine, patience) {
            stopped = Stop::Exit;
            break;
        }
    }
    let record = complete(engine, record, stopped, started);
    writer.finish(&record)?;
    Ok(record)
}

/// Cycles in which the MMI empties full queues of all SMIs, twice over.
fn drain_cycles(engine: &dyn Engine) -> u64 {
    let machine = engine.machine();
    2 * u64::from(machine.smi_queue) * u64::from(machine.poll_cycles) * machine.slaves() as u64 + 2 * CHUNK
}

/// A processor has exited, and the SMIs are empty or have had all the time they need (a program may have turned polling off).
fn is_over(engine: &dyn Engine, patience: u64) -> bool {
    let Some(first) = engine.exits().first().map(|exit| exit.cycle) else { return false };
    ledger(engine).queued() == 0 || engine.cycle() - first > patience
}

fn complete(engine: &dyn Engine, record: RunRecord, stopped: Stop, started: Instant) -> RunRecord {
    let names = &engine.machine().processors;
    let exits = engine.exits();
    let exit = |exit: &testbed_sim::engine::Exit| ExitRecord {
        processor: names.get(exit.processor as usize).cloned().unwrap_or_default(),
        cycle: exit.cycle,
        code: exit.code,
    };
    RunRecord {
        complete: true,
        engine: engine.name().into(),
        cycles: engine.cycle(),
        stopped: Some(stopped),
        instructions: (0..names.len()).map(|processor| engine.instructions(processor)).collect(),
        exits: exits.iter().map(exit).collect(),
        ledger: Some(ledger(engine)),
        wall_seconds: started.elapsed().as_secs_f64(),
        ..record
    }
}
