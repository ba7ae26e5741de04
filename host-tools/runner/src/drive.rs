//! Runs an engine into a capture until the program is over.

use std::time::{Duration, Instant};

use testbed_definitions::map::mmi;
use testbed_definitions::monitor::MmiWord;
use testbed_sim::engine::{Engine, EngineError, TraceWord};
use testbed_trace::ledger::Ledger;

use crate::counters::ledger;
use crate::operator::Operator;
use testbed_trace::capture::{CaptureError, CaptureWriter, ExitRecord, RunRecord, Stop};

/// Whether a run is over is looked at after every so many cycles: the same on every engine.
pub const CHUNK: u64 = 65_536;
/// Outputs are taken and written after every so many cycles, so that a slow engine's are on disk early.
const SLICE: u64 = 8_192;
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
    let patience = drain_cycles(engine);
    let mut stopped = Stop::Limit;
    let mut pace = Pace::new(engine);
    let mut seen = Seen::new(engine);
    while engine.cycle() < limit {
        if engine.cycle().is_multiple_of(CHUNK) {
            if let Some(gift) = operator.gift(engine.cycle()) {
                writer.input(&gift)?;
                engine.give_console(&gift.bytes)?;
            }
        }
        let next = (engine.cycle() / SLICE + 1) * SLICE;
        engine.run_until(next.min(limit))?;
        let words = engine.take_trace();
        seen.count(&words);
        writer.words(words.into_iter().map(|word| (word.cycle, word.word)))?;
        let console: Vec<_> = engine.take_console().into_iter().map(|byte| (byte.processor, byte.byte)).collect();
        operator.see(&console);
        writer.console(console)?;
        progress(engine);
        if engine.cycle().is_multiple_of(CHUNK) && is_over(engine, &seen, patience) {
            stopped = Stop::Exit;
            break;
        }
        if operator.stops() {
            stopped = Stop::User;
            break;
        }
        if engine.cycle().is_multiple_of(CHUNK) && operator.is_live() {
            pace.keep(engine, operator);
        }
    }
    let record = complete(engine, &seen, record, stopped, started);
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

/// What has left by the trace port.
struct Seen {
    words: u64,
    /// Time-stamps, by processor.
    pairs: Vec<u32>,
}

impl Seen {
    fn new(engine: &dyn Engine) -> Self {
        Seen { words: 0, pairs: vec![0; engine.machine().processors.len()] }
    }

    fn count(&mut self, words: &[TraceWord]) {
        for word in words {
            if let (true, Some(pairs)) =
                (self.words.is_multiple_of(2), self.pairs.get_mut(usize::from(MmiWord::unpack(word.word).smi)))
            {
                *pairs = pairs.wrapping_add(1);
            }
            self.words += 1;
        }
    }

    /// Pairs that the hardware counted as delivered and of which nothing has left, by SMI in the order of the ledger.
    fn inside<'a>(&'a self, ledger: &'a Ledger) -> impl Iterator<Item = u32> + 'a {
        ledger.smis.iter().zip(&self.pairs[1..]).map(|(line, pairs)| line.delivered.wrapping_sub(*pairs))
    }

    /// The ledger with what waits in the trace port's FIFO among the queued, if there is exactly as
    /// much as was delivered and has not left; else as the hardware counts, which shows that
    /// something is missing.
    fn ledger(&self, engine: &dyn Engine) -> Ledger {
        let mut ledger = ledger(engine);
        let inside: Vec<u32> = self.inside(&ledger).collect();
        let words = 2 * inside.iter().map(|pairs| u64::from(*pairs)).sum::<u64>() + self.words % 2;
        // The second word of a pair that was delivered may be on its way to the FIFO.
        let waiting = u64::from(engine.port_queued());
        if words == waiting || words == waiting + 1 {
            for (line, pairs) in ledger.smis.iter_mut().zip(inside) {
                line.delivered = line.delivered.wrapping_sub(pairs);
                line.queued += pairs;
            }
        }
        ledger
    }
}

/// Cycles in which the MMI empties full queues of all SMIs, and the trace port its own, twice over.
fn drain_cycles(engine: &dyn Engine) -> u64 {
    let machine = engine.machine();
    let pair = machine.poll_cycles.max(mmi::ORDERED_SLOT_CYCLES).max(2 * machine.port_cycles);
    let pairs = u64::from(machine.smi_queue) * machine.slaves() as u64 + u64::from(machine.port_queue) / 2;
    2 * pairs * u64::from(pair) + 2 * CHUNK
}

/// A processor has exited, and all has left by the port or has had all the time it needs (a program
/// may have turned polling off).
fn is_over(engine: &dyn Engine, seen: &Seen, patience: u64) -> bool {
    let Some(first) = engine.exits().first().map(|exit| exit.cycle) else { return false };
    let ledger = ledger(engine);
    let is_empty = ledger.queued() == 0 && seen.words.is_multiple_of(2) && seen.inside(&ledger).all(|pairs| pairs == 0);
    is_empty || engine.cycle() - first > patience
}

fn complete(engine: &dyn Engine, seen: &Seen, record: RunRecord, stopped: Stop, started: Instant) -> RunRecord {
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
        ledger: Some(seen.ledger(engine)),
        wall_seconds: started.elapsed().as_secs_f64(),
        ..record
    }
}
