//! CSR numbers and fields, trap causes.

pub const MSTATUS: u16 = 0x300;
pub const MISA: u16 = 0x301;
pub const MIE: u16 = 0x304;
pub const MTVEC: u16 = 0x305;
pub const MCOUNTEREN: u16 = 0x306;
pub const MENVCFG: u16 = 0x30a;
pub const MSTATUSH: u16 = 0x310;
pub const MENVCFGH: u16 = 0x31a;
pub const MCOUNTINHIBIT: u16 = 0x320;
/// `mhpmevent3` to `mhpmevent31` read as zero.
pub const MHPMEVENT3: u16 = 0x323;
pub const MHPMEVENT31: u16 = 0x33f;
pub const MSCRATCH: u16 = 0x340;
pub const MEPC: u16 = 0x341;
pub const MCAUSE: u16 = 0x342;
pub const MTVAL: u16 = 0x343;
pub const MIP: u16 = 0x344;
/// `tselect`, `tdata1` to `tdata3` read as zero: no triggers.
pub const TSELECT: u16 = 0x7a0;
pub const TDATA3: u16 = 0x7a3;
/// Custom: base of the page map (bits 21:12, an offset from the start of RAM), enable (bit 0), and
/// whether translated stores reach [`crate::map::EVENT_PAGE`] (bit 1). Any write empties the TLB.
pub const PMBASE: u16 = 0x7c0;
pub const MCYCLE: u16 = 0xb00;
pub const MINSTRET: u16 = 0xb02;
/// `mhpmcounter3` to `mhpmcounter31` read as zero, and so do their high halves.
pub const MHPMCOUNTER3: u16 = 0xb03;
pub const MHPMCOUNTER31: u16 = 0xb1f;
pub const MCYCLEH: u16 = 0xb80;
pub const MINSTRETH: u16 = 0xb82;
pub const MHPMCOUNTER3H: u16 = 0xb83;
pub const MHPMCOUNTER31H: u16 = 0xb9f;
pub const CYCLE: u16 = 0xc00;
pub const TIME: u16 = 0xc01;
pub const INSTRET: u16 = 0xc02;
pub const CYCLEH: u16 = 0xc80;
pub const TIMEH: u16 = 0xc81;
pub const INSTRETH: u16 = 0xc82;
pub const MVENDORID: u16 = 0xf11;
pub const MARCHID: u16 = 0xf12;
pub const MIMPID: u16 = 0xf13;
pub const MHARTID: u16 = 0xf14;
pub const MCONFIGPTR: u16 = 0xf15;

/// RV32, extensions I, M and U.
pub const MISA_VALUE: u32 = 0x4010_1100;
/// `mimpid`: the year of the report that the machine reproduces.
pub const MIMPID_VALUE: u32 = 0x1994;

pub const MSTATUS_MIE: u32 = 1 << 3;
pub const MSTATUS_MPIE: u32 = 1 << 7;
/// Both bits of MPP are one register bit: a write of 3 sets machine mode, anything else user mode.
pub const MSTATUS_MPP: u32 = 3 << 11;
pub const MSTATUS_MPRV: u32 = 1 << 17;

/// Bits of `mie` and `mip`.
pub const INTERRUPT_SOFTWARE: u32 = 1 << 3;
pub const INTERRUPT_TIMER: u32 = 1 << 7;
pub const INTERRUPT_EXTERNAL: u32 = 1 << 11;

/// The bits of `pmbase` that can be written.
pub const PMBASE_MASK: u32 = PMBASE_BASE | PMBASE_ENABLE | PMBASE_EVENT;
/// The page map's offset from the start of RAM.
pub const PMBASE_BASE: u32 = 0x003f_f000;
pub const PMBASE_ENABLE: u32 = 1 << 0;
/// Stores in user mode reach [`crate::map::EVENT_PAGE`].
pub const PMBASE_EVENT: u32 = 1 << 1;
/// The bits of `mcause` that can be written.
pub const MCAUSE_MASK: u32 = 0x8000_000f;
pub const MCAUSE_INTERRUPT: u32 = 1 << 31;

/// Exception causes (`mcause` without the interrupt bit).
pub mod cause {
    pub const FETCH_MISALIGNED: u32 = 0;
    pub const FETCH_ACCESS: u32 = 1;
    pub const ILLEGAL: u32 = 2;
    pub const BREAKPOINT: u32 = 3;
    pub const LOAD_MISALIGNED: u32 = 4;
    pub const LOAD_ACCESS: u32 = 5;
    pub const STORE_MISALIGNED: u32 = 6;
    pub const STORE_ACCESS: u32 = 7;
    pub const ECALL_U: u32 = 8;
    pub const ECALL_M: u32 = 11;
    pub const FETCH_PAGE: u32 = 12;
    pub const LOAD_PAGE: u32 = 13;
    pub const STORE_PAGE: u32 = 15;
    /// Interrupts, with [`super::MCAUSE_INTERRUPT`]; in falling priority external, software, timer.
    pub const SOFTWARE: u32 = 3;
    pub const TIMER: u32 = 7;
    pub const EXTERNAL: u32 = 11;
}
