//! The kernel's state, and what is asked of it everywhere.

use core::mem::offset_of;
use testbed_definitions::boot::{option, word};
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::syscall::status::COUNTER_WORDS;
use testbed_definitions::syscall::Error;
use testbed_definitions::{csr, event};
use testbed_kernel_core::clock::{Clock, Cycles};
use testbed_kernel_core::layout::Item;
use testbed_kernel_core::pages::Pages;
use testbed_kernel_core::queue::{Queue, NONE};
use testbed_kernel_core::timers::Timers;

use crate::arch::hw;
use crate::drivers::centrenet::Centrenet;
use crate::drivers::console::Console;
use crate::drivers::events::{self, AWAITING};
use crate::state::effects::{Effects, FOR_STATION, KEEPING, STUCK};
use crate::state::extended::agent::Agent;
use crate::state::extended::ends::Ends;
use crate::state::extended::groups::Groups;
use crate::state::extended::input::Input;
use crate::state::extended::keepers::Keepers;
use crate::state::extended::mount::Mounts;
use crate::state::extended::moves::Moves;
use crate::state::extended::paging::Announcements;
use crate::state::extended::parked::Parked;
use crate::state::extended::streams::Streams;
use crate::state::extended::Files;
use crate::state::place::{Place, PLACES};
use crate::state::process::Process;
use crate::state::ready::Ready;
use crate::state::registry::{Processes, PROCESSES_KNOWN};
pub use crate::state::thread::Index;
use crate::state::thread::Tcb;
use crate::state::{boot, policy};
use crate::variant::{self, hot};

/// What every call and packet needs comes first, where one instruction reaches it.
#[repr(C)]
pub struct Kernel {
    pub tcbs: &'static [Tcb],
    pub ready: Ready,
    /// What services leave to be done.
    pub effects: Effects,
    /// Threads whose messages leave in fragments, in turn.
    pub transmitting: Queue,
    pub me: Processor,
    pub processors: u8,
    pub free: Queue,
    pub net: Centrenet,
    /// When the timer is set to interrupt.
    pub alarm: u64,
    pub timers: Timers<'static>,
    pub clock_hz: u32,
    pub clock: Clock,
    pub cycles: Cycles,
    pub slice_cycles: u32,
    pub random: u32,
    /// The program has ended with this code, and nobody has been told yet.
    pub exit_code: Option<u32>,
    /// What `status::COUNTERS` tells, as far as it is counted.
    pub counters: [u32; COUNTER_WORDS],
    pub processes: Processes,
    pub pages: Pages,
    pub announced: Announcements,
    pub keepers: Keepers,
    /// Threads that have come while no control block was free.
    pub parked: Parked,
    /// Threads that are to end.
    pub ends: Ends,
    /// Places of processes that are invoked here.
    pub places: [Place; PLACES],
    pub files: Files,
    pub mounts: Mounts,
    pub console: Console,
    pub input: Input,
    /// Requests to move threads.
    pub moves: Moves,
    /// Groups of processes that exchange at the ends of supersteps.
    pub groups: Groups,
    pub agent: Agent,
    /// Where processes read and write, if not at the console.
    pub streams: Streams,
}

/// Makes a value where it is to be; what that takes of the stack is given back at once, where values
/// are so large that it matters.
///
/// # Safety
/// `place` has room for it, and nobody uses it.
#[inline(always)]
unsafe fn put<T>(place: *mut T, make: fn() -> T) {
    // SAFETY: by the contract.
    unsafe {
        if variant::IN_LINE {
            put_apart(place, make);
        } else {
            place.write(make());
        }
    }
}

/// [`put`] in a frame of its own.
///
/// # Safety
/// As for [`put`].
#[inline(never)]
unsafe fn put_apart<T>(place: *mut T, make: fn() -> T) {
    // SAFETY: by the contract.
    unsafe { place.write(make()) };
}

impl Kernel {
    /// What the host looks at: a slice is an address and a number of entries, in this order.
    pub const LAYOUT: &'static [(Item, usize)] = &[
        (Item::Tcbs, offset_of!(Kernel, tcbs)),
        (Item::TcbCount, offset_of!(Kernel, tcbs) + size_of::<usize>()),
        (Item::Records, offset_of!(Kernel, processes) + Processes::RECORDS),
        (Item::RecordCount, PROCESSES_KNOWN),
        (Item::Places, offset_of!(Kernel, places)),
    ];

    /// Makes a kernel that has not started. Field by field, and large ones in frames of their
    /// own: a whole one would not fit on the stack, and the image needn't hold it.
    ///
    /// # Safety
    /// `place` has room for a kernel, and nobody uses it.
    pub unsafe fn make(place: *mut Kernel) -> &'static mut Kernel {
        // SAFETY: by the contract; every field is written.
        unsafe {
            (&raw mut (*place).me).write(Processor::MASTER);
            (&raw mut (*place).processors).write(0);
            (&raw mut (*place).clock_hz).write(0);
            (&raw mut (*place).clock).write(Clock::new(0));
            (&raw mut (*place).cycles).write(Cycles::new(0));
            (&raw mut (*place).slice_cycles).write(0);
            (&raw mut (*place).tcbs).write(&[]);
            (&raw mut (*place).free).write(Queue::new());
            (&raw mut (*place).ready).write(Ready::new());
            (&raw mut (*place).timers).write(Timers::new(&mut []));
            (&raw mut (*place).alarm).write(u64::MAX);
            (&raw mut (*place).transmitting).write(Queue::new());
            put(&raw mut (*place).processes, Processes::new);
            put(&raw mut (*place).places, || [Place::FREE; PLACES]);
            put(&raw mut (*place).files, Files::new);
            (&raw mut (*place).mounts).write(Mounts::NONE);
            (&raw mut (*place).counters).write([0; COUNTER_WORDS]);
            (&raw mut (*place).pages).write(Pages::new());
            (&raw mut (*place).parked).write(Parked::NONE);
            (&raw mut (*place).ends).write(Ends::NONE);
            (&raw mut (*place).moves).write(Moves::NONE);
            put(&raw mut (*place).groups, || Groups::NONE);
            (&raw mut (*place).agent).write(Agent::NEW);
            put(&raw mut (*place).streams, || Streams::NONE);
            (&raw mut (*place).announced).write(Announcements::NONE);
            (&raw mut (*place).net).write(Centrenet::new());
            (&raw mut (*place).console).write(Console::new());
            (&raw mut (*place).input).write(Input::new());
            (&raw mut (*place).effects).write(Effects::NOTHING);
            put(&raw mut (*place).keepers, || Keepers::NONE);
            (&raw mut (*place).random).write(0);
            (&raw mut (*place).exit_code).write(None);
            &mut *place
        }
    }

    /// Whether the host's program starts here.
    pub fn is_start(&self) -> bool {
        boot::get(word::START_PROCESSOR) == self.me.number() as u32
    }

    /// Whether the balancer starts here: the host wants one, and this is the master.
    pub fn is_balancing(&self) -> bool {
        self.me == Processor::MASTER && self.is_balanced()
    }

    /// Whether the host wants a balancer, on the master.
    pub fn is_balanced(&self) -> bool {
        variant::PAGES_GO && boot::get(word::OPTIONS) & option::BALANCER != 0
    }

    /// The interrupts that end a thread's run.
    pub fn enable_user_interrupts(&self) {
        let external = if policy::tos94() || self.is_stuck() { 0 } else { csr::INTERRUPT_EXTERNAL };
        hw::enable_interrupts(csr::INTERRUPT_TIMER | external);
    }

    /// Puts a thread into the ready queue.
    pub fn make_ready(&mut self, index: u16) {
        let tcb = self.tcb_of(index);
        self.make_tcb_ready(tcb);
    }

    hot! {
        /// Puts a thread into the ready queue, unless its process is suspended.
        pub fn make_tcb_ready(&mut self, tcb: &Tcb) {
            if tcb.process().is_suspended() {
                return tcb.hold();
            }
            tcb.be_ready();
            if events::enabled(event::DIAG_READY | AWAITING) {
                self.joins_ready(tcb);
            }
            self.ready.push_address(self.tcbs, tcb.address());
        }
    }

    /// The control block of a thread.
    #[inline(always)]
    pub fn tcb_of(&self, index: Index) -> &'static Tcb {
        &self.tcbs[index as usize]
    }

    /// The same by the block's address.
    #[inline(always)]
    pub fn tcb_at(&self, address: u32) -> &'static Tcb {
        Tcb::at(self.tcbs, address)
    }

    /// A number below `bound`, from the seed of the boot block (xorshift).
    pub fn random_below(&mut self, bound: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random % bound
    }

    /// Ends a call with its result: the thread is ready.
    pub fn finish(&mut self, index: u16, result: Result<u32, Error>) {
        self.tcb_of(index).context().answer(result);
        self.make_ready(index);
    }

    /// There is no room for what the call may have to say: it is made again when the thread is next
    /// scheduled.
    #[cold]
    #[inline(never)]
    pub fn put_off(&mut self, index: u16) {
        self.net.retire(&mut self.pages);
        self.make_ready(index);
    }

    /// The control block of a thread, if it is here.
    pub fn find(&self, id: ProcessId, number: ThreadNumber) -> Option<u16> {
        let index = self.process(id)?.thread(number);
        (index != NONE).then_some(index)
    }

    /// Control block of a thread of this processor that the protocol names.
    #[inline]
    pub fn thread_index(&self, process: Process, thread: ThreadNumber) -> u16 {
        let index = process.thread(thread);
        assert!((index as usize) < self.tcbs.len(), "a blocked thread has gone");
        index
    }

    /// Whether the station has more to do than it has taken, or services have left something.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.net.is_waiting() || !self.transmitting.is_empty() || !self.effects.is_nothing()
    }

    /// Whether the first of the ready threads can't just go on: [`Self::is_busy`], or the main loop
    /// comes first. Notes and the length of the queue behind them are one word.
    #[inline(always)]
    pub fn is_held_up(&self) -> bool {
        const { assert!(offset_of!(Kernel, effects) % 4 == 0) };
        const { assert!(offset_of!(Kernel, transmitting) + Queue::LENGTH == offset_of!(Kernel, effects) + 2) };
        // SAFETY: the word is these two fields, of 16 bits each.
        let left = unsafe { (&raw const *self).byte_add(offset_of!(Kernel, effects)).cast::<u32>().read() };
        self.net.is_waiting() || left != 0
    }

    /// Whether more than issuing what waits is to be done for the station.
    #[inline]
    pub fn has_work(&self) -> bool {
        self.effects.has(FOR_STATION) || !self.transmitting.is_empty()
    }

    pub fn is_stuck(&self) -> bool {
        self.effects.has(STUCK)
    }

    /// Whether pages are kept whose threads have to be watched. The report's main loop looks at
    /// them in its own time.
    #[inline]
    pub fn is_keeping(&self) -> bool {
        self.effects.has(KEEPING) && !policy::tos94()
    }

    /// Whether packets have to wait until there is room; meanwhile they don't interrupt.
    #[inline]
    pub fn set_stuck(&mut self, stuck: bool) {
        if self.is_stuck() != stuck {
            if stuck {
                self.effects.note(STUCK);
            } else {
                self.effects.done(STUCK);
            }
            self.enable_user_interrupts();
        }
    }

    /// The timer is to interrupt at cycle `when` at the latest.
    pub fn want_timer(&mut self, when: u64) {
        if when < self.alarm {
            self.alarm = when;
            hw::set_timer(when);
        }
    }

    /// The thread's time is up after so many microseconds ([`Kernel::stop_timer`] before): a delay
    /// ends, an alternative fails.
    pub fn start_timer(&mut self, index: u16, microseconds: u32) {
        let deadline = hw::now() + self.cycles.of(microseconds);
        self.timers.arm(self.tcbs, index, deadline);
        self.want_timer(deadline);
    }

    /// The thread waits for no time any more. One that did not may be named.
    pub fn stop_timer(&mut self, index: u16) {
        if variant::PAGES_GO {
            self.timers.disarm(self.tcbs, index);
        }
    }
}
