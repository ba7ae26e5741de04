//! The sending half of a station: queue, load, offer, retry, send ("Transmit" in `docs/centrenet.md`).

use super::bus::Phase;
use super::linear::FaultDraws;
use rust_hdl::prelude::*;
use testbed_definitions::map::centrenet::{CONFIRM_CYCLES, RETRY_CYCLES};
use testbed_definitions::packet::{BROADCAST, PAYLOAD_BYTES_MAX};
use testbed_definitions::timing::LOOKAHEAD;

/// States of the engine.
#[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
enum State {
    Idle,
    /// Reads are being issued.
    Load,
    /// The look-ahead passes.
    Settle,
    Request,
    /// Waits for the verdict.
    Granted,
    Send,
    /// Waits to offer the packet again.
    Retry,
    /// Waits until those who have received the packet have had time to say that it was damaged.
    Confirm,
}

/// Transmit queue and engine of a station.
///
/// ```text
///                        +-------------+
/// push, push_address,  =>|             |=> free, idle, lfsr, eight counters
///       push_header    =>|             |
/// seed_write, seed     =>|             |=> load_read, load_address   (to the DMA registers)
/// drop, corrupt,       =>| Transmitter |<= dma_rdata, blocked
///       confirm          |             |
/// grant, phase, damaged=>|             |=> crc_use, crc_first, crc_word (to the shared CRC register)
/// crc                  =>|             |=> request, sent_word, offering (registered)
///                        +-------------+
/// ```
///
/// `load_read` in *i* must put `load_address` on port B in *i*+1; `dma_rdata` is taken in *i*+2. In
/// cycles in which `blocked` is high nothing is issued.
#[derive(LogicBlock)]
pub struct Transmitter {
    pub clock: Signal<In, Clock>,
    pub station: Signal<In, Bits<8>>,
    pub push: Signal<In, Bit>,
    pub push_address: Signal<In, Bits<32>>,
    pub push_header: Signal<In, Bits<32>>,
    pub drop: Signal<In, Bits<17>>,
    pub corrupt: Signal<In, Bits<17>>,
    /// The bit CONFIRM of CONTROL.
    pub confirm: Signal<In, Bit>,
    pub seed_write: Signal<In, Bit>,
    pub seed: Signal<In, Bits<32>>,
    pub blocked: Signal<In, Bit>,
    pub dma_rdata: Signal<In, Bits<32>>,
    pub grant: Signal<In, Bit>,
    pub phase: Signal<In, Phase>,
    pub damaged: Signal<In, Bit>,
    pub crc: Signal<In, Bits<32>>,

    pub request: Signal<Out, Bit>,
    pub sent_word: Signal<Out, Bits<32>>,
    /// This station is the sender of the header on the bus.
    pub offering: Signal<Out, Bit>,
    pub load_read: Signal<Out, Bit>,
    pub load_address: Signal<Out, Bits<32>>,
    pub crc_use: Signal<Out, Bit>,
    pub crc_first: Signal<Out, Bit>,
    pub crc_word: Signal<Out, Bits<32>>,
    pub free: Signal<Out, Bits<4>>,
    pub idle: Signal<Out, Bit>,
    pub lfsr: Signal<Out, Bits<32>>,
    pub packets: Signal<Out, Bits<32>>,
    pub dropped: Signal<Out, Bits<32>>,
    pub corrupted: Signal<Out, Bits<32>>,
    pub no_station: Signal<Out, Bits<32>>,
    pub refused: Signal<Out, Bits<32>>,
    pub retries: Signal<Out, Bits<32>>,
    pub broadcasts: Signal<Out, Bits<32>>,
    pub resent: Signal<Out, Bits<32>>,

    // The queue: free-running indices, the writer's also a cycle late, for the RAM's read takes that long.
    write_index: DFF<Bits<4>>,
    written_index: DFF<Bits<4>>,
    read_index: DFF<Bits<4>>,
    queue_address: RAM<Bits<32>, 3>,
    queue_header: RAM<Bits<32>, 3>,
    // The engine.
    state: DFF<State>,
    waited: DFF<Bits<8>>,
    address: DFF<Bits<32>>,
    to_load: DFF<Bits<10>>,
    to_send: DFF<Bits<10>>,
    spoil: DFF<Bit>,
    /// The packet is for all stations.
    to_all: DFF<Bit>,
    /// It is sent again if it comes to nobody.
    confirmed: DFF<Bit>,
    header_register: DFF<Bits<32>>,
    request_register: DFF<Bit>,
    word_register: DFF<Bits<32>>,
    buffer: RAM<Bits<32>, 9>,
    /// A read is on the port; its data are on `dma_rdata`.
    reading: DFF<Bit>,
    arriving: DFF<Bit>,
    fill_index: DFF<Bits<9>>,
    send_index: DFF<Bits<9>>,
    draws: FaultDraws,
    lfsr_register: DFFWithInit<Bits<32>>,
    count_packets: DFF<Bits<32>>,
    count_dropped: DFF<Bits<32>>,
    count_corrupted: DFF<Bits<32>>,
    count_no_station: DFF<Bits<32>>,
    count_refused: DFF<Bits<32>>,
    count_retries: DFF<Bits<32>>,
    count_broadcasts: DFF<Bits<32>>,
    count_resent: DFF<Bits<32>>,

    queued: Signal<Local, Bits<4>>,
    length_pushed: Signal<Local, Bits<12>>,
    accept: Signal<Local, Bit>,
    available: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    first: Signal<Local, Bits<17>>,
    second: Signal<Local, Bits<17>>,
    drop_this: Signal<Local, Bit>,
    spoil_this: Signal<Local, Bit>,
    confirm_this: Signal<Local, Bit>,
    length_again: Signal<Local, Bits<12>>,
    destination: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<12>>,
    rounded: Signal<Local, Bits<12>>,
    header: Signal<Local, Bits<32>>,
    source: Signal<Local, Bits<32>>,
    next_read: Signal<Local, Bits<4>>,
    next_send: Signal<Local, Bits<9>>,
    issue: Signal<Local, Bit>,
    sending: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    first_step: Signal<Local, Bit>,
    step_word: Signal<Local, Bits<32>>,

    depth: Constant<Bits<4>>,
    length_max: Constant<Bits<12>>,
    settle_last: Constant<Bits<8>>,
    retry_last: Constant<Bits<8>>,
    confirm_last: Constant<Bits<8>>,
    no_source: Constant<Bits<32>>,
    broadcast: Constant<Bits<8>>,
}

impl Default for Transmitter {
    fn default() -> Self {
        Transmitter {
            clock: Default::default(),
            station: Default::default(),
            push: Default::default(),
            push_address: Default::default(),
            push_header: Default::default(),
            drop: Default::default(),
            corrupt: Default::default(),
            confirm: Default::default(),
            seed_write: Default::default(),
            seed: Default::default(),
            blocked: Default::default(),
            dma_rdata: Default::default(),
            grant: Default::default(),
            phase: Default::default(),
            damaged: Default::default(),
            crc: Default::default(),
            request: Default::default(),
            sent_word: Default::default(),
            offering: Default::default(),
            load_read: Default::default(),
            load_address: Default::default(),
            crc_use: Default::default(),
            crc_first: Default::default(),
            crc_word: Default::default(),
            free: Default::default(),
            idle: Default::default(),
            lfsr: Default::default(),
            packets: Default::default(),
            dropped: Default::default(),
            corrupted: Default::default(),
            no_station: Default::default(),
            refused: Default::default(),
            retries: Default::default(),
            broadcasts: Default::default(),
            resent: Default::default(),
            write_index: Default::default(),
            written_index: Default::default(),
            read_index: Default::default(),
            queue_address: Default::default(),
            queue_header: Default::default(),
            state: Default::default(),
            waited: Default::default(),
            address: Default::default(),
            to_load: Default::default(),
            to_send: Default::default(),
            spoil: Default::default(),
            to_all: Default::default(),
            confirmed: Default::default(),
            header_register: Default::default(),
            request_register: Default::default(),
            word_register: Default::default(),
            buffer: Default::default(),
            reading: Default::default(),
            arriving: Default::default(),
            fill_index: Default::default(),
            send_index: Default::default(),
            draws: Default::default(),
            lfsr_register: DFFWithInit::new(1.into()),
            count_packets: Default::default(),
            count_dropped: Default::default(),
            count_corrupted: Default::default(),
            count_no_station: Default::default(),
            count_refused: Default::default(),
            count_retries: Default::default(),
            count_broadcasts: Default::default(),
            count_resent: Default::default(),
            queued: Default::default(),
            length_pushed: Default::default(),
            accept: Default::default(),
            available: Default::default(),
            pop: Default::default(),
            first: Default::default(),
            second: Default::default(),
            drop_this: Default::default(),
            spoil_this: Default::default(),
            confirm_this: Default::default(),
            length_again: Default::default(),
            destination: Default::default(),
            length: Default::default(),
            rounded: Default::default(),
            header: Default::default(),
            source: Default::default(),
            next_read: Default::default(),
            next_send: Default::default(),
            issue: Default::default(),
            sending: Default::default(),
            step: Default::default(),
            first_step: Default::default(),
            step_word: Default::default(),
            depth: Constant::new((testbed_definitions::map::centrenet::TX_QUEUE as LiteralType).into()),
            length_max: Constant::new((PAYLOAD_BYTES_MAX as LiteralType).into()),
            // In `Settle` and `Retry` the counter is 0 in the first cycle after the one that entered them.
            settle_last: Constant::new((LOOKAHEAD - 2).into()),
            retry_last: Constant::new((RETRY_CYCLES as LiteralType - 2).into()),
            confirm_last: Constant::new((CONFIRM_CYCLES as LiteralType - 1).into()),
            no_source: Constant::new(0x0fff_ffff.into()),
            broadcast: Constant::new((BROADCAST as LiteralType).into()),
        }
    }
}

impl Logic for Transmitter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            write_index,
            written_index,
            read_index,
            state,
            waited,
            address,
            to_load,
            to_send,
            spoil
        );
        dff_setup!(self, clock, request_register, word_register, reading, arriving, fill_index, send_index);
        dff_setup!(self, clock, lfsr_register, count_packets, count_dropped, count_corrupted, count_no_station);
        dff_setup!(self, clock, count_refused, count_retries, count_broadcasts, to_all);
        dff_setup!(self, clock, confirmed, header_register, count_resent);
        self.queue_address.read_clock.next = self.clock.val();
        self.queue_address.write_clock.next = self.clock.val();
        self.queue_header.read_clock.next = self.clock.val();
        self.queue_header.write_clock.next = self.clock.val();
        self.buffer.read_clock.next = self.clock.val();
        self.buffer.write_clock.next = self.clock.val();

        // Push.
        self.queued.next = self.write_index.q.val() - self.read_index.q.val();
        self.length_pushed.next = self.push_header.val().get_bits::<12>(16);
        self.accept.next =
            (self.queued.val() != self.depth.val()) & (self.length_pushed.val() <= self.length_max.val());
        self.accept.next = self.accept.val() & self.push.val();
        if self.accept.val() {
            self.write_index.d.next = self.write_index.q.val() + 1;
        }
        if self.push.val() & (!self.accept.val()) {
            self.count_refused.d.next = self.count_refused.q.val() + 1;
        }
        self.written_index.d.next = self.write_index.q.val();

        // Pop, with the packet's two draws.
        self.draws.state.next = self.lfsr_register.q.val();
        self.available.next = self.written_index.q.val() != self.read_index.q.val();
        self.pop.next = self.available.val() & (self.state.q.val() == State::Idle);
        self.first.next = bit_cast::<17, 16>(self.draws.first.val());
        self.second.next = bit_cast::<17, 16>(self.draws.second.val());
        self.drop_this.next = self.first.val() < self.drop.val();
        self.spoil_this.next = self.second.val() < self.corrupt.val();
        self.confirm_this.next = self.confirm.val() & (!self.queue_header.read_data.val().get_bit(15));
        self.destination.next = self.queue_header.read_data.val().get_bits::<8>(0);
        self.length.next = self.queue_header.read_data.val().get_bits::<12>(16);
        self.rounded.next = self.length.val() + 3;
        self.source.next = bit_cast::<32, 8>(self.station.val());
        self.header.next = (self.queue_header.read_data.val() & self.no_source.val()) | (self.source.val() << 28);
        self.length_again.next = self.header_register.q.val().get_bits::<12>(16) + 3;
        self.next_read.next = self.read_index.q.val();
        self.next_send.next = self.send_index.q.val();
        self.issue.next = false;
        self.sending.next = false;
        self.step.next = false;
        self.first_step.next = false;
        self.step_word.next = self.word_register.q.val();
        self.waited.d.next = self.waited.q.val() + 1;

        match self.state.q.val() {
            State::Idle => {
                if self.pop.val() {
                    self.next_read.next = self.read_index.q.val() + 1;
                    self.lfsr_register.d.next = self.draws.after.val();
                    self.confirmed.d.next = self.confirm_this.val();
                    self.spoil.d.next = self.spoil_this.val() | (self.confirm_this.val() & self.drop_this.val());
                    self.header_register.d.next = self.header.val();
                    self.to_all.d.next = self.destination.val() == self.broadcast.val();
                    self.address.d.next = self.queue_address.read_data.val();
                    self.word_register.d.next = self.header.val();
                    self.to_load.d.next = self.rounded.val().get_bits::<10>(2);
                    self.to_send.d.next = self.rounded.val().get_bits::<10>(2);
                    self.fill_index.d.next = 0.into();
                    self.next_send.next = 0.into();
                    if self.drop_this.val() & (!self.confirm_this.val()) {
                        self.count_dropped.d.next = self.count_dropped.q.val() + 1;
                    } else {
                        self.state.d.next = State::Load;
                    }
                }
            }
            State::Load => {
                if !self.to_load.q.val().any() {
                    self.waited.d.next = 0.into();
                    self.state.d.next = State::Settle;
                } else if !self.blocked.val() {
                    self.issue.next = true;
                    self.to_load.d.next = self.to_load.q.val() - 1;
                    self.address.d.next = self.address.q.val() + 4;
                }
            }
            State::Settle => {
                if self.waited.q.val() == self.settle_last.val() {
                    self.request_register.d.next = true;
                    self.state.d.next = State::Request;
                }
            }
            State::Request => {
                if self.grant.val() {
                    self.request_register.d.next = false;
                    self.step.next = true;
                    self.first_step.next = true;
                    self.state.d.next = State::Granted;
                }
            }
            State::Granted => {
                self.waited.d.next = 0.into();
                if self.phase.val() == Phase::Go {
                    self.sending.next = true;
                } else if self.phase.val() == Phase::Abort {
                    self.count_retries.d.next = self.count_retries.q.val() + 1;
                    self.state.d.next = State::Retry;
                } else if self.phase.val() == Phase::NoTaker {
                    self.count_no_station.d.next = self.count_no_station.q.val() + 1;
                    self.state.d.next = State::Idle;
                }
            }
            State::Send => {
                self.sending.next = true;
            }
            State::Retry => {
                if self.waited.q.val() == self.retry_last.val() {
                    self.request_register.d.next = true;
                    self.state.d.next = State::Request;
                }
            }
            State::Confirm => {
                if self.waited.q.val() == self.confirm_last.val() {
                    self.state.d.next = State::Idle;
                    if self.damaged.val() {
                        // As if it had just been loaded, with two draws of its own.
                        self.count_resent.d.next = self.count_resent.q.val() + 1;
                        self.lfsr_register.d.next = self.draws.after.val();
                        self.spoil.d.next = self.spoil_this.val() | self.drop_this.val();
                        self.word_register.d.next = self.header_register.q.val();
                        self.to_send.d.next = self.length_again.val().get_bits::<10>(2);
                        self.next_send.next = 0.into();
                        self.waited.d.next = 0.into();
                        self.state.d.next = State::Settle;
                    }
                }
            }
            _ => {
                self.state.d.next = State::Idle;
            }
        }
        if self.sending.val() {
            if self.to_send.q.val().any() {
                self.step.next = true;
                self.step_word.next = self.buffer.read_data.val();
                self.word_register.d.next = self.buffer.read_data.val();
                self.to_send.d.next = self.to_send.q.val() - 1;
                self.next_send.next = self.send_index.q.val() + 1;
                self.state.d.next = State::Send;
            } else {
                self.count_packets.d.next = self.count_packets.q.val() + 1;
                if self.to_all.q.val() {
                    self.count_broadcasts.d.next = self.count_broadcasts.q.val() + 1;
                }
                self.word_register.d.next = !self.crc.val();
                if self.spoil.q.val() {
                    self.word_register.d.next = self.crc.val();
                    self.count_corrupted.d.next = self.count_corrupted.q.val() + 1;
                }
                self.state.d.next = State::Idle;
                if self.confirmed.q.val() {
                    self.waited.d.next = 0.into();
                    self.state.d.next = State::Confirm;
                }
            }
        }
        if self.seed_write.val() {
            self.lfsr_register.d.next = self.seed.val();
        }
        self.read_index.d.next = self.next_read.val();
        self.send_index.d.next = self.next_send.val();

        // Words that were read arrive in the buffer two cycles later.
        self.reading.d.next = self.issue.val();
        self.arriving.d.next = self.reading.q.val();
        if self.arriving.q.val() {
            self.fill_index.d.next = self.fill_index.q.val() + 1;
        }

        // Memories: the read addresses are those of the next cycle.
        self.queue_address.read_address.next = self.next_read.val().get_bits::<3>(0);
        self.queue_address.write_address.next = self.write_index.q.val().get_bits::<3>(0);
        self.queue_address.write_data.next = self.push_address.val();
        self.queue_address.write_enable.next = self.accept.val();
        self.queue_header.read_address.next = self.next_read.val().get_bits::<3>(0);
        self.queue_header.write_address.next = self.write_index.q.val().get_bits::<3>(0);
        self.queue_header.write_data.next = self.push_header.val();
        self.queue_header.write_enable.next = self.accept.val();
        self.buffer.read_address.next = self.next_send.val();
        self.buffer.write_address.next = self.fill_index.q.val();
        self.buffer.write_data.next = self.dma_rdata.val();
        self.buffer.write_enable.next = self.arriving.q.val();

        self.request.next = self.request_register.q.val();
        self.sent_word.next = self.word_register.q.val();
        self.offering.next = self.state.q.val() == State::Granted;
        self.load_read.next = self.issue.val();
        self.load_address.next = self.address.q.val();
        self.crc_use.next = self.step.val();
        self.crc_first.next = self.first_step.val();
        self.crc_word.next = self.step_word.val();
        self.free.next = self.depth.val() - self.queued.val();
        self.idle.next = (!self.queued.val().any()) & (self.state.q.val() == State::Idle);
        self.lfsr.next = self.lfsr_register.q.val();
        self.packets.next = self.count_packets.q.val();
        self.dropped.next = self.count_dropped.q.val();
        self.corrupted.next = self.count_corrupted.q.val();
        self.no_station.next = self.count_no_station.q.val();
        self.refused.next = self.count_refused.q.val();
        self.retries.next = self.count_retries.q.val();
        self.broadcasts.next = self.count_broadcasts.q.val();
        self.resent.next = self.count_resent.q.val();
    }
}
