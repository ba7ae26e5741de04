//! Where the parts of a program lie, and how its episodes run.

use testbed_definitions::map;

use super::encode::*;

/// RAM that a program expects.
pub const RAM_BYTES: u32 = 64 * 1024;

pub(super) const PAGE_MAPS: [u32; 2] = [0x1000, 0x2000];
pub(super) const CODE: u32 = 0x3000;
pub(super) const CODE_BYTES: u32 = 0x2000;
pub(super) const DATA: u32 = 0x5000;

pub(super) const EPISODES: u32 = 16;

/// How an episode runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// M-mode, physical.
    Machine,
    /// M-mode with data accesses translated (MPRV).
    MachineTranslatedData,
    /// U-mode without a page map.
    User,
    /// U-mode with a page map.
    UserTranslated,
}

impl Mode {
    pub(super) fn data_translated(self) -> bool {
        matches!(self, Mode::MachineTranslatedData | Mode::UserTranslated)
    }
    pub(super) fn is_user(self) -> bool {
        matches!(self, Mode::User | Mode::UserTranslated)
    }
}

/// `mtimecmp = mtime + b`, low words only; uses `a` and `c`.
pub(super) fn set_timer(code: &mut Assembly, a: u8, b: u8, c: u8) {
    code.li(c, map::CLINT_BASE + map::clint::MTIME_LOW).push(lw(a, c, 0)).push(add(b, b, a));
    code.li(c, map::CLINT_BASE + map::clint::MTIMECMP_LOW).push(sw(b, c, 0)).push(sw(ZERO, c, 4));
}
