//! Runs a program on a machine under a watchdog: standing still, or taking too long, is a failure.

use testbed_definitions::file::READ;
use testbed_machine::{Machine, Order};
use testbed_runner::counters::ledger;
use testbed_runner::engines;
use testbed_sim::engine::Engine;
use testbed_sim::load::{image, Boot, File};
use testbed_trace::capture::KernelKind;

use crate::random::built;

/// Cycles between two looks.
const CHUNK: u64 = 65_536;
/// Chunks without work after which a machine stands still, unless told otherwise: about 250 ms.
const PATIENCE: u32 = 100;
/// Instructions of a processor in a chunk that are more than a kernel takes to find nothing to do.
const BUSY: u64 = 2_000;
/// Chunks that are left to the console and the monitors after the exit.
const DRAIN: u32 = 100;

/// What runs where.
#[derive(Clone, Debug)]
pub struct Run {
    pub machine: Machine,
    pub kernel: KernelKind,
    pub dgl: u32,
    pub seed: u32,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Files beside it, by name; those without bytes are programs.
    pub files: Vec<(String, Vec<u8>)>,
    /// Machine time after which it is too late.
    pub limit_ms: u64,
    /// Chunks of time without work after which the machine stands still.
    pub patience: u32,
}

/// A program that has ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub code: u32,
    /// What all processors have printed, one after the other.
    pub console: String,
}

impl Run {
    /// A program, in words, on so many processors of the default machine.
    pub fn new(processors: usize, words: &str) -> Self {
        let names = (0..processors).map(|number| format!("p{number}")).collect();
        Run {
            machine: Machine { name: "loads".into(), processors: names, ..Machine::testbed6() },
            kernel: KernelKind::Default,
            dgl: 0,
            seed: 1,
            words: words.split_whitespace().map(String::from).collect(),
            files: vec![],
            limit_ms: 60_000,
            patience: PATIENCE,
        }
    }

    /// The same with a file.
    pub fn with_file(mut self, name: &str, text: &str) -> Self {
        self.files.push((name.into(), text.as_bytes().to_vec()));
        self
    }

    /// The same with a program that the first one invokes.
    pub fn with_program(self, name: &str) -> Self {
        let mut run = self;
        run.files.push((name.into(), vec![]));
        run
    }

    /// The same on some other machine, which follows from `number`: kernel, memory, monitors.
    pub fn varied(mut self, number: u32) -> Self {
        if number % 3 == 1 {
            self.kernel = KernelKind::Tos94;
        }
        self.machine.ram_bytes = [4 << 20, 1 << 20, 2 << 20][number as usize / 3 % 3];
        self.machine.order = Order::ALL[number as usize % Order::ALL.len()];
        self.seed = number;
        self
    }

    fn start(&self) -> Result<Box<dyn Engine>, String> {
        let (_, kernel) = built().kernel(self.machine.ram_bytes).map_err(|error| error.to_string())?;
        let read = |name: &str| built().read(name).map(|(_, bytes)| bytes).map_err(|error| error.to_string());
        let programs = std::iter::once(&self.words[0])
            .chain(self.files.iter().filter(|(_, bytes)| bytes.is_empty()).map(|(name, _)| name))
            .map(|name| Ok((name.clone(), read(name)?)))
            .collect::<Result<Vec<_>, String>>()?;
        let mut files: Vec<_> = programs.iter().map(|(name, bytes)| File::program(name, bytes)).collect();
        let data = self.files.iter().filter(|(_, bytes)| !bytes.is_empty());
        files.extend(data.map(|(name, bytes)| File { name, bytes, permissions: READ }));
        let boot = Boot {
            options: self.kernel.options(),
            dgl: self.dgl,
            seed: self.seed,
            start_processor: u32::from(self.machine.processors.len() > 1),
            commands: vec![],
            arguments: self.words[1..].to_vec(),
            ..Boot::default()
        };
        let image = image(&self.machine, ("kernel", &kernel), &files, &boot).map_err(|error| error.to_string())?;
        engines::open("emulator", &self.machine, &image, None).map_err(|error| error.to_string())
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// It does not start, stands still, takes too long, or the ledger does not balance.
    pub fn end(&self) -> Result<Ended, String> {
        let mut engine = self.start()?;
        let mut text = vec![Vec::new(); self.machine.processors.len()];
        let limit = self.limit_ms * u64::from(self.machine.clock_hz) / 1000;
        let (mut idle, mut before) = (0, vec![0; text.len()]);
        while engine.exits().is_empty() {
            step(engine.as_mut(), &mut text)?;
            let after: Vec<u64> = (0..text.len()).map(|processor| engine.instructions(processor)).collect();
            let is_busy = after.iter().zip(&before).any(|(after, before)| after - before > BUSY);
            (idle, before) = (if is_busy { 0 } else { idle + 1 }, after);
            if idle == self.patience || engine.cycle() > limit {
                let what = if idle == self.patience { "stands still" } else { "takes too long" };
                return Err(format!("{self:?} {what} in cycle {}; printed\n{}", engine.cycle(), joined(&text)));
            }
        }
        for _ in 0..DRAIN {
            step(engine.as_mut(), &mut text)?;
            if ledger(engine.as_ref()).queued() == 0 {
                break;
            }
        }
        let imbalances = ledger(engine.as_ref()).imbalances();
        if !imbalances.is_empty() {
            return Err(format!("{self:?}: the ledger does not balance: {}", imbalances.join("; ")));
        }
        Ok(Ended { code: engine.exits()[0].code, console: joined(&text) })
    }

    /// Runs it to its end, which must be a good one. The result is what it has printed.
    pub fn succeed(&self) -> String {
        let ended = self.end().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ended.code, 0, "{self:?} printed\n{}", ended.console);
        ended.console
    }
}

fn step(engine: &mut dyn Engine, text: &mut [Vec<u8>]) -> Result<(), String> {
    engine.run_until(engine.cycle() + CHUNK).map_err(|error| error.to_string())?;
    engine.take_trace();
    for byte in engine.take_console() {
        text[usize::from(byte.processor)].push(byte.byte);
    }
    Ok(())
}

fn joined(text: &[Vec<u8>]) -> String {
    String::from_utf8_lossy(&text.concat()).into_owned()
}
