//! Alternatives that end before anybody has come.

use crate::state::kernel::Kernel;

impl Kernel {
    /// Its process ends: the thread waits no more.
    pub fn end_alternative(&mut self, index: u16) {
        self.stop_timer(index);
        self.tcb_of(index).list().release(&mut self.pages);
    }
}
