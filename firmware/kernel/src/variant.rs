//! What distinguishes this kernel from the small one in numbers: the small one's are in
//! `variant_small.rs`. What the small kernel lacks altogether are the modules in the folders
//! `extended`, each of which has an empty one with the same interface in the folder `absent` beside
//! it.

use testbed_definitions::limits;
use testbed_definitions::page::PAGE_BYTES;

/// Pages of a process may be on other processors: a page that was here when a call was accepted may
/// be elsewhere later, and a thread's stack is looked at because others' may be below it.
pub const PAGES_GO: bool = true;
/// Room for code that is there twice: in line, where it is quick, and as a call for other cases.
pub const IN_LINE: bool = true;
/// There is a choice of policy ([`crate::state::policy`]).
pub const HAS_POLICIES: bool = true;
/// Channels of a process.
pub const CHANNELS: usize = limits::CHANNELS;
/// Processes that a processor can have something of: homes times places.
pub const PROCESSES_KNOWN: usize = 256;
/// Processes that can be invoked on a processor.
pub const PLACES: usize = limits::PROCESSES;
/// Pages of the stack of a process's first thread.
pub const FIRST_STACK_PAGES: u32 = limits::FIRST_STACK_PAGES;
/// A program can ask for more.
pub const STACKS_DIFFER: bool = true;
/// Words that the longest row of loads and stores copies: a page's.
pub const ROW: u32 = PAGE_BYTES / 4;
/// Words that are put together between two branches.
pub const SHIFTED: u32 = 8;

/// A function that is in line wherever it is called.
macro_rules! hot {
    ($($item:tt)*) => {
        #[inline(always)]
        $($item)*
    };
}
pub(crate) use hot;

/// A function that is never in line: what is in line beside it is the quicker for that.
macro_rules! apart {
    ($($item:tt)*) => {
        #[inline(never)]
        $($item)*
    };
}
pub(crate) use apart;
