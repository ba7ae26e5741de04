//! Runs a bare-metal program on any engine until it says that it is done.

mod htif;
pub mod standing;

use crate::engine::{ConsoleByte, Engine, EngineError};
use crate::image::Program;
use htif::Htif;
use standing::{standing, Standing};
use testbed_definitions::map::uart;

/// Cycles between two looks at `tohost`.
pub const POLL_CYCLES: u64 = 1024;
/// Where nothing was asked for in so many cycles, it is looked at less often: the end is still seen
/// within a part in a thousand of them, and looking takes next to nothing of the host's time.
pub const LONG_SILENCE: u64 = 1 << 24;
/// Cycles between two looks then.
pub const POLL_CYCLES_SILENT: u64 = 16 * POLL_CYCLES;

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// With this exit code, seen in this cycle: for SYSTEM EXIT the cycle of the store, for `tohost` that of the look.
    Exit { code: u32, cycle: u64 },
    /// Not before this many cycles.
    Timeout { cycles: u64 },
}

/// What a run left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub outcome: Outcome,
    /// Cycles, and instructions retired in them, when the end was seen: at most the cycles between
    /// two looks after it came.
    pub cycles: u64,
    pub instructions: u64,
    /// What the program wrote to the UART, and what the host wrote for it.
    pub console: Vec<ConsoleByte>,
    /// Where a program is that did not end, and what it does.
    pub standing: Option<Standing>,
}

/// Runs `program`, already loaded into `engine`, on processor 0 for at most `max_cycles`.
///
/// It ends by a store to SYSTEM EXIT, or by what it leaves at the symbol `tohost`, if it has one.
/// Of an odd value the upper bits are the exit code (1 is success; the public RISC-V tests give
/// twice the number of the failed test, plus one). An even value is a request to the host: to write
/// to the console, or to exit; the module `htif` has the table. `tohost` is looked at every
/// [`POLL_CYCLES`], after a long silence every [`POLL_CYCLES_SILENT`], so every engine ends at the
/// same cycle. What the UART still holds then is sent.
///
/// # Errors
/// The engine's.
pub fn run(engine: &mut dyn Engine, program: &Program, max_cycles: u64) -> Result<Run, EngineError> {
    let htif = Htif::new(program, engine.machine().ram_bytes);
    let mut console = Vec::new();
    let mut asked = engine.cycle();
    let outcome = loop {
        if engine.cycle() >= max_cycles {
            break Outcome::Timeout { cycles: engine.cycle() };
        }
        engine.run_until(next_look(engine.cycle(), asked).min(max_cycles))?;
        console.append(&mut engine.take_console());
        if let Some(exit) = engine.exits().first() {
            break Outcome::Exit { code: exit.code, cycle: exit.cycle };
        }
        let cycle = engine.cycle();
        if let Some(code) = htif.as_ref().map_or(Ok(None), |htif| htif.poll(engine, &mut console))? {
            break Outcome::Exit { code, cycle };
        }
        // To serve a request takes time.
        if engine.cycle() > cycle {
            asked = engine.cycle();
        }
    };
    let (cycles, instructions) = (engine.cycle(), engine.instructions(0));
    let mut run = Run { outcome, cycles, instructions, console, standing: None };
    match outcome {
        Outcome::Exit { .. } => drain(engine, &mut run.console)?,
        Outcome::Timeout { .. } => run.standing = Some(standing(engine, program, 0)?),
    }
    Ok(run)
}

/// The cycle after `cycle` in which `tohost` is looked at, if something was asked for last at `asked`.
fn next_look(cycle: u64, asked: u64) -> u64 {
    let interval = if cycle - asked < LONG_SILENCE { POLL_CYCLES } else { POLL_CYCLES_SILENT };
    (cycle / interval + 1) * interval
}

/// Runs on until the UART has been silent for [`POLL_CYCLES`] (six characters' time, with a divisor
/// of 1) or has sent as much as it holds.
fn drain(engine: &mut dyn Engine, console: &mut Vec<ConsoleByte>) -> Result<(), EngineError> {
    let full = console.len() + uart::TX_FIFO + 1;
    while console.len() < full {
        engine.run_until(engine.cycle() + POLL_CYCLES)?;
        let bytes = engine.take_console();
        if bytes.is_empty() {
            break;
        }
        console.extend(bytes.into_iter().take(full - console.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_rare_after_a_long_silence_only() {
        assert_eq!(next_look(0, 0), POLL_CYCLES);
        assert_eq!(next_look(POLL_CYCLES + 1, 0), 2 * POLL_CYCLES);
        assert_eq!(next_look(LONG_SILENCE - 1, 0), LONG_SILENCE);
        assert_eq!(next_look(LONG_SILENCE, 0), LONG_SILENCE + POLL_CYCLES_SILENT);
        assert_eq!(next_look(LONG_SILENCE, 1), LONG_SILENCE + POLL_CYCLES);
        const { assert!(POLL_CYCLES_SILENT <= LONG_SILENCE / 1000) };
    }
}
