//! Pages that are kept here until the threads that they have come for have gone on. What is kept
//! for how long is the protocol's to say ([`testbed_protocol::pages::keeping`]); here is which
//! threads those are, and when they have gone on.

use testbed_definitions::page::PAGE_SHIFT;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::pages::keeping::{Keeper, PageSet};
use testbed_protocol::pages::Report;

use crate::hw;
use crate::kernel::{Index, Kernel, KEEPING};
use crate::paging::Resume;
use crate::process::Process;
use crate::thread::{State, Tcb, RESULT};

/// Of a thread: what has come for it since it began what it repeats.
#[derive(Clone, Copy)]
pub struct Keeping {
    pages: Keeper,
    /// The context's pc while it repeats that, or [`GONE_ON`].
    pc: u32,
    /// The next thread for which something has come.
    next: Index,
    /// How often the timer has found it there.
    looks: u8,
}

impl Keeping {
    pub const NONE: Keeping = Keeping { pages: Keeper::NONE, pc: GONE_ON, next: NONE, looks: 0 };
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
}

/// No instruction's address.
const GONE_ON: u32 = 2;

/// How long a thread is given to use a page that has come for it: enough to leave the kernel, which
/// takes about half of it, and for some instructions.
const USE_CYCLES: u64 = 256;

/// A thread that the timer has found so often where it was has gone on and come back, as in a short
/// loop.
const LOOKS: u8 = 2;

impl Tcb {
    /// The thread stops within its time-slice, and is to have the rest of it.
    pub fn stop_slice(&mut self) {
        self.slice = Slice { start: self.start, used: hw::now_low().wrapping_sub(self.start) };
    }

    /// When the time-slice has begun that the thread has from now on.
    #[inline]
    pub fn start_of_slice(&self, now: u32) -> u32 {
        match self.slice {
            Slice { start, used } if start == self.start => now.wrapping_sub(used),
            _ => now,
        }
    }

    /// Whether the thread repeats, or is about to repeat, what pages have come for.
    fn repeats(&self) -> bool {
        self.keeping.pc == self.context.pc
    }

    /// The page with what leaves next of the message that the thread transmits.
    fn next_page(&self) -> u32 {
        self.buffer.wrapping_add(self.process.ccb(self.channel).offset) >> PAGE_SHIFT
    }

    /// The row of pages that is kept for the thread; `None` if it has gone on, or something else to
    /// wait for.
    fn kept(&self) -> Option<(u16, u16)> {
        match self.state {
            State::Ready if self.repeats() => Some(self.keeping.pages.kept(None)),
            State::Paging if self.repeats() => Some(self.keeping.pages.kept(Some(self.page))),
            State::Transmitting => {
                let next = self.next_page();
                Some((next as u16, next as u16 + 1))
            }
            _ => None,
        }
    }
}

impl Kernel {
    /// Keeps a page that has come for this thread until it has gone on.
    pub fn keep_page(&mut self, mut process: Process, page: u32, index: Index) {
        if process.owed_count == 0 {
            process.owing = core::mem::replace(&mut self.owing, process);
        }
        process.owed_count += !process.owed.has(page as u16) as u16;
        process.owed.insert(page as u16);
        self.unfinished |= KEEPING;
        let tcb = &mut self.tcbs[index as usize];
        if tcb.keeping.pages.is_none() {
            tcb.keeping.next = core::mem::replace(&mut self.keepers, index);
        }
        tcb.keeping.pages.come(page as u16);
        // A call is made again. Otherwise the bit counts: who yields just before the instruction
        // that it has repeated will get there again, but has gone on.
        let repeated = if tcb.resume == Resume::Call { tcb.context.pc & !RESULT } else { tcb.context.pc };
        (tcb.keeping.pc, tcb.keeping.looks) = (repeated, 0);
    }

    /// A thread whose message waits for this page, to leave.
    #[cold]
    #[inline(never)]
    pub fn transmitter(&self, process: Process, page: u32) -> Option<Index> {
        let waits = |tcb: &Tcb| tcb.state == State::Transmitting && tcb.next_page() == page;
        process.threads.into_iter().find(|&index| index != NONE && waits(&self.tcbs[index as usize]))
    }

    /// Whether a page has come for the thread that it may not have used yet.
    pub fn keeps(&self, index: Index) -> bool {
        let tcb = &self.tcbs[index as usize];
        !tcb.keeping.pages.is_none() && tcb.repeats()
    }

    /// The page that a thread has to ask for when `missing` is the first one that is not here of
    /// those that its call names from `first` on.
    pub fn page_to_ask(&mut self, index: Index, first: u32, missing: u32) -> u32 {
        let tcb = self.tcb_of(index);
        if tcb.keeping.pages.is_none() || !tcb.repeats() {
            return missing;
        }
        tcb.keeping.pages.ask(&tcb.process.owed, first as u16, missing as u16) as u32
    }

    /// The thread has gone on from whatever pages have come for.
    pub fn has_gone_on(&mut self, index: Index) {
        self.tcbs[index as usize].keeping.pc = GONE_ON;
    }

    /// The ready thread for which pages have come first, and that has not gone on, runs before all
    /// others, in what is left of the time-slice in which it stopped: others may want the pages.
    /// `interrupted`: the control block's address of the thread that ran until now, or 0. If it is
    /// overtaken, it keeps what is left of its time-slice too; otherwise those behind it would wait
    /// for as long as pages come.
    #[cold]
    pub fn put_keeper_first(&mut self, interrupted: u32) {
        let first = self.ready.address();
        let Some(&mut Tcb { index: running, .. }) = self.ready.front(self.tcbs) else { return };
        if self.keeps(running) {
            return;
        }
        // Those for which pages have come later are before them.
        let (mut index, mut oldest) = (self.keepers, NONE);
        while index != NONE {
            if self.tcbs[index as usize].state == State::Ready && self.keeps(index) {
                oldest = index;
            }
            index = self.tcbs[index as usize].keeping.next;
        }
        if oldest == NONE {
            return;
        }
        if first == interrupted {
            self.tcb_at(first).stop_slice();
        }
        let keeper = &mut self.tcbs[oldest as usize];
        if keeper.slice.start != keeper.start {
            // It has been put first before, and its time-slice was over.
            keeper.slice = Slice { start: keeper.start, used: self.slice_cycles };
        }
        self.ready.put_first(self.tcbs, oldest);
    }

    /// If a page has come for the thread that is about to go on, the timer is set to look soon
    /// whether it has used it, and nothing else: whoever comes then sets it again. Packets may have
    /// come before the thread had left the kernel; then it is set anew. The time is read as late as
    /// can be, for the thread must get to its instruction.
    #[cold]
    pub fn watch_keeper(&mut self) -> bool {
        let Some(&mut Tcb { index, .. }) = self.ready.front(self.tcbs) else { return false };
        let watched = self.keeps(index);
        if watched {
            self.alarm = hw::now() + USE_CYCLES;
            hw::set_timer(self.alarm);
        }
        watched
    }

    /// The timer has interrupted the thread that is first in the ready ring. If it is found at the
    /// same instruction over and over, it has used its page: a loop that takes as long as it is
    /// given would never be seen anywhere else.
    #[cold]
    pub fn look_at_keeper(&mut self) {
        let Some(tcb) = self.ready.front(self.tcbs) else { return };
        tcb.keeping.looks += tcb.repeats() as u8;
        if tcb.keeping.looks >= LOOKS {
            tcb.keeping.pc = GONE_ON;
        }
    }

    /// Tells homes of pages whose threads have gone on, or have something else to wait for.
    #[cold]
    pub fn release_pages(&mut self) {
        if self.all_is_kept() {
            return;
        }
        while let Some((mut process, page)) = self.next_to_release() {
            process.owed.remove(page);
            process.owed_count -= 1;
            if process.owed_count == 0 {
                self.forget_owing(process);
            }
            if !self.net.has_room() {
                self.await_room();
            }
            // From the start again after each: where the home is here, pages may come for others,
            // and threads and processes end.
            self.tell_home_of_page(process, page as u32, Report::Done);
        }
        self.keeper_gone = false;
        if self.owing == Process::NONE {
            self.unfinished &= !KEEPING;
        }
    }

    /// Whether nothing has changed: every thread keeps all that has come for it.
    #[inline]
    fn all_is_kept(&self) -> bool {
        let mut index = self.keepers;
        while index != NONE {
            let tcb = &self.tcbs[index as usize];
            if tcb.kept() != Some(tcb.keeping.pages.kept(None)) {
                return false;
            }
            index = tcb.keeping.next;
        }
        !self.keeper_gone
    }

    /// A page that has come, and is kept for nobody.
    fn next_to_release(&mut self) -> Option<(Process, u16)> {
        self.forget_gone_keepers();
        let mut process = self.owing;
        while process != Process::NONE {
            if let Some(page) = process.owed.lowest_besides(&self.kept_of(process)) {
                return Some((process, page));
            }
            process = process.owing;
        }
        None
    }

    /// All that is kept for threads of a process.
    fn kept_of(&self, process: Process) -> PageSet {
        let mut kept = PageSet::EMPTY;
        let mut index = self.keepers;
        while index != NONE {
            let tcb = &self.tcbs[index as usize];
            if tcb.process == process {
                tcb.kept().into_iter().for_each(|row| kept.insert_row(row));
            }
            index = tcb.keeping.next;
        }
        kept
    }

    /// Forgets threads that have gone on.
    fn forget_gone_keepers(&mut self) {
        let mut index = self.keepers;
        while index != NONE {
            let tcb = &self.tcbs[index as usize];
            let (next, has_gone_on) = (tcb.keeping.next, tcb.kept().is_none());
            if has_gone_on {
                self.forget_keeper(index);
            }
            index = next;
        }
    }

    /// Nothing is kept for the thread any more, whose control block may be given to another one.
    #[inline(always)]
    pub fn forget_keeper(&mut self, index: Index) {
        if !self.tcbs[index as usize].keeping.pages.is_none() {
            self.unlink_keeper(index);
        }
    }

    #[cold]
    #[inline(never)]
    fn unlink_keeper(&mut self, index: Index) {
        let keeping = core::mem::replace(&mut self.tcbs[index as usize].keeping, Keeping::NONE);
        self.keeper_gone = true;
        if self.keepers == index {
            self.keepers = keeping.next;
            return;
        }
        let mut before = self.keepers;
        while before != NONE {
            let tcb = &mut self.tcbs[before as usize];
            if tcb.keeping.next == index {
                tcb.keeping.next = keeping.next;
                return;
            }
            before = tcb.keeping.next;
        }
    }

    /// The process ends, or its home has been told of all its pages.
    pub fn forget_owing(&mut self, process: Process) {
        if self.owing == process {
            self.owing = process.owing;
            return;
        }
        let mut before = self.owing;
        while before != Process::NONE {
            if before.owing == process {
                before.owing = process.owing;
                return;
            }
            before = before.owing;
        }
    }
}
