//! A processor: what it holds, and the two ways in which it executes.
//!
//! What an instruction does lies in known cycles: it *arrives* (state D), the cycle after it
//! executes (X). A window executes the instructions whose X lies in it.
//!
//! | file | what it holds |
//! |---|---|
//! | `state` | registers, RAM, the processor's own devices, and where it stands |
//! | `times` | what its core takes for each kind of instruction |
//! | `stretch` | where instructions are fetched from |
//! | `window` | its way through a window: who executes what |
//! | `ahead` | its way ahead of the others, and back |
//! | `interpreter` | the fast way: instructions that touch nothing but registers and RAM |
//! | `translator` | what runs often, as this computer's own code |
//! | `exact` | the exact step: everything else, and everything while somebody looks |
//! | `interrupts` | which interrupt comes when, and sleep until then |
//! | `decode`, `alu` | instruction words and what they compute |
//! | `csr`, `tlb` | CSRs; the TLB |
//! | `memory` | RAM with decoded instructions beside it |
//!
//! `window` asks the interpreter for one thing: to execute from the present state the instructions
//! that arrive before a limit, and to stop before the first that it can't. So another fast way can
//! stand beside it: whatever it leaves undone, the exact step does. For the windows a processor is
//! a [`Core`], and a core of another kind could stand beside this one.

mod ahead;
mod alu;
mod csr;
mod decode;
mod exact;
mod interpreter;
mod interrupts;
mod memory;
mod state;
mod stretch;
mod times;
mod tlb;
mod translator;
mod window;

pub(crate) use state::Hart;
pub(crate) use translator::Translator;

use crate::engine::Retirement;
use crate::model::monitor::Event;
use crate::ram::Ram;
use crate::schedule::Core;
use crate::shared::Shared;

impl Core for Hart {
    #[inline(always)]
    fn run(&mut self, shared: &mut Shared, until: u64) {
        self.run_window(shared, until);
    }

    fn can_run_ahead(&self) -> bool {
        self.record.is_none()
    }

    fn run_ahead(&mut self, shared: &mut Shared, until: u64) -> Option<u64> {
        self.set_out();
        shared.network.set_out(self.number);
        self.run_window(shared, until)
    }

    fn fall_back(&mut self, shared: &mut Shared) {
        self.go_back();
        shared.network.go_back(self.number);
    }

    fn arrive(&mut self, events: &mut Vec<Event>) {
        self.memory.noting = false;
        events.append(&mut self.events);
    }

    #[inline]
    fn sleeps_until(&self, shared: &Shared) -> Option<u64> {
        self.wakes_in(shared)
    }

    fn ram(&mut self) -> &mut impl Ram {
        &mut self.memory
    }
}

/// What a processor shows to those who look at the machine.
impl Hart {
    /// Instructions retired before `cycle`, which is the present one.
    pub fn instructions(&self, cycle: u64) -> u64 {
        // One instruction may have begun and not be complete.
        self.retired - u64::from(self.complete > cycle)
    }

    /// Turns recording of retirements on or off; what was recorded is gone.
    pub fn record(&mut self, on: bool) {
        self.record = on.then(Vec::new);
    }

    /// What has been recorded of the cycles before `cycle` and not been taken; `None` if nothing is
    /// recorded.
    pub fn take_record(&mut self, cycle: u64) -> Option<Vec<Retirement>> {
        let record = self.record.as_mut()?;
        // The last instruction may retire in a cycle that is still to come.
        let done = record.iter().rposition(|retirement| retirement.cycle < cycle).map_or(0, |last| last + 1);
        let later = record.split_off(done);
        Some(std::mem::replace(record, later))
    }

    /// The word of RAM at an offset, a multiple of four.
    pub fn word(&self, offset: u32) -> u32 {
        self.memory.read(offset)
    }
}
