//! The places of processes that are invoked here, and who waits for them.

use core::mem::offset_of;
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_kernel_core::layout::Item;

use crate::state::extended::invoked::Invoked;
use crate::variant;

/// A thread that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Who {
    pub process: ProcessId,
    /// [`ThreadNumber::NOBODY`]: nobody waits.
    pub thread: ThreadNumber,
    pub processor: Processor,
}

impl Who {
    pub const NOBODY: Who =
        Who { process: ProcessId::NONE, thread: ThreadNumber::NOBODY, processor: Processor::new(0) };

    pub const fn word(self) -> u32 {
        self.thread.bits() as u32 | (self.processor.number() as u32) << 16
    }
    pub const fn unpack(word: u32, process: ProcessId) -> Who {
        Who { process, thread: ThreadNumber::from_bits(word as u16), processor: Processor::new((word >> 16) as u8) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
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
    id: ProcessId,
    life: Life,
    /// Who awaits its end, or while it is loading its start.
    waiter: Who,
    code: u32,
    /// Bytes of arguments.
    arguments: u32,
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

    pub const FREE: Place = Place {
        id: ProcessId::NONE,
        life: Life::Free,
        waiter: Who::NOBODY,
        code: 0,
        arguments: 0,
        invoked: Invoked::NONE,
    };

    /// The place of a process that waits for its file.
    pub fn loading(id: ProcessId) -> Place {
        Place { id, life: Life::Loading, ..Place::FREE }
    }

    pub fn id(&self) -> ProcessId {
        self.id
    }
    pub fn is_free(&self) -> bool {
        self.life == Life::Free
    }
    pub fn is_loading(&self) -> bool {
        self.life == Life::Loading
    }
    /// The code with which the process ends, or has ended.
    pub fn code(&self) -> u32 {
        self.code
    }

    /// The process has so many bytes of arguments.
    pub fn note_arguments(&mut self, bytes: u32) {
        self.arguments = bytes;
    }

    /// The process runs. Returns the bytes of its arguments.
    pub fn run(&mut self) -> u32 {
        self.life = Life::Running;
        self.arguments
    }

    /// The process ends, and so many other processors have not answered yet. Returns who has waited
    /// for its start.
    pub fn end(&mut self, code: u32, others: u8) -> Who {
        let invoker = if self.is_loading() { self.take_waiter() } else { Who::NOBODY };
        self.code = code;
        self.life = Life::Ending(others);
        invoker
    }

    /// Another processor has nothing of the process any more. `true`: it was the last one.
    pub fn one_has_ended(&mut self) -> bool {
        match &mut self.life {
            Life::Ending(1) => return true,
            Life::Ending(left) => *left -= 1,
            Life::Free | Life::Loading | Life::Running => {}
        }
        false
    }

    /// Nothing is left of the process. Returns its code and who has waited for its end.
    pub fn leave(&mut self) -> (u32, Who) {
        self.life = Life::Free;
        (self.code, self.take_waiter())
    }

    /// The process will never start. Returns who has waited for that.
    pub fn give_up(&mut self) -> Who {
        self.life = Life::Free;
        self.take_waiter()
    }

    /// Somebody waits for the process's start, or for its end.
    pub fn set_waiter(&mut self, who: Who) {
        self.waiter = who;
    }

    /// Whether somebody waits.
    pub fn is_awaited(&self) -> bool {
        self.waiter != Who::NOBODY
    }

    /// Who waits, and does so no more.
    pub fn take_waiter(&mut self) -> Who {
        core::mem::replace(&mut self.waiter, Who::NOBODY)
    }
}
