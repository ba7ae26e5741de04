//! Ends that services have left.

use testbed_definitions::syscall::EXIT_HALT;

use crate::state::effects::{DOOMED, ENDING};
use crate::state::kernel::Kernel;
use crate::state::registry::PROCESSES_KNOWN;

impl Kernel {
    /// Ends threads, and then processes that are out of memory, or that nobody will let run. One step
    /// may have found several.
    #[cold]
    #[inline(never)]
    pub fn end_all(&mut self) {
        while let Some(tcb) = self.ends.take(self.tcbs) {
            self.make_room();
            match tcb.fault() {
                Some((cause, address)) => self.end_for_fault(tcb.index(), cause as u32, address),
                None => self.end_thread(tcb.index()),
            }
        }
        self.effects.done(ENDING);
        if !self.effects.has(DOOMED) {
            return;
        }
        self.effects.done(DOOMED);
        for slot in 0..PROCESSES_KNOWN {
            if let Some(process) = self.processes.at(slot).filter(|process| process.take_doom()) {
                self.make_room();
                match self.place(process.id()).is_some_and(|place| place.invoked.held) {
                    true => self.end_process(process.id(), EXIT_HALT),
                    false => self.end_for_memory(process.id()),
                }
            }
        }
    }
}
