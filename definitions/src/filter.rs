//! The filter in each SMI: its registers, and the commands by which the MMI programs them.
//!
//! `docs/monitor.md` says what the filter does and when a command takes effect.

use crate::monitor::GAP_MARKER;

/// Rules of a filter; the first one that fits decides.
pub const RULES: usize = 4;

/// Registers of a filter, 16 bits each, all 0 after reset. Those of a rule are at `4 * rule` plus
/// the offset given here.
pub mod register {
    /// Bits of the datum that the rule looks at.
    pub const MASK: u8 = 0;
    /// What these bits have to be; as no bit outside the mask can be 1, such a rule never fits.
    pub const MATCH: u8 = 1;
    /// One of [`super::action`]. A store also makes the rule's total due, if it is not 0.
    pub const ACTION: u8 = 2;
    /// 0: totals are never due; k from 1 to 16: whenever the low k bits of the global time become 0. More counts as 16.
    pub const INTERVAL: u8 = 3;
    /// Bit 0: a word behind one with bit 15 and without bit 14 shares its fate.
    pub const PAIRS: u8 = 7;
}

/// Registers have numbers below this.
pub const REGISTERS: usize = 16;

/// What a rule does with a datum that fits; bits 1:0 of ACTION.
pub mod action {
    /// The rule fits nothing.
    pub const OFF: u16 = 0;
    pub const PASS: u16 = 1;
    /// Taken out, and counted in FILTERED only.
    pub const DROP: u16 = 2;
    /// Taken out, and counted in FILTERED and in the rule's total.
    pub const COUNT: u16 = 3;
}

/// Largest number of low bits of the time that INTERVAL can name.
pub const INTERVAL_MAX: u16 = 16;
/// Largest total of a rule: the counter, of 20 bits, saturates there.
pub const TOTAL_MAX: u32 = 0x000f_ffff;

/// A store to the MMI's register COMMAND: value in bits 15:0, filter register in 19:16, SMI in 23:20 (0: all).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Command {
    pub smi: u8,
    pub register: u8,
    pub value: u16,
}

impl Command {
    pub const fn pack(self) -> u32 {
        self.value as u32 | ((self.register & 0xf) as u32) << 16 | ((self.smi & 0xf) as u32) << 20
    }
    pub const fn unpack(word: u32) -> Self {
        Command { smi: (word >> 20) as u8 & 0xf, register: (word >> 16) as u8 & 0xf, value: word as u16 }
    }
}

/// Low byte, and more, of the first word of a total: high byte [`GAP_MARKER`], bits 7:6 set (a gap
/// marker never has both), rule in 5:4, bits 19:16 of the total in 3:0. The next pair of that SMI
/// has the same time, and bits 15:0 as its datum.
pub const TOTAL_FLAG: u8 = 0xc0;

/// First word of the total of `rule`.
pub const fn total_marker(rule: u8, total: u32) -> u16 {
    (GAP_MARKER as u16) << 8 | (TOTAL_FLAG | (rule & 3) << 4) as u16 | (total >> 16) as u16 & 0xf
}

/// Rule and bits 19:16 of the total, from the low byte of a word with high byte [`GAP_MARKER`];
/// `None` if it is a gap marker's.
pub const fn total_fields(low: u8) -> Option<(u8, u32)> {
    if low & TOTAL_FLAG == TOTAL_FLAG {
        Some((low >> 4 & 3, (low as u32 & 0xf) << 16))
    } else {
        None
    }
}
