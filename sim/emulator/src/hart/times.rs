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
    const MULTICYCLE: Times = Times {
        overlaps: false,
        alu: timing::CYCLES_ALU,
        jump: timing::CYCLES_ALU,
        multiply: timing::CYCLES_MULTIPLY,
        divide: timing::CYCLES_DIVIDE,
    };
    const PIPELINED: Times = Times {
        overlaps: true,
        alu: pipelined::CYCLES_ALU,
        jump: pipelined::CYCLES_JUMP,
        multiply: pipelined::CYCLES_MULTIPLY,
        divide: pipelined::CYCLES_DIVIDE,
    };

    pub const fn of(core: Core) -> Self {
        match core {
            Core::Multicycle => Times::MULTICYCLE,
            Core::Pipelined => Times::PIPELINED,
        }
    }

    /// The times of the core that [`Times::overlaps`], or of that which does not: for code that is
    /// compiled for each core.
    #[inline(always)]
    pub const fn that(overlaps: bool) -> Self {
        if overlaps {
            Times::PIPELINED
        } else {
            Times::MULTICYCLE
        }
    }

    /// From the arrival of an instruction to the first of its own cycles, D or X: that in which an
    /// interrupt, or the fault of its fetch, is taken in its place. It is also what lies between the
    /// arrival of an instruction and the cycle after the last M of the one before it.
    pub const fn to_judgement(self) -> u64 {
        self.overlaps as u64
    }

    /// Cycles that a division needs before a limit to be begun by who executes instructions that
    /// arrive before it. The pipelined core has read the word after a division long before that
    /// arrives, and what is read is noted only within a window: so all of it has to lie there.
    pub const fn division_needs(self) -> u64 {
        if self.overlaps {
            self.divide
        } else {
            1
        }
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
