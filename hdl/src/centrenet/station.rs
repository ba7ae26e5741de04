//! A processor's Centrenet station: the device that software sees, around transmitter and receiver.

use super::bus::Phase;
use super::linear::CrcStep;
use super::receiver::Receiver;
use super::transmitter::Transmitter;
use rust_hdl::prelude::*;
use testbed_definitions::map::centrenet;
use testbed_definitions::packet::CRC_INITIAL;

/// Station of one processor; registers and cycles are in `docs/centrenet.md`.
///
/// ```text
///                           +---------+
/// select, address, read,  =>|         |=> rdata, irq
///   write, wdata          =>|         |
/// strobe                  =>| Station |=> dma_address, dma_write, dma_wdata   (RAM port B)
/// station, stations       =>|         |<= dma_rdata
/// grant, phase, word,     =>|         |=> request, sent_word, ack, nack       (Bus)
///                           +---------+
/// ```
///
/// Every output is a register. `super::bus::Bus` shows how the bus side is connected.
#[derive(LogicBlock)]
pub struct Station {
    pub clock: Signal<In, Clock>,
    /// The address is in this device.
    pub select: Signal<In, Bit>,
    pub address: Signal<In, Bits<16>>,
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    /// What `read` in the cycle before found; 0 if there was none.
    pub rdata: Signal<Out, Bits<32>>,
    /// The window strobe.
    pub strobe: Signal<In, Bit>,
    /// This station's number, constant.
    pub station: Signal<In, Bits<8>>,
    /// Stations of the node, constant.
    pub stations: Signal<In, Bits<8>>,
    /// RAM port B, with `dma_use` one access a cycle (a read unless `dma_write`); read data in the next
    /// cycle. The RAM takes the address modulo its size.
    pub dma_use: Signal<Out, Bit>,
    pub dma_address: Signal<Out, Bits<32>>,
    pub dma_write: Signal<Out, Bit>,
    pub dma_wdata: Signal<Out, Bits<32>>,
    pub dma_rdata: Signal<In, Bits<32>>,
    /// The external interrupt line.
    pub irq: Signal<Out, Bit>,
    pub grant: Signal<In, Bit>,
    pub phase: Signal<In, Phase>,
    pub word: Signal<In, Bits<32>>,
    pub damaged: Signal<In, Bit>,
    pub request: Signal<Out, Bit>,
    pub sent_word: Signal<Out, Bits<32>>,
    pub ack: Signal<Out, Bit>,
    pub nack: Signal<Out, Bit>,
    transmitter: Transmitter,
    receiver: Receiver,
    crc_step: CrcStep,
    crc: DFF<Bits<32>>,
    tx_address: DFF<Bits<32>>,
    fault_drop: DFF<Bits<17>>,
    fault_corrupt: DFF<Bits<17>>,
    read_register: DFF<Bits<32>>,
    irq_register: DFF<Bit>,
    dma_use_register: DFF<Bit>,
    dma_address_register: DFF<Bits<32>>,
    dma_write_register: DFF<Bit>,
    dma_wdata_register: DFF<Bits<32>>,
    register: Signal<Local, Bits<14>>,
    value: Signal<Local, Bits<32>>,
    storing: Signal<Local, Bit>,
    seed: Signal<Local, Bits<32>>,
    crc_use: Signal<Local, Bit>,
    crc_first: Signal<Local, Bit>,
    crc_word: Signal<Local, Bits<32>>,
    crc_from: Signal<Local, Bits<32>>,
    interrupt: Signal<Local, Bit>,
    id: Signal<Local, Bits<32>>,
    status: Signal<Local, Bits<32>>,
    flags: Signal<Local, Bits<32>>,
    // Register numbers: byte offsets / 4.
    at_id: Constant<Bits<14>>,
    at_control: Constant<Bits<14>>,
    at_status: Constant<Bits<14>>,
    at_tx_address: Constant<Bits<14>>,
    at_tx_command: Constant<Bits<14>>,
    at_rx_base: Constant<Bits<14>>,
    at_rx_mask: Constant<Bits<14>>,
    at_rx_head: Constant<Bits<14>>,
    at_rx_tail: Constant<Bits<14>>,
    at_tx_packets: Constant<Bits<14>>,
    at_tx_dropped: Constant<Bits<14>>,
    at_tx_corrupted: Constant<Bits<14>>,
    at_tx_no_station: Constant<Bits<14>>,
    at_tx_refused: Constant<Bits<14>>,
    at_tx_retries: Constant<Bits<14>>,
    at_rx_packets: Constant<Bits<14>>,
    at_rx_crc_errors: Constant<Bits<14>>,
    at_tx_broadcasts: Constant<Bits<14>>,
    at_tx_resent: Constant<Bits<14>>,
    at_fault_drop: Constant<Bits<14>>,
    at_fault_corrupt: Constant<Bits<14>>,
    at_fault_seed: Constant<Bits<14>>,
    crc_start: Constant<Bits<32>>,
    word_aligned: Constant<Bits<32>>,
}

impl Default for Station {
    fn default() -> Self {
        let at = |offset: u32| Constant::new((offset as LiteralType / 4).into());
        Station {
            clock: Default::default(),
            select: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            strobe: Default::default(),
            station: Default::default(),
            stations: Default::default(),
            dma_use: Default::default(),
            dma_address: Default::default(),
            dma_write: Default::default(),
            dma_wdata: Default::default(),
            dma_rdata: Default::default(),
            irq: Default::default(),
            grant: Default::default(),
            phase: Default::default(),
            word: Default::default(),
            damaged: Default::default(),
            request: Default::default(),
            sent_word: Default::default(),
            ack: Default::default(),
            nack: Default::default(),
            transmitter: Default::default(),
            receiver: Default::default(),
            crc_step: Default::default(),
            crc: Default::default(),
            tx_address: Default::default(),
            fault_drop: Default::default(),
            fault_corrupt: Default::default(),
            read_register: Default::default(),
            irq_register: Default::default(),
            dma_use_register: Default::default(),
            dma_address_register: Default::default(),
            dma_write_register: Default::default(),
            dma_wdata_register: Default::default(),
            register: Default::default(),
            value: Default::default(),
            storing: Default::default(),
            seed: Default::default(),
            crc_use: Default::default(),
            crc_first: Default::default(),
            crc_word: Default::default(),
            crc_from: Default::default(),
            interrupt: Default::default(),
            id: Default::default(),
            status: Default::default(),
            flags: Default::default(),
            at_id: at(centrenet::ID),
            at_control: at(centrenet::CONTROL),
            at_status: at(centrenet::STATUS),
            at_tx_address: at(centrenet::TX_ADDRESS),
            at_tx_command: at(centrenet::TX_COMMAND),
            at_rx_base: at(centrenet::RX_BASE),
            at_rx_mask: at(centrenet::RX_MASK),
            at_rx_head: at(centrenet::RX_HEAD),
            at_rx_tail: at(centrenet::RX_TAIL),
            at_tx_packets: at(centrenet::TX_PACKETS),
            at_tx_dropped: at(centrenet::TX_DROPPED),
            at_tx_corrupted: at(centrenet::TX_CORRUPTED),
            at_tx_no_station: at(centrenet::TX_NO_STATION),
            at_tx_refused: at(centrenet::TX_REFUSED),
            at_tx_retries: at(centrenet::TX_RETRIES),
            at_rx_packets: at(centrenet::RX_PACKETS),
            at_rx_crc_errors: at(centrenet::RX_CRC_ERRORS),
            at_tx_broadcasts: at(centrenet::TX_BROADCASTS),
            at_tx_resent: at(centrenet::TX_RESENT),
            at_fault_drop: at(centrenet::FAULT_DROP),
            at_fault_corrupt: at(centrenet::FAULT_CORRUPT),
            at_fault_seed: at(centrenet::FAULT_SEED),
            word_aligned: Constant::new(0xffff_fffc.into()),
            crc_start: Constant::new((CRC_INITIAL as LiteralType).into()),
        }
    }
}

impl Logic for Station {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, crc, tx_address, fault_drop, fault_corrupt, read_register, irq_register);
        dff_setup!(self, clock, dma_use_register, dma_address_register, dma_write_register, dma_wdata_register);
        clock!(self, clock, transmitter, receiver);

        // Stores.
        self.register.next = self.address.val().get_bits::<14>(2);
        self.storing.next = self.select.val() & self.write.val();
        if self.storing.val() & (self.register.val() == self.at_tx_address.val()) {
            self.tx_address.d.next = self.wdata.val() & self.word_aligned.val();
        }
        if self.storing.val() & (self.register.val() == self.at_fault_drop.val()) {
            self.fault_drop.d.next = self.wdata.val().get_bits::<17>(0);
        }
        if self.storing.val() & (self.register.val() == self.at_fault_corrupt.val()) {
            self.fault_corrupt.d.next = self.wdata.val().get_bits::<17>(0);
        }
        self.seed.next = self.wdata.val();
        if !self.seed.val().any() {
            self.seed.next = 1.into();
        }
        self.receiver.write_control.next = self.storing.val() & (self.register.val() == self.at_control.val());
        self.receiver.write_base.next = self.storing.val() & (self.register.val() == self.at_rx_base.val());
        self.receiver.write_mask.next = self.storing.val() & (self.register.val() == self.at_rx_mask.val());
        self.receiver.write_head.next = self.storing.val() & (self.register.val() == self.at_rx_head.val());
        self.receiver.wdata.next = self.wdata.val();
        self.transmitter.push.next = self.storing.val() & (self.register.val() == self.at_tx_command.val());
        self.transmitter.push_address.next = self.tx_address.q.val();
        self.transmitter.push_header.next = self.wdata.val();
        self.transmitter.seed_write.next = self.storing.val() & (self.register.val() == self.at_fault_seed.val());
        self.transmitter.seed.next = self.seed.val();
        self.transmitter.drop.next = self.fault_drop.q.val();
        self.transmitter.corrupt.next = self.fault_corrupt.q.val();
        self.transmitter.confirm.next = self.receiver.control.val().get_bit(2);

        // Loads.
        self.id.next = bit_cast::<32, 8>(self.stations.val());
        self.id.next = (self.id.val() << 8) | bit_cast::<32, 8>(self.station.val());
        self.status.next = bit_cast::<32, 4>(self.transmitter.free.val());
        self.flags.next = 0.into();
        if self.transmitter.idle.val() {
            self.flags.next = self.flags.val() | 256;
        }
        if self.receiver.ready.val() {
            self.flags.next = self.flags.val() | 512;
        }
        if self.receiver.off.val() {
            self.flags.next = self.flags.val() | 1024;
        }
        self.value.next = 0.into();
        if self.register.val() == self.at_id.val() {
            self.value.next = self.id.val();
        } else if self.register.val() == self.at_control.val() {
            self.value.next = bit_cast::<32, 3>(self.receiver.control.val());
        } else if self.register.val() == self.at_status.val() {
            self.value.next = self.status.val() | self.flags.val();
        } else if self.register.val() == self.at_tx_address.val() {
            self.value.next = self.tx_address.q.val();
        } else if self.register.val() == self.at_rx_base.val() {
            self.value.next = self.receiver.base.val();
        } else if self.register.val() == self.at_rx_mask.val() {
            self.value.next = bit_cast::<32, 15>(self.receiver.mask.val());
        } else if self.register.val() == self.at_rx_head.val() {
            self.value.next = bit_cast::<32, 16>(self.receiver.head.val());
        } else if self.register.val() == self.at_rx_tail.val() {
            self.value.next = bit_cast::<32, 16>(self.receiver.tail.val());
        } else if self.register.val() == self.at_tx_packets.val() {
            self.value.next = self.transmitter.packets.val();
        } else if self.register.val() == self.at_tx_dropped.val() {
            self.value.next = self.transmitter.dropped.val();
        } else if self.register.val() == self.at_tx_corrupted.val() {
            self.value.next = self.transmitter.corrupted.val();
        } else if self.register.val() == self.at_tx_no_station.val() {
            self.value.next = self.transmitter.no_station.val();
        } else if self.register.val() == self.at_tx_refused.val() {
            self.value.next = self.transmitter.refused.val();
        } else if self.register.val() == self.at_tx_retries.val() {
            self.value.next = self.transmitter.retries.val();
        } else if self.register.val() == self.at_rx_packets.val() {
            self.value.next = self.receiver.packets.val();
        } else if self.register.val() == self.at_rx_crc_errors.val() {
            self.value.next = self.receiver.crc_errors.val();
        } else if self.register.val() == self.at_tx_broadcasts.val() {
            self.value.next = self.transmitter.broadcasts.val();
        } else if self.register.val() == self.at_tx_resent.val() {
            self.value.next = self.transmitter.resent.val();
        } else if self.register.val() == self.at_fault_drop.val() {
            self.value.next = bit_cast::<32, 17>(self.fault_drop.q.val());
        } else if self.register.val() == self.at_fault_corrupt.val() {
            self.value.next = bit_cast::<32, 17>(self.fault_corrupt.q.val());
        } else if self.register.val() == self.at_fault_seed.val() {
            self.value.next = self.transmitter.lfsr.val();
        }
        if self.select.val() & self.read.val() {
            self.read_register.d.next = self.value.val();
        } else {
            self.read_register.d.next = 0.into();
        }
        self.interrupt.next = self.receiver.control.val().get_bit(1);
        self.irq_register.d.next = self.interrupt.val() & self.receiver.ready.val();

        // The bus. Sender and receiver share the CRC register: a station does one or the other.
        self.transmitter.station.next = self.station.val();
        self.transmitter.grant.next = self.grant.val();
        self.transmitter.phase.next = self.phase.val();
        self.transmitter.damaged.next = self.damaged.val();
        self.transmitter.crc.next = self.crc.q.val();
        self.transmitter.blocked.next = self.receiver.blocked.val();
        self.transmitter.dma_rdata.next = self.dma_rdata.val();
        self.receiver.strobe.next = self.strobe.val();
        self.receiver.station.next = self.station.val();
        self.receiver.offering.next = self.transmitter.offering.val();
        self.receiver.phase.next = self.phase.val();
        self.receiver.word.next = self.word.val();
        self.receiver.crc.next = self.crc.q.val();
        self.crc_use.next = self.receiver.crc_use.val() | self.transmitter.crc_use.val();
        self.crc_first.next = self.transmitter.crc_first.val();
        self.crc_word.next = self.transmitter.crc_word.val();
        if self.receiver.crc_use.val() {
            self.crc_first.next = self.receiver.crc_first.val();
            self.crc_word.next = self.receiver.crc_word.val();
        }
        self.crc_from.next = self.crc.q.val();
        if self.crc_first.val() {
            self.crc_from.next = self.crc_start.val();
        }
        self.crc_step.register.next = self.crc_from.val();
        self.crc_step.word.next = self.crc_word.val();
        if self.crc_use.val() {
            self.crc.d.next = self.crc_step.result.val();
        }

        // Port B: the receiver goes first, and has blocked the transmitter's load.
        self.dma_use_register.d.next = self.receiver.dma_use.val() | self.transmitter.load_read.val();
        self.dma_write_register.d.next = self.receiver.dma_use.val();
        self.dma_wdata_register.d.next = self.receiver.dma_wdata.val();
        if self.receiver.dma_use.val() {
            self.dma_address_register.d.next = self.receiver.dma_address.val();
        } else if self.transmitter.load_read.val() {
            self.dma_address_register.d.next = self.transmitter.load_address.val();
        }

        self.rdata.next = self.read_register.q.val();
        self.irq.next = self.irq_register.q.val();
        self.dma_use.next = self.dma_use_register.q.val();
        self.dma_address.next = self.dma_address_register.q.val();
        self.dma_write.next = self.dma_write_register.q.val();
        self.dma_wdata.next = self.dma_wdata_register.q.val();
        self.request.next = self.transmitter.request.val();
        self.sent_word.next = self.transmitter.sent_word.val();
        self.ack.next = self.receiver.ack.val();
        self.nack.next = self.receiver.nack.val();
    }
}
