//! Ends for want of memory, and which process it was.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::syscall;

use crate::state::kernel::Kernel;

impl Kernel {
    /// Prints which process it is: the program's name, which only the process's home knows,
    /// elsewhere the process's id.
    pub fn put_owner(&mut self, id: ProcessId) {
        let name = self.place(id).map(|place| place.invoked.name);
        self.console.put_text(if name.is_some() { " of " } else { " of process " });
        match name {
            Some(name) => name.into_iter().take_while(|&byte| byte != 0).for_each(|byte| self.console.put(byte)),
            None => self.console.put_hexadecimal(id.bits() as u32),
        }
    }

    /// There is no page for what a thread has touched, or for what is sent to it: its process can't
    /// go on, and ends as a whole.
    #[cold]
    #[inline(never)]
    pub fn end_for_memory(&mut self, id: ProcessId) {
        self.console.put_text("all threads");
        self.put_owner(id);
        self.console.put_text(" ended: out of memory on processor ");
        self.console.put_decimal(self.me.number() as u32);
        self.console.put(b'\n');
        self.end_process(id, syscall::EXIT_NO_MEMORY);
    }
}
