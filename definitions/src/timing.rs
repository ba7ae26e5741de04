//! Cycles an instruction, and the look-ahead between processors. `docs/hardware.md` derives each number.

/// A store on one processor affects no other processor sooner than this many cycles later.
///
/// It is also the period of the machine's window strobe: a signal that leaves a processor's own devices passes
/// two registers that load once a window (see `docs/hardware.md`, "Look-ahead"). A power of two.
pub const LOOKAHEAD: u64 = 32;

/// ALU, `lui`, `auipc`, jumps, branches, `fence`, CSR instructions.
pub const CYCLES_ALU: u64 = 2;
/// A load or store after which the next word in order was read ahead; else [`CYCLES_NOT_AHEAD`] more.
pub const CYCLES_LOAD: u64 = 2;
pub const CYCLES_STORE: u64 = 2;
/// `ld` and `sd`, a load and a store of a pair of registers; [`CYCLES_NOT_AHEAD`] as above.
pub const CYCLES_LOAD_PAIR: u64 = 3;
pub const CYCLES_STORE_PAIR: u64 = 3;
/// Added to a load or store if the word after it could not be read while it arrived: its page
/// misses the TLB or may not be executed, or RAM ends there.
pub const CYCLES_NOT_AHEAD: u64 = 1;
pub const CYCLES_MRET: u64 = 3;
/// A `wfi` that finds an interrupt pending.
pub const CYCLES_WFI: u64 = 3;
pub const CYCLES_MULTIPLY: u64 = 7;
pub const CYCLES_DIVIDE: u64 = 35;
/// Added when a fetch or a data access misses the TLB and the walk succeeds.
pub const CYCLES_WALK: u64 = 3;
/// From the first cycle of an instruction that traps in execute to the first of the handler.
pub const CYCLES_TRAP: u64 = 3;
/// The same where the trap is taken on arrival of the instruction: interrupts and faulting fetches.
pub const CYCLES_TRAP_ON_ARRIVAL: u64 = 2;
/// The first instruction arrives in this cycle; the machine's first cycle is 0.
pub const FIRST_ARRIVAL: u64 = 2;

/// The same for the pipelined core, which `docs/pipeline.md` derives: from the X of an instruction to
/// the X of the next.
pub mod pipelined {
    /// All that is not below: what computes but divisions, CSR instructions, branches that are not
    /// taken, loads and stores.
    pub const CYCLES_ALU: u64 = 1;
    /// `jal`, `jalr`, branches that are taken.
    pub const CYCLES_JUMP: u64 = 2;
    pub const CYCLES_LOAD: u64 = 1;
    pub const CYCLES_STORE: u64 = 1;
    pub const CYCLES_LOAD_PAIR: u64 = 2;
    pub const CYCLES_STORE_PAIR: u64 = 2;
    pub const CYCLES_MULTIPLY: u64 = 1;
    pub const CYCLES_DIVIDE: u64 = 18;
    /// Added to a load or a multiplication whose register the next word names as a source (of a pair,
    /// the second one), and to a load or store of a device.
    pub const CYCLES_LATE: u64 = 1;
    /// Added to all of these but jumps, instead of [`CYCLES_LATE`], if the word after the instruction has
    /// to be fetched anew: behind the last word of a page, behind `fence.i`, and where the instruction
    /// before this one has stored to the page that it is in.
    pub const CYCLES_ANEW: u64 = 2;
    pub const CYCLES_MRET: u64 = 3;
    /// A `wfi` that finds an interrupt pending.
    pub const CYCLES_WFI: u64 = 3;
    /// Added when a fetch behind a jump or anew, or a data access, misses the TLB and the walk
    /// succeeds.
    pub const CYCLES_WALK: u64 = 3;
    /// From the X that is the trap to the X of the handler's first instruction.
    pub const CYCLES_TRAP: u64 = 3;
    /// The X of the first instruction; the machine's first cycle is 0.
    pub const FIRST_X: u64 = 3;
    /// From the last cycle of an instruction to that in which the retirement port shows it.
    pub const TO_RETIREMENT: u64 = 1;
}
