//! Divider.

use super::divide_bit::DivideBit;
use rust_hdl::prelude::*;

/// Divides in seventeen steps.
///
/// ```text
///   a, b, operation (funct3)  +---------+-> done (in the last step)
///   start                     | Divider |-> result (with `done`)
///   step              ------->+---------+
/// ```
///
/// `start` in *t* takes the operands; the cycles from *t*+1 on in which `step` is high are the
/// steps. It restores, two bits a step, on absolute values, and the last step gives the result its
/// sign.
#[derive(LogicBlock, Default)]
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
    /// What [`DivideBit`] adds, which says why.
    addend: DFF<Bits<32>>,
    carry: DFF<Bit>,
    rest: DFF<Bits<32>>,
    count: DFF<Bits<5>>,
    negate: DFF<Bit>,
    first: DivideBit,
    second: DivideBit,
    minus_left: Signal<Local, Bit>,
    minus_right: Signal<Local, Bit>,
    bare: Signal<Local, Bits<32>>,
    changes: Signal<Local, Bit>,
    inverted: Signal<Local, Bits<32>>,
    turned: Signal<Local, Bits<32>>,
}

impl Logic for Divider {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, quotient, addend, carry, rest, count, negate);

        self.first.left.next = self.rest.q.val();
        self.first.digit.next = self.quotient.q.val().get_bit(31);
        self.first.addend.next = self.addend.q.val();
        self.first.carry.next = self.carry.q.val();
        self.second.left.next = self.first.rest.val();
        self.second.digit.next = self.quotient.q.val().get_bit(30);
        self.second.addend.next = self.addend.q.val();
        self.second.carry.next = self.carry.q.val();

        self.minus_left.next = !self.operation.val().get_bit(0) & self.a.val().get_bit(31);
        self.minus_right.next = !self.operation.val().get_bit(0) & self.b.val().get_bit(31);
        // One adder changes the sign of the dividend before the first step, and of the result in
        // the last.
        self.bare.next = self.quotient.q.val();
        if self.operation.val().get_bit(1) {
            self.bare.next = self.rest.q.val();
        }
        self.changes.next = self.negate.q.val();
        if self.start.val() {
            self.bare.next = self.a.val();
            self.changes.next = self.minus_left.val();
        }
        self.inverted.next = self.bare.val();
        if self.changes.val() {
            self.inverted.next = !self.bare.val();
        }
        self.turned.next = self.inverted.val() + bit_cast::<32, 1>(self.changes.val().into());

        if self.start.val() {
            self.quotient.d.next = self.turned.val();
            self.addend.d.next = self.b.val();
            if !self.minus_right.val() {
                self.addend.d.next = !self.b.val();
            }
            self.carry.d.next = !self.minus_right.val();
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
            self.quotient.d.next = (self.quotient.q.val() << 2)
                | (bit_cast::<32, 1>(self.first.fits.val().into()) << 1)
                | bit_cast::<32, 1>(self.second.fits.val().into());
            self.rest.d.next = self.second.rest.val();
        }

        self.done.next = self.step.val() & self.count.q.val().get_bit(4);
        self.result.next = self.turned.val();
    }
}
