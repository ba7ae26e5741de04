//! `testbed exec`: a bare-metal ELF file on one core.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use testbed_definitions::map;
use testbed_host_tools::engines;
use testbed_machine::Machine;
use testbed_sim::exec::{self, Outcome};
use testbed_sim::image::Program;

use super::{grouped, Exit, Failure};

/// Runs a bare-metal ELF file on one core; the exit code is what the program leaves in `tohost` or SYSTEM EXIT.
///
/// Codes above 255 become 255. A program that does not end in time gives 4.
#[derive(Args, Debug)]
pub struct Exec {
    elf: PathBuf,
    /// emulator, verilator or rust-hdl
    #[arg(long, default_value = "emulator")]
    engine: String,
    /// Cycles after which the program is given up
    #[arg(long, default_value_t = 1_000_000_000, value_name = "N")]
    max_cycles: u64,
}

impl Exec {
    pub fn run(&self) -> Result<u8, Failure> {
        let machine = Machine::single(map::RAM_BYTES_MAX);
        let program = Program::read(&self.elf, machine.ram_bytes)
            .map_err(|error| Failure::new(Exit::Input, format!("{}: {error}", self.elf.display())))?;
        if program.compressed {
            let name = self.elf.display();
            eprintln!(
                "warning: {name} is marked as holding compressed instructions, which trap here\n  help: compile with -march=rv32im_zicsr"
            );
        }
        let mut engine = engines::open(&self.engine, &machine, &program.image, None)?;
        let run = exec::run(engine.as_mut(), &program, self.max_cycles)
            .map_err(|error| Failure::new(Exit::Machine, error))?;
        let bytes: Vec<u8> = run.console.iter().map(|byte| byte.byte).collect();
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()?;
        match run.outcome {
            Outcome::Exit { code, cycle } => {
                if code != 0 {
                    eprintln!("exit code {code} in cycle {}", grouped(cycle));
                }
                Ok(u8::try_from(code).unwrap_or(u8::MAX))
            }
            Outcome::Timeout { cycles } => {
                let name = self.elf.display();
                let message = format!(
                    "{name}: not over after {} cycles\n  help: give it more with --max-cycles; it ends by writing to its symbol \
                     `tohost` or to SYSTEM EXIT",
                    grouped(cycles)
                );
                Err(Failure::new(Exit::Machine, message))
            }
        }
    }
}
