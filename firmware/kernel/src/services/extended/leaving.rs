//! What a process that has ended had of its home: its program's file, its streams,
//! its keys, and its seat at the console.

use testbed_definitions::ids::ProcessId;

use crate::state::extended::invoked::NO_FILE;
use crate::state::kernel::Kernel;

impl Kernel {
    /// The process in this place has ended: the file that it ran may go, its streams, its keys, and
    /// its seat.
    pub fn leave_program(&mut self, id: ProcessId) {
        if self.streams.is_led() {
            self.streams.end(id);
        }
        self.end_keys(id);
        self.stand_up(id);
        let Some(place) = self.place(id) else { return };
        if place.invoked.file != NO_FILE {
            let file = core::mem::replace(&mut place.invoked.file, NO_FILE);
            self.leave_file(file as usize);
        }
    }
}
