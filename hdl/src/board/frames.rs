//! The trace port's pairs on a serial line: the frames of [`testbed_definitions::link`].

use rust_hdl::prelude::*;
use testbed_definitions::link::BIT_CYCLES_MIN;
use testbed_definitions::link::{COUNT_BYTES, COUNT_EVERY, CRC_POLYNOMIAL, CRC_START, LINE_BITS};

/// Bits of the phase accumulator that divides the clock: with the most cycles in a bit its step is
/// right to one in 2,000.
const PHASE_BITS: u32 = 20;

/// Sends pairs as frames, 8N1, and counts of them when they are due.
///
/// ```text
///          +-------------+
/// valid -->|             |
///  word ==>| FrameSender |--> line    (idle high)
/// ready <--|             |--> sending
/// clock -->|             |
///          +-------------+
/// ```
///
/// A word goes in a cycle with `valid` and `ready`; `ready` does not depend on `valid`. Pairs are
/// two words that follow one another, time first ([`testbed_definitions::monitor::MmiWord`]). The
/// frame's 44 covered bits go through one shift register of 56: as their CRC is made they move
/// round it, and then the whole frame moves up, seven bits for each byte that the line takes.
///
/// A bit takes `clock / baud` cycles on average and one cycle more or less at most: the line
/// changes when the phase accumulator overflows, so its edges are off by less than a cycle, however
/// long it sends.
#[derive(LogicBlock)]
pub struct FrameSender {
    pub clock: Signal<In, Clock>,
    pub valid: Signal<In, Bit>,
    pub word: Signal<In, Bits<20>>,
    pub ready: Signal<Out, Bit>,
    pub line: Signal<Out, Bit>,
    /// A byte is on the line.
    pub sending: Signal<Out, Bit>,

    /// Overflows once a bit.
    phase: DFF<Bits<21>>,
    /// Bit times since the last count.
    silence: DFF<Bits<19>>,
    /// A count was sent.
    started: DFF<Bit>,
    /// Pairs since the last count.
    since: DFF<Bits<7>>,
    /// Pairs taken.
    count: DFF<Bits<32>>,
    /// The pair's first word is in `covered`.
    half: DFF<Bit>,
    covered: DFF<Bits<44>>,
    crc: DFF<Bits<12>>,
    /// Bytes of the frame that the line has not taken yet.
    bytes: DFF<Bits<4>>,
    /// Steps of the shift register to come: the last 7 bring the next byte up, those before make the CRC.
    steps: DFF<Bits<6>>,
    /// Bit times that the byte on the line still takes.
    left: DFF<Bits<4>>,
    /// The rest of the byte on the line, and the line, inverted: it idles high, and registers start at 0.
    rest: DFF<Bits<8>>,
    low: DFF<Bit>,

    tick: Signal<Local, Bit>,
    overdue: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    number: Signal<Local, Bits<8>>,
    first: Signal<Local, Bits<44>>,
    second: Signal<Local, Bits<44>>,
    total: Signal<Local, Bits<44>>,
    in_crc: Signal<Local, Bit>,
    feedback: Signal<Local, Bit>,
    top: Signal<Local, Bits<8>>,

    step: Constant<Bits<21>>,
    phase_mask: Constant<Bits<21>>,
    silence_most: Constant<Bits<19>>,
    every: Constant<Bits<7>>,
    crc_start: Constant<Bits<12>>,
    polynomial: Constant<Bits<12>>,
    byte_bits: Constant<Bits<4>>,
}

impl FrameSender {
    /// A sender of `baud` bits a second at a clock of `clock_hz`.
    ///
    /// # Panics
    /// If a bit has fewer than [`BIT_CYCLES_MIN`] cycles; [`super::verilog`] refuses that.
    pub fn new(clock_hz: u32, baud: u32) -> Self {
        assert!(fits(clock_hz, baud), "{baud} baud are too many for a clock of {clock_hz} Hz");
        let step = phase_step(clock_hz, baud);
        Self {
            clock: Default::default(),
            valid: Default::default(),
            word: Default::default(),
            ready: Default::default(),
            line: Default::default(),
            sending: Default::default(),
            phase: Default::default(),
            silence: Default::default(),
            started: Default::default(),
            since: Default::default(),
            count: Default::default(),
            half: Default::default(),
            covered: Default::default(),
            crc: Default::default(),
            bytes: Default::default(),
            steps: Default::default(),
            left: Default::default(),
            rest: Default::default(),
            low: Default::default(),
            tick: Default::default(),
            overdue: Default::default(),
            free: Default::default(),
            takes: Default::default(),
            counts: Default::default(),
            number: Default::default(),
            first: Default::default(),
            second: Default::default(),
            total: Default::default(),
            in_crc: Default::default(),
            feedback: Default::default(),
            top: Default::default(),
            step: Constant::new(u64::from(step).into()),
            phase_mask: Constant::new(((1u64 << PHASE_BITS) - 1).into()),
            silence_most: Constant::new(u64::from(COUNT_BYTES * LINE_BITS).into()),
            every: Constant::new(u64::from(COUNT_EVERY).into()),
            crc_start: Constant::new(u64::from(CRC_START).into()),
            polynomial: Constant::new(u64::from(CRC_POLYNOMIAL).into()),
            byte_bits: Constant::new(u64::from(LINE_BITS).into()),
        }
    }
}

/// What the phase grows by in a cycle.
fn phase_step(clock_hz: u32, baud: u32) -> u32 {
    let (clock, baud) = (u64::from(clock_hz), u64::from(baud));
    (((baud << PHASE_BITS) + clock / 2) / clock) as u32
}

/// The clocks at which a bit at `baud` has [`BIT_CYCLES_MIN`] cycles, and few enough for the phase to
/// count them to one in a thousand.
pub fn clocks(baud: u32) -> std::ops::Range<u64> {
    let most = (1 << PHASE_BITS) / 1_000;
    u64::from(baud) * u64::from(BIT_CYCLES_MIN)..u64::from(baud) * (most + 1)
}

/// Whether a sender of `baud` bits a second works at this clock: it is one of [`clocks`].
pub fn fits(clock_hz: u32, baud: u32) -> bool {
    clocks(baud).contains(&u64::from(clock_hz))
}

impl Logic for FrameSender {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, phase, silence, started, since, count, half, covered, crc, bytes, steps, left, rest, low
        );

        // Bits of the line.
        self.phase.d.next = (self.phase.q.val() & self.phase_mask.val()) + self.step.val();
        self.tick.next = self.phase.q.val().get_bit(20);

        // What becomes the next frame. Between a pair's two words nothing does.
        self.free.next = !self.bytes.q.val().any() & !self.steps.q.val().any() & !self.half.q.val();
        self.overdue.next = !self.started.q.val()
            | (self.since.q.val() == self.every.val())
            | (self.silence.q.val() == self.silence_most.val());
        self.counts.next = self.free.val() & (self.overdue.val() | (!self.valid.val() & self.since.q.val().any()));
        self.ready.next = self.half.q.val() | (self.free.val() & !self.overdue.val());
        self.takes.next = self.valid.val() & (self.half.q.val() | (self.free.val() & !self.overdue.val()));
        self.number.next = self.count.q.val().get_bits::<8>(0);
        self.first.next = bit_cast::<44, 20>(self.word.val()) << 24;
        self.second.next =
            bit_cast::<44, 16>(self.word.val().get_bits::<16>(0)) << 8 | bit_cast::<44, 8>(self.number.val());
        self.total.next = (bit_cast::<44, 32>(self.count.q.val()) << 8) | bit_cast::<44, 8>(self.number.val());

        // Counts of pairs, and of time.
        if self.tick.val() & (self.silence.q.val() != self.silence_most.val()) {
            self.silence.d.next = self.silence.q.val() + 1;
        }
        if self.takes.val() {
            self.half.d.next = !self.half.q.val();
            if self.half.q.val() {
                self.count.d.next = self.count.q.val() + 1;
                self.since.d.next = self.since.q.val() + 1;
            }
        }
        if self.counts.val() {
            self.started.d.next = true;
            self.since.d.next = 0.into();
            self.silence.d.next = 0.into();
        }

        // The shift register.
        self.in_crc.next = self.steps.q.val() > 7;
        self.feedback.next = self.in_crc.val() & (self.covered.q.val().get_bit(43) ^ self.crc.q.val().get_bit(11));
        self.top.next = bit_cast::<8, 7>(self.covered.q.val().get_bits::<7>(37));
        if self.steps.q.val().any() {
            self.steps.d.next = self.steps.q.val() - 1;
            self.covered.d.next = self.covered.q.val() << 1;
            if (self.in_crc.val() & self.covered.q.val().get_bit(43))
                | (!self.in_crc.val() & self.crc.q.val().get_bit(11))
            {
                self.covered.d.next = (self.covered.q.val() << 1) | 1;
            }
            self.crc.d.next = self.crc.q.val() << 1;
            if self.feedback.val() {
                self.crc.d.next = (self.crc.q.val() << 1) ^ self.polynomial.val();
            }
        }
        if self.takes.val() {
            self.covered.d.next = self.first.val();
            if self.half.q.val() {
                self.covered.d.next = self.covered.q.val() | self.second.val();
            }
        }
        if self.counts.val() {
            self.covered.d.next = self.total.val();
        }
        if self.counts.val() | (self.takes.val() & self.half.q.val()) {
            self.crc.d.next = self.crc_start.val();
            self.bytes.d.next = 8.into();
        }

        // The byte on the line: start bit, data from the lowest on, stop bit.
        if self.tick.val() {
            self.low.d.next = self.rest.q.val().get_bit(0);
            self.rest.d.next = self.rest.q.val() >> 1;
            if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - 1;
            }
            if (self.left.q.val() < 2) & self.bytes.q.val().any() & !self.steps.q.val().any() {
                self.low.d.next = true;
                self.rest.d.next = self.top.val() ^ 0xff;
                self.steps.d.next = 7.into();
                if self.bytes.q.val() == 8 {
                    self.rest.d.next = self.top.val() ^ 0x7f;
                    self.steps.d.next = 51.into();
                }
                self.bytes.d.next = self.bytes.q.val() - 1;
                self.left.d.next = self.byte_bits.val();
            }
        }
        self.line.next = !self.low.q.val();
        self.sending.next = self.left.q.val().any();
    }
}
