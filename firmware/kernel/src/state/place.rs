//! The places of processes that are invoked here, and who waits for them.

use core::mem::offset_of;
use testbed_kernel_core::layout::Item;
use testbed_protocol::{Processor, Thread};

use crate::state::extended::invoked::Invoked;
use crate::variant;

/// A thread that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Who {
    pub process: u16,
    /// 0: nobody.
    pub thread: Thread,
    pub processor: Processor,
}

impl Who {
    pub const NOBODY: Who = Who { process: 0, thread: 0, processor: 0 };

    pub const fn word(self) -> u32 {
        self.thread as u32 | (self.processor as u32) << 16
    }
    pub const fn unpack(word: u32, process: u16) -> Who {
        Who { process, thread: word as u16, processor: (word >> 16) as u8 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Free,
    /// Waits for its file.
    Loading,
    Running,
    /// The other processors have been told; so many have not answered.
    Ending(u8),
}

/// A place for processes that are invoked here.
#[derive(Clone, Copy)]
pub struct Place {
    /// The process, or the one that was here last.
    pub id: u16,
    pub life: Life,
    /// Who awaits its end, or while it is loading its start.
    pub waiter: Who,
    pub code: u32,
    /// Bytes of arguments.
    pub arguments: u32,
    pub invoked: Invoked,
}

/// Processes that can be invoked on a processor.
pub const PLACES: usize = variant::PLACES;

impl Place {
    /// What the host looks at, but where the places are.
    pub const LAYOUT: &'static [(Item, usize)] = &[
        (Item::PlaceCount, PLACES),
        (Item::PlaceBytes, size_of::<Place>()),
        (Item::PlaceId, offset_of!(Place, id)),
        (Item::PlaceWaiterProcess, offset_of!(Place, waiter) + offset_of!(Who, process)),
        (Item::PlaceWaiterThread, offset_of!(Place, waiter) + offset_of!(Who, thread)),
    ];
    /// Bytes from its start to what is known of it because it has been invoked.
    pub const INVOKED: usize = offset_of!(Place, invoked);

    pub const FREE: Place =
        Place { id: 0, life: Life::Free, waiter: Who::NOBODY, code: 0, arguments: 0, invoked: Invoked::NONE };
}
