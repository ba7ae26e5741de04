//! Runs an engine into a capture until the program is over.

use std::time::{Duration, Instant};

use testbed_session::course::Course;
pub use testbed_session::course::CHUNK;
use testbed_sim::engine::{Engine, EngineError};
use testbed_trace::capture::{CaptureError, CaptureWriter, RunRecord, Stop};

use crate::operator::Operator;

/// Instructions in a chunk up to which a processor counts as asleep: its kernel looks now and then
/// whether there is something to do.
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
/// Ends earlier at the first multiple of [`CHUNK`] by which a processor has stored to EXIT and what
/// the SMIs held has left by the trace port, or where `operator` has it stop. Returns `record`
/// completed. What `operator` gives is given between chunks. While a live operator thinks and every
/// processor mostly sleeps, the machine's time goes no faster than real time, so that waiting for a
/// command takes no processor of the host's. `progress` is shown the machine now and then, which
/// stands still meanwhile.
///
/// # Errors
/// The engine's, or the disk's; the folder then keeps what was written, and says that it is not complete.
pub fn drive(
    engine: &mut dyn Engine,
    mut writer: CaptureWriter,
    record: RunRecord,
    limit: u64,
    operator: &mut Operator,
    mut progress: impl FnMut(&dyn Engine),
) -> Result<RunRecord, DriveError> {
    let started = Instant::now();
    let mut course = Course::new(engine, limit);
    let mut stopped = Stop::Limit;
    let mut pace = Pace::new(engine);
    loop {
        course.set_limit(operator.limit(limit));
        if course.is_at_limit(engine) {
            break;
        }
        if Course::is_at_chunk(engine) {
            operator.look(engine);
            if let Some(gift) = operator.gift(engine.cycle()) {
                writer.input(&gift)?;
                engine.give_console(&gift.bytes)?;
            }
        }
        let output = course.step(engine)?;
        writer.words(output.words.into_iter().map(|word| (word.cycle, word.word)))?;
        operator.see(&output.console.iter().map(|byte| (byte.processor, byte.byte)).collect::<Vec<_>>());
        let printed = output.console.into_iter().map(|byte| (byte.cycle, byte.processor, byte.byte));
        writer.printed(&printed.collect::<Vec<_>>(), engine.cycle())?;
        progress(engine);
        if course.is_over(engine) {
            stopped = Stop::Exit;
            break;
        }
        if operator.stops() {
            stopped = Stop::User;
            break;
        }
        if Course::is_at_chunk(engine) && operator.is_live() {
            pace.keep(engine, operator);
        }
    }
    let record = course.complete(engine, record, stopped);
    let record = RunRecord { wall_seconds: started.elapsed().as_secs_f64(), ..record };
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
