//! Alternatives with a timeout: looked at in turn, one a pass of the main loop.

use testbed_kernel_core::queue::Queue;

use crate::hw;
use crate::kernel::Kernel;

impl Kernel {
    /// The thread's alternative fails after so many microseconds ([`Kernel::stop_timer`] before).
    pub fn start_timer(&mut self, index: u16, microseconds: u32) {
        let cycles = microseconds as u64 * (self.clock_hz / 1_000_000) as u64;
        self.tcbs[index as usize].deadline = hw::now() + cycles;
        self.timed.push_back(self.tcbs, index);
    }

    /// The thread waits for no time any more. One that did not may be named.
    pub fn stop_timer(&mut self, index: u16) {
        if core::mem::take(&mut self.tcbs[index as usize].deadline) != 0 {
            self.timed.remove(self.tcbs, index);
        }
    }

    /// Looks at the next thread that waits for time.
    pub fn serve_time(&mut self) {
        let Some(index) = self.timed.pop_front(self.tcbs) else { return };
        let tcb = &mut self.tcbs[index as usize];
        if hw::now() >= tcb.deadline {
            tcb.deadline = 0;
            return self.alt_timeout(index);
        }
        self.timed.push_back(self.tcbs, index);
    }
}

/// Threads that wait for time.
pub const fn none() -> Queue {
    Queue::new()
}
