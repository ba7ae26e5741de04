//! Ends of threads on the home of their process, whose stacks have been collected.

use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;

impl Kernel {
    /// A page is no more: perhaps the last one of a stack that is being collected.
    pub fn page_freed(&mut self, process: Process, page: u32) {
        let Some(id) = process.estate().and_then(|estate| estate.stack_of(page)) else { return };
        if let Some(parent) = self.one_collected(process, id) {
            self.leave_end(parent);
        }
    }

    /// A part of a thread's stack has been collected. If it was the last one, the thread's id is
    /// free. Returns its parent if that has to end in turn.
    pub fn one_collected(&mut self, process: Process, id: usize) -> Option<Index> {
        let death = process.estate()?.one_collected(id)?;
        process.take_back(death.number);
        self.mourn(death)
    }
}
