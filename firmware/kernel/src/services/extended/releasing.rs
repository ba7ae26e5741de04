//! Pages that have been kept until their threads have gone on: their homes are told.

use testbed_kernel_core::queue::NONE;
use testbed_protocol::pages::keeping::PageSet;
use testbed_protocol::pages::Report;

use crate::services::extended::keeping::kept_for;
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::unfinished::KEEPING;

impl Kernel {
    /// Tells homes of pages whose threads have gone on, or have something else to wait for.
    #[cold]
    pub fn release_pages(&mut self) {
        if self.all_is_kept() {
            return;
        }
        while let Some((mut process, page)) = self.next_to_release() {
            process.owed.pages.remove(page);
            process.owed.count -= 1;
            if process.owed.count == 0 {
                self.forget_owing(process);
            }
            if !self.net.has_room() {
                self.await_room();
            }
            // From the start again after each: where the home is here, pages may come for others,
            // and threads and processes end.
            self.tell_home_of_page(process, page as u32, Report::Done);
        }
        self.keepers.gone = false;
        if self.keepers.owing == Process::NONE {
            self.unfinished.done(KEEPING);
        }
    }

    /// Whether nothing has changed: every thread keeps all that has come for it.
    #[inline]
    fn all_is_kept(&self) -> bool {
        let mut index = self.keepers.first;
        while index != NONE {
            let tcb = &self.tcbs[index as usize];
            if kept_for(tcb) != Some(tcb.keeping.pages.get().kept(None)) {
                return false;
            }
            index = tcb.keeping.next.get();
        }
        !self.keepers.gone
    }

    /// A page that has come, and is kept for nobody.
    fn next_to_release(&mut self) -> Option<(Process, u16)> {
        self.forget_gone_keepers();
        let mut process = self.keepers.owing;
        while process != Process::NONE {
            if let Some(page) = process.owed.pages.lowest_besides(&self.kept_of(process)) {
                return Some((process, page));
            }
            process = process.owed.next;
        }
        None
    }

    /// All that is kept for threads of a process.
    fn kept_of(&self, process: Process) -> PageSet {
        let mut kept = PageSet::EMPTY;
        let mut index = self.keepers.first;
        while index != NONE {
            let tcb = &self.tcbs[index as usize];
            if tcb.process.get() == process {
                kept_for(tcb).into_iter().for_each(|row| kept.insert_row(row));
            }
            index = tcb.keeping.next.get();
        }
        kept
    }

    /// Forgets threads that have gone on.
    fn forget_gone_keepers(&mut self) {
        let mut index = self.keepers.first;
        while index != NONE {
            let tcb = &self.tcbs[index as usize];
            let (next, has_gone_on) = (tcb.keeping.next.get(), kept_for(tcb).is_none());
            if has_gone_on {
                self.forget_keeper(index);
            }
            index = next;
        }
    }
}
