//! The core by itself: cycles an instruction and score of `corebench`, counted, not timed; and
//! other cores with the same binary.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use object::{Object, ObjectSection, ObjectSymbol};
use testbed_definitions::map;
use testbed_machine::{Core as Kind, Machine};
use testbed_runner::{engines, firmware};
use testbed_sim::engine::Engine;
use testbed_sim::exec::{self, Outcome};
use testbed_sim::image::Program;
use testbed_synth::peers::{Peer, PeerError, Simulator};

use super::super::{Exit, Failure};
use super::row::{table, Row};

const GROUP: &str = "core alone";
const PEERS_GROUP: &str = "cores side by side, the same binary on each one's RTL";
pub const UNIT: &str = "it/s per MHz";
const MULTICYCLE: &str = "this core, multicycle";
const NO_ITERATIONS: &str = "has no ITERATIONS in its image";
/// Cycles after which the benchmark is given up.
const MAX_CYCLES: u64 = 100_000_000;
/// Iterations of two runs: what the longer takes more is its iterations alone, without start and end.
const ITERATIONS: [u32; 2] = [2, 12];

/// Runs one benchmark program on this core's RTL and on PicoRV32's and VexRiscv's, side by side:
/// counted in cycles, so the same on every computer. The peers' Verilog is fetched from PyPI.
#[derive(Args, Debug)]
pub struct Core {
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// What runs this core: verilator, emulator or rust-hdl
    #[arg(long, default_value = "verilator")]
    engine: String,
}

impl Core {
    pub fn run(&self) -> Result<Exit, Failure> {
        let root = firmware::root()?;
        let benchmark = Benchmark::load()?;
        let ours = benchmark.alone(&self.engine, Kind::default())?;
        let iterations = f64::from(ours.iterations);
        let row = |name: &str, cycles: f64, note: &str| Row {
            group: PEERS_GROUP,
            name: name.into(),
            unit: UNIT,
            rate: Some(iterations * 1e6 / cycles),
            ratio: None,
            peer: Some(Peer::PicoRv32Fast.name()),
            // All execute the same instructions.
            note: format!("CPI {:.2}; {note}", cycles / f64::from(ours.instructions)),
        };
        let engine = format!("on the engine {}", self.engine);
        let multicycle = benchmark.alone(&self.engine, Kind::Multicycle)?;
        let mut rows =
            vec![row("this core", ours.cycles.into(), &engine), row(MULTICYCLE, multicycle.cycles.into(), &engine)];
        for peer in Peer::ALL {
            rows.push(row(
                peer.name(),
                measured(&root, peer, &benchmark.program).map_err(unavailable)? as f64,
                peer.options(),
            ));
        }
        let unity = rows.iter().find(|row| Some(row.name.as_str()) == row.peer).and_then(|row| row.rate);
        for row in &mut rows {
            row.ratio = row.rate.zip(unity).map(|(rate, unity)| rate / unity);
        }
        let mut out = io::stdout().lock();
        if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&rows).map_err(io::Error::from)?)?;
        } else {
            write!(out, "{}", table(&rows))?;
        }
        Ok(Exit::Success)
    }
}

/// Cycles that a peer takes for the iterations that the two runs differ by.
fn measured(root: &std::path::Path, peer: Peer, program: &Program) -> Result<u64, PeerError> {
    let simulator = Simulator::build(root, peer)?;
    let [short, long] = ITERATIONS.map(|iterations| simulator.run(program, "ITERATIONS", iterations, MAX_CYCLES));
    Ok(long? - short?)
}

fn unavailable(error: PeerError) -> Failure {
    Failure::new(Exit::Environment, error.to_string())
}

/// The figures of this core by itself, which are the same on every computer.
pub fn rows() -> Result<Vec<Row>, Failure> {
    let Counts { cycles, instructions, iterations } = Benchmark::load()?.counted("emulator", Kind::default(), None)?;
    let [cycles, instructions, iterations] = [cycles, instructions, iterations].map(f64::from);
    let row = |name: &str, unit, rate| Row {
        group: GROUP,
        name: name.into(),
        unit,
        rate: Some(rate),
        ratio: None,
        peer: None,
        note: "corebench".into(),
    };
    Ok(vec![row("CPI", "cycles", cycles / instructions), row("score", UNIT, iterations * 1e6 / cycles)])
}

/// What the program counted.
pub struct Counts {
    pub cycles: u32,
    pub instructions: u32,
    pub iterations: u32,
}

impl Counts {
    /// Reads what a program has left at its symbol RESULT: a check value and these three words.
    /// `None` if it has no such symbol of four words, or has not counted.
    pub fn read(engine: &dyn Engine, program: &Program) -> Option<Self> {
        let mut words = [0; 16];
        let result = program.find("RESULT").filter(|symbol| symbol.bytes as usize == words.len())?;
        engine.read_ram(0, result.address, &mut words);
        let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| words[4 * index + byte]));
        let counts = Counts { cycles: word(1), instructions: word(2), iterations: word(3) };
        (counts.cycles > 0 && program.find("ITERATIONS").is_some()).then_some(counts)
    }
}

/// The program `corebench`, and where it is.
pub struct Benchmark {
    path: PathBuf,
    file: Vec<u8>,
    program: Program,
}

impl Benchmark {
    /// # Errors
    /// It can't be built, or is no program.
    pub fn load() -> Result<Self, Failure> {
        let (path, file) = firmware::build(&firmware::root()?)?.read("corebench")?;
        let program = Program::parse(&file, map::RAM_BYTES_MAX)
            .map_err(|error| Failure::new(Exit::Machine, format!("{}: {error}", path.display())))?;
        Ok(Benchmark { path, file, program })
    }

    fn failed(&self, what: impl Display) -> Failure {
        Failure::new(Exit::Machine, format!("{}: {what}", self.path.display()))
    }

    /// On one core of an engine, with its own number of iterations or with so many.
    fn started(&self, engine: &str, core: Kind, iterations: Option<u32>) -> Result<Box<dyn Engine>, Failure> {
        let mut image = self.program.image.clone();
        if let Some(iterations) = iterations {
            let at = self.program.symbol("ITERATIONS").ok_or_else(|| self.failed("has no symbol ITERATIONS"))?;
            let inside = |(start, bytes): &&mut (u32, Vec<u8>)| (*start..*start + bytes.len() as u32).contains(&at);
            let segment = image.segments.iter_mut().find(inside);
            let (start, bytes) = segment.ok_or_else(|| self.failed(NO_ITERATIONS))?;
            bytes[(at - *start) as usize..][..4].copy_from_slice(&iterations.to_le_bytes());
        }
        let machine = Machine { core, ..Machine::single(map::RAM_BYTES_MAX) };
        engines::open(engine, &machine, &image, None).map_err(|error| self.failed(error))
    }

    /// On one such core of the emulator; it does not end.
    pub fn endless(&self, core: Kind) -> Result<Box<dyn Engine>, Failure> {
        self.started("emulator", core, Some(u32::MAX))
    }

    /// What it counts on one core of ours, with its own number of iterations or with so many.
    fn counted(&self, engine: &str, core: Kind, iterations: Option<u32>) -> Result<Counts, Failure> {
        let mut engine = self.started(engine, core, iterations)?;
        let run = exec::run(engine.as_mut(), &self.program, MAX_CYCLES).map_err(|error| self.failed(error))?;
        match run.outcome {
            Outcome::Exit { code: 0, .. } => {}
            other => return Err(self.failed(format!("did not get the right result: {other:?}"))),
        }
        Counts::read(engine.as_ref(), &self.program)
            .ok_or_else(|| self.failed("has left no counts at its symbol RESULT"))
    }

    /// What iterations alone count, without start and end.
    pub fn alone(&self, engine: &str, core: Kind) -> Result<Counts, Failure> {
        let [short, long] = ITERATIONS.map(|iterations| self.counted(engine, core, Some(iterations)));
        let (short, long) = (short?, long?);
        Ok(Counts {
            cycles: long.cycles - short.cycles,
            instructions: long.instructions - short.instructions,
            iterations: long.iterations - short.iterations,
        })
    }

    /// Its file, with so many iterations.
    pub fn elf(&self, iterations: u32) -> Result<Vec<u8>, Failure> {
        let mut file = self.file.clone();
        let place = object::File::parse(&*self.file).ok().and_then(|parsed| {
            let symbol = parsed.symbol_by_name("ITERATIONS")?;
            let section = parsed.section_by_index(symbol.section_index()?).ok()?;
            let (from, _) = section.file_range()?;
            usize::try_from(from + symbol.address().checked_sub(section.address())?).ok()
        });
        let bytes = place.and_then(|from| file.get_mut(from..from + 4));
        bytes.ok_or_else(|| self.failed(NO_ITERATIONS))?.copy_from_slice(&iterations.to_le_bytes());
        Ok(file)
    }
}
