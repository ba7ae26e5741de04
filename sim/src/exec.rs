//! Runs a bare-metal program on any engine until it says that it is done.

use crate::engine::{ConsoleByte, Engine, EngineError};
use crate::image::Program;
use testbed_definitions::map::{uart, RAM_BASE};

/// Cycles between two looks at `tohost`.
pub const POLL_CYCLES: u64 = 1024;

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
    /// What the program wrote to the UART.
    pub console: Vec<ConsoleByte>,
}

/// Runs `program`, already loaded into `engine`, on processor 0 for at most `max_cycles`.
///
/// It ends by a store to SYSTEM EXIT, or by making the word at the symbol `tohost`, if it has one, not zero. Of an odd value
/// the upper bits are the exit code (1 is success; the public RISC-V tests give twice the number of the failed test, plus one).
/// An even value is a request to the host, which is not served: the word is cleared, as if it were.
/// `tohost` is looked at every [`POLL_CYCLES`], so every engine ends at the same cycle. What the UART still holds then is sent.
///
/// # Errors
/// The engine's.
pub fn run(engine: &mut dyn Engine, program: &Program, max_cycles: u64) -> Result<Run, EngineError> {
    let ram_bytes = engine.machine().ram_bytes;
    let tohost = program.tohost().filter(|address| address.wrapping_sub(RAM_BASE) <= ram_bytes - 4);
    let mut console = Vec::new();
    let outcome = loop {
        if engine.cycle() >= max_cycles {
            break Outcome::Timeout { cycles: engine.cycle() };
        }
        let next = (engine.cycle() / POLL_CYCLES + 1) * POLL_CYCLES;
        engine.run_until(next.min(max_cycles))?;
        console.append(&mut engine.take_console());
        if let Some(exit) = engine.exits().first() {
            break Outcome::Exit { code: exit.code, cycle: exit.cycle };
        }
        if let Some(code) = tohost.and_then(|address| poll(engine, address)) {
            break Outcome::Exit { code, cycle: engine.cycle() };
        }
    };
    if let Outcome::Exit { .. } = outcome {
        drain(engine, &mut console)?;
    }
    Ok(Run { outcome, console })
}

/// Runs on until the UART has been silent for [`POLL_CYCLES`] (six characters' time, with a divisor of 1) or has sent as much as it holds.
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

/// The exit code at `tohost`, if the program has left one.
fn poll(engine: &mut dyn Engine, address: u32) -> Option<u32> {
    let mut word = [0; 4];
    engine.read_ram(0, address, &mut word);
    let value = u32::from_le_bytes(word);
    if value & 1 == 1 {
        return Some(value >> 1);
    }
    if value != 0 {
        engine.write_ram(0, address, &[0; 4]);
    }
    None
}
