//! Runs an engine into a capture until the program is over.

use std::time::{Duration, Instant};

use testbed_sim::engine::{Engine, EngineError};

use crate::capture::{CaptureError, CaptureWriter, ExitRecord, RunRecord, Stop};
use crate::counters::ledger;
use crate::operator::Operator;

/// Whether a run is over is looked at after every so many cycles: the same on every engine.
pub const CHUNK: u64 = 65_536;
/// Outputs are taken and written after every so many cycles, so that a slow engine's are on disk early.
const SLICE: u64 = 8_192;
/// Instructions in a chunk up to which a processor counts as asleep: its kernel looks now and then whether there is something to do.
const IDLE_INSTRUCTIONS: u64 = CHUNK / 16;

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
/// held. Returns `record` completed. What `operator` gives is given between chunks. While a live operator thinks and every processor mostly sleeps, the machine's
/// time goes no faster than real time, so that waiting for a command takes no processor of the host's. `progress` is told the cycle now and then.
///
/// # Errors
/// The engine's, or the disk's; the folder then keeps what was written, and says that it is not complete.
pub fn drive(
    engine: &mut dyn Engine,
    mut writer: CaptureWriter,
    record: RunRecord,
    limit: u64,
    operator: &mut Operator,
    mut progress: impl FnMut(u64),
) -> Result<RunRecord, DriveError> {
    let started = Instant::now();
    let patience = drain_cycles(engine);
    let mut stopped = Stop::Limit;
    let mut pace = Pace::new(engine);
    while engine.cycle() < limit {
        if engine.cycle().is_multiple_of(CHUNK) {
            if let Some(gift) = operator.gift(engine.cycle()) {
                writer.input(&gift)?;
                engine.give_console(&gift.bytes)?;
            }
        }
        let next = (engine.cycle() / SLICE + 1) * SLICE;
        engine.run_until(next.min(limit))?;
        writer.words(engine.take_trace().into_iter().map(|word| (word.cycle, word.word)))?;
        let console: Vec<_> = engine.take_console().into_iter().map(|byte| (byte.processor, byte.byte)).collect();
        operator.see(&console);
        writer.console(console)?;
        progress(engine.cycle());
        if engine.cycle().is_multiple_of(CHUNK) && is_over(engine, patience) {
            stopped = Stop::Exit;
            break;
        }
        if engine.cycle().is_multiple_of(CHUNK) && operator.is_live() {
            pace.keep(engine, operator);
        }
    }
    let record = complete(engine, record, stopped, started);
    writer.finish(&record)?;
    Ok(record)
}

/// Keeps an idle machine from running ahead of real time.
struct Pace {
    /// When the last chunk ended, and what each processor had retired then.
    ended: Instant,
    retired: Vec<u64>,
    /// What a chunk takes on a real machine.
    chunk: Duration,
}

impl Pace {
    fn new(engine: &dyn Engine) -> Self {
        let chunk = Duration::from_secs_f64(CHUNK as f64 / f64::from(engine.machine().clock_hz));
        Pace { ended: Instant::now(), retired: Self::retired(engine), chunk }
    }

    fn retired(engine: &dyn Engine) -> Vec<u64> {
        (0..engine.machine().processors.len()).map(|processor| engine.instructions(processor)).collect()
    }

    /// A chunk has ended: waits if it was an idle one and nothing is on its way into the machine.
    fn keep(&mut self, engine: &mut dyn Engine, operator: &mut Operator) {
        let retired = Self::retired(engine);
        let busy = retired.iter().zip(&self.retired).any(|(now, before)| now - before > IDLE_INSTRUCTIONS);
        if !busy && engine.console_waiting() == 0 {
            operator.wait(self.chunk.saturating_sub(self.ended.elapsed()));
        }
        (self.ended, self.retired) = (Instant::now(), retired);
    }
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
