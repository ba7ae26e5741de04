//! The kernel's state, its start, and the main loop of the report (section 3.2.1):
//!
//! 1. *send*: packets that are queued are passed to Centrenet;
//! 2. *receive*: packets that have arrived are served;
//! 3. *schedule*: the thread at the front of the ready queue runs until it calls or its time-slice ends;
//! 4. *service*: what it asked for is done.
//!
//! With no thread ready the processor sleeps until a packet arrives. Interrupts end a thread's run or a sleep; inside
//! the kernel they are never taken, so nothing in it runs twice at a time.

use testbed_definitions::boot::word;
use testbed_definitions::limits::TIME_SLICE_US;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall::status::COUNTER_WORDS;
use testbed_definitions::{csr, event, map};
use testbed_kernel_core::clock::Milliseconds;
#[cfg(not(feature = "small"))]
use testbed_kernel_core::filestore::Filestore;
use testbed_kernel_core::pages::Pages;
use testbed_kernel_core::queue::Queue;

use crate::centrenet::{Centrenet, Demand};
use crate::console::Console;
use crate::home::{Place, PLACES};
#[cfg(not(feature = "small"))]
use crate::mount::{Mount, Wanted};
use crate::paging::Announced;
use crate::process::{Process, Processes};
use crate::thread::{State, Tcb};
use crate::{boot, events, hw, memory, options};

/// How long to sleep when the station is full and has more to do.
const STATION_POLL_CYCLES: u64 = 512;

/// Centrenet's memory where there is at least a mebibyte, and where there is less. Twice as many packets can wait as there are
/// thread control blocks: more than blocked threads can have under way.
const LARGE: Demand = Demand { ring_pages: 16, buffers: 8, places: 2048 };
const SMALL: Demand = Demand { ring_pages: 4, buffers: 2, places: 64 };

/// Of a thread control block.
pub type Index = u16;

pub struct Kernel {
    pub me: u8,
    pub processors: u8,
    pub clock_hz: u32,
    pub clock: Milliseconds,
    slice_cycles: u64,
    pub tcbs: &'static mut [Tcb],
    pub free: Queue,
    pub ready: Queue,
    /// Threads whose messages leave in fragments, in turn.
    pub transmitting: Queue,
    /// Threads that wait for time.
    pub timed: Queue,
    pub processes: Processes,
    pub pages: Pages,
    /// Of processes that are invoked here.
    pub places: [Place; PLACES],
    #[cfg(not(feature = "small"))]
    pub files: Filestore,
    /// The file that is on its way to this processor, and what others want.
    #[cfg(not(feature = "small"))]
    pub mount: Option<Mount>,
    #[cfg(not(feature = "small"))]
    pub wanted: [Option<Wanted>; STATIONS_MAX],
    /// Packets with parts of files wait for a data buffer.
    #[cfg(not(feature = "small"))]
    pub files_wait: bool,
    /// What `status::COUNTERS` tells, as far as it is counted.
    pub counters: [u32; COUNTER_WORDS],
    /// First of the pages with threads that have come while no control block was free, 0: none.
    pub parked: u32,
    /// A process for whose messages there was no memory, 0: none.
    pub doomed: u16,
    /// The page that comes next from each processor.
    pub announced: [Option<Announced>; STATIONS_MAX],
    pub net: Centrenet,
    pub console: Console,
    /// Process whose page map is the current one, if any is.
    current: Process,
    random: u32,
    /// The program has ended with this code, and nobody has been told yet.
    pub exit_code: Option<u32>,
}

impl Kernel {
    /// A kernel that has not started.
    pub const fn new() -> Self {
        Kernel {
            me: 0,
            processors: 0,
            clock_hz: 0,
            clock: Milliseconds::new(0),
            slice_cycles: 0,
            tcbs: &mut [],
            free: Queue::new(),
            ready: Queue::new(),
            transmitting: Queue::new(),
            timed: crate::timers::none(),
            processes: Processes::new(),
            places: [Place::FREE; PLACES],
            #[cfg(not(feature = "small"))]
            files: Filestore::new(),
            #[cfg(not(feature = "small"))]
            mount: None,
            #[cfg(not(feature = "small"))]
            wanted: [None; STATIONS_MAX],
            #[cfg(not(feature = "small"))]
            files_wait: false,
            counters: [0; COUNTER_WORDS],
            pages: Pages::new(),
            parked: 0,
            doomed: 0,
            announced: [None; STATIONS_MAX],
            net: Centrenet::new(),
            console: Console::new(),
            current: Process::NONE,
            random: 0,
            exit_code: None,
        }
    }

    /// Sets everything up from the boot block. `end` is the first address after the kernel.
    pub fn start(&mut self, end: u32) {
        assert!(boot::is_valid(), "the boot block is not filled");
        self.me = hw::processor();
        self.processors = boot::get(word::PROCESSORS) as u8;
        self.clock_hz = boot::get(word::CLOCK_HZ);
        self.clock = Milliseconds::new(self.clock_hz);
        self.slice_cycles = (self.clock_hz / 1_000_000) as u64 * TIME_SLICE_US as u64;
        self.random = (boot::get(word::SEED) ^ (self.me as u32) << 16) | 1;
        let ram_bytes = boot::get(word::RAM_BYTES);
        self.share_memory(end, ram_bytes);
        if self.me != 0 {
            events::enable(boot::get(word::DIAG));
        }
        hw::allow_counters();
        hw::set_timer(u64::MAX);
    }

    /// Gives out the memory after the kernel: tables, Centrenet's buffers, and pages.
    fn share_memory(&mut self, end: u32, ram_bytes: u32) {
        let page = |address: u32| (address - RAM_BASE) / PAGE_BYTES;
        self.pages.release(page(end + PAGE_BYTES - 1), ram_bytes / PAGE_BYTES);
        if self.is_start() {
            // The files' records, and the files behind them, up to the end. The others have no use for them.
            self.pages.reserve(page(boot::get(word::FILES_ADDRESS)), ram_bytes / PAGE_BYTES);
        }

        let (demand, count) = if ram_bytes >= 1 << 20 { (LARGE, 1024) } else { (SMALL, 32) };
        let ring = self.take_row(demand.ring_pages);
        let buffers = self.take_row(demand.pages_of_buffers());
        let places = self.take_row(demand.pages_of_places());
        self.net.start(demand, ring, buffers, places);

        let table = self.take_row((count * size_of::<Tcb>() as u32).div_ceil(PAGE_BYTES)) as *mut Tcb;
        for index in 0..count as usize {
            // SAFETY: the row was just taken and has room for `count` entries.
            unsafe { Tcb::initialise(table.add(index)) };
        }
        // SAFETY: as above; every entry is initialised, as far as its type asks for.
        self.tcbs = unsafe { core::slice::from_raw_parts_mut(table, count as usize) };
        for index in 0..count as u16 {
            self.free.push_back(self.tcbs, index);
        }
    }

    /// Pages that the kernel can't do without.
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
            self.console.put_text(error.meaning());
            self.console.put(b'\n');
            self.exit_code = Some(testbed_definitions::syscall::EXIT_STOP);
        }
    }

    /// The main loop.
    pub fn run(&mut self) -> ! {
        loop {
            self.send_phase();
            self.receive_phase();
            self.serve_time();
            if options::TRANSMIT_BEFORE_SCHEDULE {
                self.send_phase();
            }
            match self.schedule() {
                Some(index) => {
                    let cause = self.run_thread(index);
                    self.service(index, cause);
                }
                None => self.idle(),
            }
        }
    }

    fn send_phase(&mut self) {
        self.net.retire(&mut self.pages);
        if !self.transmitting.is_empty() {
            self.pump_fragments();
        }
        if self.parked != 0 {
            self.unpark();
        }
        #[cfg(not(feature = "small"))]
        if self.files_wait {
            self.pump_files();
        }
        while let Some((header, first)) = self.net.issue() {
            if events::enabled(event::DIAG_PROFILE) {
                let argument = event::message_argument(header.destination, header.kind, first as u8);
                events::emit_with(event::DIAG_PROFILE, event::TX_MPC, argument);
            }
        }
    }

    fn receive_phase(&mut self) {
        while self.net.has_room() {
            let Some(packet) = self.net.receive() else { break };
            self.serve_packet(&packet);
            self.net.release(&packet);
            if self.doomed != 0 {
                self.end_doomed();
            }
        }
    }

    /// The next thread to run, with its page map in place.
    fn schedule(&mut self) -> Option<u16> {
        let index = self.ready.pop_front(self.tcbs)?;
        let Tcb { number, process, .. } = self.tcbs[index as usize];
        events::emit(event::DIAG_READY, number & event::THREAD_MASK);
        events::emit(event::DIAG_PROFILE, number & event::THREAD_MASK | event::SCHEDULE);
        if process != self.current {
            self.current = process;
            hw::set_page_map(process.map_address());
        }
        Some(index)
    }

    /// Runs a thread until its slice ends, it makes a call that needs the service phase, or it faults.
    /// Returns `mcause`. Calls that can be answered at once are, and the console is fed, in passing.
    fn run_thread(&mut self, index: u16) -> u32 {
        const TIMER: u32 = csr::MCAUSE_INTERRUPT | csr::cause::TIMER;
        let end = hw::now() + self.slice_cycles;
        let mut deadline = end;
        if self.console.is_waiting() {
            deadline = self.feed_console(end);
        }
        hw::set_timer(deadline);
        loop {
            let cause = crate::run_user(&mut self.tcbs[index as usize].context);
            let goes_on = match cause {
                csr::cause::ECALL_U => self.quick_call(index),
                TIMER if deadline < end => true,
                _ => return cause,
            };
            if !goes_on {
                return cause;
            }
            if self.console.is_waiting() {
                deadline = self.feed_console(end);
                hw::set_timer(deadline);
            } else if deadline != end {
                deadline = end;
                hw::set_timer(end);
            }
        }
    }

    /// Fills the UART and says when it must be done again, or when the slice ends.
    fn feed_console(&mut self, end: u64) -> u64 {
        self.console.fill();
        self.console.due(hw::now()).map_or(end, |due| due.min(end))
    }

    /// Nothing is ready: sleep until a packet arrives or something of our own is due.
    fn idle(&mut self) {
        self.console.fill();
        if self.net.can_issue() {
            return;
        }
        if self.exit_code.is_some() && self.net.is_quiet() && self.console.is_silent() {
            if let Some(code) = self.exit_code.take() {
                hw::write(map::SYSTEM_BASE, map::system::EXIT, code);
            }
        }
        let now = hw::now();
        let busy = self.net.is_waiting()
            || !self.transmitting.is_empty()
            || !self.timed.is_empty()
            || self.exit_code.is_some();
        let station = if busy { now + STATION_POLL_CYCLES } else { u64::MAX };
        hw::set_timer(self.console.due(now).map_or(station, |due| due.min(station)));
        hw::enable_interrupts(csr::INTERRUPT_TIMER | csr::INTERRUPT_EXTERNAL);
        hw::sleep();
        self.enable_user_interrupts();
    }

    /// The interrupts that end a thread's run.
    pub fn enable_user_interrupts(&self) {
        let external = if options::PREEMPT_ON_RECEIVE { csr::INTERRUPT_EXTERNAL } else { 0 };
        hw::enable_interrupts(csr::INTERRUPT_TIMER | external);
    }

    /// Page-map entries have changed: the hardware must not use what it remembers of them.
    pub fn refresh_page_map(&mut self) {
        if self.current != Process::NONE {
            hw::set_page_map(self.current.map_address());
        }
    }

    /// Page-map entries have been taken away: the hardware must not use those it remembers.
    pub fn forget_page_map(&mut self) {
        self.current = Process::NONE;
    }

    /// Puts a thread into the ready queue.
    pub fn make_ready(&mut self, index: u16) {
        let tcb = &mut self.tcbs[index as usize];
        if tcb.process.suspended {
            return self.hold(index);
        }
        tcb.state = State::Ready;
        events::emit(event::DIAG_READY, tcb.number & event::THREAD_MASK | event::SCHEDULE);
        self.ready.push_back(self.tcbs, index);
    }

    /// Keeps a thread of a suspended process that would be ready.
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
