//! How a processor reaches its devices.

use crate::hart::state::Hart;
use crate::model::monitor::Event;
use crate::shared::Shared;
use testbed_definitions::map::{self, smi};
use testbed_definitions::page::PAGE_BYTES;

/// The device that a physical address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::hart) enum Device {
    Clint,
    Uart,
    Centrenet,
    Smi,
    Mmi,
    System,
}

impl Device {
    /// The device at `address` on processor `number`: the master has the MMI, the others an SMI
    /// each.
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

impl Hart {
    /// Whether others may see a load from the device, or it may see what others do, now that the
    /// processor runs ahead of them. (The station shows only what is known of the network.)
    pub(in crate::hart) fn load_concerns_others(device: Device) -> bool {
        !matches!(device, Device::Clint | Device::System | Device::Centrenet)
    }

    /// The same of a store to the device at the physical address. An event that can't stall its
    /// processor is only noted; what is sent shows later.
    pub(in crate::hart) fn store_concerns_others(&self, shared: &Shared, device: Device, address: u32) -> bool {
        match device {
            Device::Clint | Device::System | Device::Centrenet => false,
            Device::Smi => {
                let offset = address & (map::DEVICE_BYTES - 1) & !3;
                !matches!(offset, smi::EVENT | smi::USER_EVENT) || shared.monitor.may_stall(self.number)
            }
            Device::Uart | Device::Mmi => true,
        }
    }

    /// A load with its strobe in `cycle`.
    pub(in crate::hart) fn device_load(
        &mut self,
        shared: &mut Shared,
        device: Device,
        address: u32,
        cycle: u64,
    ) -> u32 {
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

    /// A store of all lanes in `cycle`; if the device does not take it yet, the cycle in which to
    /// repeat it.
    pub(in crate::hart) fn device_store(
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
            Device::Smi => return self.smi_store(shared, offset & !3, lanes, cycle),
            Device::Mmi => shared.monitor.mmi_store(offset & !3, lanes, cycle),
            Device::System => self.system.store(offset, lanes, cycle),
        }
        Ok(())
    }

    /// Whether a store in user mode to the virtual address `va` reaches the page of programs' events.
    pub(in crate::hart) fn opens_event_page(&self, va: u32) -> bool {
        self.mode.translating && self.csrs.opens_events() && va & !(PAGE_BYTES - 1) == map::EVENT_PAGE
    }

    /// A store to the SMI in `cycle`. Who runs ahead can't be stalled by a full queue, and knows by
    /// itself how a store to USER_EVENT goes on.
    fn smi_store(&mut self, shared: &mut Shared, offset: u32, lanes: u32, cycle: u64) -> Result<(), u64> {
        if !shared.ahead {
            let stored = shared.monitor.smi_store(self.number, offset, lanes, cycle);
            self.user_part = shared.monitor.user_part(self.number).unwrap_or_default();
            return stored.map_err(|stall| stall.retry);
        }
        self.events.push(Event { cycle, processor: self.number, offset, value: lanes });
        if offset != smi::USER_EVENT || shared.monitor.user_part(self.number).is_none() {
            return Ok(());
        }
        let next = self.user_part.next(lanes as u16);
        self.user_part = next.map(|(part, _)| part).unwrap_or_default();
        next.map_or(Ok(()), |(_, cycles)| Err(cycle + cycles))
    }
}
