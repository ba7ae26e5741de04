//! What this processor's agent knows of its load: statistics of the period under way. A balancer is
//! told of them at the period's end ([`crate::services::extended::sampling`]).
//!
//! While class `load` is on, the kernel looks at the ready queue from time to time, and counts in
//! *windows*: there it tells the agent of communications ([`crate::state::extended::counting`]), and
//! `trap.s` adds up the time of each thread. Windows are as long as what they cost allows: where
//! threads compute, all the time; where they do nothing but communicate, a few hundredths of it.
//! What is not spent is saved, up to what a second allows: so the first windows, of which a balancer
//! has nothing but what they tell, see all that threads do, or a good part of it.
//! A window begins and ends at moments that nothing the program does chooses: a processor that was
//! woken by a message would see messages and little else. And it is worth the less of the time the
//! more the agent itself has used of it.
//! Outside of windows, and while the class is off, none of that is looked at: the tests for it are
//! those for classes of events that stand in the same places.

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
/// Ticks are a time-slice apart, but so many cycles at least: with a slow clock to look so often
/// would cost more than it may.
const TICK_CYCLES: u32 = 200_000;
/// A window is at least this part of a tick.
const LENGTH_PART: u32 = 256;
/// What it costs while it counts that something goes the long way, and is counted: a communication
/// between two threads of this processor, with both requests.
pub const LOCAL_CYCLES: u32 = 540;
/// One end of a communication over a link, with its packets.
pub const REMOTE_CYCLES: u32 = 410;
/// A yield, if it would go the quick way otherwise, and if not.
pub const YIELD_CYCLES: u32 = 133;
pub const LONG_YIELD_CYCLES: u32 = 25;
/// By so much counting the end of a communication over a link delays its thread. The rest it would
/// have waited for its partner anyway: in grids, some of whose threads wait half of the time and some
/// hardly at all, that comes to half.
pub const REMOTE_DELAY: u32 = REMOTE_CYCLES / 2;
/// What of a window goes by before a thread goes on, and after it has been interrupted.
const OPENING_CYCLES: u32 = 224;
const CLOSING_CYCLES: u32 = 181;
/// What it costs to send a part of a sample that tells of a thread.
const PART_CYCLES: u32 = 40;
/// A window should cost this part of what has been saved, or what a tick allows if that is more; and
/// costs so many times as much at most.
const SAVED_PART: u32 = 4;
const QUOTA_BUDGETS: u32 = 6;
/// It saves what so many time-slices, or periods if those are shorter, allow at most: a second's.
const SAVED_SLICES: u32 = 50;
/// Threads of which there are statistics at a time, at most.
const RECORDS: u32 = 128;

/// When the agent counts.
struct Window {
    /// Since when it has, and is not in the sums yet, and until when, if it does.
    open: Option<(u64, u64)>,
    /// When it was opened, and for how many cycles the next one is.
    opened: u64,
    length: u32,
    /// Cycles that the agent may cost a tick; that it has saved, and can save.
    allowed: u32,
    saved: u32,
    capacity: u32,
    /// Cycles that this one has cost, and how many it may cost at most.
    cost: u32,
    quota: u32,
    /// By how many it has delayed threads.
    delay: u32,
}

impl Window {
    const NEW: Window =
        Window { open: None, opened: 0, length: 0, allowed: 0, saved: 0, capacity: 0, cost: 0, quota: 0, delay: 0 };

    /// What a window should cost now.
    fn budget(&self) -> u32 {
        (self.saved / SAVED_PART).max(self.allowed)
    }

    /// A tick has passed, and it is opened.
    fn open(&mut self, now: u64, tick: u32) {
        self.saved = (self.saved + self.allowed).min(self.capacity);
        (self.opened, self.cost, self.delay) = (now, 0, 0);
        self.quota = QUOTA_BUDGETS * self.budget();
        // A whole tick's ends with it.
        let end = if self.length >= tick { u64::MAX } else { now + self.length as u64 };
        self.open = Some((now, end));
    }

    /// Pays for what it has counted until `now`, and chooses the length of the next one, of at most
    /// `tick` cycles, by what this one has cost.
    fn adapt(&mut self, now: u64, tick: u32) {
        let lasted = (now - self.opened).min(tick as u64) as u32;
        let (budget, cost) = (self.budget(), self.cost);
        self.saved = self.saved.saturating_sub(cost);
        self.length = match cost <= budget {
            true => (lasted + lasted / 4).min(tick),
            false => (lasted / (cost / budget + 1)).max(tick / LENGTH_PART),
        };
    }
}

/// The agent of this processor.
pub struct Agent {
    pub period_us: u32,
    /// The host's program has not started yet: it waits for the balancer.
    pub holds_first: bool,
    /// Cycles from sample to sample, and from one look at the ready queue to the next.
    pub period: u32,
    pub tick: u32,
    /// How many cycles earlier it may be done what the agent has to, so that it is done when the timer
    /// interrupts a thread anyway.
    pub soon: u32,
    /// When the timer has to interrupt for the agent, or for requests to move threads, at the latest.
    pub alarm: u64,
    /// From when on there is something to be done for them, if the timer interrupts a thread.
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
        holds_first: false,
        period: 0,
        tick: 0,
        soon: 0,
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
        (self.period_us, self.period, self.soon) = (microseconds, cycles, cycles.min(slice) / 2);
        self.tick = cycles.min(slice.max(TICK_CYCLES));
        let samples = SAMPLE_CYCLES / (cycles / self.tick).max(1);
        self.window.allowed = (self.tick / COST_PART).saturating_sub(samples).max(LOCAL_CYCLES);
        self.window.capacity = cycles.min(slice) / COST_PART * SAVED_SLICES;
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

    /// The class is on: all that could be saved has been.
    pub fn begin(&mut self, now: u64) {
        self.begun = now;
        self.begin_threads(now);
        self.window.length = self.tick;
        self.window.saved = self.window.capacity;
    }

    /// Begins to count, at a tick.
    pub fn open_window(&mut self, now: u64) {
        self.window.open(now, self.tick);
    }

    /// What was due at the tick that opened the window is done. `interrupted`: a thread was.
    pub fn begin_window(&mut self, now: u64, interrupted: bool) {
        if let Some((since, _)) = &mut self.window.open {
            *since = now;
            self.window.delay += if interrupted { OPENING_CYCLES } else { 0 };
        }
    }

    /// The timer ends the window, if one is open. `interrupted`: a thread was.
    pub fn end_window(&mut self, now: u64, interrupted: bool) {
        self.window.delay += if interrupted { CLOSING_CYCLES } else { 0 };
        self.close_window(now);
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
            // Of what the agent has used of it the threads had no part.
            self.counted = self.counted.saturating_sub(self.window.delay);
            self.threads_counted = self.threads_counted.saturating_sub(self.window.delay);
            self.window.adapt(now, self.tick);
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

    /// Something has been counted, which has cost so many cycles and delayed threads by so many;
    /// whether that was all that may be, so that the window closes.
    #[inline]
    pub fn spend(&mut self, cost: u32, delay: u32) -> bool {
        self.window.cost += cost;
        self.window.delay += delay;
        self.window.cost >= self.window.quota
    }

    /// So many parts of a sample have told of threads.
    pub fn pay_parts(&mut self, parts: usize) {
        self.window.saved = self.window.saved.saturating_sub(parts as u32 * PART_CYCLES);
    }

    /// Whether enough has been saved to tell of threads sooner than as a rule.
    pub fn may_hurry(&self) -> bool {
        self.window.saved > self.window.capacity / SAVED_PART
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
