//! What threads and processes know of pages that are kept for them.

use core::cell::{Cell, UnsafeCell};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::pages::keeping::{Keeper, PageSet};

use crate::arch::hw;

/// What has come for a thread since it began what it repeats.
pub struct Keeping {
    pages: Cell<Keeper>,
    /// The context's pc while it repeats that, or [`GONE_ON`].
    pc: Cell<u32>,
    /// The next thread for which something has come ([`crate::state::extended::keepers`]).
    pub(super) next: Cell<u16>,
    /// How often the timer has found it there.
    looks: Cell<u8>,
}

/// No instruction's address.
const GONE_ON: u32 = 2;

/// A thread that the timer has found so often where it was has gone on and come back, as in a short
/// loop.
const LOOKS: u8 = 2;

impl Keeping {
    /// Nothing has come.
    pub fn clear(&self) {
        self.pages.set(Keeper::NONE);
        self.pc.set(GONE_ON);
        self.next.set(NONE);
        self.looks.set(0);
    }

    /// Whether nothing has come, or all has been forgotten.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.pages.get().is_none()
    }

    /// A page has come for a thread that repeats what is at `pc`; `None`: it repeats nothing.
    #[inline(always)]
    pub fn come(&self, page: u16, pc: Option<u32>) {
        let mut pages = self.pages.get();
        pages.come(page);
        self.pages.set(pages);
        self.pc.set(pc.unwrap_or(GONE_ON));
        self.looks.set(0);
    }

    /// Whether the thread, whose saved pc is this, repeats, or is about to repeat, what pages have
    /// come for.
    #[inline(always)]
    pub fn is_repeated_at(&self, saved_pc: u32) -> bool {
        self.pc.get() == saved_pc
    }

    /// The thread has gone on from that.
    #[inline(always)]
    pub fn go_on(&self) {
        self.pc.set(GONE_ON);
    }

    /// The timer has found the thread, and `repeating`, or not. Found at the same instruction over
    /// and over, it has gone on: a loop that takes as long as it is given would never be seen
    /// anywhere else.
    pub fn look(&self, repeating: bool) {
        self.looks.set(self.looks.get() + repeating as u8);
        if self.looks.get() >= LOOKS {
            self.go_on();
        }
    }

    /// What is kept for it: all that has come, or what is before the page that it waits for.
    pub fn kept(&self, waits_for: Option<u16>) -> (u16, u16) {
        self.pages.get().kept(waits_for)
    }

    /// The page that it has to ask for ([`Keeper::ask`]).
    pub fn ask(&self, owed: &PageSet, first: u16, missing: u16) -> u16 {
        let mut pages = self.pages.get();
        let page = pages.ask(owed, first, missing);
        self.pages.set(pages);
        page
    }
}

/// The time-slice within which a thread has stopped, to wait for a page or because one had come for
/// another thread.
#[derive(Clone, Copy)]
pub struct Slice {
    /// When it began, and how much of it was over. A thread whose slice has begun at another time
    /// has had its turn since.
    start: u32,
    used: u32,
}

impl Slice {
    pub const NONE: Slice = Slice { start: 0, used: 0 };

    /// The thread stops within the time-slice that began at `start`, and is to have the rest of it.
    pub fn stopped(start: u32) -> Slice {
        Slice { start, used: hw::now_low().wrapping_sub(start) }
    }

    /// Of the time-slice that began at `start`, the thread has had so many cycles; or of a later one
    /// what is noted already.
    pub fn or_used(self, start: u32, cycles: u32) -> Slice {
        if self.start == start {
            self
        } else {
            Slice { start, used: cycles }
        }
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
    /// Changed where it is, since a set is many words.
    pages: UnsafeCell<PageSet>,
    count: Cell<u16>,
    pub(super) next: Cell<P>,
}

impl<P> Owed<P> {
    /// The pages, for one statement.
    pub fn pages(&self) -> &PageSet {
        // SAFETY: the two functions that change the set call nobody who could hold it.
        unsafe { &*self.pages.get() }
    }

    /// The home has not been told of this page. `true`: nor of others.
    #[inline(always)]
    pub(super) fn insert(&self, page: u16) -> bool {
        let count = self.count.get();
        self.count.set(count + !self.pages().has(page) as u16);
        // SAFETY: nobody holds the set, as above.
        unsafe { (*self.pages.get()).insert(page) };
        count == 0
    }

    /// The home is told of a page. `true`: of the last one.
    #[inline(always)]
    pub(super) fn remove(&self, page: u16) -> bool {
        // SAFETY: as above.
        unsafe { (*self.pages.get()).remove(page) };
        self.count.set(self.count.get() - 1);
        self.count.get() == 0
    }
}
