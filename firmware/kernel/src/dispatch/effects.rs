//! What services have left ([`crate::state::effects`]) is done here, and nowhere else.

use crate::state::effects::{ENDS, KEEPING, LEAVING, MOUNTS, PARKED};
use crate::state::kernel::Kernel;

impl Kernel {
    /// Does what services have left, as far as there is room for it; what needs more stays noted,
    /// and the timer comes back to it.
    pub fn perform_effects(&mut self) {
        if !self.transmitting.is_empty() {
            self.pump_fragments();
        }
        if self.effects.has(LEAVING) {
            self.look_at_leaving();
        }
        self.perform_ends();
        if self.effects.has(PARKED) {
            self.unpark();
        }
        if self.effects.has(MOUNTS) {
            self.pump_files();
        }
        self.issue();
        if self.effects.has(KEEPING) {
            self.release_pages();
            self.perform_ends();
            self.issue();
        }
    }

    /// Ends threads and processes.
    #[inline]
    pub fn perform_ends(&mut self) {
        if self.effects.has(ENDS) {
            self.end_all();
        }
    }
}
