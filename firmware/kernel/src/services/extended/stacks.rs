//! Stacks on the home of their process: they are given back, wherever their pages are.

use testbed_definitions::ids::Processor;
use testbed_protocol::pages::directory;

use crate::state::extended::estate::stack_pages;
use crate::state::family::Death;
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;

impl Kernel {
    /// Frees pages of a thread's stack that could not be made at `owner`.
    pub fn free_unmade(&mut self, process: Process, (top, count): (u32, u32)) {
        for page in stack_pages(top, count) {
            let Some(entry) = process.estate().and_then(|estate| estate.entry(page)) else { return };
            let owner = entry.owner();
            let output = directory::free(entry, Some(owner));
            self.perform_home(process, page, output);
        }
    }

    /// A thread has ended at processor `at`, which has given up all it could of its stack. The rest
    /// is collected; then its id is free and its parent is told. Returns the parent if it has to
    /// end in turn, now.
    pub fn bury(&mut self, death: Death, at: Processor) -> Option<Index> {
        let process = self.process(death.process)?;
        let id = process.estate()?.note(death);
        for page in stack_pages(death.stack, death.pages) {
            let entry = process.estate()?.entry(page)?;
            let output = directory::free(entry, Some(at));
            self.perform_home(process, page, output);
        }
        self.one_collected(process, id)
    }
}
