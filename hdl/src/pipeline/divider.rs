//! Divider.

use rust_hdl::prelude::*;

/// Divides in thirty-three steps.
///
/// ```text
///   a, b, operation (funct3)  +---------+-> done (in the last step)
///   start                     | Divider |-> result (with `done`)
///   step              ------->+---------+
/// ```
///
/// `start` in *t* takes the operands; the cycles from *t*+1 on in which `step` is high are the
/// steps. It restores, one bit a step, on absolute values, and the last step gives the result its
/// sign.
#[derive(LogicBlock)]
pub struct Divider {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    /// `funct3` of the instruction, stable from `start` to `done`: 4 `div`, 5 `divu`, 6 `rem`, 7
    /// `remu`.
    pub operation: Signal<In, Bits<3>>,
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    pub done: Signal<Out, Bit>,
    pub result: Signal<Out, Bits<32>>,
    /// Dividend, from which the quotient pushes the bits out.
    quotient: DFF<Bits<32>>,
    divisor: DFF<Bits<32>>,
    rest: DFF<Bits<32>>,
    count: DFF<Bits<6>>,
    negate: DFF<Bit>,
    minus_left: Signal<Local, Bit>,
    minus_right: Signal<Local, Bit>,
    trial: Signal<Local, Bits<32>>,
    remainder: Signal<Local, Bits<32>>,
    fits: Signal<Local, Bit>,
    bare: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    zero: Constant<Bits<32>>,
}

impl Default for Divider {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            start: Default::default(),
            step: Default::default(),
            operation: Default::default(),
            a: Default::default(),
            b: Default::default(),
            done: Default::default(),
            result: Default::default(),
            quotient: Default::default(),
            divisor: Default::default(),
            rest: Default::default(),
            count: Default::default(),
            negate: Default::default(),
            minus_left: Default::default(),
            minus_right: Default::default(),
            trial: Default::default(),
            remainder: Default::default(),
            fits: Default::default(),
            bare: Default::default(),
            chosen: Default::default(),
            zero: Constant::new(0u64.into()),
        }
    }
}

impl Logic for Divider {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, quotient, divisor, rest, count, negate);

        // A bit of the dividend is shifted in; a divisor that fits is subtracted and a 1 shifted
        // into the quotient. The bit shifted out of the top makes the trial larger than any divisor.
        self.trial.next = (self.rest.q.val() << 1) | bit_cast::<32, 1>(self.quotient.q.val().get_bits::<1>(31));
        self.remainder.next = self.trial.val() - self.divisor.q.val();
        self.fits.next = self.rest.q.val().get_bit(31) | (self.trial.val() >= self.divisor.q.val());

        self.minus_left.next = !self.operation.val().get_bit(0) & self.a.val().get_bit(31);
        self.minus_right.next = !self.operation.val().get_bit(0) & self.b.val().get_bit(31);
        if self.start.val() {
            self.quotient.d.next = self.a.val();
            if self.minus_left.val() {
                self.quotient.d.next = self.zero.val() - self.a.val();
            }
            self.divisor.d.next = self.b.val();
            if self.minus_right.val() {
                self.divisor.d.next = self.zero.val() - self.b.val();
            }
            self.rest.d.next = 0.into();
            self.count.d.next = 0.into();
            // A remainder has the dividend's sign; a quotient by zero stays all ones.
            if self.operation.val().get_bit(1) {
                self.negate.d.next = self.minus_left.val();
            } else {
                self.negate.d.next = (self.minus_left.val() ^ self.minus_right.val()) & self.b.val().any();
            }
        } else if self.step.val() {
            self.count.d.next = self.count.q.val() + 1;
            self.quotient.d.next = (self.quotient.q.val() << 1) | bit_cast::<32, 1>(self.fits.val().into());
            self.rest.d.next = self.trial.val();
            if self.fits.val() {
                self.rest.d.next = self.remainder.val();
            }
        }

        self.bare.next = self.quotient.q.val();
        if self.operation.val().get_bit(1) {
            self.bare.next = self.rest.q.val();
        }
        self.chosen.next = self.bare.val();
        if self.negate.q.val() {
            self.chosen.next = self.zero.val() - self.bare.val();
        }
        self.done.next = self.step.val() & self.count.q.val().get_bit(5);
        self.result.next = self.chosen.val();
    }
}
