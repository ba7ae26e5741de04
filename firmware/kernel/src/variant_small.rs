//! What distinguishes the small kernel in numbers ([`crate::variant`]).

use testbed_definitions::limits;

pub const PAGES_GO: bool = false;
pub const IN_LINE: bool = false;
pub const HAS_POLICIES: bool = false;
/// As many as there is room for.
pub const CHANNELS: usize = limits::CHANNELS / 2;
/// The host's program.
pub const PROCESSES_KNOWN: usize = 1;
pub const PLACES: usize = 1;
pub const FIRST_STACK_PAGES: u32 = limits::SMALL_FIRST_STACK_PAGES;
pub const STACKS_DIFFER: bool = false;
pub const ROW: u32 = 16;
pub const SHIFTED: u32 = 1;

/// A function that may be in line.
macro_rules! hot {
    ($($item:tt)*) => {
        #[inline]
        $($item)*
    };
}
pub(crate) use hot;

/// A function that is called once, and may be in line.
macro_rules! apart {
    ($($item:tt)*) => {
        $($item)*
    };
}
pub(crate) use apart;
