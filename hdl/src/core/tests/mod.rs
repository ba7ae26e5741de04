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

// With these the files beside this one hold another core to the same (`hdl/src/pipeline/tests/`).

/// If an instruction arrives in this cycle, its pc.
fn arrival(core: &Core) -> Option<u32> {
    core.state.q.val().get_bit(state::D as usize).then(|| core.pc.q.val().to_u32())
}

/// Whether an instruction word is at the port, and whether one is used in this cycle.
fn fetched(core: &Core) -> (bool, bool) {
    let arrives = core.state.q.val().get_bit(state::D as usize);
    (if arrives { !core.held.q.val() } else { core.fresh.q.val() }, arrives)
}

/// The seed with which [`stream`] reaches everything.
const STREAM_SEED: u64 = 12;

/// What the tests take to be the core's times.
mod times {
    pub use testbed_definitions::timing::*;
    pub const CYCLES_JUMP: u64 = CYCLES_ALU;
    /// Added to what does not use the port, if the word after it could not be read ahead.
    pub const CYCLES_PORT_FREE: u64 = 0;
    /// From the retirement of a load to where the next instruction begins.
    pub const FROM_LOAD_TO_ARRIVAL: u64 = 0;
    /// From the D of an instruction to the trap of a fault of its fetch.
    pub const CYCLES_TO_FETCH_TRAP: u64 = 0;
}
