//! Ends that services leave to be done ([`crate::state::effects`]).

use testbed_definitions::ids::ProcessId;

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

    /// A process has ended: those that it has invoked suspended, and not let run, end too. Nobody
    /// else knows of them.
    pub fn ended_for_held(&mut self, id: ProcessId) {
        for place in 0..self.places.len() {
            let place = &self.places[place];
            if place.is_free() || !place.invoked.held || place.invoked.invoker != id {
                continue;
            }
            if let Some(process) = self.process(place.id()) {
                process.doom();
                self.effects.note(DOOMED);
            }
        }
    }

    /// There is no page left for what the process does, or for what is sent to it: it can't go on.
    #[cold]
    pub fn out_of_memory(&mut self, process: Process) {
        process.doom();
        self.effects.note(DOOMED);
    }
}
