//! BSPlib (Hill, McColl, Stefanescu, Goudreau, Lang, Rao, Suel, Tsantilas and Bisseling: "BSPlib:
//! the BSP programming library", Parallel Computing 24, 1998) for TOS.
//!
//! Each process of a bulk-synchronous program is a process of TOS with memory of its own and one
//! thread. The first one invokes the others, on one processor after the other, and makes them a
//! group of the kernel's; at the end of a superstep they exchange what they have for each other
//! (`docs/bsp.md`).
//!
//! [`Bsp`] has the primitives with the standard's semantics, on addresses, as the C library
//! (`bsp.h`) calls them. [`safe`] has them for programs in Rust.
#![no_std]

mod arena;
mod begin;
mod items;
mod misuse;
mod outbox;
mod registry;
pub mod safe;
mod sync;
mod transfer;

use testbed_definitions::limits::GROUP_MEMBERS;

use crate::arena::Arena;
use crate::outbox::Outbox;
use crate::registry::Registry;

pub use crate::begin::{member_of, slaves, Start};
pub use crate::items::PAD;
pub use crate::misuse::Site;

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// `bsp_begin` has not been called.
    Before,
    Within,
    /// `bsp_end` has been called.
    After,
}

/// A process of a bulk-synchronous program. There is one in each process of TOS.
pub struct Bsp {
    phase: Phase,
    rank: usize,
    count: usize,
    /// The process that the group belongs to.
    group: u16,
    /// On the first process, the processes of the others, by rank.
    children: [u16; GROUP_MEMBERS],
    /// When it began: milliseconds and microseconds since reset.
    begun: (u32, u32),
    arena: Arena,
    outbox: Outbox,
    registry: Registry,
    /// Bytes of the tags of messages sent in this superstep, and from the next one on.
    tag_bytes: u32,
    next_tag_bytes: u32,
    queue: transfer::Queue,
    /// The room for what comes that did last time.
    room: u32,
    /// Something is to be read from another process at the end of this superstep.
    gets: bool,
    /// Where the primitive was called that is being served.
    site: Site,
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
            tag_bytes: 0,
            next_tag_bytes: 0,
            queue: transfer::Queue::EMPTY,
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
