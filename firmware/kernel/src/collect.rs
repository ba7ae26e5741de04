//! The master's side of the monitor in polled mode: a program there takes what the MMI has collected.

use testbed_definitions::map::{self, mmi};
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::WRITE;

use crate::hw;
use crate::kernel::Kernel;
use crate::process::Process;
use crate::user::{user_range, write_user};

/// Most words that a call takes, so that it doesn't take long.
pub const WORDS_A_CALL: u32 = 64;

impl Kernel {
    fn has_mmi(&self) -> Result<(), Error> {
        if self.me == 0 {
            Ok(())
        } else {
            Err(Error::NoMonitor)
        }
    }

    /// Takes words from the master's queue while it has some, [`WORDS_A_CALL`] at most.
    pub fn read_monitor(&self, process: Process, buffer: u32, most: u32) -> Result<u32, Error> {
        self.has_mmi()?;
        let most = most.min(WORDS_A_CALL);
        // Before anything is taken.
        user_range(process, buffer, 4 * most, WRITE)?;
        let mut words = [0; WORDS_A_CALL as usize];
        let mut taken = 0;
        for place in &mut words[..most as usize] {
            let word = hw::read(map::MMI_BASE, mmi::DATA);
            if word & mmi::DATA_VALID == 0 {
                break;
            }
            *place = word & !mmi::DATA_VALID;
            taken += 1;
        }
        write_user(process, buffer, &words[..taken])?;
        Ok(taken as u32)
    }

    /// Sets where the MMI puts what it collects. The result is where it has put it so far.
    pub fn deliver(&self, control: u32) -> Result<u32, Error> {
        self.has_mmi()?;
        let before = hw::read(map::MMI_BASE, mmi::CONTROL);
        // How it collects stays as the machine has it.
        let places = mmi::CONTROL_POLL | mmi::CONTROL_QUEUE | mmi::CONTROL_TRACE;
        hw::write(map::MMI_BASE, mmi::CONTROL, before & !places | control & places);
        Ok(before)
    }
}
