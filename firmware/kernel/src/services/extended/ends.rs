//! Ends that services leave to be done ([`crate::state::effects`]).

use crate::state::effects::{DOOMED, ENDING};
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;
use crate::state::thread::Tcb;

impl Kernel {
    /// A thread without children is to end.
    #[cold]
    #[inline(never)]
    pub fn leave_end(&mut self, index: Index) {
        let tcb = self.tcb_of(index);
        tcb.await_end();
        self.ends.put(self.tcbs, tcb);
        self.effects.note(ENDING);
    }

    /// A thread that has waited for a page is to end: there is no such page.
    #[cold]
    #[inline(never)]
    pub fn leave_fault(&mut self, tcb: &Tcb) {
        self.ends.put(self.tcbs, tcb);
        self.effects.note(ENDING);
    }

    /// There is no page left for what the process does, or for what is sent to it: it can't go on.
    #[cold]
    pub fn out_of_memory(&mut self, process: Process) {
        process.doom();
        self.effects.note(DOOMED);
    }
}
