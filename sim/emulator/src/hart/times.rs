//! What a core takes for each kind of instruction.

use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::timing::{self, pipelined};
use testbed_machine::Core;

/// Words of a page, behind the last one of which the pipelined core begins to fetch anew.
pub(super) const PAGE_WORDS: u32 = PAGE_BYTES / 4;

/// Cycles, as `definitions::timing` has them for each core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    /// The pipelined core: words are fetched ahead, so an instruction arrives while the one before it
    /// is executed, and may wait for what that one loads or multiplies. Interrupts and faults of
    /// fetches are judged in X.
    pub overlaps: bool,
    pub alu: u64,
    /// A jump, or a branch that is taken.
    pub jump: u64,
    pub load: u64,
    pub store: u64,
    pub load_pair: u64,
    pub store_pair: u64,
    pub multiply: u64,
    pub divide: u64,
    /// What is added where the next instruction waits for a register or a device.
    pub late: u64,
    /// What is added where the next word has to be fetched anew.
    pub anew: u64,
}

impl Times {
    const MULTICYCLE: Times = Times {
        overlaps: false,
        alu: timing::CYCLES_ALU,
        jump: timing::CYCLES_ALU,
        load: timing::CYCLES_LOAD,
        store: timing::CYCLES_STORE,
        load_pair: timing::CYCLES_LOAD_PAIR,
        store_pair: timing::CYCLES_STORE_PAIR,
        multiply: timing::CYCLES_MULTIPLY,
        divide: timing::CYCLES_DIVIDE,
        late: 0,
        anew: 0,
    };
    const PIPELINED: Times = Times {
        overlaps: true,
        alu: pipelined::CYCLES_ALU,
        jump: pipelined::CYCLES_JUMP,
        load: pipelined::CYCLES_LOAD,
        store: pipelined::CYCLES_STORE,
        load_pair: pipelined::CYCLES_LOAD_PAIR,
        store_pair: pipelined::CYCLES_STORE_PAIR,
        multiply: pipelined::CYCLES_MULTIPLY,
        divide: pipelined::CYCLES_DIVIDE,
        late: pipelined::CYCLES_LATE,
        anew: pipelined::CYCLES_ANEW,
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
    /// interrupt, or the fault of its fetch, is taken in its place.
    pub const fn to_judgement(self) -> u64 {
        self.overlaps as u64
    }

    /// From the cycle in which an instruction or trap is done to that in which the retirement port
    /// shows it. What loads shows a cycle later on both cores.
    pub const fn to_retirement(self) -> u64 {
        if self.overlaps {
            pipelined::TO_RETIREMENT
        } else {
            0
        }
    }

    /// Whether the word after the instruction at `index` of memory, if that goes on to it, is fetched
    /// anew because another page begins there.
    pub const fn ends_page(self, index: u32) -> bool {
        self.overlaps && index % PAGE_WORDS == PAGE_WORDS - 1
    }
}

/// Whether an instruction word names a register as a source, as the pipelined core finds it out: by
/// the opcode, bits 6:2, of whatever word it is.
#[inline(always)]
pub(super) const fn names_source(word: u32, register: u32) -> bool {
    // One bit for each opcode. All but `auipc`, `lui`, `jal` and `fence` have the field rs1; `op`,
    // branches and stores have rs2. The others in the masks are no instructions, but share the bits with
    // these by which the core tells them: the lowest three; bits 3, 0, and 4 with 2.
    const FIRST: u32 = !(0x0808_0808 | 0x2020_2020);
    const SECOND: u32 = 1 << 12 | 1 << 24 | 1 << 8 | 1 << 10 | 1 << 14 | 1 << 26;
    let opcode = word >> 2 & 31;
    let first = word >> 15 & 31 == register && FIRST >> opcode & 1 != 0;
    let second = word >> 20 & 31 == register && SECOND >> opcode & 1 != 0;
    first | second
}

// What the exact step takes to be the same for both cores.
const _: () = {
    assert!(timing::CYCLES_WALK == pipelined::CYCLES_WALK && timing::CYCLES_MRET == pipelined::CYCLES_MRET);
    assert!(timing::CYCLES_WFI == pipelined::CYCLES_WFI && timing::CYCLES_TRAP == pipelined::CYCLES_TRAP);
    assert!(timing::FIRST_ARRIVAL + 1 == pipelined::FIRST_X);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_by_the_opcode_alone() {
        let word = |opcode: u32, rs1: u32, rs2: u32| opcode << 2 | 3 | rs1 << 15 | rs2 << 20;
        for opcode in 0..32_u32 {
            let has_first = ![3, 5].contains(&(opcode % 8));
            let has_second = opcode & 8 != 0 && opcode & 1 == 0 && opcode & 20 != 20;
            assert_eq!(names_source(word(opcode, 7, 9), 7), has_first, "{opcode}");
            assert_eq!(names_source(word(opcode, 9, 7), 7), has_second, "{opcode}");
            assert!(!names_source(word(opcode, 9, 8), 7), "{opcode}");
        }
    }

    #[test]
    fn only_the_pipelined_core_minds_the_end_of_a_page() {
        assert!(Times::of(Core::Pipelined).ends_page(255) && Times::of(Core::Pipelined).ends_page(511));
        assert!(!Times::of(Core::Pipelined).ends_page(256) && !Times::of(Core::Multicycle).ends_page(255));
    }
}
