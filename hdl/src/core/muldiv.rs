//! Multiplier and divider.

use rust_hdl::prelude::*;

/// Multiplies in five steps, divides in thirty-three.
///
/// ```text
///   a, b, operation (funct3)  +----------+-> done (in the last step)
///   start                     |  MulDiv  |-> result (with `done`)
///   step              ------->+----------+
/// ```
///
/// `start` in *t* takes the operands; the cycles from *t*+1 on in which `step` is high are the
/// steps. Multiply forms the four 16 x 16 partial products, one a step, and adds each in the step
/// after; the sign corrections of the high half go through the same adder in the first two steps.
/// Divide restores, one bit a step, on absolute values, and the last step gives the result its
/// sign.
#[derive(LogicBlock)]
pub struct MulDiv {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    /// `funct3` of the instruction, stable from `start` to `done`.
    pub operation: Signal<In, Bits<3>>,
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    pub done: Signal<Out, Bit>,
    pub result: Signal<Out, Bits<32>>,
    /// Multiplicand; or dividend, from which the quotient pushes the bits out.
    left: DFF<Bits<32>>,
    /// Multiplier or divisor.
    right: DFF<Bits<32>>,
    /// High half of the product, or remainder.
    high: DFF<Bits<32>>,
    /// Low half of the product.
    low: DFF<Bits<32>>,
    multiplier: Multiplier,
    /// The partial product formed in the step before.
    product: DFF<Bits<32>>,
    count: DFF<Bits<6>>,
    negate: DFF<Bit>,
    correct_left: DFF<Bit>,
    correct_right: DFF<Bit>,
    divide: Signal<Local, Bit>,
    signed_left: Signal<Local, Bit>,
    signed_right: Signal<Local, Bit>,
    minus_left: Signal<Local, Bit>,
    minus_right: Signal<Local, Bit>,
    half_left: Signal<Local, Bits<16>>,
    half_right: Signal<Local, Bits<16>>,
    middle: Signal<Local, Bits<32>>,
    addend: Signal<Local, Bits<32>>,
    total: Signal<Local, Bits<32>>,
    trial: Signal<Local, Bits<32>>,
    remainder: Signal<Local, Bits<32>>,
    fits: Signal<Local, Bit>,
    bare: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    low_half: Constant<Bits<32>>,
    zero: Constant<Bits<32>>,
}

impl Default for MulDiv {
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
            left: Default::default(),
            right: Default::default(),
            high: Default::default(),
            low: Default::default(),
            multiplier: Default::default(),
            product: Default::default(),
            count: Default::default(),
            negate: Default::default(),
            correct_left: Default::default(),
            correct_right: Default::default(),
            divide: Default::default(),
            signed_left: Default::default(),
            signed_right: Default::default(),
            minus_left: Default::default(),
            minus_right: Default::default(),
            half_left: Default::default(),
            half_right: Default::default(),
            middle: Default::default(),
            addend: Default::default(),
            total: Default::default(),
            trial: Default::default(),
            remainder: Default::default(),
            fits: Default::default(),
            bare: Default::default(),
            chosen: Default::default(),
            low_half: Constant::new(0xffffu64.into()),
            zero: Constant::new(0u64.into()),
        }
    }
}

impl Logic for MulDiv {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, left, right, high, low, product, count, negate, correct_left, correct_right);
        self.divide.next = self.operation.val().get_bit(2);

        // Multiply: one partial product a step, low x low first.
        self.half_left.next = self.left.q.val().get_bits::<16>(0);
        self.half_right.next = self.right.q.val().get_bits::<16>(0);
        if self.count.q.val().get_bit(1) {
            self.half_left.next = self.left.q.val().get_bits::<16>(16);
        }
        if self.count.q.val().get_bit(0) {
            self.half_right.next = self.right.q.val().get_bits::<16>(16);
        }
        self.multiplier.a.next = self.half_left.val();
        self.multiplier.b.next = self.half_right.val();
        self.middle.next = bit_cast::<32, 16>(self.low.q.val().get_bits::<16>(16))
            + bit_cast::<32, 16>(self.product.q.val().get_bits::<16>(0));
        // Subtracting x is adding !x and 1; the ones are in `high` from the start.
        self.addend.next = self.product.q.val();
        if self.count.q.val() == 0 {
            self.addend.next = 0.into();
            if self.correct_right.q.val() {
                self.addend.next = !self.right.q.val();
            }
        } else if self.count.q.val() == 1 {
            self.addend.next = 0.into();
            if self.correct_left.q.val() {
                self.addend.next = !self.left.q.val();
            }
        } else if !self.count.q.val().get_bit(2) {
            self.addend.next = bit_cast::<32, 16>(self.product.q.val().get_bits::<16>(16))
                + bit_cast::<32, 1>(self.middle.val().get_bits::<1>(16));
        }
        self.total.next = self.high.q.val() + self.addend.val();

        // Divide: shift a bit of the dividend in; if the divisor fits, subtract it and shift a 1 into the quotient.
        self.trial.next = (self.high.q.val() << 1) | bit_cast::<32, 1>(self.left.q.val().get_bits::<1>(31));
        self.remainder.next = self.trial.val() - self.right.q.val();
        // The bit shifted out of the top makes the trial larger than any divisor.
        self.fits.next = self.high.q.val().get_bit(31) | (self.trial.val() >= self.right.q.val());

        // Signs. `mulhsu` takes only its left operand as signed, `mulhu`, `divu` and `remu` none.
        if self.divide.val() {
            self.signed_left.next = !self.operation.val().get_bit(0);
            self.signed_right.next = !self.operation.val().get_bit(0);
        } else {
            self.signed_left.next = self.operation.val().get_bit(0) ^ self.operation.val().get_bit(1);
            self.signed_right.next = self.operation.val().get_bit(0) & !self.operation.val().get_bit(1);
        }
        self.minus_left.next = self.signed_left.val() & self.a.val().get_bit(31);
        self.minus_right.next = self.signed_right.val() & self.b.val().get_bit(31);

        if self.start.val() {
            self.left.d.next = self.a.val();
            self.right.d.next = self.b.val();
            self.high.d.next = 0.into();
            self.low.d.next = 0.into();
            self.count.d.next = 0.into();
            self.correct_right.d.next = self.minus_left.val();
            self.correct_left.d.next = self.minus_right.val();
            if self.divide.val() {
                if self.minus_left.val() {
                    self.left.d.next = self.zero.val() - self.a.val();
                }
                if self.minus_right.val() {
                    self.right.d.next = self.zero.val() - self.b.val();
                }
            } else {
                self.high.d.next =
                    bit_cast::<32, 1>(self.minus_left.val().into()) + bit_cast::<32, 1>(self.minus_right.val().into());
            }
            // A remainder has the dividend's sign; a quotient by zero stays all ones.
            if self.operation.val().get_bit(1) {
                self.negate.d.next = self.minus_left.val();
            } else {
                self.negate.d.next = (self.minus_left.val() ^ self.minus_right.val()) & self.b.val().any();
            }
        } else if self.step.val() {
            self.count.d.next = self.count.q.val() + 1;
            if self.divide.val() {
                self.left.d.next = (self.left.q.val() << 1) | bit_cast::<32, 1>(self.fits.val().into());
                self.high.d.next = self.trial.val();
                if self.fits.val() {
                    self.high.d.next = self.remainder.val();
                }
            } else {
                self.product.d.next = self.multiplier.product.val();
                self.high.d.next = self.total.val();
                if self.count.q.val() == 1 {
                    self.low.d.next = self.product.q.val();
                } else {
                    self.low.d.next = (self.middle.val() << 16) | (self.low.q.val() & self.low_half.val());
                }
            }
        }

        // Results.
        self.bare.next = self.left.q.val();
        if self.operation.val().get_bit(1) {
            self.bare.next = self.high.q.val();
        }
        if self.divide.val() {
            self.chosen.next = self.bare.val();
            if self.negate.q.val() {
                self.chosen.next = self.zero.val() - self.bare.val();
            }
            self.done.next = self.step.val() & self.count.q.val().get_bit(5);
        } else {
            self.chosen.next = self.total.val();
            if self.operation.val() == 0 {
                self.chosen.next = self.low.q.val();
            }
            self.done.next = self.step.val() & self.count.q.val().get_bit(2);
        }
        self.result.next = self.chosen.val();
    }
}

/// 16 x 16 bits, unsigned, combinational.
///
/// The Verilog is written by hand because a product there has the width of its context, unlike any other operator's
/// result in this project; `product` is 32 bits wide, which is what makes it whole.
#[derive(LogicBlock, Default)]
pub struct Multiplier {
    pub a: Signal<In, Bits<16>>,
    pub b: Signal<In, Bits<16>>,
    pub product: Signal<Out, Bits<32>>,
}

impl Logic for Multiplier {
    fn update(&mut self) {
        self.product.next = u64::from(self.a.val().to_u32() * self.b.val().to_u32()).into();
    }

    fn connect(&mut self) {
        self.product.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(*) product = a * b;\n".into())
    }
}
