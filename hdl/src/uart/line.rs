//! The serial line: the time of its bits, and its two directions with their FIFOs.

use rust_hdl::prelude::*;

use crate::byte_fifo::ByteFifo;

/// Counts the sixteenths of a bit: `tick` in the last cycle of each, `divisor` cycles long. The first begins in the
/// cycle after `restart`, in which the divisor is taken over; 0 counts as 1.
#[derive(LogicBlock, Default)]
pub struct Ticker {
    pub clock: Signal<In, Clock>,
    pub restart: Signal<In, Bit>,
    pub divisor: Signal<In, Bits<16>>,
    pub tick: Signal<Out, Bit>,
    /// Cycles of a tick, less one.
    period: DFF<Bits<16>>,
    left: DFF<Bits<16>>,
    first: Signal<Local, Bits<16>>,
}

impl Logic for Ticker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, period, left);
        self.first.next = 0.into();
        if self.divisor.val().any() {
            self.first.next = self.divisor.val() - 1;
        }
        self.left.d.next = self.left.q.val() - 1;
        if self.left.q.val() == 0 {
            self.left.d.next = self.period.q.val();
        }
        if self.restart.val() {
            self.period.d.next = self.first.val();
            self.left.d.next = self.first.val();
        }
        self.tick.next = self.left.q.val() == 0;
    }
}

/// FIFO and shifter of the transmitting side.
#[derive(LogicBlock, Default)]
pub struct Transmitter {
    pub clock: Signal<In, Clock>,
    pub divisor: Signal<In, Bits<16>>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Bits<8>>,
    /// Oldest byte of the FIFO.
    pub front: Signal<Out, Bits<8>>,
    /// `front` moves to the shifter.
    pub start: Signal<Out, Bit>,
    pub full: Signal<Out, Bit>,
    /// FIFO empty and shifter idle.
    pub idle: Signal<Out, Bit>,
    pub line: Signal<Out, Bit>,
    fifo: ByteFifo,
    ticker: Ticker,
    busy: DFF<Bit>,
    /// Bits to send, inverted, the one on the line in bit 0; the stop bit comes in as 0.
    shifter: DFF<Bits<9>>,
    /// Ticks of this character so far.
    ticks: DFF<Bits<8>>,
    starting: Signal<Local, Bit>,
    not_front: Signal<Local, Bits<8>>,
}

impl Logic for Transmitter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, shifter, ticks);
        clock!(self, clock, fifo, ticker);
        self.starting.next = !self.busy.q.val() & !self.fifo.empty.val();
        self.not_front.next = !self.fifo.front.val();
        if self.busy.q.val() & self.ticker.tick.val() {
            self.ticks.d.next = self.ticks.q.val() + 1;
            if self.ticks.q.val() == 159 {
                self.busy.d.next = false;
            }
            if self.ticks.q.val().get_bits::<4>(0) == 15 {
                self.shifter.d.next = self.shifter.q.val() >> 1;
            }
        }
        if self.starting.val() {
            self.busy.d.next = true;
            self.ticks.d.next = 0.into();
            self.shifter.d.next = (bit_cast::<9, 8>(self.not_front.val()) << 1) | 1;
        }
        self.fifo.push.next = self.push.val();
        self.fifo.data.next = self.data.val();
        self.fifo.pop.next = self.starting.val();
        self.ticker.restart.next = self.starting.val();
        self.ticker.divisor.next = self.divisor.val();
        self.front.next = self.fifo.front.val();
        self.start.next = self.starting.val();
        self.full.next = self.fifo.full.val();
        self.idle.next = self.fifo.empty.val() & !self.busy.q.val();
        self.line.next = !self.shifter.q.val().get_bit(0);
    }
}

/// Sampler and FIFO of the receiving side.
#[derive(LogicBlock, Default)]
pub struct Receiver {
    pub clock: Signal<In, Clock>,
    pub divisor: Signal<In, Bits<16>>,
    pub line: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    /// Clears `overrun`, unless a byte is lost in this very cycle.
    pub clear: Signal<In, Bit>,
    /// Oldest byte of the FIFO.
    pub front: Signal<Out, Bits<8>>,
    pub empty: Signal<Out, Bit>,
    pub full: Signal<Out, Bit>,
    pub overrun: Signal<Out, Bit>,
    fifo: ByteFifo,
    ticker: Ticker,
    // Inverted, since the line idles high and registers start at 0.
    synchroniser: DFF<Bit>,
    low: DFF<Bit>,
    busy: DFF<Bit>,
    lost: DFF<Bit>,
    ticks: DFF<Bits<8>>,
    shifter: DFF<Bits<8>>,
    starting: Signal<Local, Bit>,
    sample: Signal<Local, Bit>,
    pub(super) arrived: Signal<Local, Bit>,
}

impl Logic for Receiver {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, synchroniser, low, busy, lost, ticks, shifter);
        clock!(self, clock, fifo, ticker);
        self.synchroniser.d.next = !self.line.val();
        self.low.d.next = self.synchroniser.q.val();
        self.starting.next = !self.busy.q.val() & self.low.q.val();
        self.sample.next = self.busy.q.val() & self.ticker.tick.val() & (self.ticks.q.val().get_bits::<4>(0) == 7);
        self.arrived.next = false;
        if self.busy.q.val() & self.ticker.tick.val() {
            self.ticks.d.next = self.ticks.q.val() + 1;
        }
        if self.sample.val() {
            if self.ticks.q.val() == 7 {
                // The start bit must still be low.
                self.busy.d.next = self.low.q.val();
            } else if self.ticks.q.val() == 151 {
                self.arrived.next = !self.low.q.val();
                self.busy.d.next = false;
            } else {
                self.shifter.d.next = self.shifter.q.val() >> 1;
                if !self.low.q.val() {
                    self.shifter.d.next = (self.shifter.q.val() >> 1) | 0x80;
                }
            }
        }
        if self.starting.val() {
            self.busy.d.next = true;
            self.ticks.d.next = 0.into();
        }
        if self.clear.val() {
            self.lost.d.next = false;
        }
        if self.arrived.val() & self.fifo.full.val() {
            self.lost.d.next = true;
        }
        self.fifo.push.next = self.arrived.val();
        self.fifo.data.next = self.shifter.q.val();
        self.fifo.pop.next = self.pop.val();
        self.ticker.restart.next = self.starting.val();
        self.ticker.divisor.next = self.divisor.val();
        self.front.next = self.fifo.front.val();
        self.empty.next = self.fifo.empty.val();
        self.full.next = self.fifo.full.val();
        self.overrun.next = self.lost.q.val();
    }
}
