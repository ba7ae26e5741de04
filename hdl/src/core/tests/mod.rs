//! The core's tests: blocks and the whole against their Verilog, programs on a behavioural memory, synthesis.

mod assembler;
mod blocks;
mod bus;
mod classes;
mod csrs;
mod paging;
mod pairs;
mod stream;
mod timing;
mod traps;

use super::{state, Core};
use crate::ports;
use crate::support::{ports::Ports, random::Random};

// With these the files beside this one hold another core to the same (`hdl/src/pipeline/tests/`).

/// If an instruction arrives in this cycle, its pc.
fn arrival(core: &Core) -> Option<u32> {
    core.state.q.val().get_bit(state::D as usize).then(|| core.pc.q.val().to_u32())
}

/// DMA takes a bank of RAM's second port, of which this core knows nothing.
fn let_dma_in(_: &mut Core, _: Option<bool>) {}

/// What is fetched beside the data's port: nothing.
struct Fetched;

impl Fetched {
    fn of(_: &Core, _: impl Fn(u32) -> u32) -> Self {
        Fetched
    }

    fn give(self, _: &mut Core) {}
}

/// What goes in and out of the core, for [`stream`].
fn ports() -> Ports<Core> {
    let core = Core::default();
    ports!(core: Core, clock: clock,
        inputs: [rdata, stall, irq_timer, irq_software, irq_external, mtime_low, mtime_high, reset_vector, ram_mask,
                 hart_id, has_smi, has_mmi],
        outputs: [address, read, write, wdata, mask, retire_valid, retire_half, retire_trap, retire_pc,
                  retire_instruction, retire_rd, retire_value, retire_cause, retire_tval, retire_load, retire_store,
                  retire_address, retire_data, retire_mask, instret_low])
}

/// Its states.
const STATES: usize = 9;

/// Where the core's words come from in [`stream`].
#[derive(Default)]
struct Feed {}

impl Feed {
    /// The word at the port, if it is one of instructions: the next of the script, used or not.
    fn word(&mut self, core: &mut Core, script: &mut stream::Script, random: &mut Random) -> Option<u32> {
        let arrives = core.state.q.val().get_bit(state::D as usize);
        let shown = if arrives { !core.held.q.val() } else { core.fresh.q.val() };
        match (shown, arrives) {
            (_, true) => Some(script.next(random)).filter(|_| shown),
            (true, false) => Some(script.peek(random)),
            (false, false) => None,
        }
    }

    fn note(&mut self, _: &mut Core, _: &mut stream::Script, _: &mut Random) {}
}

/// The seed with which [`stream`] reaches everything.
const STREAM_SEED: u64 = 14;

/// What the tests take to be the core's times.
mod times {
    pub use testbed_definitions::timing::*;
    pub const CYCLES_JUMP: u64 = CYCLES_ALU;
    /// Added to what does not use the port, if the word after it could not be read ahead.
    pub const CYCLES_PORT_FREE: u64 = 0;
    /// From the retirement of a load to where the next instruction begins.
    pub const FROM_LOAD_TO_ARRIVAL: u64 = 0;
    /// From the cycle in which something is done to where it is shown.
    pub const TO_RETIREMENT: u64 = 0;
    /// From the D of an instruction to the trap of a fault of its fetch.
    pub const CYCLES_TO_FETCH_TRAP: u64 = 0;
}
