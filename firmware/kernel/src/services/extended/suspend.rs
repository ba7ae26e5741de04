//! Processes whose threads do not run.

use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::mpc::{self, process as layout};

use crate::state::kernel::Kernel;
use crate::state::thread::State;

impl Kernel {
    /// Lets the threads of a process that was invoked here run, or not, wherever they are.
    pub fn suspend_everywhere(&mut self, id: ProcessId, suspended: bool) {
        self.suspend(id, suspended);
        if self.processors > 1 {
            let words = [mpc::operation_address(layout::SUSPEND, id), suspended as u32, 0, 0, 0, 0];
            self.net.queue_token(Processor::ALL_OTHERS, mpc::PROCESS, words, layout::SUSPEND_BYTES);
        }
    }

    /// Lets the threads of a process that are here run, or not.
    pub fn suspend(&mut self, id: ProcessId, suspended: bool) {
        if self.processes.is_over(id) {
            return;
        }
        self.processes.set_suspended(id, suspended);
        let Some(process) = self.process(id) else { return };
        process.set_suspended(suspended);
        for index in process.threads() {
            match self.tcb_of(index).state() {
                State::Ready if suspended => {
                    self.ready.remove(self.tcbs, index);
                    self.tcb_of(index).hold();
                }
                State::Held if !suspended => self.make_ready(index),
                // What the others wait for is all the same to them.
                _ => {}
            }
        }
        // Others may have waited behind a thread that cannot run now, or one that can again.
        self.serve_readers();
    }

    /// Nothing runs here any more: the machine is about to stop.
    pub fn suspend_all(&mut self) {
        for index in 0..=u8::MAX {
            let id =
                self.processes.at(index as usize).map_or(ProcessId::from_bits(index as u16), |process| process.id());
            self.processes.set_suspended(id, true);
            self.suspend(id, true);
        }
    }
}
