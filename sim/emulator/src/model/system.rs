//! The SYSTEM device: identity of the machine, end of a simulation.

use testbed_definitions::map::system;
use testbed_machine::Machine;

/// One processor's SYSTEM device.
#[derive(Clone, Debug)]
pub struct System {
    ram_bytes: u32,
    clock_hz: u32,
    processors: u32,
    /// Cycle and value of the first store to EXIT.
    exit: Option<(u64, u32)>,
}

impl System {
    pub fn new(machine: &Machine) -> Self {
        System {
            ram_bytes: machine.ram_bytes,
            clock_hz: machine.clock_hz,
            processors: machine.processors.len() as u32,
            exit: None,
        }
    }

    /// Cycle and value of the first store to EXIT.
    pub fn exit(&self) -> Option<(u64, u32)> {
        self.exit
    }

    pub fn load(&self, offset: u32) -> u32 {
        match offset & !3 {
            system::RAM_BYTES => self.ram_bytes,
            system::CLOCK_HZ => self.clock_hz,
            system::PROCESSORS => self.processors,
            system::EXIT => u32::from(self.exit.is_some()) << 31,
            _ => 0,
        }
    }

    pub fn store(&mut self, offset: u32, value: u32, cycle: u64) {
        if offset & !3 == system::EXIT && self.exit.is_none() {
            self.exit = Some((cycle, value));
        }
    }
}
