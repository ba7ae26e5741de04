//! The first thread of a process, and its arguments.

use testbed_definitions::event;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::process;
use testbed_definitions::syscall::Error;

use crate::home::Life;
use crate::kernel::Kernel;
use crate::load::Source;
use crate::memory;
use crate::process::Process;
use crate::thread::{A0, SP};
use crate::threads::Birth;

/// The id of a process's first thread.
const FIRST_THREAD: u8 = 1;
/// Pages of its stack.
const FIRST_STACK_PAGES: u32 = if cfg!(feature = "small") { 2 } else { 16 };

/// Where arguments begin, at the top of the first thread's stack.
const fn arguments_address(bytes: u32) -> u32 {
    (VIRTUAL_BYTES - bytes) & !15
}

impl Kernel {
    /// Maps the first thread's stack, with the arguments at its top.
    pub fn put_arguments(&mut self, process: Process, arguments: &[u8]) -> Result<(), Error> {
        let bytes = arguments.len() as u32;
        process.add_stack(VIRTUAL_BYTES, FIRST_STACK_PAGES, &mut self.pages)?;
        // SAFETY: the arguments are the kernel's.
        unsafe { memory::copy_to_user(arguments.as_ptr() as u32, process.map(), arguments_address(bytes), bytes) }
            .ok_or(Error::NoMemory)?;
        if let Some(place) = self.place(process.id) {
            place.arguments = bytes;
        }
        Ok(())
    }

    /// Loads a process that has its arguments, and creates its first thread, with the arguments' address and length in `a0` and `a1`.
    pub fn start_process(&mut self, mut process: Process, source: &Source) -> Result<(), Error> {
        process.load(source, &mut self.pages)?;
        let (id, entry, pages) = (process.id, process.entry, FIRST_STACK_PAGES);
        let number = event::thread_number(self.me, process::place(id), FIRST_THREAD);
        process.give(number, entry, (VIRTUAL_BYTES, pages), self.me)?;
        let birth = Birth { process: id, number, parent: (0, self.me), entry, stack: VIRTUAL_BYTES, pages };
        let index = self.create_here(birth)?;
        let Some(place) = self.place(id) else { return Ok(()) };
        place.life = Life::Running;
        let arguments = place.arguments;
        let context = &mut self.tcbs[index as usize].context;
        context.set(SP, arguments_address(arguments));
        context.set(A0, arguments_address(arguments));
        context.set(A0 + 1, arguments);
        Ok(())
    }
}

/// The small kernel has no filestore: it starts the host's first file where it lies.
#[cfg(feature = "small")]
impl Kernel {
    /// The program that the host wants started.
    pub fn invoke_first(&mut self) -> Result<(), Error> {
        let process = self.take_place(process::OPERATOR, true)?;
        self.put_arguments(process, crate::boot::arguments())?;
        let (first, bytes) = crate::boot::first_file();
        self.start_process(process, &Source { bytes, address: &|offset| first + offset })
    }

    /// Every processor has the program in RAM.
    pub fn load_first(&mut self, process: crate::process::Process) -> Result<(), Error> {
        let (first, bytes) = crate::boot::first_file();
        process.load(&Source { bytes, address: &|offset| first + offset }, &mut self.pages)
    }
}
