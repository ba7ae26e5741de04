//! Shared by the tests: an engine that plays a script, and whether this is the long run.
#![allow(dead_code)]

pub mod compiler;
pub mod cores;
pub mod mask;
pub mod serving;
pub mod session;
pub mod stepped;

use std::path::{Path, PathBuf};

use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine;
use testbed_sim::engine::{
    ConsoleByte, Engine, EngineError, Exit, Image, Retirement, SmiCounters, StationCounters, TraceWord,
};
use testbed_trace::capture::RunRecord;

/// The root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

/// An engine without hardware: presents given words, bytes and exits at their cycles.
pub struct Scripted {
    pub machine: Machine,
    pub cycle: u64,
    pub trace: Vec<TraceWord>,
    pub console: Vec<ConsoleByte>,
    pub exits: Vec<Exit>,
    /// Fails when it is to run beyond this cycle.
    pub fails_at: Option<u64>,
    /// Added to each SMI's EMITTED, to unbalance the ledger.
    pub excess: u32,
    /// Console input, with the cycles in which it was given.
    pub given: Vec<(u64, Vec<u8>)>,
    /// Nothing retires.
    pub asleep: bool,
    taken: (usize, usize),
}

impl Scripted {
    pub fn new(machine: Machine) -> Self {
        let (trace, console, exits) = (vec![], vec![], vec![]);
        let given = vec![];
        Scripted {
            machine,
            cycle: 0,
            trace,
            console,
            exits,
            fails_at: None,
            excess: 0,
            given,
            asleep: false,
            taken: (0, 0),
        }
    }

    /// Presents `pair` of `smi` in cycles `cycle` and `cycle + 1`.
    pub fn pair(&mut self, cycle: u64, smi: u8, pair: Pair) {
        for (late, value) in [pair.time, pair.datum].into_iter().enumerate() {
            self.trace.push(TraceWord { cycle: cycle + late as u64, word: MmiWord { smi, value }.pack() });
        }
    }
}

impl Engine for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn machine(&self) -> &Machine {
        &self.machine
    }
    fn cycle(&self) -> u64 {
        self.cycle
    }
    fn run_until(&mut self, until: u64) -> Result<(), EngineError> {
        if self.fails_at.is_some_and(|cycle| until > cycle) {
            return Err(EngineError::Failed("the script ends here".into()));
        }
        self.cycle = until;
        Ok(())
    }
    fn take_trace(&mut self) -> Vec<TraceWord> {
        let rest = &self.trace[self.taken.0..];
        let words: Vec<_> = rest.iter().take_while(|word| word.cycle < self.cycle).copied().collect();
        self.taken.0 += words.len();
        words
    }
    fn take_console(&mut self) -> Vec<ConsoleByte> {
        let rest = &self.console[self.taken.1..];
        let bytes: Vec<_> = rest.iter().take_while(|byte| byte.cycle < self.cycle).copied().collect();
        self.taken.1 += bytes.len();
        bytes
    }
    fn give_console(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        self.given.push((self.cycle, bytes.to_vec()));
        Ok(())
    }
    fn console_waiting(&mut self) -> usize {
        0
    }
    fn exits(&self) -> Vec<Exit> {
        self.exits.iter().filter(|exit| exit.cycle < self.cycle).copied().collect()
    }
    fn instructions(&self, processor: usize) -> u64 {
        if self.asleep {
            0
        } else {
            self.cycle / 2 + processor as u64
        }
    }
    fn smi(&self, processor: usize) -> SmiCounters {
        let words = self.trace.iter().filter(|word| word.cycle < self.cycle).map(|word| MmiWord::unpack(word.word));
        let delivered = words.filter(|word| word.smi as usize == processor).count().div_ceil(2) as u32;
        SmiCounters { emitted: delivered + self.excess, delivered, ..SmiCounters::default() }
    }
    fn station(&self, _: usize) -> StationCounters {
        StationCounters::default()
    }
    fn port_queued(&self) -> u32 {
        0
    }
    fn read_ram(&self, _: usize, _: u32, bytes: &mut [u8]) {
        bytes.fill(0);
    }
    fn write_ram(&mut self, _: usize, _: u32, _: &[u8]) {}
    fn record_retirements(&mut self, _: Option<usize>) {}
    fn take_retirements(&mut self) -> Vec<Retirement> {
        vec![]
    }
}

/// Opening an engine needs an image; a script needs none.
pub fn no_image() -> Image {
    Image::default()
}

pub fn record(machine: &Machine) -> RunRecord {
    RunRecord { engine: "scripted".into(), seed: 1, ..RunRecord::new(machine, "script") }
}

/// Whether this is the long run, in which tests go further. A test that only it runs is `#[ignore]`d.
pub fn is_long() -> bool {
    std::env::var_os("TESTBED_LONG").is_some()
}
