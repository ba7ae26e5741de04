//! Thread control blocks that are free again.

use crate::state::kernel::Kernel;

impl Kernel {
    /// A thread has gone: its control block may be another one's.
    pub fn free_tcb(&mut self, index: u16) {
        self.stop_timer(index);
        let tcb = self.tcb_of(index);
        self.forget_keeper(tcb);
        self.forget_measured(tcb);
        tcb.be_free();
        self.free.push_back(self.tcbs, index);
    }
}
