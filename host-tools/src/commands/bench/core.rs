//! The core by itself: cycles an instruction and score of `corebench`, counted, not timed; and
//! other cores with the same binary.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use object::{Object, ObjectSection, ObjectSymbol};
use testbed_definitions::map;
use testbed_machine::Machine;
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
        let (path, program) = program()?;
        let failed = |what: String| Failure::new(Exit::Machine, format!("{}: {what}", path.display()));
        let [short, long] = ITERATIONS.map(|iterations| counted(&self.engine, &program, Some(iterations)));
        let (short, long) = (short.map_err(&failed)?, long.map_err(&failed)?);
        let [cycles, instructions] =
            [long.cycles - short.cycles, long.instructions - short.instructions].map(f64::from);
        let iterations = f64::from(ITERATIONS[1] - ITERATIONS[0]);
        let row = |name: &str, cycles: f64, note: &str| Row {
            group: PEERS_GROUP,
            name: name.into(),
            unit: UNIT,
            rate: Some(iterations * 1e6 / cycles),
            ratio: None,
            peer: Some(Peer::PicoRv32Fast.name()),
            note: format!("CPI {:.2}; {note}", cycles / instructions),
        };
        let mut rows = vec![row("this core", cycles, &format!("on the engine {}", self.engine))];
        for peer in Peer::ALL {
            rows.push(row(peer.name(), measured(&root, peer, &program).map_err(unavailable)? as f64, peer.options()));
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
    let (path, program) = program()?;
    let failed = |what: String| Failure::new(Exit::Machine, format!("{}: {what}", path.display()));
    let Counts { cycles, instructions, iterations } = counted("emulator", &program, None).map_err(failed)?;
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

/// The benchmark, and where it is.
fn program() -> Result<(PathBuf, Program), Failure> {
    let (path, bytes) = firmware::build(&firmware::root()?)?.read("corebench")?;
    let program = Program::parse(&bytes, map::RAM_BYTES_MAX)
        .map_err(|error| Failure::new(Exit::Machine, format!("{}: {error}", path.display())))?;
    Ok((path, program))
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

/// The benchmark on one core of an engine, with its own number of iterations or with so many.
fn started(engine: &str, program: &Program, iterations: Option<u32>) -> Result<Box<dyn Engine>, String> {
    let symbol = |name: &str| program.symbol(name).ok_or_else(|| format!("has no symbol {name}"));
    let machine = Machine::single(map::RAM_BYTES_MAX);
    let mut image = program.image.clone();
    if let Some(iterations) = iterations {
        let at = symbol("ITERATIONS")?;
        let inside = |(start, bytes): &&mut (u32, Vec<u8>)| (*start..*start + bytes.len() as u32).contains(&at);
        let (start, bytes) = image.segments.iter_mut().find(inside).ok_or("has no ITERATIONS in its image")?;
        bytes[(at - *start) as usize..][..4].copy_from_slice(&iterations.to_le_bytes());
    }
    engines::open(engine, &machine, &image, None).map_err(|error| error.to_string())
}

/// The benchmark as a file, with so many iterations.
///
/// # Errors
/// There is none, or nothing in it says its iterations.
pub fn elf(iterations: u32) -> Result<Vec<u8>, Failure> {
    let (path, mut bytes) = firmware::build(&firmware::root()?)?.read("corebench")?;
    let file = object::File::parse(&*bytes);
    let found = file.ok().and_then(|file| {
        let symbol = file.symbol_by_name("ITERATIONS")?;
        let section = file.section_by_index(symbol.section_index()?).ok()?;
        let (from, _) = section.file_range()?;
        usize::try_from(from + symbol.address().checked_sub(section.address())?).ok()
    });
    let place = found.and_then(|from| bytes.get_mut(from..from + 4));
    let missing = || Failure::new(Exit::Machine, format!("{}: has no ITERATIONS in its image", path.display()));
    place.ok_or_else(missing)?.copy_from_slice(&iterations.to_le_bytes());
    Ok(bytes)
}

/// Instructions of an iteration of the benchmark.
pub fn instructions_an_iteration() -> Result<f64, Failure> {
    let (path, program) = program()?;
    let failed = |what: String| Failure::new(Exit::Machine, format!("{}: {what}", path.display()));
    let [short, long] = ITERATIONS.map(|iterations| counted("emulator", &program, Some(iterations)));
    let instructions = long.map_err(failed)?.instructions - short.map_err(failed)?.instructions;
    Ok(f64::from(instructions) / f64::from(ITERATIONS[1] - ITERATIONS[0]))
}

/// The benchmark on one core of the emulator, which does not end.
pub fn endless() -> Result<Box<dyn Engine>, Failure> {
    let (path, program) = program()?;
    let failed = |what: String| Failure::new(Exit::Machine, format!("{}: {what}", path.display()));
    started("emulator", &program, Some(u32::MAX)).map_err(failed)
}

/// Runs the program on one core of ours, with its own number of iterations or with so many.
fn counted(engine: &str, program: &Program, iterations: Option<u32>) -> Result<Counts, String> {
    let mut engine = started(engine, program, iterations)?;
    let run = exec::run(engine.as_mut(), program, MAX_CYCLES).map_err(|error| error.to_string())?;
    match run.outcome {
        Outcome::Exit { code: 0, .. } => {}
        other => return Err(format!("did not get the right result: {other:?}")),
    }
    Counts::read(engine.as_ref(), program).ok_or_else(|| "has left no counts at its symbol RESULT".into())
}
