//! Serial port with the programming model of a 16550.

use rust_hdl::prelude::*;
use testbed_definitions::map::uart;

mod line;

pub use line::{Receiver, Ticker, Transmitter};

/// Sends and receives bytes: one start bit, eight data bits, low bit first, one stop bit.
///
/// ```text
///              +-----------+
///   select  -->|           |--> rdata
///   address -->|           |--> tx
///   read    -->|   Uart    |--> tx_valid
///   write   -->|           |--> tx_data
///   wdata   -->|           |--> rts
///   rx      -->|           |
///   clock   -->|>          |
///              +-----------+
/// ```
///
/// Registers are bytes, selected by address bits 2:0; `rdata` is the byte selected by `select`,
/// `read` and `address` in the cycle before in all four lanes, else 0. A byte stored to THR in *t*
/// is in the FIFO from *t*+1, lost if 16 are there. When the shifter is idle and the FIFO not empty
/// in *t*, `tx_valid` is set with the byte in `tx_data` in *t*, the FIFO has one less from *t*+1,
/// and `tx` sends the byte in the 160 x divisor cycles from *t*+1, after which the shifter is idle
/// for at least a cycle. The divisor is looked at in *t*; 0 counts as 1.
///
/// The receiver passes `rx` through two registers, waits for a low, and samples the middle of each
/// bit, with the divisor as it was at the start. A start bit that is high in its middle is a glitch
/// and is ignored; a byte whose stop bit is low is discarded. A byte that finds 16 in the receive
/// FIFO is lost and sets OVERRUN in LSR, until LSR is read. A load of RBR takes the byte from the
/// FIFO; it is 0 if there is none. `rts` is set while the receive FIFO has room: whoever begins a
/// character only then, and only after the character before, loses none. IER, LCR, MCR and SCR keep
/// what is stored, MSR reads 0, FCR ignores stores.
#[derive(LogicBlock)]
pub struct Uart {
    pub clock: Signal<In, Clock>,
    pub select: Signal<In, Bit>,
    pub address: Signal<In, Bits<16>>,
    pub read: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub rdata: Signal<Out, Bits<32>>,
    /// Serial line out, idle high.
    pub tx: Signal<Out, Bit>,
    /// Serial line in, idle high.
    pub rx: Signal<In, Bit>,
    /// The receive FIFO has room for a character.
    pub rts: Signal<Out, Bit>,
    /// A byte moves to the shifter.
    pub tx_valid: Signal<Out, Bit>,
    pub tx_data: Signal<Out, Bits<8>>,

    transmitter: Transmitter,
    receiver: Receiver,
    // Registers; the divisor with bit 0 inverted, for it starts at 1.
    divisor_flipped: DFF<Bits<16>>,
    interrupt_enable: DFF<Bits<8>>,
    line_control: DFF<Bits<8>>,
    modem_control: DFF<Bits<8>>,
    scratch: DFF<Bits<8>>,
    answer: DFF<Bits<8>>,

    divisor: Signal<Local, Bits<16>>,
    store: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    register: Signal<Local, Bits<3>>,
    latch: Signal<Local, Bit>,
    byte_in: Signal<Local, Bits<8>>,
    status: Signal<Local, Bits<8>>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    clear: Signal<Local, Bit>,
    lanes: Signal<Local, Bits<32>>,

    at_data: Constant<Bits<3>>,
    at_interrupt: Constant<Bits<3>>,
    at_identity: Constant<Bits<3>>,
    at_line_control: Constant<Bits<3>>,
    at_modem_control: Constant<Bits<3>>,
    at_line_status: Constant<Bits<3>>,
    at_scratch: Constant<Bits<3>>,
    data_ready: Constant<Bits<8>>,
    overrun: Constant<Bits<8>>,
    thr_empty: Constant<Bits<8>>,
    tx_idle: Constant<Bits<8>>,
}

impl Default for Uart {
    fn default() -> Self {
        let at = |offset: u32| Constant::new(offset.to_bits());
        let flag = |bits: u8| Constant::new(bits.to_bits());
        Uart {
            clock: Default::default(),
            select: Default::default(),
            address: Default::default(),
            read: Default::default(),
            write: Default::default(),
            wdata: Default::default(),
            rdata: Default::default(),
            tx: Default::default(),
            rx: Default::default(),
            rts: Default::default(),
            tx_valid: Default::default(),
            tx_data: Default::default(),
            transmitter: Default::default(),
            receiver: Default::default(),
            divisor_flipped: Default::default(),
            interrupt_enable: Default::default(),
            line_control: Default::default(),
            modem_control: Default::default(),
            scratch: Default::default(),
            answer: Default::default(),
            divisor: Default::default(),
            store: Default::default(),
            load: Default::default(),
            register: Default::default(),
            latch: Default::default(),
            byte_in: Default::default(),
            status: Default::default(),
            push: Default::default(),
            pop: Default::default(),
            clear: Default::default(),
            lanes: Default::default(),
            at_data: at(uart::RBR_THR_DLL),
            at_interrupt: at(uart::IER_DLM),
            at_identity: at(uart::IIR_FCR),
            at_line_control: at(uart::LCR),
            at_modem_control: at(uart::MCR),
            at_line_status: at(uart::LSR),
            at_scratch: at(uart::SCR),
            data_ready: flag(uart::LSR_DATA_READY),
            overrun: flag(uart::LSR_OVERRUN),
            thr_empty: flag(uart::LSR_THR_EMPTY),
            tx_idle: flag(uart::LSR_TX_IDLE),
        }
    }
}

impl Logic for Uart {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, divisor_flipped, interrupt_enable, line_control, modem_control, scratch, answer);
        clock!(self, clock, transmitter, receiver);
        self.store.next = self.select.val() & self.write.val();
        self.load.next = self.select.val() & self.read.val();
        self.register.next = self.address.val().get_bits::<3>(0);
        self.byte_in.next = self.wdata.val().get_bits::<8>(0);
        self.latch.next = self.line_control.q.val().get_bit(7);
        self.divisor.next = self.divisor_flipped.q.val() ^ 1;
        self.push.next = false;
        self.pop.next = false;
        self.clear.next = false;

        // Stores.
        if self.store.val() {
            if self.register.val() == self.at_data.val() {
                if self.latch.val() {
                    self.divisor_flipped.d.next =
                        (self.divisor_flipped.q.val() & 0xff00) | (bit_cast::<16, 8>(self.byte_in.val()) ^ 1);
                } else {
                    self.push.next = true;
                }
            } else if self.register.val() == self.at_interrupt.val() {
                if self.latch.val() {
                    self.divisor_flipped.d.next =
                        (self.divisor_flipped.q.val() & 0x00ff) | (bit_cast::<16, 8>(self.byte_in.val()) << 8);
                } else {
                    self.interrupt_enable.d.next = self.byte_in.val();
                }
            } else if self.register.val() == self.at_line_control.val() {
                self.line_control.d.next = self.byte_in.val();
            } else if self.register.val() == self.at_modem_control.val() {
                self.modem_control.d.next = self.byte_in.val();
            } else if self.register.val() == self.at_scratch.val() {
                self.scratch.d.next = self.byte_in.val();
            }
        }

        // Line status.
        self.status.next = 0.into();
        if !self.receiver.empty.val() {
            self.status.next = self.status.val() | self.data_ready.val();
        }
        if self.receiver.overrun.val() {
            self.status.next = self.status.val() | self.overrun.val();
        }
        if !self.transmitter.full.val() {
            self.status.next = self.status.val() | self.thr_empty.val();
        }
        if self.transmitter.idle.val() {
            self.status.next = self.status.val() | self.tx_idle.val();
        }

        // Loads.
        self.answer.d.next = 0.into();
        if self.load.val() {
            if self.register.val() == self.at_data.val() {
                if self.latch.val() {
                    self.answer.d.next = self.divisor.val().get_bits::<8>(0);
                } else {
                    self.pop.next = true;
                    if !self.receiver.empty.val() {
                        self.answer.d.next = self.receiver.front.val();
                    }
                }
            } else if self.register.val() == self.at_interrupt.val() {
                if self.latch.val() {
                    self.answer.d.next = self.divisor.val().get_bits::<8>(8);
                } else {
                    self.answer.d.next = self.interrupt_enable.q.val();
                }
            } else if self.register.val() == self.at_identity.val() {
                self.answer.d.next = 0xc1.into();
            } else if self.register.val() == self.at_line_control.val() {
                self.answer.d.next = self.line_control.q.val();
            } else if self.register.val() == self.at_modem_control.val() {
                self.answer.d.next = self.modem_control.q.val();
            } else if self.register.val() == self.at_line_status.val() {
                self.answer.d.next = self.status.val();
                self.clear.next = true;
            } else if self.register.val() == self.at_scratch.val() {
                self.answer.d.next = self.scratch.q.val();
            }
        }
        self.lanes.next = bit_cast::<32, 8>(self.answer.q.val());
        self.lanes.next = self.lanes.val() | (self.lanes.val() << 8);
        self.rdata.next = self.lanes.val() | (self.lanes.val() << 16);

        self.transmitter.divisor.next = self.divisor.val();
        self.transmitter.push.next = self.push.val();
        self.transmitter.data.next = self.byte_in.val();
        self.tx.next = self.transmitter.line.val();
        self.tx_valid.next = self.transmitter.start.val();
        self.tx_data.next = self.transmitter.front.val();
        self.receiver.divisor.next = self.divisor.val();
        self.receiver.pop.next = self.pop.val();
        self.receiver.clear.next = self.clear.val();
        self.receiver.line.next = self.rx.val();
        self.rts.next = !self.receiver.full.val();
    }
}

impl Uart {
    /// Cycles of a sixteenth of a bit, as the receiver takes them over for a character that it sees begin now.
    pub fn divisor(&self) -> u32 {
        let divisor = self.divisor_flipped.q.val().index() as u32 ^ 1;
        divisor.max(1)
    }
}

#[cfg(test)]
mod tests;
