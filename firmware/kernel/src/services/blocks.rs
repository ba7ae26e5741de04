//! Thread control blocks that are free again.

use crate::state::kernel::Kernel;
use crate::state::thread::State;

impl Kernel {
    /// A thread has gone: its control block may be another one's.
    pub fn free_tcb(&mut self, index: u16) {
        self.stop_timer(index);
        self.forget_keeper(index);
        let tcb = &self.tcbs[index as usize];
        tcb.state.set(State::Free);
        tcb.yielded.set(0);
        self.free.push_back(self.tcbs, index);
    }
}
