//! Pages that are kept here until the threads that they have come for have gone on.

use testbed_protocol::pages::Report;

use crate::kernel::{Index, Kernel, KEEPING};
use crate::process::Process;
use crate::thread::{State, Tcb};
use crate::{hw, options};

/// A page that has come for a thread: the home hears that it has arrived when the thread has gone on.
#[derive(Clone, Copy)]
pub struct Kept {
    process: u16,
    page: u16,
    index: Index,
    /// What it repeats.
    pc: u32,
}

/// How long a thread is given to use a page that has come for it: enough to leave the kernel, which takes about half of it, and for
/// some instructions.
const USE_CYCLES: u64 = 256;

/// Pages kept at a time; of more, the home hears at once.
pub const KEPT: usize = 4;

impl Kernel {
    /// Keeps a page that has come until its thread has gone on: the home asks for it again, for somebody else, only after it has heard
    /// that it arrived. Otherwise processors that want the same page could take it from each other for ever, without anybody using it.
    pub fn keep_page(&mut self, process: Process, page: u32, user: Option<Index>) -> bool {
        let Some(index) = user else { return false };
        // It goes on at once, in the time-slice in which it stopped: others may want the page. Also if this one can't be kept, since those
        // before it are.
        if !options::tos94() {
            self.ready.last_first(self.tcbs);
        }
        let Some(place) = self.kept.iter_mut().find(|place| place.is_none()) else { return false };
        let pc = self.tcbs[index as usize].context.pc;
        *place = Some(Kept { process: process.id, page: page as u16, index, pc });
        self.unfinished |= KEEPING;
        true
    }

    /// Whether a page has come for the thread that it may not have used yet.
    pub fn keeps(&self, index: Index) -> bool {
        self.kept.iter().flatten().any(|kept| kept.index == index)
    }

    /// If a page has come for the thread that is about to go on, the timer is set to look soon whether it has used it, and nothing else:
    /// whoever comes then sets it again. Packets may have come before the thread had left the kernel; then it is set anew. The time is
    /// read as late as can be, for the thread must get to its instruction.
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

    /// Tells homes of pages whose threads have gone on, or have something else to wait for.
    #[cold]
    pub fn release_pages(&mut self) {
        self.unfinished &= !KEEPING;
        for place in 0..KEPT {
            let Some(Kept { process, page, index, pc }) = self.kept[place] else { continue };
            let tcb = &self.tcbs[index as usize];
            // A call may need several pages: who waits for one keeps those before it, so that nobody waits in a circle.
            let waits = tcb.state == State::Paging && tcb.page > page;
            if (waits || tcb.state == State::Ready) && tcb.context.pc == pc {
                self.unfinished |= KEEPING;
                continue;
            }
            self.kept[place] = None;
            if let Some(process) = self.process(process) {
                self.tell_home_of_page(process, page as u32, Report::Done);
            }
        }
    }
}
