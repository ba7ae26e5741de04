//! Files on their way from one processor to another.

use testbed_definitions::ids::Processor;
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::filestore::Name;

/// A file on its way to this processor; one at a time.
#[derive(Clone, Copy)]
pub struct Mount {
    pub name: Name,
    pub source: Processor,
    /// It has been asked for.
    pub asked: bool,
    /// The nameless file that the pieces are put into, from the first on.
    pub file: Option<usize>,
}

/// What another processor waits for.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub file: Result<usize, Error>,
    pub offset: u32,
}

/// The file that is on its way to this processor, and what each of the others wants.
pub struct Mounts {
    pub coming: Option<Mount>,
    pub wanted: [Option<Wanted>; STATIONS_MAX],
}

impl Mounts {
    pub const NONE: Mounts = Mounts { coming: None, wanted: [None; STATIONS_MAX] };
}
