//! An event of one SMI.

use testbed_definitions::event::{Kind, CLASSES, DIAG_READY, KINDS};

/// How often the global clock had wrapped when a word was stamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Epoch {
    /// Proven by the markers around the word.
    Certain(u64),
    /// At least `low`, and at most `high` where something bounds it.
    Ambiguous { low: u64, high: Option<u64> },
}

impl Epoch {
    /// The epoch, or its lower bound.
    #[inline]
    pub fn low(self) -> u64 {
        match self {
            Epoch::Certain(epoch) => epoch,
            Epoch::Ambiguous { low, .. } => low,
        }
    }

    /// Whether it is proven.
    #[inline]
    pub fn is_certain(self) -> bool {
        matches!(self, Epoch::Certain(_))
    }
}

/// How words are to be read; the kernel's classes exclude each other where their words would be confused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convention {
    /// Bit 14: scheduled thread; else bit 15: another word follows.
    #[default]
    Profile,
    /// Bit 14: joins (else leaves) the ready queue; bits 13:0 the thread.
    Ready,
}

impl Convention {
    /// The convention of a run's event classes.
    #[inline]
    pub fn of(dgl: u32) -> Self {
        match dgl & DIAG_READY {
            0 => Convention::Profile,
            _ => Convention::Ready,
        }
    }
}

/// What each code says, so that none is searched for.
static TABLE: [What; CODES] = {
    let mut table = [What::Unknown(0); CODES];
    let mut code = 0;
    while code < CODES {
        table[code] = What::Unknown(code as u16);
        code += 1;
    }
    let mut next = 0;
    while next < KINDS.len() {
        table[KINDS[next].code as usize] = What::Known(&KINDS[next]);
        next += 1;
    }
    table
};

/// Codes of all kinds are below this, or [`TABLE`] does not compile.
const CODES: usize = 0x400;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The thread runs from here on.
    Schedule(u16),
    /// The thread joins the ready queue.
    Joins(u16),
    /// The thread leaves the ready queue.
    Leaves(u16),
    /// An event of the table in `testbed_definitions::event`.
    Known(&'static Kind),
    /// A code that is not in the table.
    Unknown(u16),
    /// So many events were discarded here, if the count is there. A hole in what was captured is
    /// one without a count, and doubtful; it stands where the first pair behind it does.
    Gap(Option<u32>),
    /// So many events were taken out by this rule of the monitor's filter since its last total, if the count is there.
    Total { rule: u8, count: Option<u32> },
}

impl What {
    /// The event with this first word (without the bit for a second one).
    #[inline]
    pub fn of_code(code: u16) -> Self {
        TABLE.get(usize::from(code)).copied().unwrap_or(What::Unknown(code))
    }

    /// The name in traces.
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            What::Schedule(_) => "SCHEDULE",
            What::Joins(_) => "JOINS",
            What::Leaves(_) => "LEAVES",
            What::Known(kind) => kind.name,
            What::Unknown(_) => "UNKNOWN",
            What::Gap(_) => "GAP",
            What::Total { .. } => "TOTAL",
        }
    }

    /// Name of the argument's meaning.
    #[inline]
    pub fn field(self) -> Option<&'static str> {
        match self {
            What::Schedule(_) | What::Joins(_) | What::Leaves(_) => Some("thread"),
            What::Known(kind) => kind.argument,
            What::Unknown(_) => Some("code"),
            What::Gap(_) => Some("discarded"),
            What::Total { .. } => Some("counted"),
        }
    }
}

/// An event with its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub epoch: Epoch,
    /// Ticks of the global clock within the epoch.
    pub time: u16,
    /// SMI number, which is the processor's.
    pub smi: u8,
    /// Number of its first pair in the stream, from 0; at byte 4 times this.
    pub index: u64,
    pub what: What,
    /// The second word; `None` if the kind has none, or if it was lost.
    pub argument: Option<u16>,
    /// Words were lost just before, so that this may be the second word of an event whose first is gone.
    pub doubtful: bool,
}

impl Event {
    /// Ticks since the start, from the epoch or its lower bound.
    #[inline]
    pub fn ticks(&self) -> u64 {
        self.epoch.low() << 16 | u64::from(self.time)
    }

    /// Whether epoch and decoding are both proven.
    #[inline]
    pub fn is_certain(&self) -> bool {
        self.epoch.is_certain() && !self.doubtful
    }

    /// Whether its second word is missing.
    #[inline]
    pub fn lacks_argument(&self) -> bool {
        matches!(self.what, What::Known(kind) if kind.argument.is_some()) && self.argument.is_none()
    }

    /// Whether other classes of events are there from here on, so that what was known of the
    /// processor does not lead on.
    #[inline]
    pub fn changes_classes(&self) -> bool {
        matches!(self.what, What::Known(kind) if kind.code == CLASSES)
    }

    /// The value that goes with the event: its second word, thread, code or count.
    #[inline]
    pub fn value(&self) -> Option<u32> {
        match self.what {
            What::Schedule(thread) | What::Joins(thread) | What::Leaves(thread) => Some(thread.into()),
            What::Unknown(code) if self.argument.is_none() => Some(code.into()),
            What::Gap(count) | What::Total { count, .. } => count,
            _ => self.argument.map(u32::from),
        }
    }
}
