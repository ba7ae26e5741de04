//! There is no filestore: the host's first file is started where it lies.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::process;
use testbed_definitions::syscall::Error;

use crate::state::boot;
use crate::state::extended::guest::first_file;
use crate::state::kernel::Kernel;
use crate::state::load::Source;

impl Kernel {
    /// The program that the host wants started.
    pub fn invoke_first(&mut self) -> Result<(), Error> {
        let process = self.take_place(process::OPERATOR, true)?;
        self.put_arguments(process, boot::arguments())?;
        let (first, bytes) = first_file();
        self.start_process(process, &Source { bytes, address: &|offset| first + offset })
    }

    pub fn take_host_files(&mut self) {}

    pub fn invoke_balancer(&mut self) -> Result<(), Error> {
        Ok(())
    }

    pub fn leave_program(&mut self, _: ProcessId) {}
}
