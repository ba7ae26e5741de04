//! Pages that are kept here until the threads that they have come for have gone on. What is kept
//! for how long is the protocol's to say ([`testbed_protocol::pages::keeping`]); here is which
//! threads those are, and when they have gone on.

use testbed_definitions::page::PAGE_SHIFT;
use testbed_kernel_core::queue::NONE;

use crate::arch::hw;
use crate::state::extended::keeping::{Slice, GONE_ON};
use crate::state::extended::paging::Resume;
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;
use crate::state::thread::{State, Tcb, RESULT};
use crate::state::unfinished::KEEPING;

/// How long a thread is given to use a page that has come for it: enough to leave the kernel, which
/// takes about half of it, and for some instructions.
const USE_CYCLES: u64 = 256;

/// A thread that the timer has found so often where it was has gone on and come back, as in a short
/// loop.
const LOOKS: u8 = 2;

/// Whether the thread repeats, or is about to repeat, what pages have come for.
fn repeats(tcb: &Tcb) -> bool {
    tcb.keeping.pc.get() == tcb.context.pc.get()
}

/// The page with what leaves next of the message that the thread transmits.
fn next_page(tcb: &Tcb) -> u32 {
    tcb.buffer.get().wrapping_add(tcb.process.get().ccb(tcb.channel.get()).offset) >> PAGE_SHIFT
}

/// The row of pages that is kept for the thread; `None` if it has gone on, or something else to
/// wait for.
pub fn kept_for(tcb: &Tcb) -> Option<(u16, u16)> {
    match tcb.state.get() {
        State::Ready if repeats(tcb) => Some(tcb.keeping.pages.get().kept(None)),
        State::Paging if repeats(tcb) => Some(tcb.keeping.pages.get().kept(Some(tcb.page.get()))),
        State::Transmitting => {
            let next = next_page(tcb);
            Some((next as u16, next as u16 + 1))
        }
        _ => None,
    }
}

impl Kernel {
    /// Keeps a page that has come for this thread until it has gone on.
    pub fn keep_page(&mut self, mut process: Process, page: u32, index: Index) {
        if process.owed.count == 0 {
            process.owed.next = core::mem::replace(&mut self.keepers.owing, process);
        }
        process.owed.count += !process.owed.pages.has(page as u16) as u16;
        process.owed.pages.insert(page as u16);
        self.unfinished.note(KEEPING);
        let tcb = &self.tcbs[index as usize];
        if tcb.keeping.pages.get().is_none() {
            tcb.keeping.next.set(core::mem::replace(&mut self.keepers.first, index));
        }
        let mut pages = tcb.keeping.pages.get();
        pages.come(page as u16);
        tcb.keeping.pages.set(pages);
        let repeated = match tcb.resume.get() {
            // When the message has left, the page has been used.
            _ if tcb.state.get() == State::Transmitting => GONE_ON,
            // A call is made again.
            Resume::Call => tcb.context.pc.get() & !RESULT,
            // The bit counts: who yields just before the instruction that it has repeated will get
            // there again, but has gone on.
            _ => tcb.context.pc.get(),
        };
        tcb.keeping.pc.set(repeated);
        tcb.keeping.looks.set(0);
    }

    /// A thread whose message waits for this page, to leave.
    #[cold]
    #[inline(never)]
    pub fn transmitter(&self, process: Process, page: u32) -> Option<Index> {
        let waits = |tcb: &Tcb| tcb.state.get() == State::Transmitting && next_page(tcb) == page;
        process.threads.into_iter().find(|&index| index != NONE && waits(&self.tcbs[index as usize]))
    }

    /// Whether a page has come for the thread that it may not have used yet.
    pub fn keeps(&self, index: Index) -> bool {
        let tcb = &self.tcbs[index as usize];
        !tcb.keeping.pages.get().is_none() && repeats(tcb)
    }

    /// The page that a thread has to ask for when `missing` is the first one that is not here of
    /// those that its call names from `first` on.
    pub fn page_to_ask(&mut self, index: Index, first: u32, missing: u32) -> u32 {
        let tcb = self.tcb_of(index);
        if tcb.keeping.pages.get().is_none() || !repeats(tcb) {
            return missing;
        }
        let mut pages = tcb.keeping.pages.get();
        let page = pages.ask(&tcb.process.get().owed.pages, first as u16, missing as u16);
        tcb.keeping.pages.set(pages);
        page as u32
    }

    /// The thread has gone on from whatever pages have come for.
    pub fn has_gone_on(&mut self, index: Index) {
        self.tcbs[index as usize].keeping.pc.set(GONE_ON);
    }

    /// The ready thread for which pages have come first, and that has not gone on, runs before all
    /// others, in what is left of the time-slice in which it stopped: others may want the pages.
    /// `interrupted`: the control block's address of the thread that ran until now, or 0. If it is
    /// overtaken, it keeps what is left of its time-slice too; otherwise those behind it would wait
    /// for as long as pages come.
    #[cold]
    pub fn put_keeper_first(&mut self, interrupted: u32) {
        let first = self.ready.address();
        let Some(running) = self.ready.front(self.tcbs) else { return };
        if self.keeps(running.index) {
            return;
        }
        // Those for which pages have come later are before them.
        let (mut index, mut oldest) = (self.keepers.first, NONE);
        while index != NONE {
            if self.tcbs[index as usize].state.get() == State::Ready && self.keeps(index) {
                oldest = index;
            }
            index = self.tcbs[index as usize].keeping.next.get();
        }
        if oldest == NONE {
            return;
        }
        if first == interrupted {
            let tcb = self.tcb_at(first);
            tcb.slice.set(Slice::stopped(tcb.start.get()));
        }
        let keeper = &self.tcbs[oldest as usize];
        if keeper.slice.get().start != keeper.start.get() {
            // It has been put first before, and its time-slice was over.
            keeper.slice.set(Slice { start: keeper.start.get(), used: self.slice_cycles });
        }
        self.ready.put_first(self.tcbs, oldest);
    }

    /// If a page has come for the thread that is about to go on, the timer is set to look soon
    /// whether it has used it, and nothing else: whoever comes then sets it again. Packets may have
    /// come before the thread had left the kernel; then it is set anew. The time is read as late as
    /// can be, for the thread must get to its instruction.
    #[cold]
    pub fn watch_keeper(&mut self) -> bool {
        let Some(tcb) = self.ready.front(self.tcbs) else { return false };
        let watched = self.keeps(tcb.index);
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
        tcb.keeping.looks.set(tcb.keeping.looks.get() + (repeats(tcb) as u8));
        if tcb.keeping.looks.get() >= LOOKS {
            tcb.keeping.pc.set(GONE_ON);
        }
    }

    /// Nothing is kept for the thread any more, whose control block may be given to another one.
    #[inline(always)]
    pub fn forget_keeper(&mut self, index: Index) {
        if !self.tcbs[index as usize].keeping.pages.get().is_none() {
            self.unlink_keeper(index);
        }
    }

    #[cold]
    #[inline(never)]
    fn unlink_keeper(&mut self, index: Index) {
        let keeping = &self.tcbs[index as usize].keeping;
        let next = keeping.next.get();
        keeping.clear();
        self.keepers.gone = true;
        if self.keepers.first == index {
            self.keepers.first = next;
            return;
        }
        let mut before = self.keepers.first;
        while before != NONE {
            let tcb = &self.tcbs[before as usize];
            if tcb.keeping.next.get() == index {
                tcb.keeping.next.set(next);
                return;
            }
            before = tcb.keeping.next.get();
        }
    }

    /// The process ends, or its home has been told of all its pages.
    pub fn forget_owing(&mut self, process: Process) {
        if self.keepers.owing == process {
            self.keepers.owing = process.owed.next;
            return;
        }
        let mut before = self.keepers.owing;
        while before != Process::NONE {
            if before.owed.next == process {
                before.owed.next = process.owed.next;
                return;
            }
            before = before.owed.next;
        }
    }
}
