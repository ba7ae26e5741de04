//! The master's side of the monitor in polled mode: a program there takes what the MMI has
//! collected.

use testbed_definitions::ids::Processor;
use testbed_definitions::map::{self, mmi};
use testbed_definitions::syscall::{monitor, Error};
use testbed_kernel_core::page_map::WRITE;

use crate::arch::hw;
use crate::drivers::extended::settings;
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::user::{user_range, write_user};

/// Most words that a call takes, so that it doesn't take long.
pub const WORDS_A_CALL: u32 = 64;

/// Bits of CONTROL that say where pairs go.
const PLACES: u32 = mmi::CONTROL_POLL | mmi::CONTROL_QUEUE | mmi::CONTROL_TRACE | mmi::CONTROL_QUEUE_MAY_MISS;

impl Kernel {
    fn has_mmi(&self) -> Result<(), Error> {
        if self.me == Processor::MASTER {
            Ok(())
        } else {
            Err(Error::NoMonitor)
        }
    }

    /// Takes words from the master's queue while it has some, [`WORDS_A_CALL`] at most. For
    /// operators.
    pub fn read_monitor(&self, process: Process, buffer: u32, most: u32) -> Result<u32, Error> {
        if !process.id().is_operator() {
            return Err(Error::NoPermission);
        }
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

    /// A process sets what the MMI puts where, or is told what it has missed.
    pub fn collecting(&self, process: Process, what: u32, value: u32) -> Result<u32, Error> {
        self.has_mmi()?;
        let set = |register: u32, value: u32| {
            let before = hw::read(map::MMI_BASE, register);
            hw::write(map::MMI_BASE, register, value);
            Ok(before)
        };
        match what {
            monitor::WANT => set(mmi::WANTED, value),
            monitor::WANT_DATUM => set(mmi::WANTED_DATUM, value),
            monitor::MISSED => Ok(hw::read(map::MMI_BASE, mmi::MISSED)),
            // In which order it collects stays as the machine has it.
            _ => {
                settings::note_collector(process.id());
                set(mmi::CONTROL, hw::read(map::MMI_BASE, mmi::CONTROL) & !PLACES | value & PLACES)
            }
        }
    }

    /// A process ends here. If it has had things put into the master's queue, nobody empties that any
    /// more: all goes to the trace port, as after reset.
    pub fn stop_collecting(&self, process: Process) {
        if settings::forget_collector(process.id()) {
            let control = hw::read(map::MMI_BASE, mmi::CONTROL) & !PLACES;
            hw::write(map::MMI_BASE, mmi::CONTROL, control | mmi::CONTROL_POLL | mmi::CONTROL_TRACE);
        }
    }
}
