//! What the processors share: the network and the monitor; and how a processor reaches its devices.

use super::memory::Memory;
use super::processor::Processor;
use crate::model::centrenet::{DmaMemory, Network};
use crate::model::monitor::Monitor;
use testbed_definitions::map;
use testbed_machine::Machine;

/// The blocks that connect processors. Whatever one processor does to them, another sees `LOOKAHEAD` cycles later at the earliest.
pub(super) struct Shared {
    pub network: Network,
    pub monitor: Monitor,
}

impl Shared {
    pub fn new(machine: &Machine) -> Self {
        Shared { network: Network::new(machine.processors.len(), machine.ram_bytes), monitor: Monitor::new(machine) }
    }

    /// Whether DMA may touch the station's RAM before the end of the window.
    pub fn dma_near(&self, station: usize) -> bool {
        // An idle network has nothing to do, and that is soon found out.
        self.network.quiet_until() != u64::MAX && !self.network.hazards(station).is_empty()
    }

    /// Brings DMA on `memory` up to the start of `cycle`, if it may touch the word at `offset`.
    pub fn settle(&mut self, station: usize, memory: &mut Memory, offset: u32, cycle: u64) {
        if self.dma_near(station) && self.network.hazards(station).contains(offset & !3) {
            self.network.catch_up(station, cycle, &mut One { station, memory });
        }
    }
}

/// The device that a physical address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Device {
    Clint,
    Uart,
    Centrenet,
    Smi,
    Mmi,
    System,
}

impl Device {
    /// The device at `address` on processor `number`: the master has the MMI, the others an SMI each.
    pub fn at(address: u32, number: usize) -> Option<Self> {
        match address & !(map::DEVICE_BYTES - 1) {
            map::CLINT_BASE => Some(Device::Clint),
            map::UART_BASE => Some(Device::Uart),
            map::CENTRENET_BASE => Some(Device::Centrenet),
            map::SMI_BASE if number != 0 => Some(Device::Smi),
            map::MMI_BASE if number == 0 => Some(Device::Mmi),
            map::SYSTEM_BASE => Some(Device::System),
            _ => None,
        }
    }
}

impl Processor {
    /// A load with its strobe in `cycle`.
    pub(super) fn device_load(&mut self, shared: &mut Shared, device: Device, address: u32, cycle: u64) -> u32 {
        let offset = address & (map::DEVICE_BYTES - 1);
        match device {
            Device::Clint => self.clint.load(offset, cycle),
            Device::Uart => self.uart.load(offset, cycle),
            Device::Centrenet => shared.network.load(self.number, offset & !3, cycle),
            Device::Smi => shared.monitor.smi_load(self.number, offset & !3, cycle),
            Device::Mmi => shared.monitor.mmi_load(offset & !3, cycle),
            Device::System => self.system.load(offset),
        }
    }

    /// A store of all lanes in `cycle`; if the device does not take it yet, the cycle in which to repeat it.
    pub(super) fn device_store(
        &mut self,
        shared: &mut Shared,
        device: Device,
        address: u32,
        lanes: u32,
        cycle: u64,
    ) -> Result<(), u64> {
        let offset = address & (map::DEVICE_BYTES - 1);
        match device {
            Device::Clint => self.clint.store(offset, lanes, cycle),
            Device::Uart => self.uart.store(offset, lanes, cycle),
            Device::Centrenet => shared.network.store(self.number, offset & !3, lanes, cycle),
            Device::Smi => {
                let stored = shared.monitor.smi_store(self.number, offset & !3, lanes, cycle);
                return stored.map_err(|stall| stall.retry);
            }
            Device::Mmi => shared.monitor.mmi_store(offset & !3, lanes, cycle),
            Device::System => self.system.store(offset, lanes, cycle),
        }
        Ok(())
    }
}

/// All memories, for DMA between the windows.
pub(super) struct All<'a>(pub &'a mut [Processor]);

impl DmaMemory for All<'_> {
    fn read(&mut self, station: usize, offset: u32) -> u32 {
        self.0[station].memory.words[offset as usize / 4]
    }
    fn write(&mut self, station: usize, offset: u32, value: u32) {
        self.0[station].memory.write_behind(offset as usize / 4, value);
    }
}

/// The memory of the processor that runs.
struct One<'a> {
    station: usize,
    memory: &'a mut Memory,
}

impl DmaMemory for One<'_> {
    fn read(&mut self, station: usize, offset: u32) -> u32 {
        debug_assert_eq!(station, self.station);
        self.memory.words[offset as usize / 4]
    }
    fn write(&mut self, station: usize, offset: u32, value: u32) {
        debug_assert_eq!(station, self.station);
        self.memory.write_behind(offset as usize / 4, value);
    }
}
