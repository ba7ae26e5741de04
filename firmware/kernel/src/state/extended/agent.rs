//! What this processor's agent knows of its load: statistics of the period under way. A balancer is
//! told of them at the period's end ([`crate::services::extended::sampling`]).
//!
//! While class `load` is on, the kernel tells the agent of threads that join and leave the ready
//! queue, and of communications; `trap.s` adds up the time of each thread. Otherwise none of that is
//! looked at: the tests for it are those for classes of events that stand in the same places.

use core::cell::Cell;
use core::mem::offset_of;
use testbed_definitions::event::{self, DIAG_READY};
use testbed_definitions::load::DEFAULT_PERIOD_US;
use testbed_definitions::page::PAGE_BYTES;
use testbed_protocol::channel::Ccb;
use testbed_protocol::{Processor, Thread, NOWHERE};

use crate::arch::{hw, memory, words};
use crate::drivers::events::{self, AWAITING, COUNTING};
use crate::state::effects::MOVES;
use crate::state::kernel::Kernel;
use crate::state::process::thread_id;
use crate::state::thread::Tcb;

/// Processors that a link can lead to.
const LINKS: usize = 16;
/// Partners that are counted of each thread. A sample tells of fewer.
pub const PARTNERS: usize = 8;
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
    pub fn begin_period(&self) {
        self.count.set(0);
    }
}

/// The ready queue in this period, without the thread that runs.
struct Queue {
    length: u32,
    /// Sum of lengths times cycles, until `changed`: low word of `time`.
    sum: u64,
    changed: u32,
    /// Cycles in which nobody was ready, and since when that is so.
    idle: u32,
    idle_since: Option<u32>,
}

impl Queue {
    const NEW: Queue = Queue { length: 0, sum: 0, changed: 0, idle: 0, idle_since: None };

    /// Brings the sum up to date.
    #[inline]
    fn advance(&mut self, now: u32) {
        self.sum += self.length as u64 * now.wrapping_sub(self.changed) as u64;
        self.changed = now;
    }

    fn joined(&mut self) {
        let now = hw::now_low();
        self.advance(now);
        self.length += 1;
        if let Some(since) = self.idle_since.take() {
            self.idle += now.wrapping_sub(since);
        }
    }

    fn left(&mut self) {
        self.advance(hw::now_low());
        self.length = self.length.saturating_sub(1);
    }

    /// The period is over, in which so many cycles have passed: sums of ready threads times cycles,
    /// and a new period with so many in the queue.
    fn begin_period(&mut self, cycles: u32, length: u32) -> u64 {
        let now = hw::now_low();
        self.advance(now);
        if let Some(since) = self.idle_since.replace(now) {
            self.idle += now.wrapping_sub(since);
        }
        if length != 0 {
            self.idle_since = None;
        }
        let busy = cycles.saturating_sub(core::mem::take(&mut self.idle));
        self.length = length.saturating_sub(1);
        core::mem::take(&mut self.sum) + busy as u64
    }
}

/// The agent of this processor.
pub struct Agent {
    pub period_us: u32,
    /// Cycles from sample to sample.
    pub period: u32,
    /// When the next one is due, `u64::MAX` while the class is off.
    pub due: u64,
    /// When the period began.
    pub begun: u64,
    /// Of the next sample.
    pub sequence: u8,
    queue: Queue,
    links: [Traffic; LINKS],
    records: &'static [Record],
    /// All records behind so many are free.
    used_records: usize,
    /// Cycles of threads that have left in this period.
    gone: u32,
}

impl Agent {
    /// One that has not been asked for anything. Its period in cycles is set with the clock.
    pub const NEW: Agent = Agent {
        period_us: DEFAULT_PERIOD_US,
        period: 0,
        due: u64::MAX,
        begun: 0,
        sequence: 0,
        queue: Queue::NEW,
        links: [Traffic::NONE; LINKS],
        records: &[],
        used_records: 0,
        gone: 0,
    };

    /// Records of threads, as far as there may be any in use.
    pub fn records(&self) -> &'static [Record] {
        &self.records[..self.used_records]
    }

    /// What was sent to other processors in the period, which is over.
    pub fn take_links(&mut self) -> [Traffic; LINKS] {
        core::mem::replace(&mut self.links, [Traffic::NONE; LINKS])
    }

    /// Cycles of threads that have left in the period, which is over.
    pub fn take_gone(&mut self) -> u32 {
        core::mem::take(&mut self.gone)
    }

    /// The next period of the ready queue, which has so many threads with the one that runs, begins:
    /// the sum of ready threads times cycles in the one that is over, and so long.
    pub fn take_queue(&mut self, cycles: u32, length: u32) -> u64 {
        self.queue.begin_period(cycles, length)
    }

    /// Nobody is ready.
    pub fn idle(&mut self) {
        self.queue.idle_since.get_or_insert_with(hw::now_low);
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

impl Tcb {
    /// A new period begins for the thread.
    pub fn begin_period(&self) {
        self.measured().used.set(0);
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

    /// A thread joins the ready queue: who looks at class `ready`, the agent, and requests that wait
    /// for one are told.
    #[inline(never)]
    pub fn joins_ready(&mut self, tcb: &Tcb) {
        events::emit(DIAG_READY, tcb.number() | event::SCHEDULE);
        if events::enabled(COUNTING) {
            self.agent.queue.joined();
        }
        if events::enabled(AWAITING) {
            self.effects.note(MOVES);
        }
    }

    /// A thread leaves the ready queue, to run or to move.
    #[inline(never)]
    pub fn leaves_ready(&mut self, tcb: &Tcb) {
        events::emit(DIAG_READY, tcb.number());
        if events::enabled(COUNTING) {
            self.agent.queue.left();
            self.agent.record(tcb);
        }
    }

    /// Two threads of this processor have communicated.
    #[inline(never)]
    pub fn count_local(&mut self, one: &Tcb, other: &Tcb, bytes: u32) {
        for (tcb, partner) in [(one, other), (other, one)] {
            if let Some(record) = self.agent.record(tcb) {
                record.note(partner.number(), self.me, bytes);
            }
        }
    }

    /// A thread has sent a message to another processor, or received one.
    #[inline(never)]
    pub fn count_remote(&mut self, tcb: &Tcb, bytes: u32, sends: bool) {
        let &mut Ccb { sender_thread, receiver_thread, to, from, .. } = tcb.process().ccb(tcb.channel());
        let (partner, place) = if sends { (receiver_thread, to) } else { (sender_thread, from) };
        if sends {
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
