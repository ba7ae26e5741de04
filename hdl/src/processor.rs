//! One processor: core, memory and the devices that every processor has.

mod new;

use rust_hdl::prelude::*;

use crate::centrenet::{Phase, Station};
use crate::clint::Clint;
use crate::core::Core;
use crate::pipeline::Pipeline;
use crate::ram::Ram;
use crate::support::blocks::Optional;
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
///     grant, phase, word, -->|           |--> request, sent_word, ack, nack (Centrenet bus)
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
/// Without a Centrenet station its addresses read as 0.
///
/// All processors are equal; the monitoring interface (an SMI on a slave, the MMI on the master)
/// sits outside, on the device port. Addresses are decoded by their upper half; which device
/// answers a read is remembered in a register. The core raises access faults itself, so an address
/// that reaches a device is a good one.
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
    pub damaged: Signal<In, Bit>,
    pub request: Signal<Out, Bit>,
    pub sent_word: Signal<Out, Bits<32>>,
    pub ack: Signal<Out, Bit>,
    pub nack: Signal<Out, Bit>,

    /// One of the two is there.
    pub core: Optional<Core>,
    pub pipeline: Optional<Pipeline>,
    pub ram: Ram,
    pub clint: Clint,
    pub uart: Uart,
    pub system: System,
    /// None or one.
    pub station: Vec<Station>,
    /// The last cycle's read went to a device.
    elsewhere: DFF<Bit>,

    upper: Signal<Local, Bits<16>>,
    offset: Signal<Local, Bits<16>>,
    device: Signal<Local, Device>,
    ram_write: Signal<Local, Bit>,
    answer: Signal<Local, Bits<32>>,
    // What the core drives.
    core_address: Signal<Local, Bits<32>>,
    core_write: Signal<Local, Bit>,
    core_mask: Signal<Local, Bits<4>>,
    core_wdata: Signal<Local, Bits<32>>,
    device_address: Signal<Local, Bits<32>>,
    device_read: Signal<Local, Bit>,
    device_write: Signal<Local, Bit>,
    // What the station drives, if there is one.
    irq: Signal<Local, Bit>,
    dma_use: Signal<Local, Bit>,
    ahead_0: Signal<Local, Bits<32>>,
    ahead_1: Signal<Local, Bits<32>>,
    dma_address: Signal<Local, Bits<32>>,
    dma_write: Signal<Local, Bit>,
    dma_wdata: Signal<Local, Bits<32>>,
    station_rdata: Signal<Local, Bits<32>>,
    station_nack: Signal<Local, Bit>,
    station_ack: Signal<Local, Bit>,
    station_sent_word: Signal<Local, Bits<32>>,
    station_request: Signal<Local, Bit>,

    ram_mask: Constant<Bits<32>>,
    at_clint: Constant<Bits<16>>,
    at_uart: Constant<Bits<16>>,
    at_centrenet: Constant<Bits<16>>,
    at_smi: Constant<Bits<16>>,
    at_mmi: Constant<Bits<16>>,
    at_system: Constant<Bits<16>>,
}

impl Logic for Processor {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ram, clint, uart, system, elsewhere);

        // What the core drives, whichever it is.
        self.ahead_0.next = 0.into();
        self.ahead_1.next = 0.into();
        for _once in 0..self.core.count() {
            self.core_address.next = self.core.address.val();
            self.core_write.next = self.core.write.val();
            self.core_mask.next = self.core.mask.val();
            self.core_wdata.next = self.core.wdata.val();
            self.device_address.next = self.core.device_address.val();
            self.device_read.next = self.core.device_read.val();
            self.device_write.next = self.core.device_write.val();
        }
        for _once in 0..self.pipeline.count() {
            self.core_address.next = self.pipeline.address.val();
            self.core_write.next = self.pipeline.write.val();
            self.core_mask.next = self.pipeline.mask.val();
            self.core_wdata.next = self.pipeline.wdata.val();
            self.device_address.next = self.pipeline.device_address.val();
            self.device_read.next = self.pipeline.device_read.val();
            self.device_write.next = self.pipeline.device_write.val();
            self.ahead_0.next = self.pipeline.ahead_0.val();
            self.ahead_1.next = self.pipeline.ahead_1.val();
        }

        // Which device the core addresses.
        self.upper.next = self.device_address.val().get_bits::<16>(16);
        self.offset.next = self.device_address.val().get_bits::<16>(0);
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
        self.elsewhere.d.next = self.device_read.val() & (self.device.val() != Device::Ram);

        // The station, if there is one, and what it drives.
        self.irq.next = false;
        self.dma_use.next = false;
        self.dma_address.next = 0.into();
        self.dma_write.next = false;
        self.dma_wdata.next = 0.into();
        self.station_rdata.next = 0.into();
        self.station_request.next = false;
        self.station_sent_word.next = 0.into();
        self.station_ack.next = false;
        self.station_nack.next = false;
        for i in 0..self.station.len() {
            self.station[i].clock.next = self.clock.val();
            self.station[i].select.next = self.device.val() == Device::Centrenet;
            self.station[i].address.next = self.offset.val();
            self.station[i].read.next = self.device_read.val();
            self.station[i].write.next = self.device_write.val();
            self.station[i].wdata.next = self.core_wdata.val();
            self.station[i].strobe.next = self.strobe.val();
            self.station[i].station.next = bit_cast::<8, 4>(self.number.val());
            self.station[i].stations.next = self.stations.val();
            self.station[i].grant.next = self.grant.val();
            self.station[i].phase.next = self.phase.val();
            self.station[i].word.next = self.word.val();
            self.station[i].damaged.next = self.damaged.val();
            self.station[i].dma_rdata.next = self.ram.b_rdata.val();
            self.irq.next = self.station[i].irq.val();
            self.dma_use.next = self.station[i].dma_use.val();
            self.dma_address.next = self.station[i].dma_address.val();
            self.dma_write.next = self.station[i].dma_write.val();
            self.dma_wdata.next = self.station[i].dma_wdata.val();
            self.station_rdata.next = self.station[i].rdata.val();
            self.station_request.next = self.station[i].request.val();
            self.station_sent_word.next = self.station[i].sent_word.val();
            self.station_ack.next = self.station[i].ack.val();
            self.station_nack.next = self.station[i].nack.val();
        }

        // RAM: port A to the core, port B to the station.
        // Of what is written RAM has the upper half of all addresses, devices the lower.
        self.ram_write.next = self.core_write.val() & self.core_address.val().get_bit(31);
        self.ram.a_address.next = self.core_address.val();
        self.ram.a_write.next = self.ram_write.val();
        self.ram.a_mask.next = self.core_mask.val();
        self.ram.a_wdata.next = self.core_wdata.val();
        self.ram.ahead_0.next = self.ahead_0.val();
        self.ram.ahead_1.next = self.ahead_1.val();
        self.ram.b_use.next = self.dma_use.val();
        self.ram.b_address.next = self.dma_address.val();
        self.ram.b_write.next = self.dma_write.val();
        self.ram.b_wdata.next = self.dma_wdata.val();

        // Devices inside.
        self.clint.select.next = self.device.val() == Device::Clint;
        self.clint.address.next = self.offset.val();
        self.clint.read.next = self.device_read.val();
        self.clint.write.next = self.device_write.val();
        self.clint.wdata.next = self.core_wdata.val();

        self.uart.select.next = self.device.val() == Device::Uart;
        self.uart.address.next = self.offset.val();
        self.uart.read.next = self.device_read.val();
        self.uart.write.next = self.device_write.val();
        self.uart.wdata.next = self.core_wdata.val();
        self.uart.rx.next = self.rx.val();
        self.rts.next = self.uart.rts.val();
        self.tx.next = self.uart.tx.val();

        self.request.next = self.station_request.val();
        self.sent_word.next = self.station_sent_word.val();
        self.ack.next = self.station_ack.val();
        self.nack.next = self.station_nack.val();

        self.system.select.next = self.device.val() == Device::System;
        self.system.address.next = self.offset.val();
        self.system.read.next = self.device_read.val();
        self.system.write.next = self.device_write.val();
        self.system.wdata.next = self.core_wdata.val();

        // The monitoring interface, outside.
        self.address.next = self.offset.val();
        self.read.next = self.device_read.val();
        self.write.next = self.device_write.val();
        self.wdata.next = self.core_wdata.val();
        self.smi_select.next = self.device.val() == Device::Smi;
        self.mmi_select.next = self.device.val() == Device::Mmi;

        // The answer comes from what was addressed in the cycle before. Devices that were not say 0,
        // and RAM, whose word comes last, is chosen last.
        self.answer.next = ((self.clint.rdata.val() | self.uart.rdata.val())
            | (self.station_rdata.val() | self.system.rdata.val()))
            | (self.smi_rdata.val() | self.mmi_rdata.val());
        if !self.elsewhere.q.val() {
            self.answer.next = self.ram.a_rdata.val();
        }

        // What the core is given.
        for _once in 0..self.core.count() {
            self.core.clock.next = self.clock.val();
            self.core.reset_vector.next = self.reset_vector.val();
            self.core.hart_id.next = self.number.val();
            self.core.ram_mask.next = self.ram_mask.val();
            self.core.has_smi.next = self.has_smi.val();
            self.core.has_mmi.next = self.has_mmi.val();
            self.core.irq_timer.next = self.clint.timer.val();
            self.core.irq_software.next = self.clint.software.val();
            self.core.irq_external.next = self.irq.val();
            self.core.mtime_low.next = self.clint.mtime_low.val();
            self.core.mtime_high.next = self.clint.mtime_high.val();
            self.core.stall.next = self.smi_stall.val();
            self.core.rdata.next = self.answer.val();
        }
        for _once in 0..self.pipeline.count() {
            self.pipeline.clock.next = self.clock.val();
            self.pipeline.reset_vector.next = self.reset_vector.val();
            self.pipeline.hart_id.next = self.number.val();
            self.pipeline.ram_mask.next = self.ram_mask.val();
            self.pipeline.has_smi.next = self.has_smi.val();
            self.pipeline.has_mmi.next = self.has_mmi.val();
            self.pipeline.irq_timer.next = self.clint.timer.val();
            self.pipeline.irq_software.next = self.clint.software.val();
            self.pipeline.irq_external.next = self.irq.val();
            self.pipeline.mtime_low.next = self.clint.mtime_low.val();
            self.pipeline.mtime_high.next = self.clint.mtime_high.val();
            self.pipeline.stall.next = self.smi_stall.val();
            self.pipeline.rdata.next = self.answer.val();
            self.pipeline.code_0.next = self.ram.a_word_0.val();
            self.pipeline.code_1.next = self.ram.a_word_1.val();
            self.pipeline.fetched_0.next = self.ram.b_word_0.val();
            self.pipeline.fetched_1.next = self.ram.b_word_1.val();
            self.pipeline.free_0.next = self.ram.free_0.val();
            self.pipeline.free_1.next = self.ram.free_1.val();
        }
    }
}
