//! The kernel's state, its start, and what goes on between threads.
//!
//! A thread runs until it calls, faults or is interrupted; the service of that ends in [`Kernel::go_on`] with who runs next. With no
//! thread ready the processor sleeps. Inside the kernel interrupts are never taken, so nothing in it runs twice at a time.
//!
//! Packets interrupt the running thread; they are served, what they queue is handed to Centrenet at once, and the thread goes on within its
//! time-slice. With the option `tos94` all happens as in the report (section 3.2.1), in a main loop:
//!
//! 1. *send*: packets that are queued are passed to Centrenet;
//! 2. *receive*: packets that have arrived are served;
//! 3. *schedule*: the thread at the front of the ready queue runs until it calls or its time-slice ends;
//! 4. *service*: what it asked for is done.

use testbed_definitions::boot::word;
use testbed_definitions::limits::TIME_SLICE_US;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall::status::COUNTER_WORDS;
use testbed_definitions::syscall::Error;
use testbed_definitions::{csr, event, map};
use testbed_kernel_core::clock::{Clock, Cycles};
#[cfg(not(feature = "small"))]
use testbed_kernel_core::filestore::Filestore;
use testbed_kernel_core::pages::Pages;
use testbed_kernel_core::queue::Queue;
use testbed_kernel_core::timers::Timers;

use crate::centrenet::Centrenet;
use crate::console::Console;
use crate::home::{Place, PLACES};
#[cfg(not(feature = "small"))]
use crate::input::Input;
#[cfg(not(feature = "small"))]
use crate::mount::{Mount, Wanted};
use crate::paging::Announced;
#[cfg(not(feature = "small"))]
use crate::process::Process;
use crate::process::Processes;
use crate::ready::Ready;
use crate::tables::Tables;
use crate::thread::{State, Tcb};
use crate::{boot, entry, events, hw, memory, options};

/// Of a thread control block.
pub type Index = u16;

/// Packets have arrived that there is no room to answer: they wait, and don't interrupt.
pub const STUCK: u8 = 1 << 0;
/// Some page has come for a thread that may not have used it yet.
pub const KEEPING: u8 = 1 << 1;
/// A thread has stopped to wait for a page: the next one may have stopped within its time-slice
/// too. In the small kernel none ever does.
pub const STOPPED: u8 = if cfg!(feature = "small") { 0 } else { 1 << 2 };

/// What every call and packet needs comes first, where one instruction reaches it.
#[repr(C)]
pub struct Kernel {
    pub tcbs: &'static mut [Tcb],
    pub ready: Ready,
    pub me: u8,
    pub processors: u8,
    /// [`STUCK`], [`KEEPING`] and [`STOPPED`].
    pub unfinished: u8,
    /// Packets with parts of files wait for a data buffer.
    #[cfg(not(feature = "small"))]
    pub files_wait: bool,
    /// First of the pages with threads that have come while no control block was free, 0: none.
    pub parked: u32,
    /// There was no memory for messages of a process, or of several
    /// ([`crate::process::Record::doomed`]).
    pub doomed: bool,
    /// Threads whose messages leave in fragments, in turn.
    pub transmitting: Queue,
    pub free: Queue,
    pub net: Centrenet,
    /// When the timer is set to interrupt.
    pub alarm: u64,
    pub timers: Timers<'static>,
    pub clock_hz: u32,
    pub clock: Clock,
    pub cycles: Cycles,
    pub slice_cycles: u32,
    random: u32,
    /// The program has ended with this code, and nobody has been told yet.
    pub exit_code: Option<u32>,
    /// What `status::COUNTERS` tells, as far as it is counted.
    pub counters: [u32; COUNTER_WORDS],
    pub processes: Processes,
    pub pages: Pages,
    /// The page that comes next from each processor.
    pub announced: [Option<Announced>; STATIONS_MAX],
    /// The first thread for which pages have come ([`Kernel::keep_page`]), and the first process whose home has not been told of all that have.
    #[cfg(not(feature = "small"))]
    pub keepers: Index,
    #[cfg(not(feature = "small"))]
    pub owing: Process,
    /// A thread for which pages have come has gone: some may be kept for nobody.
    #[cfg(not(feature = "small"))]
    pub keeper_gone: bool,
    /// Of processes that are invoked here.
    pub places: [Place; PLACES],
    #[cfg(not(feature = "small"))]
    pub files: Filestore,
    /// The file that is on its way to this processor, and what others want.
    #[cfg(not(feature = "small"))]
    pub mount: Option<Mount>,
    #[cfg(not(feature = "small"))]
    pub wanted: [Option<Wanted>; STATIONS_MAX],
    pub console: Console,
    #[cfg(not(feature = "small"))]
    pub input: Input,
}

impl Kernel {
    /// Makes a kernel that has not started. Field by field: a whole one would not fit on the stack, and the image needn't hold it.
    ///
    /// # Safety
    /// `place` has room for a kernel, and nobody uses it.
    pub unsafe fn make(place: *mut Kernel) -> &'static mut Kernel {
        // SAFETY: by the contract; every field is written.
        unsafe {
            (&raw mut (*place).me).write(0);
            (&raw mut (*place).processors).write(0);
            (&raw mut (*place).clock_hz).write(0);
            (&raw mut (*place).clock).write(Clock::new(0));
            (&raw mut (*place).cycles).write(Cycles::new(0));
            (&raw mut (*place).slice_cycles).write(0);
            (&raw mut (*place).tcbs).write(&mut []);
            (&raw mut (*place).free).write(Queue::new());
            (&raw mut (*place).ready).write(Ready::new());
            (&raw mut (*place).timers).write(Timers::new(&mut []));
            (&raw mut (*place).alarm).write(u64::MAX);
            (&raw mut (*place).transmitting).write(Queue::new());
            (&raw mut (*place).processes).write(Processes::new());
            (&raw mut (*place).places).write([Place::FREE; PLACES]);
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).files).write(Filestore::new());
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).mount).write(None);
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).wanted).write([None; STATIONS_MAX]);
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).files_wait).write(false);
            (&raw mut (*place).counters).write([0; COUNTER_WORDS]);
            (&raw mut (*place).pages).write(Pages::new());
            (&raw mut (*place).parked).write(0);
            (&raw mut (*place).doomed).write(false);
            (&raw mut (*place).announced).write([None; STATIONS_MAX]);
            (&raw mut (*place).net).write(Centrenet::new());
            (&raw mut (*place).console).write(Console::new());
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).input).write(Input::new());
            (&raw mut (*place).unfinished).write(0);
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).keepers).write(testbed_kernel_core::queue::NONE);
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).owing).write(Process::NONE);
            #[cfg(not(feature = "small"))]
            (&raw mut (*place).keeper_gone).write(false);
            (&raw mut (*place).random).write(0);
            (&raw mut (*place).exit_code).write(None);
            &mut *place
        }
    }

    /// Sets everything up from the boot block. `end` is the first address after the kernel.
    pub fn start(&mut self, end: u32) {
        assert!(boot::is_valid(), "the boot block is not filled");
        self.me = hw::processor();
        if self.me == 0 {
            // Before any slave has come to enable its events.
            events::program_filters();
        }
        #[cfg(not(feature = "small"))]
        {
            self.files.start(self.me);
            events::note_settings();
        }
        self.processors = boot::get(word::PROCESSORS) as u8;
        self.clock_hz = boot::get(word::CLOCK_HZ);
        self.clock = Clock::new(self.clock_hz);
        self.cycles = Cycles::new(self.clock_hz);
        self.slice_cycles = self.cycles.of(TIME_SLICE_US) as u32;
        options::start();
        // Every seed below 2^31 has numbers of its own, and none is 0, where the generator would stand still.
        self.random = (boot::get(word::SEED) << 1 | 1) ^ (self.me as u32) << 16;
        let ram_bytes = boot::get(word::RAM_BYTES);
        self.share_memory(end, ram_bytes);
        events::enable(boot::get(word::DIAG), self.me != 0);
        hw::allow_counters();
        if !options::tos94() && !events::enabled(event::DIAG_PROFILE | event::DIAG_READY) {
            entry::yield_quickly(true);
        }
        self.enable_user_interrupts();
    }

    /// Gives out the memory after the kernel: tables, Centrenet's buffers, and pages.
    fn share_memory(&mut self, end: u32, ram_bytes: u32) {
        let page = |address: u32| (address - RAM_BASE) / PAGE_BYTES;
        self.pages.release(page(end + PAGE_BYTES - 1), ram_bytes / PAGE_BYTES);
        if self.is_start() || cfg!(feature = "small") {
            // The files' records, and the files behind them, up to the end. The others have no use for them.
            self.pages.reserve(page(boot::get(word::FILES_ADDRESS)), ram_bytes / PAGE_BYTES);
        }

        let tables = Tables::of(ram_bytes);
        let Tables { demand, threads: count } = tables;
        let ring = self.take_row(demand.ring_pages);
        let buffers = self.take_row(demand.pages_of_buffers());
        let places = self.take_row(demand.pages_of_places());
        self.net.start(demand, ring, buffers, places);

        let table = self.take_row(tables.thread_pages()) as *mut Tcb;
        for index in 0..count as usize {
            // SAFETY: the row was just taken and has room for `count` entries.
            unsafe { Tcb::initialise(table.add(index), index as u16) };
        }
        // SAFETY: as above; every entry is initialised, as far as its type asks for.
        self.tcbs = unsafe { core::slice::from_raw_parts_mut(table, count as usize) };
        for index in 0..count as u16 {
            self.free.push_back(self.tcbs, index);
        }
        if cfg!(feature = "small") {
            return;
        }
        let heap = self.take_row(tables.timer_pages()) as *mut u16;
        // SAFETY: as above; any words are a heap of which nothing is used.
        self.timers = Timers::new(unsafe { core::slice::from_raw_parts_mut(heap, count as usize) });
    }

    /// Pages that the kernel can't do without. The host has seen to it that they are there.
    fn take_row(&mut self, count: u32) -> u32 {
        memory::page_address(self.pages.take_row(count, 1).expect("RAM is too small for the kernel"))
    }

    /// Whether the host's program starts here.
    pub fn is_start(&self) -> bool {
        boot::get(word::START_PROCESSOR) == self.me as u32
    }

    /// Starts the host's program, if it is to start here.
    pub fn start_program(&mut self) {
        if !self.is_start() {
            return;
        }
        #[cfg(not(feature = "small"))]
        self.take_host_files();
        if let Err(error) = self.invoke_first() {
            self.console.put_text("the program can't start: ");
            if cfg!(feature = "small") {
                // No room for all the meanings; this one wants a remedy.
                match error {
                    Error::NoMemory => self.console.put_text("too big for this RAM; take a machine with more"),
                    _ => self.console.put_decimal(error as u32),
                }
            } else {
                self.console.put_text(error.meaning());
            }
            self.console.put(b'\n');
            self.exit_code = Some(testbed_definitions::syscall::EXIT_STOP);
        }
    }

    /// The main loop: the address of the next thread's control block. That may be `interrupted`, which goes on within its time-slice.
    #[inline(always)]
    pub fn next(&mut self, mut interrupted: u32) -> u32 {
        self.unfinished &= !STOPPED;
        loop {
            if options::tos94() {
                self.send_phase();
            }
            self.receive_phase();
            let keeping = self.is_keeping();
            if keeping {
                self.put_keeper_first(interrupted);
            }
            if let Some(tcb) = self.ready.front(self.tcbs) {
                let next = self.ready.address();
                if next == interrupted {
                    events::emit(event::DIAG_PROFILE, tcb.number | event::SCHEDULE);
                    if keeping {
                        self.watch_keeper();
                    }
                    return next;
                }
                self.schedule(!options::tos94());
                if !(keeping && self.watch_keeper()) {
                    self.set_slice_timer();
                }
                return next;
            }
            interrupted = 0;
            self.idle();
        }
    }

    /// After the service of a call: the address of the next thread's control block, 0 if the main loop has to find it.
    #[cfg_attr(feature = "small", inline)]
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub fn go_on(&mut self) -> u32 {
        if options::tos94() {
            return 0;
        }
        if self.is_busy() {
            return self.go_on_busy();
        }
        self.schedule(false)
    }

    /// As [`Self::go_on`] where there is something to do for the station, or for a page that is kept.
    #[inline(never)]
    fn go_on_busy(&mut self) -> u32 {
        self.unfinished &= !STOPPED;
        self.hand_over();
        let keeping = self.is_keeping();
        if keeping {
            self.put_keeper_first(0);
        }
        let next = self.schedule(true);
        if keeping {
            self.watch_keeper();
        }
        next
    }

    /// The first of the ready threads has a new time-slice; 0 if there is none. `resuming`: if it
    /// stopped within one, to wait for a page or for a thread for which a page had come, it has
    /// what is left of that.
    #[cfg_attr(feature = "small", inline)]
    #[cfg_attr(not(feature = "small"), inline(always))]
    fn schedule(&mut self, resuming: bool) -> u32 {
        let first = self.ready.address();
        if first == 0 {
            return 0;
        }
        let tcb = self.tcb_at(first);
        events::emit(event::DIAG_READY, tcb.number);
        events::emit(event::DIAG_PROFILE, tcb.number | event::SCHEDULE);
        let now = hw::now_low();
        tcb.start = if resuming { tcb.start_of_slice(now) } else { now };
        first
    }

    /// The timer has interrupted the first of the ready threads. `true`: it goes on.
    pub fn timer_interrupt(&mut self) -> bool {
        let interrupted = self.ready.address();
        if self.unfinished & KEEPING != 0 {
            self.look_at_keeper();
        }
        let over = self.serve_timer();
        if !options::tos94() && self.is_busy() {
            self.hand_over();
        }
        if self.is_keeping() {
            self.put_keeper_first(if over { 0 } else { interrupted });
        }
        let goes_on = !over && self.ready.address() == interrupted;
        if goes_on && !(self.is_keeping() && self.watch_keeper()) {
            self.set_slice_timer();
        }
        goes_on
    }

    /// Nothing is ready: sleep until a packet arrives or something of our own is due.
    fn idle(&mut self) {
        self.console.fill();
        if !options::tos94() && self.is_busy() {
            self.send_phase();
        } else {
            // A page that has just come for a thread that does not want it any more is others'.
            #[cfg(not(feature = "small"))]
            if self.unfinished & KEEPING != 0 {
                self.release_pages();
            }
            if self.net.can_issue() {
                return;
            }
        }
        // What has just left may have made a thread ready.
        if self.ready.nothing().is_none() {
            return;
        }
        let ended = self.exit_code.is_some();
        if ended && self.net.is_quiet() && self.console.is_silent() {
            if let Some(code) = self.exit_code.take() {
                hw::write(map::SYSTEM_BASE, map::system::EXIT, code);
            }
        }
        self.set_idle_timer();
        if !self.is_stuck() {
            hw::enable_interrupts(csr::INTERRUPT_TIMER | csr::INTERRUPT_EXTERNAL);
        }
        if let Some(nothing) = self.ready.nothing() {
            hw::sleep(nothing);
        }
        self.enable_user_interrupts();
        self.serve_time();
    }

    /// The interrupts that end a thread's run.
    pub fn enable_user_interrupts(&self) {
        let external = if options::tos94() || self.is_stuck() { 0 } else { csr::INTERRUPT_EXTERNAL };
        hw::enable_interrupts(csr::INTERRUPT_TIMER | external);
    }

    /// Page-map entries have changed or gone: the hardware must not use what it remembers of them.
    pub fn forget_page_map(&mut self) {
        hw::forget_page_map();
    }

    /// Puts a thread into the ready queue.
    pub fn make_ready(&mut self, index: u16) {
        let tcb = self.tcb_of(index);
        self.make_tcb_ready(tcb);
    }

    /// Puts a thread into the ready queue, unless its process is suspended.
    #[cfg_attr(not(feature = "small"), inline(always))]
    pub fn make_tcb_ready(&mut self, tcb: &mut Tcb) {
        if tcb.process.suspended {
            tcb.state = State::Held;
            return;
        }
        tcb.state = State::Ready;
        events::emit(event::DIAG_READY, tcb.number | event::SCHEDULE);
        self.ready.push_address(self.tcbs, (&raw const *tcb).addr() as u32);
    }

    /// The control block of a thread, for as long as a request is served.
    #[inline(always)]
    pub fn tcb_of(&mut self, index: Index) -> &'static mut Tcb {
        let tcb = &raw mut self.tcbs[index as usize];
        // SAFETY: the table stays where it is. Who holds a block names it by no other way but between two uses, and holds blocks of
        // different threads only.
        unsafe { &mut *tcb }
    }

    /// The same by the block's address, as in [`crate::ready`].
    #[inline(always)]
    pub fn tcb_at(&mut self, address: u32) -> &'static mut Tcb {
        let tcb = self.tcbs.as_mut_ptr().with_addr(address as usize);
        // SAFETY: lists and the ready ring have addresses of the table's entries; and as above.
        unsafe { &mut *tcb }
    }

    /// Keeps a thread of a suspended process that would be ready.
    #[cfg(not(feature = "small"))]
    pub fn hold(&mut self, index: u16) {
        self.tcbs[index as usize].state = State::Held;
    }

    /// A number below `bound`, from the seed of the boot block (xorshift).
    pub fn random_below(&mut self, bound: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random % bound
    }
}
