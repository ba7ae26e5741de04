//! Pages that have been kept until their threads have gone on: their homes are told.

use testbed_protocol::pages::keeping::PageSet;
use testbed_protocol::pages::Report;

use crate::services::extended::keeping::kept_for;
use crate::state::effects::KEEPING;
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::thread::Tcb;

impl Kernel {
    /// Tells homes of pages whose threads have gone on, or have something else to wait for.
    #[cold]
    pub fn release_pages(&mut self) {
        if self.all_is_kept() {
            return;
        }
        while let Some((process, page)) = self.next_to_release() {
            self.keepers.settle(process, page);
            self.make_room();
            // From the start again after each: where the home is here, pages may come for others,
            // and threads and processes end.
            self.tell_home_of_page(process, page as u32, Report::Done);
        }
        if self.keepers.all_are_there() {
            self.effects.done(KEEPING);
        }
    }

    /// Whether nothing has changed: every thread keeps all that has come for it.
    #[inline]
    fn all_is_kept(&self) -> bool {
        let keeps_all = |tcb: &Tcb| kept_for(tcb) == Some(tcb.keeping().kept(None));
        self.keepers.threads(self.tcbs).all(keeps_all) && !self.keepers.has_one_gone()
    }

    /// A page that has come, and is kept for nobody.
    fn next_to_release(&mut self) -> Option<(Process, u16)> {
        self.forget_gone_keepers();
        let lowest = |process: Process| process.owed().pages().lowest_besides(&self.kept_of(process));
        self.keepers.owing().find_map(|process| lowest(process).map(|page| (process, page)))
    }

    /// All that is kept for threads of a process.
    fn kept_of(&self, process: Process) -> PageSet {
        let mut kept = PageSet::EMPTY;
        let of_it = self.keepers.threads(self.tcbs).filter(|tcb| tcb.process() == process);
        of_it.filter_map(kept_for).for_each(|row| kept.insert_row(row));
        kept
    }

    /// Forgets threads that have gone on.
    fn forget_gone_keepers(&mut self) {
        for tcb in self.keepers.threads(self.tcbs) {
            if kept_for(tcb).is_none() {
                self.keepers.forget_thread(self.tcbs, tcb);
            }
        }
    }
}
