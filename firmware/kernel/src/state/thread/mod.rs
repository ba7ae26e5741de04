//! Thread control blocks. What is done to a thread is a method here, or in one of the files beside
//! this one; fields that go together change together.

use core::cell::Cell;
use core::mem::offset_of;
use testbed_definitions::ids::{Channel, Processor, ThreadNumber};
use testbed_definitions::limits::CHANNELS;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::layout::Item;
use testbed_kernel_core::queue::{Linked, Links};
use testbed_kernel_core::timers::{Alarm, Timed};

use crate::state::extended::keeping::{Keeping, Slice};
use crate::state::extended::list::List;
use crate::state::extended::measured::Measured;
use crate::state::extended::paging::Resume;
use crate::state::family::Birth;
use crate::state::place::Who;
use crate::state::process::Process;
use crate::state::thread::context::Context;
use crate::variant;

pub mod context;
mod life;
mod waits;

/// Index of a thread control block.
pub type Index = u16;

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
/// freely and no two references exclude each other. `trap.s` knows where the first fields and
/// `bottom` are; where the kernel itself traps there is room for a context and what is measured, and
/// nothing else. Aligned so that its size is a small multiple of a power of two: an entry's address
/// in the table is then a shift and an addition.
#[cfg_attr(not(feature = "small"), repr(align(32)))]
#[repr(C)]
pub struct Tcb {
    context: Context,
    measured: Measured,
    /// The page map's CSR value, if the thread runs or has just yielded; else 0.
    pub(in crate::state) yielded: Cell<u32>,
    /// Addresses of its neighbours in the ready ring ([`crate::state::ready`]). A thread that waits
    /// for a page: the next one of its process that does.
    pub(in crate::state) next: Cell<u32>,
    pub(in crate::state) previous: Cell<u32>,
    /// When its time-slice began: low word of `time`.
    pub(in crate::state) start: Cell<u32>,
    /// Its process's page map, as the CSR has it while it runs.
    space: Cell<u32>,
    /// Its own index in the table.
    index: u16,
    links: Links,
    state: Cell<State>,
    alarm: Alarm,
    /// [`Process::NONE`] if it is free.
    process: Cell<Process>,
    number: Cell<ThreadNumber>,
    /// Number and processor of the thread that created it; [`ThreadNumber::NOBODY`] for a program's
    /// first thread.
    parent: Cell<ThreadNumber>,
    parent_processor: Cell<Processor>,
    /// Channel of the communication it is blocked in, and its buffer. The buffer of one that leaves
    /// is the processor where it goes.
    channel: Cell<Channel>,
    buffer: Cell<u32>,
    /// Children that have not ended, and those that have ended with a code other than 0 since the
    /// last wait.
    children: Cell<u16>,
    failed: Cell<u16>,
    exit_code: Cell<u32>,
    /// Address above its stack, and its pages.
    stack: Cell<u32>,
    stack_pages: Cell<u32>,
    /// The lowest address of its stack: `sp` is never below it.
    bottom: Cell<u32>,
    /// Waits for this page because of that address, and then goes on so.
    pub(in crate::state) page: Cell<u16>,
    pub(in crate::state) resume: Cell<Resume>,
    pub(in crate::state) fault_address: Cell<u32>,
    /// Pages that have come for it.
    keeping: Keeping,
    pub(in crate::state) slice: Cell<Slice>,
    /// Messages that wait for pages: address of the first, 0 if there is none.
    staged: Cell<u32>,
    ends: [Cell<u32>; CHANNELS / 32],
    /// Channels of its alternative.
    list: List,
}

/// What `trap.s` reaches of a control block: bytes from its start. The context is first.
impl Tcb {
    pub const NEXT: usize = offset_of!(Tcb, next);
    pub const YIELDED: usize = offset_of!(Tcb, yielded);
    pub const START: usize = offset_of!(Tcb, start);
    pub const SPACE: usize = offset_of!(Tcb, space);
    pub const BOTTOM: usize = offset_of!(Tcb, bottom);
    pub const USED: usize = offset_of!(Tcb, measured) + Measured::USED;
    pub const STARTED: usize = offset_of!(Tcb, measured) + Measured::STARTED;
    pub const PASSAGE: u32 = Measured::PASSAGE;
    pub const SWITCH: u32 = Measured::SWITCH;
}

const _: () = assert!(align_of::<Tcb>() % 8 == 0 && offset_of!(Tcb, context) == 0, "`trap.s` moves registers in pairs");

/// What the host looks at.
impl Tcb {
    pub const LAYOUT: &'static [(Item, usize)] = &[
        (Item::TcbBytes, size_of::<Tcb>()),
        (Item::TcbContext, offset_of!(Tcb, context)),
        (Item::TcbState, offset_of!(Tcb, state)),
        (Item::TcbDeadline, offset_of!(Tcb, alarm) + Alarm::DEADLINE),
        (Item::TcbProcess, offset_of!(Tcb, process)),
        (Item::TcbNumber, offset_of!(Tcb, number)),
        (Item::TcbParent, offset_of!(Tcb, parent)),
        (Item::TcbChannel, offset_of!(Tcb, channel)),
        (Item::TcbChildren, offset_of!(Tcb, children)),
        (Item::TcbPage, offset_of!(Tcb, page)),
    ];
    /// Where the list of its alternative is.
    pub const LIST: usize = offset_of!(Tcb, list);
}

/// What it is.
impl Tcb {
    #[inline(always)]
    pub fn index(&self) -> u16 {
        self.index
    }
    #[inline(always)]
    pub fn state(&self) -> State {
        self.state.get()
    }
    /// Its process; [`Process::NONE`] if the block is free.
    #[inline(always)]
    pub fn process(&self) -> Process {
        self.process.get()
    }
    #[inline(always)]
    pub fn number(&self) -> ThreadNumber {
        self.number.get()
    }
    /// Whether it is a program's first thread, without which the program would never end.
    pub fn is_first(&self) -> bool {
        self.parent.get() == ThreadNumber::NOBODY
    }
    /// The number of its parent, [`ThreadNumber::NOBODY`] for a program's first thread.
    #[inline(always)]
    pub fn parent(&self) -> ThreadNumber {
        self.parent.get()
    }
    /// What pages have come for it.
    #[inline(always)]
    pub fn keeping(&self) -> &Keeping {
        &self.keeping
    }
    /// What its processor's agent has measured.
    #[inline(always)]
    pub fn measured(&self) -> &Measured {
        &self.measured
    }
    #[inline(always)]
    pub fn context(&self) -> &Context {
        &self.context
    }
    /// The channel and the buffer of the communication that it is blocked in.
    #[inline(always)]
    pub fn channel(&self) -> Channel {
        self.channel.get()
    }
    #[inline(always)]
    pub fn buffer(&self) -> u32 {
        self.buffer.get()
    }
    /// Where it goes that leaves.
    #[inline(always)]
    pub fn destination(&self) -> Processor {
        Processor::new(self.buffer.get() as u8)
    }
    /// The control block at an address that a list or the ready ring has.
    #[inline(always)]
    pub fn at(tcbs: &[Tcb], address: u32) -> &Tcb {
        // SAFETY: lists and the ready ring have addresses of the table's entries, and the result
        // lives as long as the table is lent.
        unsafe { &*tcbs.as_ptr().with_addr(address as usize) }
    }
    /// The thread, as somebody who waits for an answer.
    pub fn who(&self, me: Processor) -> Who {
        Who { process: self.process().id(), thread: self.number(), processor: me }
    }
    /// The address of the block, by which lists and the ready ring name it.
    #[inline(always)]
    pub fn address(&self) -> u32 {
        (&raw const *self).addr() as u32
    }
}

/// Its birth and its end.
impl Tcb {
    /// Makes what memory holds a free control block, at the least cost: the other fields are plain
    /// words, which [`Tcb::be_born`] sets.
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

    /// A free block is a thread's that has done nothing yet. It is in no queue and has no deadline.
    pub fn be_born(&self, process: Process, birth: &Birth) {
        self.context.begin(birth.entry, birth.stack);
        self.yielded.set(0);
        self.channel.set(Channel::new(0));
        self.buffer.set(0);
        self.page.set(0);
        self.resume.set(Resume::Call);
        self.fault_address.set(0);
        self.slice.set(Slice::NONE);
        self.settle(process, birth.number, birth.parent);
        self.failed.set(0);
        self.set_ends([0; CHANNELS / 32]);
        self.set_stack(birth.stack, birth.pages);
    }

    /// A free block is that of a thread which comes from another processor, with these ends of
    /// channels. Its stack is still to be set, and its context to be copied.
    #[inline(always)]
    pub fn arrive(
        &self,
        process: Process,
        number: ThreadNumber,
        parent: (ThreadNumber, Processor),
        failed: u16,
        ends: [u32; CHANNELS / 32],
    ) {
        self.settle(process, number, parent);
        self.measured.come();
        self.failed.set(failed);
        self.set_ends(ends);
    }

    /// What a thread has on a processor that is new to it.
    #[inline(always)]
    fn settle(&self, process: Process, number: ThreadNumber, parent: (ThreadNumber, Processor)) {
        self.process.set(process);
        self.space.set(process.space());
        self.number.set(number);
        self.parent.set(parent.0);
        self.parent_processor.set(parent.1);
        self.children.set(0);
        self.exit_code.set(0);
        self.staged.set(0);
        self.list.clear();
        self.keeping.clear();
        self.measured.clear();
    }

    /// Gives it a stack of so many pages below `top`.
    pub fn set_stack(&self, top: u32, pages: u32) {
        self.stack.set(top);
        self.stack_pages.set(pages);
        self.bottom.set(top - pages * PAGE_BYTES);
    }

    /// The thread has gone: the block may be another one's.
    pub fn be_free(&self) {
        self.state.set(State::Free);
        self.yielded.set(0);
    }
}

/// Its time, and the page that it waits for.
impl Tcb {
    /// It waits for a page because of that address, and then goes on so.
    #[inline(always)]
    pub(in crate::state) fn block_on_page(&self, page: u16, resume: Resume, address: u32) {
        self.state.set(State::Paging);
        self.page.set(page);
        self.resume.set(resume);
        self.fault_address.set(address);
    }

    /// How much of its time-slice is over.
    #[inline(always)]
    pub fn time_used(&self, now: u32) -> u32 {
        now.wrapping_sub(self.start.get())
    }

    /// A new time-slice begins. `resuming`: if it stopped within one, it has what is left of that.
    #[inline(always)]
    pub fn begin_slice(&self, now: u32, resuming: bool) {
        self.start.set(if resuming { self.slice.get().start_of_next(self.start.get(), now) } else { now });
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
