//! Programs become processes: invoking them, and the calls that concern processes.

use testbed_definitions::event;
use testbed_definitions::mpc::process as layout;
use testbed_definitions::page::VIRTUAL_BYTES;
use testbed_definitions::process;
use testbed_definitions::syscall::{self, Error};

use crate::home::Life;
use crate::kernel::Kernel;
use crate::process::Process;
use crate::thread::{A0, SP};
use crate::threads::Birth;
use crate::{boot, memory};

/// The id of a process's first thread.
const FIRST_THREAD: u8 = 1;
/// Pages of its stack.
const FIRST_STACK_PAGES: u32 = 16;

impl Kernel {
    /// A call that concerns processes.
    pub fn process_call(&mut self, index: u8, number: u32, [a0, a1, ..]: [u32; 5]) {
        match number {
            syscall::AWAIT => self.ask_home(index, layout::AWAIT, a0, 0),
            syscall::KILL => self.kill(index, a0),
            syscall::CONTROL => self.ask_home(index, layout::CONTROL, a0, a1),
            _ => self.finish(index, Err(Error::UnknownCall)),
        }
    }

    /// The program that the host wants started.
    pub fn invoke_first(&mut self) -> Result<(), Error> {
        let process = self.take_place(0)?;
        process.load(boot::program(), &mut self.pages)?;
        self.start_process(process, boot::arguments())
    }

    /// Creates the first thread of a process that is loaded. The arguments lie at the top of its stack, their address and length in
    /// `a0` and `a1`.
    fn start_process(&mut self, mut process: Process, arguments: &[u8]) -> Result<(), Error> {
        let (id, entry, bytes) = (process.id, process.entry, arguments.len() as u32);
        let number = event::thread_number(self.me, process::place(id), FIRST_THREAD);
        process.give(number, entry, (VIRTUAL_BYTES, FIRST_STACK_PAGES))?;
        let birth =
            Birth { process: id, number, parent: (0, self.me), entry, stack: VIRTUAL_BYTES, pages: FIRST_STACK_PAGES };
        let index = self.create_here(birth)?;
        let top = (VIRTUAL_BYTES - bytes) & !15;
        // SAFETY: the arguments are the kernel's.
        unsafe { memory::copy_to_user(arguments.as_ptr() as u32, process.map(), top, bytes) }.ok_or(Error::NoMemory)?;
        let context = &mut self.tcbs[index as usize].context;
        context.set(SP, top);
        context.set(A0, top);
        context.set(A0 + 1, bytes);
        if let Some(place) = self.place(id) {
            place.life = Life::Running;
        }
        Ok(())
    }
}
