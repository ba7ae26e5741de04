//! Every processor has the program in RAM, and loads it for itself.

use testbed_definitions::boot::word;
use testbed_definitions::file::record;
use testbed_definitions::syscall::Error;

use crate::state::boot;
use crate::state::kernel::Kernel;
use crate::state::load::Source;
use crate::state::process::Process;

/// Address and bytes of the host's first file.
pub fn first_file() -> (u32, u32) {
    // SAFETY: the host left at least one record there, and nobody writes it.
    let word = |index: usize| unsafe { (boot::get(word::FILES_ADDRESS) as *const u32).add(index).read_volatile() };
    (word(record::ADDRESS), word(record::BYTES))
}

impl Kernel {
    /// Every processor has the program in RAM.
    pub fn load_guest(&mut self, process: Process) -> Result<(), Error> {
        let (first, bytes) = first_file();
        process.load(&Source { bytes, address: &|offset| first + offset }, &mut self.pages)
    }
}
