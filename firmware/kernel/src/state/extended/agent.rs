//! What this processor's agent knows of its load: statistics of the period under way. A balancer is
//! told of them at the period's end ([`crate::services::extended::sampling`]).
//!
//! While class `load` is on, the kernel looks at the ready queue from time to time, and counts in
//! *windows*: there it tells the agent of communications ([`crate::state::extended::counting`]), and
//! `trap.s` adds up the time of each thread. Windows are as long as what they cost allows: where
//! threads compute, all the time; where they do nothing but communicate, a few hundredths of it.
//! Outside of them, and while the class is off, none of that is looked at: the tests for it are those
//! for classes of events that stand in the same places.

use testbed_definitions::ids::Processor;
use testbed_definitions::load::DEFAULT_PERIOD_US;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::pages::Pages;

use crate::arch::{memory, words};
use crate::state::extended::measured::{Record, Traffic};
use crate::state::thread::Tcb;

/// Processors that a link can lead to.
const LINKS: usize = 16;
/// What the agent costs at most, as a part of the time: cycles of a tick divided by this.
const COST_PART: u32 = 600;
/// What a sample costs, without what it tells of threads.
const SAMPLE_CYCLES: u32 = 1_500;
/// The first window is this part of a tick.
const FIRST_PART: u32 = 16;
/// A window is at least this part of a tick.
const LENGTH_PART: u32 = 256;
/// What it costs to count a communication, and the traps that it takes.
const EVENT_CYCLES: u32 = 320;
/// Threads of which there are statistics at a time, at most.
const RECORDS: u32 = 128;

/// When the agent counts.
struct Window {
    /// Since when it has, and is not in the sums yet, and until when, if it does.
    open: Option<(u64, u64)>,
    /// Cycles of a window, and what one may cost.
    length: u32,
    allowed: u32,
    /// Communications and yields that it has counted in this one.
    events: u32,
}

impl Window {
    const NEW: Window = Window { open: None, length: 0, allowed: 0, events: 0 };

    /// Chooses the length of the next window, of at most `tick` cycles, by what this one has cost.
    fn adapt(&mut self, tick: u32) {
        let cost = core::mem::take(&mut self.events).saturating_mul(EVENT_CYCLES);
        let length = self.length.min(tick);
        self.length = match cost <= self.allowed {
            true => (length + length / 4).min(tick),
            false => (length / (cost / self.allowed + 1)).max(tick / LENGTH_PART),
        };
    }
}

/// The agent of this processor.
pub struct Agent {
    pub period_us: u32,
    /// Cycles from sample to sample, and from one look at the ready queue to the next.
    pub period: u32,
    pub tick: u32,
    /// When the timer has to interrupt for the agent, or for requests to move threads, at the latest.
    pub alarm: u64,
    /// From when on there is something to be done for them, if the timer interrupts.
    pub from: u64,
    /// The last communication between threads of this processor: their control blocks' addresses, and
    /// the bytes.
    pub copied: [u32; 3],
    /// When the next sample is due, and the next look; `u64::MAX` while the class is off.
    pub sample_due: u64,
    pub tick_due: u64,
    /// When the period began, and since when it has been counted what threads do.
    pub begun: u64,
    pub threads_begun: u64,
    /// Number of the next sample.
    pub sequence: u8,
    /// Looks at the ready queue in this period, and the sum of what was there.
    looks: u32,
    seen: u32,
    window: Window,
    /// Cycles in which it has counted, in this period and since `threads_begun`.
    counted: u32,
    threads_counted: u32,
    links: [Traffic; LINKS],
    /// A bit for each link that was used.
    used_links: u32,
    records: &'static [Record],
    /// All records behind so many are free.
    used_records: usize,
    /// Cycles for which threads ran that have left, or before a sample told of them, and what this
    /// and all threads' came to at the last sample.
    gone: u32,
    user: u32,
}

impl Agent {
    /// One that has not been asked for anything. Its period in cycles is set with the clock.
    pub const NEW: Agent = Agent {
        period_us: DEFAULT_PERIOD_US,
        period: 0,
        tick: 0,
        alarm: u64::MAX,
        from: u64::MAX,
        copied: [0; 3],
        sample_due: u64::MAX,
        tick_due: u64::MAX,
        begun: 0,
        threads_begun: 0,
        sequence: 0,
        looks: 0,
        seen: 0,
        window: Window::NEW,
        counted: 0,
        threads_counted: 0,
        links: [Traffic::NONE; LINKS],
        used_links: 0,
        records: &[],
        used_records: 0,
        gone: 0,
        user: 0,
    };

    /// Records of threads, as far as there may be any in use.
    pub fn records(&self) -> &'static [Record] {
        &self.records[..self.used_records]
    }

    /// What was sent to each other processor while it counted in the period, which is over.
    pub fn take_links(&mut self) -> impl Iterator<Item = (Processor, Traffic)> + '_ {
        let mut used = core::mem::take(&mut self.used_links);
        core::iter::from_fn(move || {
            let processor = (used != 0).then(|| used.trailing_zeros())?;
            used &= used - 1;
            let link = &mut self.links[processor as usize % LINKS];
            Some((Processor::new(processor as u8), core::mem::replace(link, Traffic::NONE)))
        })
    }

    /// Cycles for which threads ran while it counted in the period, which is over.
    pub fn take_user(&mut self, tcbs: &[Tcb]) -> u32 {
        let used = |record: &Record| Some(Tcb::at(tcbs, record.owner()?).measured().used());
        let here = self.records().iter().filter_map(used).fold(0, u32::wrapping_add);
        let user = self.gone.wrapping_add(here);
        user.wrapping_sub(core::mem::replace(&mut self.user, user))
    }

    /// A sample has told of the thread: a new period begins for it.
    pub fn begin_thread(&mut self, tcb: &Tcb, record: &Record) {
        self.gone = self.gone.wrapping_add(tcb.measured().used.take());
        record.begin_period();
    }

    /// Samples are so many cycles apart.
    pub fn set_period(&mut self, microseconds: u32, cycles: u32, slice: u32) {
        (self.period_us, self.period, self.tick) = (microseconds, cycles, cycles.min(slice));
        let samples = SAMPLE_CYCLES / (cycles / self.tick).max(1);
        self.window.length = self.tick / FIRST_PART;
        self.window.allowed = (self.tick / COST_PART).saturating_sub(samples).max(EVENT_CYCLES);
    }

    /// Looks at the ready queue, which has so many threads with the one that runs.
    pub fn look(&mut self, ready: u32) {
        self.looks += 1;
        self.seen += ready;
    }

    /// The sum of all looks of the period, which is over, and how many there were.
    pub fn take_looks(&mut self) -> (u32, u32) {
        (core::mem::take(&mut self.seen), core::mem::take(&mut self.looks))
    }

    /// When the window closes, if one is open.
    pub fn window_end(&self) -> u64 {
        self.window.open.map_or(u64::MAX, |(_, end)| end)
    }

    /// Begins to count.
    pub fn open_window(&mut self, now: u64) {
        // A whole tick's ends with it.
        let end = if self.window.length >= self.tick { u64::MAX } else { now + self.window.length as u64 };
        self.window.open = Some((now, end));
    }

    /// Brings the cycles in which it has counted up to date.
    pub fn settle(&mut self, now: u64) {
        if let Some((since, _)) = &mut self.window.open {
            let cycles = (now - core::mem::replace(since, now)) as u32;
            self.counted += cycles;
            self.threads_counted += cycles;
        }
    }

    /// Stops counting.
    pub fn close_window(&mut self, now: u64) {
        self.settle(now);
        if self.window.open.take().is_some() {
            self.window.adapt(self.tick);
        }
    }

    /// Cycles in which it has counted in the period, which is over.
    pub fn take_counted(&mut self) -> u32 {
        core::mem::take(&mut self.counted)
    }

    /// Cycles in which it has counted what threads do since a sample told of them.
    pub fn threads_counted(&self) -> u32 {
        self.threads_counted
    }

    /// A sample has told of threads.
    pub fn begin_threads(&mut self, now: u64) {
        (self.threads_begun, self.threads_counted) = (now, 0);
    }

    /// Something has been counted.
    #[inline]
    pub fn spend(&mut self) {
        self.window.events += 1;
    }

    /// Takes a record for the thread, if there is one.
    #[cold]
    #[inline(never)]
    fn take_record(&mut self, tcb: &Tcb) -> Option<&'static Record> {
        let at = self.records.iter().position(|record| record.owner.get() == 0)?;
        self.used_records = self.used_records.max(at + 1);
        let record = &self.records[at];
        record.owner.set(tcb.address());
        record.last.set(Processor::NOWHERE);
        record.begin_period();
        tcb.measured().used.set(0);
        tcb.measured().record.set((&raw const *record).addr() as u32);
        Some(record)
    }

    /// The thread's record; `None` if there is none left.
    #[inline]
    pub fn record(&mut self, tcb: &Tcb) -> Option<&'static Record> {
        match tcb.measured().record.get() {
            0 => self.take_record(tcb),
            address => Some(Record::at(address)),
        }
    }

    /// Gives it memory, once, as far as there is any.
    pub fn give_memory(&mut self, tcbs: &[Tcb], pages: &mut Pages) {
        if !self.records.is_empty() {
            return;
        }
        let count = RECORDS.min(tcbs.len() as u32);
        let size = (count * size_of::<Record>() as u32).div_ceil(PAGE_BYTES);
        let Some(row) = pages.take_row(size, 1) else { return };
        let address = memory::page_address(row);
        // SAFETY: the row was just taken and has room; records of zeros are free ones.
        self.records = unsafe {
            words::clear(address, size * PAGE_BYTES);
            core::slice::from_raw_parts(address as *const Record, count as usize)
        };
    }

    /// A message was sent to another processor.
    #[inline]
    pub fn sent(&mut self, to: Processor, bytes: u32) {
        self.used_links |= 1 << (to.index() % LINKS);
        let link = &mut self.links[to.index() % LINKS];
        *link = link.and(bytes);
    }

    /// The thread's control block is free again.
    #[inline]
    pub fn forget(&mut self, tcb: &Tcb) {
        let record = tcb.measured().record.replace(0);
        if record != 0 {
            self.gone = self.gone.wrapping_add(tcb.measured().used());
            Record::at(record).owner.set(0);
        }
    }
}
