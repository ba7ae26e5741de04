//! Nobody is told of the load, and nobody asks for threads to move.

use testbed_definitions::event;
use testbed_definitions::ids::{Processor, ThreadNumber};

use crate::drivers::events;
use crate::state::kernel::Kernel;
use crate::state::thread::Tcb;

impl Kernel {
    #[inline(always)]
    pub fn joins_ready(&mut self, tcb: &Tcb) {
        events::emit_word(tcb.number().bits() | event::SCHEDULE);
    }
    pub fn count_yield(&mut self) {}
    pub fn begin_counting(&mut self, _: &Tcb) {}
    pub fn leave_for_load(&mut self, _: &Tcb, _: &Tcb, _: u32) {}
    pub fn count_copied(&mut self) {}
    pub fn count_remote(&mut self, _: &Tcb, _: u32, _: bool) {}
    #[inline(always)]
    pub fn birthplace(&mut self) -> Processor {
        self.me
    }
    pub fn has_requests(&self) -> bool {
        false
    }
    pub fn gone_for_request(&mut self, _: ThreadNumber) {}
    pub fn ended_for_request(&mut self, _: ThreadNumber) {}
    pub fn forget_measured(&mut self, _: &Tcb) {}
}
