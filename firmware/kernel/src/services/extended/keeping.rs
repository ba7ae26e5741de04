//! Pages that are kept here until the threads that they have come for have gone on. What is kept
//! for how long is the protocol's to say ([`testbed_protocol::pages::keeping`]); here is which
//! threads those are, and when they have gone on.

use testbed_definitions::page::PAGE_SHIFT;

use crate::arch::hw;
use crate::state::effects::KEEPING;
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};

/// How long a thread is given to use a page that has come for it: enough to leave the kernel, which
/// takes about half of it, and for some instructions.
const USE_CYCLES: u64 = 256;

/// Whether a page has come for the thread that it may not have used yet.
fn keeps(tcb: &Tcb) -> bool {
    !tcb.keeping().is_empty() && tcb.repeats()
}

/// The page with what leaves next of the message that the thread transmits.
fn next_page(tcb: &Tcb) -> u32 {
    tcb.buffer().wrapping_add(tcb.process().ccb(tcb.channel()).offset) >> PAGE_SHIFT
}

/// The row of pages that is kept for the thread; `None` if it has gone on, or something else to
/// wait for.
pub fn kept_for(tcb: &Tcb) -> Option<(u16, u16)> {
    match tcb.state() {
        State::Ready if tcb.repeats() => Some(tcb.keeping().kept(None)),
        State::Paging if tcb.repeats() => Some(tcb.keeping().kept(Some(tcb.awaited_page()))),
        State::Transmitting => {
            let next = next_page(tcb);
            Some((next as u16, next as u16 + 1))
        }
        _ => None,
    }
}

impl Kernel {
    /// Keeps a page that has come for this thread until it has gone on.
    #[inline(never)]
    pub fn keep_page(&mut self, process: Process, page: u32, tcb: &Tcb) {
        self.keepers.keep(process, page as u16, tcb, tcb.repeated());
        self.effects.note(KEEPING);
    }

    /// A thread whose message waits for this page, to leave.
    #[cold]
    #[inline(never)]
    pub fn transmitter(&self, process: Process, page: u32) -> Option<Index> {
        let waits = |tcb: &Tcb| tcb.state() == State::Transmitting && next_page(tcb) == page;
        process.threads().find(|&index| waits(self.tcb_of(index)))
    }

    /// The page that a thread has to ask for when `missing` is the first one that is not here of
    /// those that its call names from `first` on.
    pub fn page_to_ask(&mut self, index: Index, first: u32, missing: u32) -> u32 {
        let tcb = self.tcb_of(index);
        if !keeps(tcb) {
            return missing;
        }
        tcb.keeping().ask(tcb.process().owed().pages(), first as u16, missing as u16) as u32
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
        if keeps(running) {
            return;
        }
        // Those for which pages have come later are before them.
        let can_run = |tcb: &&Tcb| tcb.state() == State::Ready && keeps(tcb);
        let Some(keeper) = self.keepers.threads(self.tcbs).filter(can_run).last() else { return };
        if first == interrupted {
            running.stop();
        }
        keeper.advance(self.slice_cycles);
        self.ready.put_first(self.tcbs, keeper.index());
    }

    /// If a page has come for the thread that is about to go on, the timer is set to look soon
    /// whether it has used it, and nothing else: whoever comes then sets it again. Packets may have
    /// come before the thread had left the kernel; then it is set anew. The time is read as late as
    /// can be, for the thread must get to its instruction.
    #[cold]
    pub fn watch_keeper(&mut self) -> bool {
        let Some(tcb) = self.ready.front(self.tcbs) else { return false };
        let watched = keeps(tcb);
        if watched {
            self.alarm = hw::now() + USE_CYCLES;
            hw::set_timer(self.alarm);
        }
        watched
    }

    /// The timer has interrupted the thread that is first in the ready ring.
    #[cold]
    pub fn look_at_keeper(&mut self) {
        if let Some(tcb) = self.ready.front(self.tcbs) {
            tcb.keeping().look(tcb.repeats());
        }
    }

    /// Nothing is kept for the thread any more, whose control block may be given to another one.
    #[inline(always)]
    pub fn forget_keeper(&mut self, tcb: &Tcb) {
        if !tcb.keeping().is_empty() {
            self.keepers.forget_thread(self.tcbs, tcb);
        }
    }
}
