//! `testbed exec`: a bare-metal program on one core, or on all of a machine.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_definitions::map;
use testbed_machine::{input, suggest, Machine};
use testbed_runner::drive::drive;
use testbed_runner::files::HOST_BYTES;
use testbed_runner::operator::Operator;
use testbed_runner::tell;
use testbed_runner::{engines, firmware};
use testbed_sim::engine::Engine;
use testbed_sim::exec::standing::standing;
use testbed_sim::exec::{self, Outcome};
use testbed_sim::image::Program;
use testbed_trace::capture::{verify, Capture, Claim, RunRecord, CONSOLE};

use super::bench::core::{Counts, UNIT as SCORE_UNIT};
use super::progress::cycles;
use super::{begin, grouped, output_folder, run, Exit, Failure};

/// Cycles after which a program is given up unless told otherwise.
const MAX_CYCLES: u64 = 1_000_000_000;

/// Runs a bare-metal program on one core, or on all processors of a machine; the exit code is what
/// it leaves in SYSTEM EXIT or, on one core, `tohost`.
///
/// Programs may also write and exit by HTIF's system calls, as the public RISC-V tests and
/// benchmarks do. At the end cycles, instructions and cycles an instruction (CPI) are on standard
/// error; of corebench a score too. Codes above 255 become 255. A program that does not end in time
/// gives 4, and it is said where it is and what it does.
#[derive(Args, Debug)]
pub struct Exec {
    /// An ELF file, or a program of firmware/ that needs no kernel: corebench or demo
    elf: PathBuf,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Cycles after which the program is given up
    #[arg(long, default_value_t = MAX_CYCLES, value_name = "N")]
    max_cycles: u64,
    /// Start every processor of this machine (a name or a TOML file) with the program, as on a
    /// board, and leave what the monitors saw in a folder
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// Output folder of --machine; an earlier run in it is replaced
    /// [default: out/PROGRAM, where an earlier run is kept as out/PROGRAM.1, .2 and so on]
    #[arg(long, value_name = "DIR", requires = "machine")]
    out: Option<PathBuf>,
}

impl Exec {
    pub fn run(&self) -> Result<u8, Failure> {
        if let Some(machine) = &self.machine {
            return self.on_machine(&Machine::load(machine)?);
        }
        let machine = Machine::single(map::RAM_BYTES_MAX);
        let program = self.program(&machine)?;
        let mut engine = engines::open(&self.engine, &machine, &program.image, None)?;
        let run = exec::run(engine.as_mut(), &program, self.max_cycles)
            .map_err(|error| Failure::new(Exit::Machine, error))?;
        let bytes: Vec<u8> = run.console.iter().map(|byte| byte.byte).collect();
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()?;
        match run.outcome {
            Outcome::Exit { code, cycle } => {
                tell!("{}", figures(run.cycles, run.instructions));
                if let Some(score) = score(engine.as_ref(), &program).filter(|_| code == 0) {
                    tell!("{score}");
                }
                Ok(exit_code(code, "", cycle))
            }
            Outcome::Timeout { cycles } => {
                let standing = run.standing.iter().map(ToString::to_string).collect();
                Err(self.not_over(cycles, standing, "its symbol `tohost` or to SYSTEM EXIT"))
            }
        }
    }

    /// Reads the program, for so much RAM.
    fn program(&self, machine: &Machine) -> Result<Program, Failure> {
        let bare = firmware::BARE.iter().find(|name| self.elf.as_os_str() == **name && !self.elf.is_file());
        let (path, bytes) = match bare {
            Some(name) => firmware::build(&firmware::root()?)?.read(name)?,
            None => (self.elf.clone(), self.read()?),
        };
        let program = Program::parse(&bytes, machine.ram_bytes).map_err(|error| self.wrong(&error))?;
        if program.compressed {
            let name = path.display();
            tell!(
                "warning: {name} is marked as holding compressed instructions, which trap here\n  help: compile with -march=rv32im_zicsr"
            );
        }
        Ok(program)
    }

    fn read(&self) -> Result<Vec<u8>, Failure> {
        input::bytes(&self.elf, HOST_BYTES).map_err(|error| {
            let meant = suggest::question(&self.elf.to_string_lossy(), firmware::BARE.iter().copied());
            let help = format!("{meant}give an ELF file, or one of {}", firmware::BARE.join(", "));
            self.wrong(&format!("{error}\n  help: {help}"))
        })
    }

    fn wrong(&self, error: &dyn Display) -> Failure {
        Failure::new(Exit::Input, format!("{}: {error}", self.elf.display()))
    }

    /// `standing`: what each processor does.
    fn not_over(&self, cycles: u64, standing: Vec<String>, to: &str) -> Failure {
        let message = format!(
            "{}: not over after {} cycles\n  {}\n  help: give it more with --max-cycles; it ends by writing to {to}",
            self.elf.display(),
            grouped(cycles),
            standing.join("\n  ")
        );
        Failure::new(Exit::Machine, message)
    }

    /// Runs the program on all processors until one writes to SYSTEM EXIT, and leaves a folder.
    fn on_machine(&self, machine: &Machine) -> Result<u8, Failure> {
        let program = self.program(machine)?;
        if program.tohost().is_some() {
            let help = "leave --machine out, or let the program store to SYSTEM EXIT instead";
            return Err(self.wrong(&format!(
                "it ends by its symbol `tohost`, at which nobody looks on a machine\n  help: {help}"
            )));
        }
        let folder = output_folder(self.out.as_deref(), &self.elf);
        let claim = Claim::new(&folder)?;
        let mut engine = engines::open(&self.engine, machine, &program.image, None)?;
        let dgl = DIAG_DEFAULT;
        let record = RunRecord {
            engine: self.engine.clone(),
            kernel: None,
            dgl,
            ..RunRecord::new(machine, &self.elf.display().to_string())
        };
        let (_claim, writer) = begin(claim, self.out.is_some(), machine, &record)?;
        let bar = cycles((self.max_cycles != MAX_CYCLES).then_some(self.max_cycles));
        let record = drive(engine.as_mut(), writer, record, self.max_cycles, &mut Operator::nobody(), |engine| {
            bar.set_position(engine.cycle())
        })?;
        bar.finish_and_clear();
        let capture = Capture::of_run(&folder, record.clone());
        let integrity = verify(&capture)?;
        let mut out = io::stdout().lock();
        out.write_all(&std::fs::read(folder.join(CONSOLE))?)?;
        out.flush()?;
        tell!("left in {}: trace/ mmi.raw console.txt run.json", folder.display());
        run::check_sound(&record, &integrity)?;
        let Some(exit) = record.exits.first() else {
            let standing = standings(engine.as_mut(), &program)?;
            return Err(self.not_over(record.cycles, standing, "SYSTEM EXIT"));
        };
        for (name, instructions) in machine.processors.iter().zip(&record.instructions) {
            tell!("{name}: {}", figures(record.cycles, *instructions));
        }
        Ok(exit_code(exit.code, &format!(" on {}", exit.processor), exit.cycle))
    }
}

/// What a run took.
fn figures(cycles: u64, instructions: u64) -> String {
    let cpi = match instructions {
        0 => String::new(),
        _ => format!(", CPI {:.2}", cycles as f64 / instructions as f64),
    };
    format!("{} cycles, {} instructions{cpi}", grouped(cycles), grouped(instructions))
}

/// What a benchmark that leaves its figures at the symbol RESULT, as corebench does, says of
/// itself: without start and end, so that it is the same as that of `bench core` and of `bench`.
fn score(engine: &dyn Engine, program: &Program) -> Option<String> {
    let Counts { cycles, instructions, iterations } = Counts::read(engine, program)?;
    let (cycles, instructions, iterations) = (u64::from(cycles), u64::from(instructions), u64::from(iterations));
    let rate = iterations as f64 * 1e6 / cycles as f64;
    let figures = figures(cycles, instructions);
    Some(format!("score {rate:.2} {SCORE_UNIT}: {iterations} iterations in {figures}"))
}

/// What each processor does, in words.
fn standings(engine: &mut dyn Engine, program: &Program) -> Result<Vec<String>, Failure> {
    let names = engine.machine().processors.clone();
    let first = usize::from(engine.machine().headless);
    let each = names.iter().enumerate().skip(first).map(|(processor, name)| {
        let standing = standing(engine, program, processor).map_err(|error| Failure::new(Exit::Machine, error))?;
        Ok::<_, Failure>(format!("{name}: {standing}"))
    });
    each.collect()
}

/// A program's exit code as this program's; told if it is not 0.
fn exit_code(code: u32, place: &str, cycle: u64) -> u8 {
    if code != 0 {
        tell!("exit code {code}{place} in cycle {}", grouped(cycle));
    }
    u8::try_from(code).unwrap_or(u8::MAX)
}
