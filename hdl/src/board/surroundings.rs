//! What is the same around every machine.

use rust_hdl::prelude::*;
use testbed_machine::Machine as Description;

use super::{Beat, FrameSender, Light, Options};

/// Sender of the link and lights.
///
/// ```text
///                      +--------------+
///  trace_valid, word ->| Surroundings |--> link
///  trace_full, rx, tx->|              |--> trace_ready
///               clock->|              |--> leds [8]
///                      +--------------+
/// ```
///
/// | light | lit while |
/// |---|---|
/// | 0 | (blinks, four times a second: the clock runs) |
/// | 1 | the link sends |
/// | 2, 3 | a character is on the console's line out, in |
/// | 4 | the trace port is full, so pairs wait in the SMIs' queues |
/// | 5 to 7 | never |
///
/// Lights 1 to 4 are lit for a beat, a sixteenth of a second, after a beat in which there was cause to.
#[derive(LogicBlock)]
pub struct Surroundings {
    pub clock: Signal<In, Clock>,
    pub trace_valid: Signal<In, Bit>,
    pub trace_word: Signal<In, Bits<20>>,
    pub trace_ready: Signal<Out, Bit>,
    pub trace_full: Signal<In, Bit>,
    /// The console's lines.
    pub rx: Signal<In, Bit>,
    pub tx: Signal<In, Bit>,
    pub link: Signal<Out, Bit>,
    pub leds: Signal<Out, Bits<8>>,

    frames: FrameSender,
    beat: Beat,
    sending: Light,
    console_out: Light,
    console_in: Light,
    full: Light,
    blink: Signal<Local, Bits<8>>,
}

impl Surroundings {
    /// What surrounds the machine that `description` describes.
    ///
    /// # Panics
    /// As [`FrameSender::new`].
    pub fn new(description: &Description, options: &Options) -> Self {
        Self {
            clock: Default::default(),
            trace_valid: Default::default(),
            trace_word: Default::default(),
            trace_ready: Default::default(),
            trace_full: Default::default(),
            rx: Default::default(),
            tx: Default::default(),
            link: Default::default(),
            leds: Default::default(),
            frames: FrameSender::new(description.clock_hz, options.link_baud),
            beat: Beat::new(description.clock_hz),
            sending: Default::default(),
            console_out: Default::default(),
            console_in: Default::default(),
            full: Default::default(),
            blink: Default::default(),
        }
    }
}

impl Logic for Surroundings {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, frames, beat, sending, console_out, console_in, full);
        self.frames.valid.next = self.trace_valid.val();
        self.frames.word.next = self.trace_word.val();
        self.trace_ready.next = self.frames.ready.val();
        self.link.next = self.frames.line.val();

        self.sending.beat.next = self.beat.beat.val();
        self.console_out.beat.next = self.beat.beat.val();
        self.console_in.beat.next = self.beat.beat.val();
        self.full.beat.next = self.beat.beat.val();
        self.sending.on.next = self.frames.sending.val();
        self.console_out.on.next = !self.tx.val();
        self.console_in.on.next = !self.rx.val();
        self.full.on.next = self.trace_full.val();
        self.blink.next = 0.into();
        if self.beat.half.val() {
            self.blink.next = 1.into();
        }
        self.leds.next = self.blink.val()
            | (bit_cast::<8, 1>(self.sending.lit.val()) << 1)
            | (bit_cast::<8, 1>(self.console_out.lit.val()) << 2)
            | (bit_cast::<8, 1>(self.console_in.lit.val()) << 3)
            | (bit_cast::<8, 1>(self.full.lit.val()) << 4);
    }
}
