//! Thread control blocks.

use crate::paging::Resume;
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::layout::Item;
use testbed_kernel_core::queue::{Linked, Links};
use testbed_kernel_core::timers::{Alarm, Timed};

use crate::alternatives::List;
use crate::keeping::{Keeping, Slice};
use crate::process::Process;

/// Registers of a thread that is not running, as `trap.s` lays them out and moves them: in pairs.
#[repr(C, align(8))]
pub struct Context {
    /// With [`RESULT`] in bit 0.
    pub pc: u32,
    /// `x1` to `x31`.
    registers: [u32; 31],
}

/// Of a saved pc: the thread waits for a call's result, and the registers that a call does not keep are not in its context.
pub const RESULT: u32 = 1;

/// Register numbers of arguments, stack pointer and call number.
pub const A0: usize = 10;
pub const A7: usize = 17;
pub const SP: usize = 2;

impl Context {
    /// Register `x1` to `x31`.
    #[inline(always)]
    pub fn get(&self, register: usize) -> u32 {
        self.registers[register - 1]
    }
    #[inline(always)]
    pub fn set(&mut self, register: usize, value: u32) {
        self.registers[register - 1] = value;
    }
    /// System-call argument `a0`..
    #[inline(always)]
    pub fn argument(&self, index: usize) -> u32 {
        self.get(A0 + index)
    }
}

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a thread does, or that its control block is free.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[cfg_attr(feature = "small", allow(dead_code))]
        pub enum State {
            Free,
            $($(#[$doc])* $name,)*
        }

        impl State {
            /// The code of each state, for the kernel's layout.
            pub const CODES: &'static [(Item, usize)] =
                &[(Item::Free, State::Free as usize), $((Item::$name, State::$name as usize),)*];
        }
    };
}

testbed_kernel_core::thread_states!(states);

impl State {
    /// Whether a thread that has made a call and is in this state now waits without another event that says so.
    #[inline(always)]
    pub fn is_told_by_call(self) -> bool {
        #[cfg(not(feature = "small"))]
        if self == State::Reading {
            return true;
        }
        matches!(self, State::Creating | State::Asking)
    }
}

/// A thread. `trap.s` knows where the first fields, `process` and `bottom` are. Aligned so that its
/// size is a small multiple of a power of two: an entry's address in the table is then a shift and
/// an addition.
#[cfg_attr(feature = "small", repr(C))]
#[cfg_attr(not(feature = "small"), repr(C, align(32)))]
pub struct Tcb {
    pub context: Context,
    /// The page map's CSR value, if the thread runs or has just yielded; else 0.
    pub yielded: u32,
    /// Addresses of its neighbours in the ready ring ([`crate::ready`]). A thread that waits for a page: the next one of its process that does.
    pub next: u32,
    pub previous: u32,
    /// When its time-slice began: low word of `time`.
    pub start: u32,
    /// Its own index in the table.
    pub index: u16,
    links: Links,
    pub state: State,
    pub alarm: Alarm,
    /// [`Process::NONE`] if it is free.
    pub process: Process,
    /// `event::thread_number`.
    pub number: u16,
    /// Number and processor of the thread that created it; number 0 for a program's first thread.
    pub parent: u16,
    pub parent_processor: u8,
    /// Channel of the communication it is blocked in, and its buffer.
    pub channel: u8,
    pub buffer: u32,
    /// Children that have not ended, and those that have ended with a code other than 0 since the last wait.
    pub children: u16,
    pub failed: u16,
    pub exit_code: u32,
    /// Address above its stack, and its pages.
    pub stack: u32,
    pub stack_pages: u32,
    /// The lowest address of its stack: `sp` is never below it.
    pub bottom: u32,
    /// Waits for this page because of that address, and then goes on so.
    pub page: u16,
    pub resume: Resume,
    pub fault_address: u32,
    /// Pages that have come for it.
    pub keeping: Keeping,
    pub slice: Slice,
    /// Messages that wait for pages: address of the first, 0 if there is none.
    pub staged: u32,
    /// Channels of which it has an end, as bits.
    pub ends: [u32; CHANNELS / 32],
    /// Channels of its alternative.
    pub list: List,
}

impl Tcb {
    /// Gives it a stack of so many pages below `top`.
    pub fn set_stack(&mut self, top: u32, pages: u32) {
        (self.stack, self.stack_pages) = (top, pages);
        self.bottom = top - pages * PAGE_BYTES;
    }

    /// Whether its stack pointer, as the context has it, is below its stack: a frame has skipped the page
    /// that is left free there, and another thread's stack may have been written to. The small kernel has
    /// no room to look.
    pub fn has_overflowed(&self) -> bool {
        !cfg!(feature = "small") && self.context.get(SP) < self.bottom
    }

    /// Notes that it has an end of a channel.
    #[inline]
    pub fn own(&mut self, channel: u8) {
        self.ends[channel as usize / 32 % (CHANNELS / 32)] |= 1 << (channel % 32);
    }

    /// Makes what memory holds a free control block, at the least cost: the other fields are plain words, which [`Tcb::reset`] sets.
    ///
    /// # Safety
    /// `place` points to room for a control block that nobody else uses.
    pub unsafe fn initialise(place: *mut Tcb, index: u16) {
        // SAFETY: inside the caller's room.
        unsafe {
            (&raw mut (*place).index).write(index);
            (&raw mut (*place).yielded).write(0);
            (&raw mut (*place).links).write(Links::NONE);
            (&raw mut (*place).state).write(State::Free);
            (&raw mut (*place).alarm).write(Alarm::NONE);
            (&raw mut (*place).process).write(Process::NONE);
        }
    }

    /// Makes it a thread that has done nothing yet; what its creator knows is still to be set. It is in no queue and has no deadline.
    pub fn reset(&mut self) {
        self.context = Context { pc: 0, registers: [0; 31] };
        self.yielded = 0;
        self.parent = 0;
        self.parent_processor = 0;
        self.channel = 0;
        self.buffer = 0;
        self.children = 0;
        self.failed = 0;
        self.exit_code = 0;
        self.stack = 0;
        self.stack_pages = 0;
        self.bottom = 0;
        self.page = 0;
        self.resume = Resume::Call;
        self.fault_address = 0;
        self.keeping = Keeping::NONE;
        self.slice = Slice::NONE;
        self.staged = 0;
        self.ends = [0; CHANNELS / 32];
        self.list = List::NONE;
    }
}

impl Timed for Tcb {
    fn alarm(&mut self) -> &mut Alarm {
        &mut self.alarm
    }
}

impl Linked for Tcb {
    fn links(&mut self) -> &mut Links {
        &mut self.links
    }
}
