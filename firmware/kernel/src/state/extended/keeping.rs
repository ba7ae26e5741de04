//! What threads and processes know of pages that are kept for them.

use core::cell::Cell;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::pages::keeping::{Keeper, PageSet};

use crate::arch::hw;

/// Of a thread: what has come for it since it began what it repeats.
pub struct Keeping {
    pub pages: Cell<Keeper>,
    /// The context's pc while it repeats that, or [`GONE_ON`].
    pub pc: Cell<u32>,
    /// The next thread for which something has come.
    pub next: Cell<u16>,
    /// How often the timer has found it there.
    pub looks: Cell<u8>,
}

impl Keeping {
    /// Nothing has come.
    pub fn clear(&self) {
        self.pages.set(Keeper::NONE);
        self.pc.set(GONE_ON);
        self.next.set(NONE);
        self.looks.set(0);
    }
}

/// No instruction's address.
pub const GONE_ON: u32 = 2;

/// The time-slice within which a thread has stopped, to wait for a page or because one had come for
/// another thread.
#[derive(Clone, Copy)]
pub struct Slice {
    /// When it began, and how much of it was over. A thread whose slice has begun at another time
    /// has had its turn since.
    pub start: u32,
    pub used: u32,
}

impl Slice {
    pub const NONE: Slice = Slice { start: 0, used: 0 };

    /// The thread stops within the time-slice that began at `start`, and is to have the rest of it.
    pub fn stopped(start: u32) -> Slice {
        Slice { start, used: hw::now_low().wrapping_sub(start) }
    }

    /// When the time-slice has begun that the thread has from now on, if its last one began at
    /// `start`.
    #[inline]
    pub fn start_of_next(&self, start: u32, now: u32) -> u32 {
        if self.start == start {
            now.wrapping_sub(self.used)
        } else {
            now
        }
    }
}

/// Of a process: pages that have come, as the home has not been told yet, how many, and the next
/// process (`P`) with such pages. Zeros: none.
pub struct Owed<P> {
    pub pages: PageSet,
    pub count: u16,
    pub next: P,
}
