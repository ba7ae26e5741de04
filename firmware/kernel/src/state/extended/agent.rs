//! What this processor's agent knows of its load: statistics of the period under way. A balancer is
//! told of them at the period's end ([`crate::services::extended::sampling`]).
//!
//! While class `load` is on, the kernel looks at the ready queue from time to time, and counts in
//! *windows*: there it tells the agent of communications, and `trap.s` adds up the time of each
//! thread. Windows are as long as what they cost allows: where threads compute, all the time; where
//! they do nothing but communicate, a few hundredths of it. Outside of them, and while the class is
//! off, none of that is looked at: the tests for it are those for classes of events that stand in the
//! same places.

use core::cell::Cell;
use core::mem::offset_of;
use testbed_definitions::event::{self, DIAG_READY};
use testbed_definitions::load::DEFAULT_PERIOD_US;
use testbed_definitions::page::PAGE_BYTES;
use testbed_protocol::channel::Ccb;
use testbed_protocol::{Processor, Thread, NOWHERE};

use crate::arch::{hw, memory, words};
use crate::drivers::events::{self, AWAITING, COUNTING};
use crate::state::effects::{COPIED, MOVES};
use crate::state::kernel::Kernel;
use crate::state::process::thread_id;
use crate::state::thread::Tcb;

/// Processors that a link can lead to.
const LINKS: usize = 16;
/// Partners that are counted of each thread. A sample tells of fewer.
pub const PARTNERS: usize = 8;
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

/// Messages, and their bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    pub messages: u32,
    pub bytes: u32,
}

impl Traffic {
    const NONE: Traffic = Traffic { messages: 0, bytes: 0 };

    const fn and(self, bytes: u32) -> Traffic {
        Traffic { messages: self.messages.wrapping_add(1), bytes: self.bytes.wrapping_add(bytes) }
    }
}

/// What the agent has of a thread in its control block.
pub struct Measured {
    /// Cycles for which it has run in this period; `trap.s` adds to them.
    used: Cell<u32>,
    /// When it began to run: low word of `time`.
    started: Cell<u32>,
    /// Address of its record, 0: none.
    record: Cell<u32>,
}

impl Measured {
    pub const USED: usize = offset_of!(Measured, used);
    pub const STARTED: usize = offset_of!(Measured, started);

    /// Nothing is known of it yet.
    #[inline(always)]
    pub fn clear(&self) {
        self.record.set(0);
    }

    /// It goes on now.
    #[inline(always)]
    pub fn start(&self) {
        self.started.set(hw::now_low());
    }

    /// Cycles for which it has run in this period.
    pub fn used(&self) -> u32 {
        self.used.get()
    }

    /// Where the last communication of the thread led, [`NOWHERE`] if that is not known.
    pub fn last(&self) -> Processor {
        match self.record.get() {
            0 => NOWHERE,
            address => Record::at(address).last.get(),
        }
    }
}

/// With whom a thread has communicated.
pub struct Partner {
    id: Cell<u8>,
    traffic: Cell<Traffic>,
}

/// Statistics of a thread. In pages of the agent's own; all zero is a free one.
pub struct Record {
    /// Address of the thread's control block, 0 if the record is free.
    owner: Cell<u32>,
    /// Where its last communication led.
    last: Cell<Processor>,
    /// Partners of this period.
    count: Cell<u8>,
    partners: [Partner; PARTNERS],
}

impl Record {
    fn at(address: u32) -> &'static Record {
        // SAFETY: control blocks have addresses of records, which stay where they are.
        unsafe { &*(address as *const Record) }
    }

    /// The address of the thread's control block, if the record is one's.
    pub fn owner(&self) -> Option<u32> {
        Some(self.owner.get()).filter(|&owner| owner != 0)
    }

    /// The partners of this period, by id, those of the last communications first.
    pub fn partners(&self) -> impl ExactSizeIterator<Item = (u8, Traffic)> + Clone + '_ {
        let known = &self.partners[..(self.count.get() as usize).min(PARTNERS)];
        known.iter().map(|partner| (partner.id.get(), partner.traffic.get()))
    }

    /// The thread has communicated with one of its process that was at `place`. A partner that there
    /// is no room for takes the last one's.
    fn note(&self, partner: Thread, place: Processor, bytes: u32) {
        self.last.set(place);
        let id = thread_id(partner) as u8;
        let count = self.count.get() as usize;
        let known = self.partners.iter().take(count).position(|known| known.id.get() == id);
        let at = known.unwrap_or_else(|| self.new_partner(id));
        let found = &self.partners[at];
        found.traffic.set(found.traffic.get().and(bytes));
        // Those that come up often are soon found first.
        if at != 0 {
            self.partners[at - 1].id.swap(&found.id);
            self.partners[at - 1].traffic.swap(&found.traffic);
        }
    }

    /// Makes room for a partner: where.
    #[cold]
    #[inline(never)]
    fn new_partner(&self, id: u8) -> usize {
        let count = self.count.get() as usize;
        let at = count.min(PARTNERS - 1);
        self.count.set(at as u8 + 1);
        self.partners[at].id.set(id);
        self.partners[at].traffic.set(Traffic::NONE);
        at
    }

    /// A new period begins. Where the last communication led is still known.
    fn begin_period(&self) {
        self.count.set(0);
    }
}

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
    /// Of the next sample.
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
            Some((processor as Processor, core::mem::replace(link, Traffic::NONE)))
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
        record.last.set(NOWHERE);
        record.begin_period();
        tcb.measured().used.set(0);
        tcb.measured().record.set((&raw const *record).addr() as u32);
        Some(record)
    }

    /// The thread's record; `None` if there is none left.
    #[inline]
    fn record(&mut self, tcb: &Tcb) -> Option<&'static Record> {
        match tcb.measured().record.get() {
            0 => self.take_record(tcb),
            address => Some(Record::at(address)),
        }
    }
}

impl Kernel {
    /// Gives the agent memory, once, as far as there is any.
    pub fn give_agent_memory(&mut self) {
        if !self.agent.records.is_empty() {
            return;
        }
        let count = RECORDS.min(self.tcbs.len() as u32);
        let pages = (count * size_of::<Record>() as u32).div_ceil(PAGE_BYTES);
        let Some(row) = self.pages.take_row(pages, 1) else { return };
        let address = memory::page_address(row);
        // SAFETY: the row was just taken and has room; records of zeros are free ones.
        self.agent.records = unsafe {
            words::clear(address, pages * PAGE_BYTES);
            core::slice::from_raw_parts(address as *const Record, count as usize)
        };
    }

    /// A thread joins the ready queue: who looks at class `ready`, and requests that wait for one
    /// are told.
    #[inline(never)]
    pub fn joins_ready(&mut self, tcb: &Tcb) {
        events::emit(DIAG_READY, tcb.number() | event::SCHEDULE);
        if events::enabled(AWAITING) {
            self.effects.note(MOVES);
        }
    }

    /// The thread goes on while the agent counts.
    #[inline(never)]
    pub fn begin_counting(&mut self, tcb: &Tcb) {
        self.agent.record(tcb);
        tcb.measured().start();
    }

    /// Two threads of this processor have communicated and are ready: what is to be done then is left
    /// for later.
    #[inline(always)]
    pub fn leave_for_load(&mut self, one: &Tcb, other: &Tcb, bytes: u32) {
        if events::enabled(AWAITING) {
            self.effects.note(MOVES);
        }
        if events::enabled(COUNTING) {
            self.agent.copied = [one.address(), other.address(), bytes];
            self.effects.note(COPIED);
        }
    }

    /// Two threads of this processor have communicated: [`Agent::copied`].
    #[cold]
    #[inline(never)]
    pub fn count_copied(&mut self) {
        self.effects.done(COPIED);
        self.agent.spend();
        let [one, other, bytes] = self.agent.copied;
        let (one, other) = (self.tcb_at(one), self.tcb_at(other));
        for (tcb, partner) in [(one, other), (other, one)] {
            if let Some(record) = self.agent.record(tcb) {
                record.note(partner.number(), self.me, bytes);
            }
        }
    }

    /// A thread has sent a message to another processor, or received one.
    #[inline(never)]
    pub fn count_remote(&mut self, tcb: &Tcb, bytes: u32, sends: bool) {
        self.agent.spend();
        let &mut Ccb { sender_thread, receiver_thread, to, from, .. } = tcb.process().ccb(tcb.channel());
        let (partner, place) = if sends { (receiver_thread, to) } else { (sender_thread, from) };
        if sends {
            self.agent.used_links |= 1 << (place as usize % LINKS);
            let link = &mut self.agent.links[place as usize % LINKS];
            *link = link.and(bytes);
        }
        if let Some(record) = self.agent.record(tcb) {
            record.note(partner, place, bytes);
        }
    }

    /// The thread's control block is free again.
    #[inline]
    pub fn forget_measured(&mut self, tcb: &Tcb) {
        let record = tcb.measured().record.replace(0);
        if record != 0 {
            self.agent.gone = self.agent.gone.wrapping_add(tcb.measured().used());
            Record::at(record).owner.set(0);
        }
    }
}
