//! The course of a run: which cycles an engine stops at, what has left it by then, and when the run
//! is over. Every run keeps to it, so that runs of the same inputs end in the same cycle.

use testbed_definitions::map::mmi;
use testbed_definitions::monitor::MmiWord;
use testbed_emulator::engine::{ConsoleByte, Engine, EngineError, Exit, TraceWord};
use testbed_trace::capture::{ExitRecord, RunRecord, Stop};
use testbed_trace::ledger::Ledger;

use crate::counters::ledger;

/// Whether a run is over is looked at after every so many cycles: the same on every engine.
pub const CHUNK: u64 = 65_536;
/// Outputs are taken after every so many cycles, so that a slow engine's are on disk early.
const SLICE: u64 = 8_192;

/// What has left a machine in a slice of its time.
#[derive(Clone, Debug, Default)]
pub struct Output {
    pub words: Vec<TraceWord>,
    pub console: Vec<ConsoleByte>,
}

/// A run on its way.
pub struct Course {
    limit: u64,
    patience: u64,
    seen: Seen,
}

impl Course {
    /// The course of `engine` from where it is until cycle `limit` at the latest.
    pub fn new(engine: &dyn Engine, limit: u64) -> Self {
        Course { limit, patience: drain_cycles(engine), seen: Seen::new(engine) }
    }

    /// Moves the end of the time given: who sits at a terminal has as much as they want.
    pub fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Whether the time given is over.
    pub fn is_at_limit(&self, engine: &dyn Engine) -> bool {
        engine.cycle() >= self.limit
    }

    /// Whether a chunk begins: the moments in which input can be given, and a run can be over.
    pub fn is_at_chunk(engine: &dyn Engine) -> bool {
        engine.cycle().is_multiple_of(CHUNK)
    }

    /// Goes on to the next slice's beginning, or to the limit.
    ///
    /// # Errors
    /// The engine's.
    pub fn step(&mut self, engine: &mut dyn Engine) -> Result<Output, EngineError> {
        self.step_to(engine, u64::MAX)
    }

    /// The same, but no farther than cycle `until`.
    ///
    /// # Errors
    /// The engine's.
    pub fn step_to(&mut self, engine: &mut dyn Engine, until: u64) -> Result<Output, EngineError> {
        let next = (engine.cycle() / SLICE + 1) * SLICE;
        engine.run_until(next.min(self.limit).min(until))?;
        let words = engine.take_trace();
        self.seen.count(&words);
        Ok(Output { words, console: engine.take_console() })
    }

    /// Whether, at the beginning of a chunk, a processor has exited, and all has left by the port or
    /// has had all the time it needs (a program may have turned polling off).
    pub fn is_over(&self, engine: &dyn Engine) -> bool {
        let exits = engine.exits();
        let Some(first) = exits.first().map(|exit| exit.cycle).filter(|_| Course::is_at_chunk(engine)) else {
            return false;
        };
        let ledger = ledger(engine);
        let seen = &self.seen;
        let is_empty =
            ledger.queued() == 0 && seen.words.is_multiple_of(2) && seen.inside(&ledger).all(|pairs| pairs == 0);
        is_empty || engine.cycle() - first > self.patience
    }

    /// `record` of a run that has stopped, completed.
    pub fn complete(&self, engine: &dyn Engine, record: RunRecord, stopped: Stop) -> RunRecord {
        RunRecord { complete: true, stopped: Some(stopped), ..self.present(engine, record) }
    }

    /// `record` with what the engine shows now.
    pub fn present(&self, engine: &dyn Engine, record: RunRecord) -> RunRecord {
        let names = &engine.machine().processors;
        let exit = |exit: &Exit| ExitRecord {
            processor: names.get(exit.processor as usize).cloned().unwrap_or_default(),
            cycle: exit.cycle,
            code: exit.code,
        };
        RunRecord {
            engine: engine.name().into(),
            cycles: engine.cycle(),
            instructions: (0..names.len()).map(|processor| engine.instructions(processor)).collect(),
            exits: engine.exits().iter().map(exit).collect(),
            ledger: Some(self.seen.ledger(engine)),
            ..record
        }
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
