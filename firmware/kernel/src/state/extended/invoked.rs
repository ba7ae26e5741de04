//! What is known of a process because it has been invoked.

use core::mem::offset_of;
use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_kernel_core::filestore::Name;
use testbed_kernel_core::input::{Seats, ALL_SEATS};
use testbed_kernel_core::layout::Item;

/// No file's index.
pub const NO_FILE: u8 = 0xff;

/// How a process was invoked, and what it runs.
#[derive(Clone, Copy)]
pub struct Invoked {
    pub background: bool,
    /// The process that invoked it, 0 if it was the host.
    pub invoker: ProcessId,
    /// The seats of the console whose input it gets, and whether it sits there itself.
    pub seats: Seats,
    pub sits: bool,
    /// Who awaits its end wants keys meanwhile, at these seats.
    pub keys: Seats,
    /// It was invoked suspended, and nobody has let it run yet.
    pub held: bool,
    /// The file that it runs, [`NO_FILE`] before it does.
    pub file: u8,
    /// It may read other processes' memory.
    pub trusted: bool,
    /// The file's name when it was invoked, and who had the file.
    pub name: Name,
    pub source: Processor,
}

impl Invoked {
    /// What the host looks at, in a place that has this so many bytes from its start.
    pub const fn layout(at: usize) -> (Item, usize) {
        (Item::PlaceName, at + offset_of!(Invoked, name))
    }

    pub const NONE: Invoked = Invoked {
        background: false,
        invoker: ProcessId::NONE,
        seats: ALL_SEATS,
        sits: false,
        keys: 0,
        held: false,
        file: NO_FILE,
        trusted: false,
        name: [0; NAME_BYTES],
        source: Processor::new(0),
    };
}
