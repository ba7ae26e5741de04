//! Ends for stacks that have overflowed.

use testbed_definitions::page::{PAGE_BYTES, PAGE_SHIFT};

use crate::state::kernel::Kernel;

impl Kernel {
    /// The thread's stack pointer is below its stack. As far as the free page there goes, the
    /// thread ends for it. Further down may be another thread's stack, which it may have written
    /// to: nobody knows what the process's memory is worth, so all of it ends.
    #[cold]
    #[inline(never)]
    pub fn end_for_overflow(&mut self, index: u16) {
        let tcb = self.tcb_of(index);
        let (sp, below) = (tcb.context().sp(), tcb.bottom() - PAGE_BYTES);
        let is_free = tcb.process().map()[(below >> PAGE_SHIFT) as usize] == 0;
        self.put_end(index, ("stack overflow", ", sp "), sp);
        self.end_thread_or_process(index, sp >= below && is_free);
    }
}
