//! `testbed exec`: a bare-metal program on one core, or on all of a machine.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_definitions::map;
use testbed_host_tools::capture::{verify, Capture, Claim, RunRecord, CONSOLE};
use testbed_host_tools::drive::drive;
use testbed_host_tools::files::HOST_BYTES;
use testbed_host_tools::operator::Operator;
use testbed_host_tools::{engines, firmware};
use testbed_machine::{input, Machine};
use testbed_sim::exec::{self, Outcome};
use testbed_sim::image::Program;

use super::{grouped, output_folder, run, Exit, Failure};

/// Runs a bare-metal program on one core, or on all processors of a machine; the exit code is what it leaves in SYSTEM EXIT or, on one core, `tohost`.
///
/// Codes above 255 become 255. A program that does not end in time gives 4.
#[derive(Args, Debug)]
pub struct Exec {
    /// An ELF file, or a program of firmware/ that needs no kernel: corebench or demo
    elf: PathBuf,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Cycles after which the program is given up
    #[arg(long, default_value_t = 1_000_000_000, value_name = "N")]
    max_cycles: u64,
    /// Start every processor of this machine (a name or a TOML file) with the program, as on a board, and leave what the monitors saw in a folder
    #[arg(long, value_name = "FILE|NAME")]
    machine: Option<String>,
    /// Output folder of --machine [default: out/PROGRAM]
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
            Outcome::Exit { code, cycle } => Ok(exit_code(code, "", cycle)),
            Outcome::Timeout { cycles } => Err(self.not_over(cycles, "its symbol `tohost` or to SYSTEM EXIT")),
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
            eprintln!(
                "warning: {name} is marked as holding compressed instructions, which trap here\n  help: compile with -march=rv32im_zicsr"
            );
        }
        Ok(program)
    }

    fn read(&self) -> Result<Vec<u8>, Failure> {
        input::bytes(&self.elf, HOST_BYTES).map_err(|error| {
            let help = format!("give an ELF file, or one of {}", firmware::BARE.join(", "));
            self.wrong(&format!("{error}\n  help: {help}"))
        })
    }

    fn wrong(&self, error: &dyn Display) -> Failure {
        Failure::new(Exit::Input, format!("{}: {error}", self.elf.display()))
    }

    fn not_over(&self, cycles: u64, to: &str) -> Failure {
        let message = format!(
            "{}: not over after {} cycles\n  help: give it more with --max-cycles; it ends by writing to {to}",
            self.elf.display(),
            grouped(cycles)
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
        let record =
            RunRecord { engine: self.engine.clone(), dgl, ..RunRecord::new(machine, &self.elf.display().to_string()) };
        let writer = claim.writer(machine, &record)?;
        let bar = run::progress(self.max_cycles);
        let record = drive(engine.as_mut(), writer, record, self.max_cycles, &mut Operator::nobody(), |cycle| {
            bar.set_position(cycle)
        })?;
        bar.finish_and_clear();
        let capture = Capture::of_run(&folder, record.clone());
        let integrity = verify(&capture)?;
        let mut out = io::stdout().lock();
        out.write_all(&std::fs::read(folder.join(CONSOLE))?)?;
        out.flush()?;
        eprintln!("left in {}: trace/ mmi.raw console.txt run.json", folder.display());
        run::check_sound(&record, &integrity)?;
        let Some(exit) = record.exits.first() else { return Err(self.not_over(record.cycles, "SYSTEM EXIT")) };
        Ok(exit_code(exit.code, &format!(" on {}", exit.processor), exit.cycle))
    }
}

/// A program's exit code as this program's; told if it is not 0.
fn exit_code(code: u32, place: &str, cycle: u64) -> u8 {
    if code != 0 {
        eprintln!("exit code {code}{place} in cycle {}", grouped(cycle));
    }
    u8::try_from(code).unwrap_or(u8::MAX)
}
