//! The first thread of a process, and its arguments.

use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, VIRTUAL_BYTES};
use testbed_definitions::syscall::Error;

use crate::arch::memory;
use crate::state::family::Birth;
use crate::state::kernel::Kernel;
use crate::state::load::Source;
use crate::state::process::Process;
use crate::variant;

/// The id of a process's first thread.
const FIRST_THREAD: u8 = 1;
/// Pages of its stack at least.
const FIRST_STACK_PAGES: u32 = variant::FIRST_STACK_PAGES;

/// Where arguments begin, at the top of the first thread's stack.
const fn arguments_address(bytes: u32) -> u32 {
    (VIRTUAL_BYTES - bytes) & !15
}

/// Pages of the first thread's stack: what the program asks for, if that is more than usual. The
/// small kernel gives what it gives.
fn stack_pages(source: &Source) -> Result<u32, Error> {
    if !variant::STACKS_DIFFER {
        return Ok(FIRST_STACK_PAGES);
    }
    let bytes = Some(source.stack_bytes()).filter(|&bytes| bytes <= VIRTUAL_BYTES - DATA_BASE);
    Ok(bytes.ok_or(Error::BadProgram)?.div_ceil(PAGE_BYTES).max(FIRST_STACK_PAGES))
}

impl Kernel {
    /// Maps the first thread's stack, with the arguments at its top.
    pub fn put_arguments(&mut self, process: Process, arguments: &[u8]) -> Result<(), Error> {
        let bytes = arguments.len() as u32;
        process.add_stack(VIRTUAL_BYTES, FIRST_STACK_PAGES, &mut self.pages)?;
        // SAFETY: the arguments are the kernel's.
        unsafe { memory::copy_to_user(arguments.as_ptr() as u32, process.map(), arguments_address(bytes), bytes) }
            .ok_or(Error::NoMemory)?;
        if let Some(place) = self.place(process.id()) {
            place.note_arguments(bytes);
        }
        Ok(())
    }

    /// Loads a process that has its arguments, and creates its first thread, with the arguments'
    /// address and length in `a0` and `a1`.
    pub fn start_process(&mut self, process: Process, source: &Source) -> Result<(), Error> {
        process.load(source, &mut self.pages)?;
        let (id, entry, pages) = (process.id(), process.entry(), stack_pages(source)?);
        if pages > FIRST_STACK_PAGES {
            process.add_stack(VIRTUAL_BYTES, pages, &mut self.pages)?;
        }
        let number = id.thread(FIRST_THREAD);
        process.give(number, entry, (VIRTUAL_BYTES, pages), self.me)?;
        let birth =
            Birth { process: id, number, parent: (ThreadNumber::NOBODY, self.me), entry, stack: VIRTUAL_BYTES, pages };
        let index = self.create_here(birth)?;
        let Some(place) = self.place(id) else { return Ok(()) };
        let arguments = place.run();
        self.tcb_of(index).context().give_arguments(arguments_address(arguments), arguments);
        Ok(())
    }
}
