//! What is measured of a thread: its time, in its control block, and with whom it communicates, in
//! a record of the agent's ([`crate::state::extended::agent`]).

use core::cell::Cell;
use core::mem::offset_of;
use testbed_definitions::ids::{Processor, ThreadNumber};

use crate::arch::hw;

/// Partners that are counted of each thread. A sample tells of fewer.
pub const PARTNERS: usize = 8;

/// Messages, and their bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    pub messages: u32,
    pub bytes: u32,
}

impl Traffic {
    pub(super) const NONE: Traffic = Traffic { messages: 0, bytes: 0 };

    pub(super) const fn and(self, bytes: u32) -> Traffic {
        Traffic { messages: self.messages.wrapping_add(1), bytes: self.bytes.wrapping_add(bytes) }
    }
}

/// What the agent has of a thread in its control block.
pub struct Measured {
    /// Cycles for which it has run in this period; `trap.s` adds to them.
    pub(super) used: Cell<u32>,
    /// When it began to run, and so much later as its passage takes: low word of `time`.
    started: Cell<u32>,
    /// Address of its record, 0: none.
    pub(super) record: Cell<u32>,
    /// It has come from another processor.
    has_come: Cell<bool>,
}

impl Measured {
    pub const USED: usize = offset_of!(Measured, used);
    pub const STARTED: usize = offset_of!(Measured, started);
    /// Cycles that a thread's run seems longer than it is: from where its begin is noted in `trap.s` to
    /// its first instruction, and from its last one to where its end is, if it asked and goes on.
    pub const PASSAGE: u32 = 38;
    /// How many more if another thread goes on.
    pub const SWITCH: u32 = 34;
    /// How many in all if it goes on from the main loop.
    const RESUME: u32 = 59;

    /// Nothing is known of it yet; it was created here.
    #[inline(always)]
    pub fn clear(&self) {
        self.record.set(0);
        self.has_come.set(false);
    }

    /// It has come from another processor.
    #[inline(always)]
    pub fn come(&self) {
        self.has_come.set(true);
    }

    /// Whether it was created here, and has not been seen to communicate; and whether it has not
    /// been seen to run.
    pub fn is_new(&self) -> (bool, bool) {
        (!self.has_come.get() && self.last() == Processor::NOWHERE, self.record.get() == 0)
    }

    /// It goes on now.
    #[inline(always)]
    pub fn start(&self) {
        self.started.set(hw::now_low().wrapping_add(Measured::RESUME));
    }

    /// Cycles for which it has run in this period.
    pub fn used(&self) -> u32 {
        self.used.get()
    }

    /// A communication of the thread has led to `place`; noted if there are statistics of the thread.
    pub fn led_to(&self, place: Processor) {
        if self.record.get() != 0 {
            Record::at(self.record.get()).last.set(place);
        }
    }

    /// Where the last communication of the thread led, [`Processor::NOWHERE`] if that is not known.
    pub fn last(&self) -> Processor {
        match self.record.get() {
            0 => Processor::NOWHERE,
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
    pub(super) owner: Cell<u32>,
    /// Where its last communication led.
    pub(super) last: Cell<Processor>,
    /// Partners of this period.
    count: Cell<u8>,
    partners: [Partner; PARTNERS],
}

impl Record {
    pub(super) fn at(address: u32) -> &'static Record {
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

    /// The thread has communicated with one of its process that was at `place`. A partner that
    /// there is no room for takes the last one's.
    pub(super) fn note(&self, partner: ThreadNumber, place: Processor, bytes: u32) {
        self.last.set(place);
        let id = partner.id() as u8;
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
    pub(super) fn begin_period(&self) {
        self.count.set(0);
    }
}
