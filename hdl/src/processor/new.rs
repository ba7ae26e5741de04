//! A new processor.

use rust_hdl::prelude::*;
use testbed_definitions::map;
use testbed_machine::Core as Kind;

use super::Processor;
use crate::core::Core;
use crate::pipeline::Pipeline;
use crate::ram::Ram;
use crate::support::blocks::{each, Optional};
use crate::system::System;

/// Upper half of a device's addresses.
fn upper_half(base: u32) -> Constant<Bits<16>> {
    Constant::new(u64::from(base >> 16).into())
}

impl Processor {
    /// A processor with a core of that kind and `ram_bytes` of RAM in a machine of `processors` at
    /// `clock_hz`, alone or on a Centrenet bus.
    pub fn new(core: Kind, ram_bytes: u32, clock_hz: u32, processors: u32, on_bus: bool) -> Self {
        Self {
            clock: Default::default(),
            reset_vector: Default::default(),
            number: Default::default(),
            stations: Default::default(),
            has_smi: Default::default(),
            has_mmi: Default::default(),
            strobe: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            rts: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            smi_select: Default::default(),
            smi_rdata: Default::default(),
            smi_stall: Default::default(),
            mmi_select: Default::default(),
            mmi_rdata: Default::default(),
            grant: Default::default(),
            phase: Default::default(),
            word: Default::default(),
            damaged: Default::default(),
            request: Default::default(),
            sent_word: Default::default(),
            ack: Default::default(),
            nack: Default::default(),
            core: Optional::when(core == Kind::Multicycle, Core::default),
            pipeline: Optional::when(core == Kind::Pipelined, Pipeline::default),
            ram: Ram::new(ram_bytes),
            clint: Default::default(),
            uart: Default::default(),
            system: System::new(ram_bytes, clock_hz, processors),
            station: each(usize::from(on_bus)),
            elsewhere: Default::default(),
            upper: Default::default(),
            offset: Default::default(),
            device: Default::default(),
            ram_write: Default::default(),
            answer: Default::default(),
            core_address: Default::default(),
            core_write: Default::default(),
            core_mask: Default::default(),
            core_wdata: Default::default(),
            device_address: Default::default(),
            device_read: Default::default(),
            device_write: Default::default(),
            irq: Default::default(),
            dma_use: Default::default(),
            ahead_0: Default::default(),
            ahead_1: Default::default(),
            dma_address: Default::default(),
            dma_write: Default::default(),
            dma_wdata: Default::default(),
            station_rdata: Default::default(),
            station_nack: Default::default(),
            station_ack: Default::default(),
            station_sent_word: Default::default(),
            station_request: Default::default(),
            ram_mask: Constant::new(u64::from(ram_bytes - 1).into()),
            at_clint: upper_half(map::CLINT_BASE),
            at_uart: upper_half(map::UART_BASE),
            at_centrenet: upper_half(map::CENTRENET_BASE),
            at_smi: upper_half(map::SMI_BASE),
            at_mmi: upper_half(map::MMI_BASE),
            at_system: upper_half(map::SYSTEM_BASE),
        }
    }
}
