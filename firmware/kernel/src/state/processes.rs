//! Finding and making the records of processes, and the places of those that are invoked here.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::syscall::Error;

use crate::state::kernel::Kernel;
use crate::state::place::{Place, PLACES};
use crate::state::process::Process;
use crate::state::registry::slot;
use crate::variant;

impl Kernel {
    /// The process with this id, if something of it is here.
    #[inline]
    pub fn process(&self, id: ProcessId) -> Option<Process> {
        self.processes.at(slot(id)).filter(|process| process.id() == id)
    }

    /// The process with this id, which a packet or an arriving thread names: its record is made if
    /// there is none. `Err(NoProcess)` for one that has ended.
    #[inline]
    pub fn ensure_process(&mut self, id: ProcessId) -> Result<Process, Error> {
        match self.process(id) {
            Some(process) => Ok(process),
            // A process that is invoked here is not made by packets.
            None if id.home() == self.me => Err(Error::NoProcess),
            None => self.make_guest(id),
        }
    }

    /// The record of a process whose home is elsewhere. The small kernel loads the program besides,
    /// since no page comes later.
    fn make_guest(&mut self, id: ProcessId) -> Result<Process, Error> {
        let process = self.make_process(id)?;
        self.load_guest(process)?;
        Ok(process)
    }

    /// The record of a process that is new here.
    #[cold]
    #[inline(never)]
    pub fn make_process(&mut self, id: ProcessId) -> Result<Process, Error> {
        if id.generation() == 0 || self.processes.is_over(id) || self.processes.at(slot(id)).is_some() {
            return Err(Error::NoProcess);
        }
        let process =
            Process::new(id, id.home() == self.me || !variant::PAGES_GO, &mut self.pages).ok_or(Error::NoMemory)?;
        process.set_suspended(self.processes.is_suspended(id));
        self.processes.add(process);
        Ok(process)
    }

    /// The place of a process that was invoked here, or of the last one there.
    pub fn place(&mut self, id: ProcessId) -> Option<&mut Place> {
        let me = self.me;
        let found = &mut self.places[id.place() as usize & (PLACES - 1)];
        (id.home() == me && found.id() == id).then_some(found)
    }
}
