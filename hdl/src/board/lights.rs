//! Lights that an eye can follow.

use rust_hdl::prelude::*;

/// Beats a second.
const BEATS: u32 = 16;

/// Divides the clock for the eye.
///
/// ```text
///          +------+
/// clock -->| Beat |--> beat   (one cycle in a sixteenth of a second)
///          |      |--> half   (high for two beats, low for two)
///          +------+
/// ```
#[derive(LogicBlock)]
pub struct Beat {
    pub clock: Signal<In, Clock>,
    pub beat: Signal<Out, Bit>,
    pub half: Signal<Out, Bit>,
    cycles: DFF<Bits<26>>,
    beats: DFF<Bits<2>>,
    ends: Signal<Local, Bit>,
    last: Constant<Bits<26>>,
}

impl Beat {
    /// For a clock of `clock_hz`; one above 1 GHz would need a wider counter.
    pub fn new(clock_hz: u32) -> Self {
        Self {
            clock: Default::default(),
            beat: Default::default(),
            half: Default::default(),
            cycles: Default::default(),
            beats: Default::default(),
            ends: Default::default(),
            last: Constant::new(u64::from((clock_hz / BEATS).max(1) - 1).into()),
        }
    }
}

impl Logic for Beat {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, cycles, beats);
        self.ends.next = self.cycles.q.val() == self.last.val();
        self.cycles.d.next = self.cycles.q.val() + 1;
        if self.ends.val() {
            self.cycles.d.next = 0.into();
            self.beats.d.next = self.beats.q.val() + 1;
        }
        self.beat.next = self.ends.val();
        self.half.next = self.beats.q.val().get_bit(1);
    }
}

/// Lit for a beat after each in which `on` was high.
///
/// ```text
///          +-------+
///    on -->|       |
///  beat -->| Light |--> lit
/// clock -->|       |
///          +-------+
/// ```
#[derive(LogicBlock, Default)]
pub struct Light {
    pub clock: Signal<In, Clock>,
    /// May be a signal of another clock: it goes into one register only.
    pub on: Signal<In, Bit>,
    pub beat: Signal<In, Bit>,
    pub lit: Signal<Out, Bits<1>>,
    seen: DFF<Bit>,
    sampled: DFF<Bit>,
    shown: DFF<Bits<1>>,
}

impl Logic for Light {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, seen, sampled, shown);
        self.sampled.d.next = self.on.val();
        if self.beat.val() {
            self.seen.d.next = self.sampled.q.val();
            self.shown.d.next = 0.into();
            if self.seen.q.val() {
                self.shown.d.next = 1.into();
            }
        } else if self.sampled.q.val() {
            self.seen.d.next = true;
        }
        self.lit.next = self.shown.q.val();
    }
}
