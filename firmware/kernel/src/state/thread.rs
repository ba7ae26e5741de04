//! Thread control blocks.

use core::cell::Cell;
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::layout::Item;
use testbed_kernel_core::queue::{Linked, Links};
use testbed_kernel_core::timers::{Alarm, Timed};

use crate::state::extended::keeping::{Keeping, Slice};
use crate::state::extended::list::List;
use crate::state::extended::paging::Resume;
use crate::state::process::Process;
use crate::variant;

/// Registers of a thread that is not running, as `trap.s` lays them out and moves them: in pairs.
#[repr(C, align(8))]
pub struct Context {
    /// With [`RESULT`] in bit 0.
    pub pc: Cell<u32>,
    /// `x1` to `x31`.
    registers: [Cell<u32>; 31],
}

/// Of a saved pc: the thread waits for a call's result, and the registers that a call does not keep
/// are not in its context.
pub const RESULT: u32 = 1;

/// Register numbers of arguments, stack pointer and call number.
pub const A0: usize = 10;
pub const A7: usize = 17;
pub const SP: usize = 2;

impl Context {
    /// Register `x1` to `x31`.
    #[inline(always)]
    pub fn get(&self, register: usize) -> u32 {
        self.registers[register - 1].get()
    }
    #[inline(always)]
    pub fn set(&self, register: usize, value: u32) {
        self.registers[register - 1].set(value);
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
    /// Whether a thread that has made a call and is in this state now waits without another event
    /// that says so.
    #[inline(always)]
    pub fn is_told_by_call(self) -> bool {
        matches!(self, State::Creating | State::Asking) || variant::PAGES_GO && self == State::Reading
    }
}

/// A thread. Whoever has a reference may change it: its fields are cells, so that blocks are shared
/// freely and no two references exclude each other. `trap.s` knows where the first fields,
/// `process` and `bottom` are. Aligned so that its size is a small multiple of a power of two: an
/// entry's address in the table is then a shift and an addition.
#[cfg_attr(not(feature = "small"), repr(align(32)))]
#[repr(C)]
pub struct Tcb {
    pub context: Context,
    /// The page map's CSR value, if the thread runs or has just yielded; else 0.
    pub yielded: Cell<u32>,
    /// Addresses of its neighbours in the ready ring ([`crate::state::ready`]). A thread that waits
    /// for a page: the next one of its process that does.
    pub next: Cell<u32>,
    pub previous: Cell<u32>,
    /// When its time-slice began: low word of `time`.
    pub start: Cell<u32>,
    /// Its own index in the table.
    pub index: u16,
    links: Links,
    pub state: Cell<State>,
    pub alarm: Alarm,
    /// [`Process::NONE`] if it is free.
    pub process: Cell<Process>,
    /// `event::thread_number`.
    pub number: Cell<u16>,
    /// Number and processor of the thread that created it; number 0 for a program's first thread.
    pub parent: Cell<u16>,
    pub parent_processor: Cell<u8>,
    /// Channel of the communication it is blocked in, and its buffer.
    pub channel: Cell<u8>,
    pub buffer: Cell<u32>,
    /// Children that have not ended, and those that have ended with a code other than 0 since the
    /// last wait.
    pub children: Cell<u16>,
    pub failed: Cell<u16>,
    pub exit_code: Cell<u32>,
    /// Address above its stack, and its pages.
    pub stack: Cell<u32>,
    pub stack_pages: Cell<u32>,
    /// The lowest address of its stack: `sp` is never below it.
    pub bottom: Cell<u32>,
    /// Waits for this page because of that address, and then goes on so.
    pub page: Cell<u16>,
    pub resume: Cell<Resume>,
    pub fault_address: Cell<u32>,
    /// Pages that have come for it.
    pub keeping: Keeping,
    pub slice: Cell<Slice>,
    /// Messages that wait for pages: address of the first, 0 if there is none.
    pub staged: Cell<u32>,
    ends: [Cell<u32>; CHANNELS / 32],
    /// Channels of its alternative.
    pub list: List,
}

impl Tcb {
    /// Gives it a stack of so many pages below `top`.
    pub fn set_stack(&self, top: u32, pages: u32) {
        self.stack.set(top);
        self.stack_pages.set(pages);
        self.bottom.set(top - pages * PAGE_BYTES);
    }

    /// Whether its stack pointer, as the context has it, is below its stack: a frame has skipped
    /// the page that is left free there, and another thread's stack may have been written to. The
    /// small kernel has no room to look.
    pub fn has_overflowed(&self) -> bool {
        variant::PAGES_GO && self.context.get(SP) < self.bottom.get()
    }

    /// Notes that it has an end of a channel.
    #[inline]
    pub fn own(&self, channel: u8) {
        let word = &self.ends[channel as usize / 32 % (CHANNELS / 32)];
        word.set(word.get() | 1 << (channel % 32));
    }

    /// Channels of which it has an end, as bits.
    #[inline(always)]
    pub fn ends(&self) -> [u32; CHANNELS / 32] {
        core::array::from_fn(|word| self.ends[word].get())
    }

    #[inline(always)]
    pub fn set_ends(&self, ends: [u32; CHANNELS / 32]) {
        self.ends.iter().zip(ends).for_each(|(word, bits)| word.set(bits));
    }

    /// One word of [`Self::ends`].
    #[inline(always)]
    pub fn ends_word(&self, word: usize) -> &Cell<u32> {
        &self.ends[word]
    }

    /// The context's pc moves by so many bytes, one instruction on or back.
    #[inline(always)]
    pub fn step(&self, bytes: i32) {
        self.context.pc.set(self.context.pc.get().wrapping_add_signed(bytes));
    }

    /// The address of the block, by which lists and the ready ring name it.
    #[inline(always)]
    pub fn address(&self) -> u32 {
        (&raw const *self).addr() as u32
    }

    /// Makes what memory holds a free control block, at the least cost: the other fields are plain
    /// words, which [`Tcb::reset`] sets.
    ///
    /// # Safety
    /// `place` points to room for a control block that nobody else uses.
    pub unsafe fn initialise(place: *mut Tcb, index: u16) {
        // SAFETY: inside the caller's room.
        unsafe {
            (&raw mut (*place).index).write(index);
            (&raw mut (*place).yielded).write(Cell::new(0));
            (&raw mut (*place).links).write(Links::new());
            (&raw mut (*place).state).write(Cell::new(State::Free));
            (&raw mut (*place).alarm).write(Alarm::new());
            (&raw mut (*place).process).write(Cell::new(Process::NONE));
        }
    }

    /// Makes it a thread that has done nothing yet; what its creator knows is still to be set. It
    /// is in no queue and has no deadline.
    pub fn reset(&self) {
        self.context.pc.set(0);
        self.context.registers.iter().for_each(|register| register.set(0));
        self.yielded.set(0);
        self.parent.set(0);
        self.parent_processor.set(0);
        self.channel.set(0);
        self.buffer.set(0);
        self.children.set(0);
        self.failed.set(0);
        self.exit_code.set(0);
        self.stack.set(0);
        self.stack_pages.set(0);
        self.bottom.set(0);
        self.page.set(0);
        self.resume.set(Resume::Call);
        self.fault_address.set(0);
        self.keeping.clear();
        self.slice.set(Slice::NONE);
        self.staged.set(0);
        self.ends.iter().for_each(|word| word.set(0));
        self.list.clear();
    }
}

impl Timed for Tcb {
    fn alarm(&self) -> &Alarm {
        &self.alarm
    }
}

impl Linked for Tcb {
    fn links(&self) -> &Links {
        &self.links
    }
}

/// The word that answers a call.
pub fn code(result: Result<u32, Error>) -> u32 {
    match result {
        Ok(value) => value,
        Err(error) => error.code() as u32,
    }
}
