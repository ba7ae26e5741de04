//! The home knows which pages are stacks, wherever they are.

use testbed_definitions::ids::Processor;

use crate::state::family::Death;
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;

impl Kernel {
    pub fn free_unmade(&mut self, process: Process, stack: (u32, u32)) {
        if let Some(estate) = process.estate() {
            estate.free(stack);
        }
    }

    pub fn bury(&mut self, death: Death, _: Processor) -> Option<Index> {
        let process = self.process(death.process)?;
        process.estate()?.free((death.stack, death.pages));
        process.take_back(death.number);
        self.mourn(death)
    }
}
