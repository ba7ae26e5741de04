//! `testbed bench emulator`: how fast the emulator executes, how that changes with the number of
//! processors and with the core, and QEMU beside it, which counts no cycles.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use testbed_machine::{Core, Machine};
use testbed_sim::engine::{Engine, Image};
use testbed_sim::load::Boot;

use super::super::{run::image, run::start, scaled, Exit, Failure};
use super::core::{Benchmark, Counts};
use super::measure::{boot, cycles, instructions, measure, open, per_second, Counter, Subject, ROUNDS, START_CYCLES};
use super::row::{median, table, Row};

const UNIT: &str = "instructions/s";
const QEMU: &str = "qemu, functional";
const COREBENCH: &str = "corebench on one core, no kernel, no monitor";
/// Numbers of processors, 1 to the most that a machine has.
const PROCESSORS: [usize; 5] = [1, 2, 4, 8, 16];
/// Iterations of QEMU's first run; longer ones follow until one takes the time it is to take.
const ITERATIONS: u32 = 1_000;

/// Measures instructions and cycles a second of the emulator, on one core beside QEMU, with both
/// cores side by side, and on 1 to 16 processors with kernel and monitor that are busy, communicate,
/// or are asleep
#[derive(Args, Debug)]
pub struct Emulator {
    /// JSON instead of text
    #[arg(long)]
    json: bool,
    /// Seconds each measurement takes, about
    #[arg(long, default_value_t = 1.0, value_parser = super::measure::seconds)]
    seconds: f64,
}

/// What a machine of some processors does.
struct Load {
    group: &'static str,
    program: &'static str,
    arguments: fn(processors: usize) -> Vec<String>,
}

const LOADS: [Load; 3] = [
    Load { group: "all busy, all with one page (busy)", program: "busy", arguments: |_| vec!["1000000000".into()] },
    Load {
        group: "two threads a processor that compute and communicate (synthetic mixed)",
        program: "synthetic",
        arguments: |processors| [&(2 * processors).to_string(), "mixed", "100000s", "random"].map(String::from).into(),
    },
    Load { group: "all asleep in wfi (hello)", program: "hello", arguments: |_| Vec::new() },
];

/// An engine, or why there is none.
type Started = Result<Box<dyn Engine>, String>;

/// What six processors do with each core, from cycle `start` on, and what of it is counted.
struct SideBySide {
    group: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    start: u64,
    counted: (&'static str, Counter),
}

const SIDE_BY_SIDE: [SideBySide; 3] = [
    SideBySide {
        group: "six busy processors with both cores (busy)",
        program: "busy",
        arguments: &["1000000000"],
        start: START_CYCLES,
        counted: (UNIT, instructions),
    },
    SideBySide {
        group: "one busy, five asleep with both cores (overflow)",
        program: "overflow",
        arguments: &["1000000", "1000000"],
        start: START_CYCLES,
        counted: (UNIT, instructions),
    },
    SideBySide {
        group: "six asleep in wfi with both cores (hello)",
        program: "hello",
        arguments: &[],
        start: 20 * START_CYCLES,
        counted: ("cycles/s", cycles),
    },
];

impl Emulator {
    pub fn run(&self) -> Result<Exit, Failure> {
        let mut rows = self.corebench()?;
        rows.extend(self.cores()?);
        for load in &LOADS {
            for processors in PROCESSORS {
                rows.push(self.row(load, processors)?);
            }
        }
        let mut out = io::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string_pretty(&rows).map_err(io::Error::from)?)?,
            false => write!(out, "{}", table(&rows))?,
        }
        Ok(Exit::Success)
    }

    /// One core beside QEMU.
    fn corebench(&self) -> Result<Vec<Row>, Failure> {
        let benchmark = Benchmark::load()?;
        let Counts { instructions: executed, iterations, .. } = benchmark.alone("emulator", Core::default())?;
        let each = f64::from(executed) / f64::from(iterations);
        let mut engine = benchmark.endless(Core::default())?;
        let own = move || per_second(engine.as_mut(), instructions, self.seconds);
        let folder = tempfile::tempdir()?;
        let qemu = || qemu(&benchmark, folder.path(), self.seconds).map(|iterations| iterations * each);
        let subjects: Vec<Subject> = vec![("emulator, exact".into(), Box::new(own)), (QEMU.into(), Box::new(qemu))];
        Ok(measure(COREBENCH, UNIT, Some(QEMU), subjects))
    }

    /// Both cores side by side: one alone, and six processors with kernel and monitor.
    fn cores(&self) -> Result<Vec<Row>, Failure> {
        let benchmark = Benchmark::load()?;
        let mut alone = Vec::new();
        for core in Core::ALL {
            alone.push((core, Ok(benchmark.endless(core)?)));
        }
        let mut rows = self.side_by_side("corebench with both cores", (UNIT, instructions), alone);
        for SideBySide { group, program, arguments, start: begin, counted } in &SIDE_BY_SIDE {
            let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
            let mut engines = Vec::new();
            for core in Core::ALL {
                let machine = Machine { core, ..Machine::testbed6() };
                let boot = Boot { arguments: arguments.clone(), start_processor: start(&machine), ..boot() };
                engines.push((core, open("emulator", &machine, &image(&machine, program, &boot)?, *begin)));
            }
            rows.extend(self.side_by_side(group, *counted, engines));
        }
        Ok(rows)
    }

    /// Rows of engines with these cores, which take turns.
    fn side_by_side(
        &self,
        group: &'static str,
        (unit, counter): (&'static str, Counter),
        engines: Vec<(Core, Started)>,
    ) -> Vec<Row> {
        let subject = |(core, mut engine): (Core, Started)| {
            let rate = move || {
                let engine = engine.as_mut().map_err(|error| error.clone())?;
                per_second(engine.as_mut(), counter, self.seconds)
            };
            (core.name().to_string(), Box::new(rate) as Box<dyn FnMut() -> Result<f64, String>>)
        };
        measure(group, unit, Some(Core::default().name()), engines.into_iter().map(subject).collect())
    }

    /// One load on so many processors.
    fn row(&self, load: &Load, processors: usize) -> Result<Row, Failure> {
        let machine = machine(processors);
        let boot = Boot { arguments: (load.arguments)(processors), start_processor: start(&machine), ..boot() };
        let image = image(&machine, load.program, &boot)?;
        let rates = rates(&machine, &image, self.seconds);
        let name = format!("{processors} processor{}", if processors == 1 { "" } else { "s" });
        let row = Row { group: load.group, name, unit: UNIT, rate: None, ratio: None, peer: None, note: String::new() };
        Ok(match rates {
            Ok([instructions, cycles]) => {
                Row { rate: Some(instructions), note: format!("{}cycles/s", scaled(cycles)), ..row }
            }
            Err(why) => Row { note: why, ..row },
        })
    }
}

/// A machine as the default one, of so many processors.
fn machine(processors: usize) -> Machine {
    let default = Machine::testbed6();
    let name = |number| default.processors.get(number).cloned().unwrap_or_else(|| format!("slave{number}"));
    Machine { name: format!("testbed{processors}"), processors: (0..processors).map(name).collect(), ..default }
}

/// Instructions and cycles a second, the medians of some rounds of one machine that is warm.
fn rates(machine: &Machine, image: &Image, seconds: f64) -> Result<[f64; 2], String> {
    let mut engine = open("emulator", machine, image, START_CYCLES)?;
    let (mut executed, mut passed) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = (instructions(engine.as_ref()), cycles(engine.as_ref()));
        let rate = per_second(engine.as_mut(), cycles, seconds)?;
        let (done, came) = (instructions(engine.as_ref()) - before.0, cycles(engine.as_ref()) - before.1);
        passed.push(rate);
        executed.push(rate * done as f64 / came.max(1) as f64);
    }
    let middle = |rates| median(rates).ok_or_else(|| "nothing was measured".to_string());
    Ok([middle(executed)?, middle(passed)?])
}

/// Iterations a second of QEMU, its start included, over a run that takes at least so long.
fn qemu(benchmark: &Benchmark, folder: &Path, seconds: f64) -> Result<f64, String> {
    let path = folder.join("corebench");
    let mut iterations = ITERATIONS;
    loop {
        let elf = benchmark.elf(iterations).map_err(|failure| failure.message)?;
        fs::write(&path, elf).map_err(|error| error.to_string())?;
        let mut command = Command::new("qemu-system-riscv32");
        command.args(["-M", "spike", "-bios", "none", "-m", "16M", "-display", "none"]);
        command.args(["-serial", "none", "-monitor", "none", "-kernel"]).arg(&path).stdin(Stdio::null());
        let started = Instant::now();
        let output = command.output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "no qemu-system-riscv32; apt-get install qemu-system-misc".into(),
            _ => format!("qemu-system-riscv32: {error}"),
        })?;
        let taken = started.elapsed();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("qemu-system-riscv32: {}: {}", output.status, said.lines().next().unwrap_or_default()));
        }
        if taken >= Duration::from_secs_f64(seconds) || iterations > u32::MAX / 2 {
            return Ok(f64::from(iterations) / taken.as_secs_f64());
        }
        iterations *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_of_all_sizes_are_valid() {
        for processors in PROCESSORS {
            let machine = machine(processors);
            assert_eq!(machine.check(), Ok(()));
            assert_eq!(machine.processors.len(), processors);
        }
    }
}
