//! The kernel's start: what the boot block says, and who gets which memory.

use testbed_definitions::boot::{word, CONFIRM};
use testbed_definitions::event;
use testbed_definitions::filter::{register, Command};
use testbed_definitions::ids::Processor;
use testbed_definitions::limits::TIME_SLICE_US;
use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::clock::{Clock, Cycles};
use testbed_kernel_core::timers::Timers;

use crate::arch::{hw, memory};
use crate::drivers::events;
use crate::drivers::extended::settings;
use crate::state::effects::BY_REPORT;
use crate::state::kernel::Kernel;
use crate::state::tables::Tables;
use crate::state::thread::Tcb;
use crate::state::{boot, policy};
use crate::variant;

/// An odd number whose multiples are far apart: 2^32 divided by the golden ratio.
const SPREAD: u32 = 0x9e37_79b1;

/// The commands for the monitors' filters that the host asks for.
fn commands() -> impl Iterator<Item = u32> {
    (0..boot::get(word::COMMANDS) as usize).map(|index| boot::get(word::COMMAND + index))
}

/// Programs the monitors' filters as the host asked, on the master.
fn program_filters() {
    if variant::PAGES_GO && boot::get(word::DIAG) & event::DIAG_READY == 0 {
        // Whoever uses a filter later can't say so in the middle of a pair.
        events::command(Command { smi: 0, register: register::PAIRS, value: 1 }.pack());
    }
    commands().for_each(events::command);
}

impl Kernel {
    /// Sets everything up from the boot block. `end` is the first address after the kernel.
    pub fn start(&mut self, end: u32) {
        assert!(boot::is_valid(), "the boot block is not filled");
        self.me = hw::processor();
        if self.me == Processor::MASTER {
            // Before any slave has come to enable its events.
            program_filters();
        }
        self.files.start(self.me);
        // Every processor knows what the host asked of the filters.
        commands().for_each(|word| settings::note(Command::unpack(word)));
        self.processors = boot::get(word::PROCESSORS) as u8;
        self.clock_hz = boot::get(word::CLOCK_HZ);
        self.clock = Clock::new(self.clock_hz);
        self.cycles = Cycles::new(self.clock_hz);
        self.slice_cycles = self.cycles.of(TIME_SLICE_US) as u32;
        policy::start();
        if policy::tos94() {
            self.effects.note(BY_REPORT);
        }
        // Every seed below 2^31 has numbers of its own, and none is 0, where the generator would
        // stand still.
        self.random = (boot::get(word::SEED) << 1 | 1) ^ (self.me.number() as u32) << 16;
        let ram_bytes = boot::get(word::RAM_BYTES);
        self.share_memory(end, ram_bytes);
        events::enable(boot::get(word::DIAG), self.me != Processor::MASTER);
        hw::allow_counters();
        self.enable_user_interrupts();
    }

    /// Gives out the memory after the kernel: tables, Centrenet's buffers, and pages.
    fn share_memory(&mut self, end: u32, ram_bytes: u32) {
        let page = |address: u32| (address - RAM_BASE) / PAGE_BYTES;
        self.pages.release(page(end + PAGE_BYTES - 1), ram_bytes / PAGE_BYTES);
        if self.is_start() || self.is_balancing() || !variant::PAGES_GO {
            // The files' records, and the files behind them, up to the end. The others have no use
            // for them.
            self.pages.reserve(page(boot::get(word::FILES_ADDRESS)), ram_bytes / PAGE_BYTES);
        }

        let tables = Tables::of(ram_bytes);
        let Tables { demand, threads: count } = tables;
        let ring = self.take_row(demand.ring_pages);
        let buffers = self.take_row(demand.pages_of_buffers());
        let places = self.take_row(demand.pages_of_places());
        self.net.start(demand, ring, buffers, places);
        if variant::PAGES_GO && boot::get(word::LOSS) & CONFIRM != 0 {
            // Stations have seeds of their own.
            let seed = self.random.wrapping_mul(SPREAD);
            self.net.lose(boot::get(word::LOSS) & !CONFIRM, boot::get(word::DAMAGE), seed);
        }
        self.groups.allow_rounds(boot::get(word::COPIES));

        let table = self.take_row(tables.thread_pages()) as *mut Tcb;
        for index in 0..count as usize {
            // SAFETY: the row was just taken and has room for `count` entries.
            unsafe { Tcb::initialise(table.add(index), index as u16) };
        }
        // SAFETY: as above; every entry is initialised, as far as its type asks for.
        self.tcbs = unsafe { core::slice::from_raw_parts(table, count as usize) };
        for index in 0..count as u16 {
            self.free.push_back(self.tcbs, index);
        }
        if !variant::PAGES_GO {
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
}
