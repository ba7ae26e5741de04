//! All for whom pages are kept.

use testbed_kernel_core::queue::NONE;

use crate::state::process::Process;

/// The threads for which pages have come, and the processes whose homes have not been told of all
/// that have.
pub struct Keepers {
    /// The first of the threads.
    pub first: u16,
    /// The first of the processes.
    pub owing: Process,
    /// A thread for which pages have come has gone: some may be kept for nobody.
    pub gone: bool,
}

impl Keepers {
    pub const NONE: Keepers = Keepers { first: NONE, owing: Process::NONE, gone: false };
}
