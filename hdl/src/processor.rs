//! One processor: core, memory and the devices that every processor has.

use rust_hdl::prelude::*;
use testbed_definitions::map;

use crate::centrenet::{Phase, Station};
use crate::clint::Clint;
use crate::core::Core;
use crate::ram::Ram;
use crate::system::System;
use crate::uart::Uart;

/// What the core addresses.
#[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
enum Device {
    Ram,
    Clint,
    Uart,
    Centrenet,
    Smi,
    Mmi,
    System,
}

/// A processor of the Testbed.
///
/// ```text
///                            +-----------+
///            reset_vector -->|           |--> address, read, write, wdata   (device port, to SMI or MMI)
/// number, stations, strobe ->|           |--> smi_select, mmi_select
///        has_smi, has_mmi -->| Processor |<-- smi_rdata, smi_stall, mmi_rdata
///                      rx -->|           |--> tx, rts
///     grant, phase, word  -->|           |--> request, sent_word, ack, nack (Centrenet bus)
///                   clock -->|           |
///                            +-----------+
///
///          port A  +-----+  port B
///         +------->| Ram |<---------+
///         |        +-----+          |
///     +------+   select by     +---------+
///     | Core |--- address ---->| Station |  Clint  Uart  System
///     +------+   bits 31:16    +---------+
/// ```
///
/// All processors are equal; the monitoring interface (an SMI on a slave, the MMI on the master) sits outside, on the device port.
/// Addresses are decoded by their upper half; which device answers a read is remembered in a register. The core raises
/// access faults itself, so an address that reaches a device is a good one.
///
/// The core's retirement port, the UART's transmit strobe and the exit register end in wires of this block that nothing
/// reads: simulators look at them, synthesis removes them.
#[derive(LogicBlock)]
pub struct Processor {
    pub clock: Signal<In, Clock>,
    /// First pc, constant.
    pub reset_vector: Signal<In, Bits<32>>,
    /// This processor's number, constant: hart and station.
    pub number: Signal<In, Bits<4>>,
    /// Processors of the machine, constant.
    pub stations: Signal<In, Bits<8>>,
    pub has_smi: Signal<In, Bit>,
    pub has_mmi: Signal<In, Bit>,
    /// The window strobe.
    pub strobe: Signal<In, Bit>,
    pub rx: Signal<In, Bit>,
    pub tx: Signal<Out, Bit>,
    /// The UART has room for a character on `rx`.
    pub rts: Signal<Out, Bit>,

    /// Device port for the monitoring interface.
    pub address: Signal<Out, Bits<16>>,
    pub read: Signal<Out, Bit>,
    pub write: Signal<Out, Bit>,
    pub wdata: Signal<Out, Bits<32>>,
    pub smi_select: Signal<Out, Bit>,
    pub smi_rdata: Signal<In, Bits<32>>,
    /// Combinational from the device port: the store has to be repeated.
    pub smi_stall: Signal<In, Bit>,
    pub mmi_select: Signal<Out, Bit>,
    pub mmi_rdata: Signal<In, Bits<32>>,

    pub grant: Signal<In, Bit>,
    pub phase: Signal<In, Phase>,
    pub word: Signal<In, Bits<32>>,
    pub request: Signal<Out, Bit>,
    pub sent_word: Signal<Out, Bits<32>>,
    pub ack: Signal<Out, Bit>,
    pub nack: Signal<Out, Bit>,

    pub core: Core,
    pub ram: Ram,
    pub clint: Clint,
    pub uart: Uart,
    pub system: System,
    pub station: Station,
    /// The device that the last cycle's read went to.
    answering: DFF<Device>,

    upper: Signal<Local, Bits<16>>,
    offset: Signal<Local, Bits<16>>,
    device: Signal<Local, Device>,
    ram_write: Signal<Local, Bit>,
    answer: Signal<Local, Bits<32>>,

    ram_mask: Constant<Bits<32>>,
    at_clint: Constant<Bits<16>>,
    at_uart: Constant<Bits<16>>,
    at_centrenet: Constant<Bits<16>>,
    at_smi: Constant<Bits<16>>,
    at_mmi: Constant<Bits<16>>,
    at_system: Constant<Bits<16>>,
}

/// Upper half of a device's addresses.
fn upper_half(base: u32) -> Constant<Bits<16>> {
    Constant::new(u64::from(base >> 16).into())
}

impl Processor {
    /// A processor with `ram_bytes` of RAM in a machine of `processors` at `clock_hz`.
    pub fn new(ram_bytes: u32, clock_hz: u32, processors: u32) -> Self {
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
            request: Default::default(),
            sent_word: Default::default(),
            ack: Default::default(),
            nack: Default::default(),
            core: Default::default(),
            ram: Ram::new(ram_bytes),
            clint: Default::default(),
            uart: Default::default(),
            system: System::new(ram_bytes, clock_hz, processors),
            station: Default::default(),
            answering: Default::default(),
            upper: Default::default(),
            offset: Default::default(),
            device: Default::default(),
            ram_write: Default::default(),
            answer: Default::default(),
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

impl Logic for Processor {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, core, ram, clint, uart, system, station, answering);

        // Constants and interrupt lines of the core.
        self.core.reset_vector.next = self.reset_vector.val();
        self.core.hart_id.next = self.number.val();
        self.core.ram_mask.next = self.ram_mask.val();
        self.core.has_smi.next = self.has_smi.val();
        self.core.has_mmi.next = self.has_mmi.val();
        self.core.irq_timer.next = self.clint.timer.val();
        self.core.irq_software.next = self.clint.software.val();
        self.core.irq_external.next = self.station.irq.val();
        self.core.mtime_low.next = self.clint.mtime_low.val();
        self.core.mtime_high.next = self.clint.mtime_high.val();

        // Which device the core addresses.
        self.upper.next = self.core.address.val().get_bits::<16>(16);
        self.offset.next = self.core.address.val().get_bits::<16>(0);
        self.device.next = Device::Ram;
        if self.upper.val() == self.at_clint.val() {
            self.device.next = Device::Clint;
        }
        if self.upper.val() == self.at_uart.val() {
            self.device.next = Device::Uart;
        }
        if self.upper.val() == self.at_centrenet.val() {
            self.device.next = Device::Centrenet;
        }
        if self.upper.val() == self.at_smi.val() {
            self.device.next = Device::Smi;
        }
        if self.upper.val() == self.at_mmi.val() {
            self.device.next = Device::Mmi;
        }
        if self.upper.val() == self.at_system.val() {
            self.device.next = Device::System;
        }
        self.answering.d.next = self.device.val();

        // RAM: port A to the core, port B to the station.
        self.ram_write.next = self.core.write.val() & (self.device.val() == Device::Ram);
        self.ram.a_address.next = self.core.address.val();
        self.ram.a_write.next = self.ram_write.val();
        self.ram.a_mask.next = self.core.mask.val();
        self.ram.a_wdata.next = self.core.wdata.val();
        self.ram.b_address.next = self.station.dma_address.val();
        self.ram.b_write.next = self.station.dma_write.val();
        self.ram.b_wdata.next = self.station.dma_wdata.val();
        self.station.dma_rdata.next = self.ram.b_rdata.val();

        // Devices inside.
        self.clint.select.next = self.device.val() == Device::Clint;
        self.clint.address.next = self.offset.val();
        self.clint.read.next = self.core.read.val();
        self.clint.write.next = self.core.write.val();
        self.clint.wdata.next = self.core.wdata.val();

        self.uart.select.next = self.device.val() == Device::Uart;
        self.uart.address.next = self.offset.val();
        self.uart.read.next = self.core.read.val();
        self.uart.write.next = self.core.write.val();
        self.uart.wdata.next = self.core.wdata.val();
        self.uart.rx.next = self.rx.val();
        self.rts.next = self.uart.rts.val();
        self.tx.next = self.uart.tx.val();

        self.station.select.next = self.device.val() == Device::Centrenet;
        self.station.address.next = self.offset.val();
        self.station.read.next = self.core.read.val();
        self.station.write.next = self.core.write.val();
        self.station.wdata.next = self.core.wdata.val();
        self.station.strobe.next = self.strobe.val();
        self.station.station.next = bit_cast::<8, 4>(self.number.val());
        self.station.stations.next = self.stations.val();
        self.station.grant.next = self.grant.val();
        self.station.phase.next = self.phase.val();
        self.station.word.next = self.word.val();
        self.request.next = self.station.request.val();
        self.sent_word.next = self.station.sent_word.val();
        self.ack.next = self.station.ack.val();
        self.nack.next = self.station.nack.val();

        self.system.select.next = self.device.val() == Device::System;
        self.system.address.next = self.offset.val();
        self.system.read.next = self.core.read.val();
        self.system.write.next = self.core.write.val();
        self.system.wdata.next = self.core.wdata.val();

        // The monitoring interface, outside.
        self.address.next = self.offset.val();
        self.read.next = self.core.read.val();
        self.write.next = self.core.write.val();
        self.wdata.next = self.core.wdata.val();
        self.smi_select.next = self.device.val() == Device::Smi;
        self.mmi_select.next = self.device.val() == Device::Mmi;
        self.core.stall.next = self.smi_stall.val();

        // The answer comes from the device that was addressed in the cycle before.
        self.answer.next = self.ram.a_rdata.val();
        match self.answering.q.val() {
            Device::Clint => self.answer.next = self.clint.rdata.val(),
            Device::Uart => self.answer.next = self.uart.rdata.val(),
            Device::Centrenet => self.answer.next = self.station.rdata.val(),
            Device::Smi => self.answer.next = self.smi_rdata.val(),
            Device::Mmi => self.answer.next = self.mmi_rdata.val(),
            Device::System => self.answer.next = self.system.rdata.val(),
            _ => {}
        }
        self.core.rdata.next = self.answer.val();
    }
}
