//! The core by itself: cycles an instruction and score of `corebench`, counted, not timed.

use testbed_definitions::map;
use testbed_host_tools::{engines, firmware};
use testbed_machine::Machine;
use testbed_sim::exec::{self, Outcome};
use testbed_sim::image::Program;

use super::{Exit, Failure, Row};

const GROUP: &str = "core alone";
/// Cycles after which the benchmark is given up.
const MAX_CYCLES: u64 = 100_000_000;

/// The figures, which are the same on every computer.
pub fn rows() -> Result<Vec<Row>, Failure> {
    let [cycles, instructions, iterations] = run()?.map(f64::from);
    let row = |name: &str, unit, rate| Row {
        group: GROUP,
        name: name.into(),
        unit,
        rate: Some(rate),
        ratio: None,
        peer: None,
        note: "corebench".into(),
    };
    Ok(vec![
        row("CPI", "cycles", cycles / instructions),
        row("score", "iterations/s per MHz", iterations * 1e6 / cycles),
    ])
}

/// Cycles, instructions and iterations that the program counted.
fn run() -> Result<[u32; 3], Failure> {
    let machine = Machine::single(map::RAM_BYTES_MAX);
    let (path, bytes) = firmware::build(&firmware::root()?)?.read("corebench")?;
    let failed = |what: String| Failure::new(Exit::Machine, format!("{}: {what}", path.display()));
    let program = Program::parse(&bytes, machine.ram_bytes).map_err(|error| failed(error.to_string()))?;
    let result = program.symbol("RESULT").ok_or_else(|| failed("has no symbol RESULT".into()))?;
    let mut engine = engines::open("emulator", &machine, &program.image, None)?;
    let run = exec::run(engine.as_mut(), &program, MAX_CYCLES).map_err(|error| failed(error.to_string()))?;
    match run.outcome {
        Outcome::Exit { code: 0, .. } => {}
        other => return Err(failed(format!("did not get the right result: {other:?}"))),
    }
    let mut words = [0; 16];
    engine.read_ram(0, result, &mut words);
    let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| words[4 * index + byte]));
    Ok([word(1), word(2), word(3)])
}
