//! What a core takes for each kind of instruction.

use testbed_definitions::timing::{self, pipelined};
use testbed_machine::Core;

/// Cycles, as `definitions::timing` has them for each core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// The pipelined core: an instruction arrives while the one before it is executed, and whatever
    /// it is, it goes on with the word that was read ahead. Interrupts and faults of fetches are
    /// judged in X.
    pub overlaps: bool,
    pub alu: u64,
    /// A jump, a branch that is taken, `fence.i`.
    pub jump: u64,
    pub multiply: u64,
    pub divide: u64,
}

impl Times {
    pub fn of(core: Core) -> Self {
        match core {
            Core::Multicycle => Times {
                overlaps: false,
                alu: timing::CYCLES_ALU,
                jump: timing::CYCLES_ALU,
                multiply: timing::CYCLES_MULTIPLY,
                divide: timing::CYCLES_DIVIDE,
            },
            Core::Pipelined => Times {
                overlaps: true,
                alu: pipelined::CYCLES_ALU,
                jump: pipelined::CYCLES_JUMP,
                multiply: pipelined::CYCLES_MULTIPLY,
                divide: pipelined::CYCLES_DIVIDE,
            },
        }
    }

    /// From the arrival of an instruction to the first of its own cycles, D or X: that in which an
    /// interrupt, or the fault of its fetch, is taken in its place.
    pub fn to_judgement(self) -> u64 {
        u64::from(self.overlaps)
    }
}

// What the exact step takes to be the same for both cores.
const _: () = {
    assert!(timing::CYCLES_LOAD == pipelined::CYCLES_LOAD && timing::CYCLES_STORE == pipelined::CYCLES_STORE);
    assert!(timing::CYCLES_LOAD_PAIR == pipelined::CYCLES_LOAD_PAIR);
    assert!(timing::CYCLES_STORE_PAIR == pipelined::CYCLES_STORE_PAIR);
    assert!(timing::CYCLES_NOT_AHEAD == pipelined::CYCLES_NOT_AHEAD);
    assert!(timing::CYCLES_WALK == pipelined::CYCLES_WALK && timing::CYCLES_MRET == pipelined::CYCLES_MRET);
    assert!(timing::CYCLES_WFI == pipelined::CYCLES_WFI && timing::CYCLES_TRAP == pipelined::CYCLES_TRAP);
    assert!(timing::FIRST_ARRIVAL + 1 == pipelined::FIRST_X);
};
