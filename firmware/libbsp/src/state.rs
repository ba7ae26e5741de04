//! What a process of a bulk-synchronous program knows of itself.

use libtos::processors;
use testbed_definitions::limits::GROUP_MEMBERS;

use crate::arena::Arena;
use crate::asked::Asked;
use crate::outbox::Outbox;
use crate::queue::Queue;
use crate::registry::Registry;
use crate::site::Site;

/// How many processors run programs: all but the master, which is there for the others.
pub fn slaves() -> usize {
    (processors() as usize - 1).max(1)
}

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// `bsp_begin` has not been called.
    Before,
    Within,
    /// `bsp_end` has been called.
    After,
}

/// A process of a bulk-synchronous program. There is one in each process of TOS.
pub struct Bsp {
    pub(crate) phase: Phase,
    pub(crate) rank: usize,
    pub(crate) count: usize,
    /// The process that the group belongs to.
    pub(crate) group: u16,
    /// On the first process, the processes of the others, by rank.
    pub(crate) children: [u16; GROUP_MEMBERS],
    /// When it began: milliseconds and microseconds since reset.
    pub(crate) begun: (u32, u32),
    pub(crate) arena: Arena,
    pub(crate) outbox: Outbox,
    pub(crate) registry: Registry,
    pub(crate) asked: Asked,
    /// Bytes of the tags of messages sent in this superstep, and from the next one on.
    pub(crate) tag_bytes: u32,
    pub(crate) next_tag_bytes: u32,
    pub(crate) queue: Queue,
    /// The room for what comes that did last time.
    pub(crate) room: u32,
    /// Something is to be read from another process at the end of this superstep.
    pub(crate) gets: bool,
    /// Where the primitive was called that is being served.
    pub(crate) site: Site,
}

impl Bsp {
    pub const fn new() -> Self {
        Bsp {
            phase: Phase::Before,
            rank: 0,
            count: 0,
            group: 0,
            children: [0; GROUP_MEMBERS],
            begun: (0, 0),
            arena: Arena::NONE,
            outbox: Outbox::NEW,
            registry: Registry::NEW,
            asked: Asked::NOTHING,
            tag_bytes: 0,
            next_tag_bytes: 0,
            queue: Queue::EMPTY,
            room: 0,
            gets: false,
            site: Site::UNKNOWN,
        }
    }

    /// Says where in the program the next primitive is called, for what is said of a misuse.
    pub fn at(&mut self, site: Site) {
        self.site = site;
    }

    /// The number of this process, from 0.
    pub fn pid(&self) -> usize {
        self.within("bsp_pid");
        self.rank
    }

    /// How many processes there are; before they begin, how many processors they would have.
    pub fn nprocs(&self) -> usize {
        match self.phase {
            Phase::Before => slaves(),
            Phase::Within | Phase::After => self.count,
        }
    }

    /// Seconds since this process began.
    pub fn time(&self) -> f64 {
        self.within("bsp_time");
        let (ms, us) = (libtos::clock().wrapping_sub(self.begun.0), libtos::clock_us().wrapping_sub(self.begun.1));
        // Microseconds wrap after 71 minutes, milliseconds tell how often.
        let wraps = (ms as u64 * 1_000 + (1 << 31) - us as u64) >> 32;
        ((wraps << 32) + us as u64) as f64 / 1e6
    }
}

impl Default for Bsp {
    fn default() -> Self {
        Self::new()
    }
}
