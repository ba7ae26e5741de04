//! Multiplication and division.

use super::{Divider, Multiplier};
use rust_hdl::prelude::*;

/// A [`Multiplier`] and a [`Divider`], of which the instruction chooses one.
///
/// ```text
///   a, b, operation (funct3)  +--------+-> done (in the last step)
///   start                     | MulDiv |-> result (with `done`)
///   step              ------->+--------+
/// ```
///
/// `start` in *t* takes the operands; the cycles from *t*+1 on in which `step` is high are the steps.
/// A multiplication has one, a division 33. `operation` stays from `start` to `done`.
#[derive(LogicBlock, Default)]
pub struct MulDiv {
    pub clock: Signal<In, Clock>,
    pub start: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    pub operation: Signal<In, Bits<3>>,
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    pub done: Signal<Out, Bit>,
    pub result: Signal<Out, Bits<32>>,
    multiplier: Multiplier,
    divider: Divider,
    chosen: Signal<Local, Bits<32>>,
}

impl Logic for MulDiv {
    #[hdl_gen]
    fn update(&mut self) {
        self.multiplier.clock.next = self.clock.val();
        self.multiplier.take.next = self.start.val();
        self.multiplier.operation.next = self.operation.val();
        self.multiplier.a.next = self.a.val();
        self.multiplier.b.next = self.b.val();
        self.divider.clock.next = self.clock.val();
        self.divider.start.next = self.start.val();
        self.divider.step.next = self.step.val();
        self.divider.operation.next = self.operation.val();
        self.divider.a.next = self.a.val();
        self.divider.b.next = self.b.val();
        self.chosen.next = self.multiplier.result.val();
        if self.operation.val().get_bit(2) {
            self.chosen.next = self.divider.result.val();
        }
        self.result.next = self.chosen.val();
        self.done.next = self.step.val() & (!self.operation.val().get_bit(2) | self.divider.done.val());
    }
}
