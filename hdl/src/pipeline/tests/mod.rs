//! The pipelined core's tests. In what it does it is held to the first core's; when it does it is
//! told in [`timing`].

// The same files as the first core's, with this core under the name `Core`.
#![allow(clippy::duplicate_mod)]

#[path = "../../core/tests/assembler.rs"]
mod assembler;
mod blocks;
#[path = "../../core/tests/bus.rs"]
mod bus;
#[path = "../../core/tests/classes.rs"]
mod classes;
#[path = "../../core/tests/csrs.rs"]
mod csrs;
#[path = "../../core/tests/paging.rs"]
mod paging;
#[path = "../../core/tests/pairs.rs"]
mod pairs;
#[path = "../../core/tests/stream.rs"]
mod stream;
mod timing;
#[path = "../../core/tests/traps.rs"]
mod traps;

use super::Pipeline as Core;
use crate::core::state;

/// If an instruction is in X for the first time, its pc.
fn arrival(core: &Core) -> Option<u32> {
    let begins = core.state.q.val().get_bit(state::X as usize) && !core.again.q.val();
    begins.then(|| core.pc.q.val().to_u32())
}

/// Whether an instruction word is at the port, and whether one is used: each that is shown is the
/// next of a script, used or not.
fn fetched(core: &Core) -> (bool, bool) {
    let arrives = core.state.q.val().get_bit(state::D as usize) && !core.held.q.val();
    let shown = arrives || core.fresh.q.val();
    (shown, shown)
}

/// The seed with which [`stream`] reaches everything.
const STREAM_SEED: u64 = 13;

/// What the tests take to be the core's times.
mod times {
    pub use testbed_definitions::timing::pipelined::*;
    pub const CYCLES_PORT_FREE: u64 = CYCLES_NOT_AHEAD;
    /// From the retirement of a load to where the next instruction begins.
    pub const FROM_LOAD_TO_ARRIVAL: u64 = 1;
    /// From the D of an instruction to the trap of a fault of its fetch.
    pub const CYCLES_TO_FETCH_TRAP: u64 = 1;
}
