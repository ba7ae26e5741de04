//! Processes whose threads do not run.

use testbed_kernel_core::queue::NONE;

use crate::state::kernel::Kernel;
use crate::state::thread::State;

impl Kernel {
    /// Lets the threads of a process that are here run, or not.
    pub fn suspend(&mut self, id: u16, suspended: bool) {
        if self.processes.is_over(id) {
            return;
        }
        self.processes.set_suspended(id, suspended);
        let Some(mut process) = self.process(id) else { return };
        process.suspended = suspended;
        for index in process.threads.into_iter().filter(|&index| index != NONE) {
            match self.tcbs[index as usize].state.get() {
                State::Ready if suspended => {
                    self.ready.remove(self.tcbs, index);
                    self.hold(index);
                }
                State::Held if !suspended => self.make_ready(index),
                _ => {}
            }
        }
        // Others may have waited behind a thread that cannot run now, or one that can again.
        self.serve_readers();
    }

    /// Nothing runs here any more: the machine is about to stop.
    pub fn suspend_all(&mut self) {
        for index in 0..=u8::MAX {
            let id = self.processes.at(index as usize).map_or(index as u16, |process| process.id);
            self.processes.set_suspended(id, true);
            self.suspend(id, true);
        }
    }
}
