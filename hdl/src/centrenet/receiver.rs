//! The receiving half of a station: accept, ring, CRC check ("A transaction" in `docs/centrenet.md`).

use super::bus::Phase;
use rust_hdl::prelude::*;
use testbed_definitions::packet::BROADCAST;

#[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
enum State {
    Idle,
    /// Has acknowledged a header.
    Accepted,
    Stream,
}

/// Receive ring of a station, and the software registers that belong to it.
///
/// ```text
///                     +----------+
/// write_control,    =>|          |=> control, base, mask, head, tail, off, ready,
///   _base, _mask,   =>|          |     packets, crc_errors
///   _head, wdata    =>|          |
/// strobe, station   =>| Receiver |=> dma_use, dma_address, dma_wdata, blocked
/// offering          =>|          |=> crc_use, crc_first, crc_word (to the shared CRC register)
/// phase, word, crc  =>|          |=> ack, nack (registered)
///                     +----------+
/// ```
///
/// `dma_use` in *t* must write `dma_wdata` on port B in *t*+1. `blocked` reserves port B for the whole reception.
#[derive(LogicBlock)]
pub struct Receiver {
    pub clock: Signal<In, Clock>,
    pub strobe: Signal<In, Bit>,
    pub station: Signal<In, Bits<8>>,
    pub write_control: Signal<In, Bit>,
    pub write_base: Signal<In, Bit>,
    pub write_mask: Signal<In, Bit>,
    pub write_head: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    /// This station sends; it doesn't receive its own packets.
    pub offering: Signal<In, Bit>,
    pub phase: Signal<In, Phase>,
    pub word: Signal<In, Bits<32>>,
    pub crc: Signal<In, Bits<32>>,

    pub ack: Signal<Out, Bit>,
    pub nack: Signal<Out, Bit>,
    pub blocked: Signal<Out, Bit>,
    pub dma_use: Signal<Out, Bit>,
    pub dma_address: Signal<Out, Bits<32>>,
    pub dma_wdata: Signal<Out, Bits<32>>,
    pub crc_use: Signal<Out, Bit>,
    pub crc_first: Signal<Out, Bit>,
    pub crc_word: Signal<Out, Bits<32>>,
    pub control: Signal<Out, Bits<3>>,
    pub base: Signal<Out, Bits<32>>,
    pub mask: Signal<Out, Bits<15>>,
    pub head: Signal<Out, Bits<16>>,
    pub tail: Signal<Out, Bits<16>>,
    pub off: Signal<Out, Bit>,
    pub ready: Signal<Out, Bit>,
    pub packets: Signal<Out, Bits<32>>,
    pub crc_errors: Signal<Out, Bits<32>>,

    state: DFF<State>,
    control_register: DFF<Bits<3>>,
    base_register: DFF<Bits<32>>,
    mask_register: DFF<Bits<15>>,
    head_register: DFF<Bits<16>>,
    tail_register: DFF<Bits<16>>,
    // Export registers: enable and head as the last strobe found them, and as the one before did.
    enable_once: DFF<Bit>,
    enable_exported: DFF<Bit>,
    head_once: DFF<Bits<16>>,
    head_exported: DFF<Bits<16>>,
    ack_register: DFF<Bit>,
    nack_register: DFF<Bit>,
    header: DFF<Bits<32>>,
    /// Words of this packet that have been written.
    index: DFF<Bits<10>>,
    count_packets: DFF<Bits<32>>,
    count_crc_errors: DFF<Bits<32>>,

    off_now: Signal<Local, Bit>,
    control_next: Signal<Local, Bits<3>>,
    head_next: Signal<Local, Bits<16>>,
    destination: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<12>>,
    rounded: Signal<Local, Bits<12>>,
    words: Signal<Local, Bits<10>>,
    used: Signal<Local, Bits<16>>,
    used_wide: Signal<Local, Bits<17>>,
    words_wide: Signal<Local, Bits<17>>,
    needed: Signal<Local, Bits<17>>,
    room: Signal<Local, Bits<17>>,
    fits: Signal<Local, Bit>,
    addressed: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    data: Signal<Local, Bit>,
    index_wide: Signal<Local, Bits<16>>,
    mask_wide: Signal<Local, Bits<16>>,
    position: Signal<Local, Bits<16>>,
    offset: Signal<Local, Bits<32>>,
    expected: Signal<Local, Bits<32>>,

    broadcast: Constant<Bits<8>>,
    word_aligned: Constant<Bits<32>>,
}

impl Default for Receiver {
    fn default() -> Self {
        Receiver {
            clock: Default::default(),
            strobe: Default::default(),
            station: Default::default(),
            write_control: Default::default(),
            write_base: Default::default(),
            write_mask: Default::default(),
            write_head: Default::default(),
            wdata: Default::default(),
            offering: Default::default(),
            phase: Default::default(),
            word: Default::default(),
            crc: Default::default(),
            ack: Default::default(),
            nack: Default::default(),
            blocked: Default::default(),
            dma_use: Default::default(),
            dma_address: Default::default(),
            dma_wdata: Default::default(),
            crc_use: Default::default(),
            crc_first: Default::default(),
            crc_word: Default::default(),
            control: Default::default(),
            base: Default::default(),
            mask: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            off: Default::default(),
            ready: Default::default(),
            packets: Default::default(),
            crc_errors: Default::default(),
            state: Default::default(),
            control_register: Default::default(),
            base_register: Default::default(),
            mask_register: Default::default(),
            head_register: Default::default(),
            tail_register: Default::default(),
            enable_once: Default::default(),
            enable_exported: Default::default(),
            head_once: Default::default(),
            head_exported: Default::default(),
            ack_register: Default::default(),
            nack_register: Default::default(),
            header: Default::default(),
            index: Default::default(),
            count_packets: Default::default(),
            count_crc_errors: Default::default(),
            off_now: Default::default(),
            control_next: Default::default(),
            head_next: Default::default(),
            destination: Default::default(),
            length: Default::default(),
            rounded: Default::default(),
            words: Default::default(),
            used: Default::default(),
            used_wide: Default::default(),
            words_wide: Default::default(),
            needed: Default::default(),
            room: Default::default(),
            fits: Default::default(),
            addressed: Default::default(),
            start: Default::default(),
            data: Default::default(),
            index_wide: Default::default(),
            mask_wide: Default::default(),
            position: Default::default(),
            offset: Default::default(),
            expected: Default::default(),
            broadcast: Constant::new((BROADCAST as LiteralType).into()),
            word_aligned: Constant::new(0xffff_fffc.into()),
        }
    }
}

impl Logic for Receiver {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, control_register, base_register, mask_register, head_register, tail_register);
        dff_setup!(self, clock, enable_once, enable_exported, head_once, head_exported, ack_register, nack_register);
        dff_setup!(self, clock, header, index, count_packets, count_crc_errors);

        // Software's registers.
        self.off_now.next = (!self.control_register.q.val().get_bit(0))
            & (!self.enable_once.q.val())
            & (!self.enable_exported.q.val())
            & (self.state.q.val() == State::Idle);
        self.control_next.next = self.control_register.q.val();
        if self.write_control.val() {
            self.control_next.next = self.wdata.val().get_bits::<3>(0);
        }
        self.control_register.d.next = self.control_next.val();
        self.head_next.next = self.head_register.q.val();
        if self.write_head.val() {
            self.head_next.next = self.wdata.val().get_bits::<16>(0);
        }
        self.head_register.d.next = self.head_next.val();
        if self.write_base.val() & self.off_now.val() {
            self.base_register.d.next = self.wdata.val() & self.word_aligned.val();
        }
        if self.write_mask.val() & self.off_now.val() {
            self.mask_register.d.next = self.wdata.val().get_bits::<15>(0);
        }
        // Export: what stores of this very cycle make counts too.
        if self.strobe.val() {
            self.enable_once.d.next = self.control_next.val().get_bit(0);
            self.enable_exported.d.next = self.enable_once.q.val();
            self.head_once.d.next = self.head_next.val();
            self.head_exported.d.next = self.head_once.q.val();
        }

        // Is the header on the bus for this station, and does the ring have room?
        self.destination.next = self.word.val().get_bits::<8>(0);
        self.length.next = self.word.val().get_bits::<12>(16);
        self.rounded.next = self.length.val() + 3;
        self.words.next = self.rounded.val().get_bits::<10>(2);
        self.used.next = self.tail_register.q.val() - self.head_exported.q.val();
        self.used_wide.next = bit_cast::<17, 16>(self.used.val());
        self.words_wide.next = bit_cast::<17, 10>(self.words.val());
        // Fits if used + words + 1 <= mask + 1.
        self.needed.next = self.used_wide.val() + self.words_wide.val();
        self.room.next = bit_cast::<17, 15>(self.mask_register.q.val());
        self.fits.next = self.needed.val() <= self.room.val();
        self.addressed.next =
            (self.destination.val() == self.station.val()) | (self.destination.val() == self.broadcast.val());
        self.addressed.next = self.addressed.val() & self.enable_exported.q.val() & (!self.offering.val());
        self.ack_register.d.next = false;
        self.nack_register.d.next = false;
        self.start.next = false;
        self.data.next = false;
        self.expected.next = !self.crc.val();

        match self.state.q.val() {
            State::Idle => {
                self.index.d.next = 0.into();
                if (self.phase.val() == Phase::Header) & self.addressed.val() {
                    self.ack_register.d.next = self.fits.val();
                    self.nack_register.d.next = !self.fits.val();
                    self.header.d.next = self.word.val();
                    if self.fits.val() {
                        self.state.d.next = State::Accepted;
                    }
                }
            }
            State::Accepted => {
                if self.phase.val() == Phase::Go {
                    self.start.next = true;
                    self.state.d.next = State::Stream;
                } else if self.phase.val() == Phase::Abort {
                    self.state.d.next = State::Idle;
                }
            }
            State::Stream => {
                if self.phase.val() == Phase::Data {
                    self.data.next = true;
                } else if self.phase.val() == Phase::Crc {
                    self.state.d.next = State::Idle;
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
        }
        self.index_wide.next = bit_cast::<16, 10>(self.index.q.val());
        if (self.state.q.val() == State::Stream) & (self.phase.val() == Phase::Crc) {
            if self.word.val() == self.expected.val() {
                self.tail_register.d.next = self.tail_register.q.val() + self.index_wide.val();
                self.count_packets.d.next = self.count_packets.q.val() + 1;
            } else {
                self.count_crc_errors.d.next = self.count_crc_errors.q.val() + 1;
                // The sender may want to know.
                self.nack_register.d.next = true;
            }
        }
        if self.start.val() | self.data.val() {
            self.index.d.next = self.index.q.val() + 1;
        }

        // Where the word goes.
        self.mask_wide.next = bit_cast::<16, 15>(self.mask_register.q.val());
        self.position.next = self.tail_register.q.val() + self.index_wide.val();
        self.position.next = self.position.val() & self.mask_wide.val();
        self.offset.next = bit_cast::<32, 16>(self.position.val());
        self.offset.next = self.offset.val() << 2;

        self.ack.next = self.ack_register.q.val();
        self.nack.next = self.nack_register.q.val();
        self.blocked.next = self.start.val() | (self.state.q.val() == State::Stream);
        self.dma_use.next = self.start.val() | self.data.val();
        self.dma_address.next = self.base_register.q.val() + self.offset.val();
        self.crc_use.next = self.start.val() | self.data.val();
        self.crc_first.next = self.start.val();
        if self.start.val() {
            self.dma_wdata.next = self.header.q.val();
            self.crc_word.next = self.header.q.val();
        } else {
            self.dma_wdata.next = self.word.val();
            self.crc_word.next = self.word.val();
        }
        self.control.next = self.control_register.q.val();
        self.base.next = self.base_register.q.val();
        self.mask.next = self.mask_register.q.val();
        self.head.next = self.head_register.q.val();
        self.tail.next = self.tail_register.q.val();
        self.off.next = self.off_now.val();
        self.ready.next = self.head_register.q.val() != self.tail_register.q.val();
        self.packets.next = self.count_packets.q.val();
        self.crc_errors.next = self.count_crc_errors.q.val();
    }
}
