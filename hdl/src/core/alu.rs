//! Arithmetic and logic unit.

use super::shifter::Shifter;
use rust_hdl::prelude::*;

/// Adds, subtracts, compares, shifts and combines two words, combinationally.
///
/// ```text
///   a, b                +-------+-> sum (a + b: also every address of a load, store or jalr)
///   operation (funct3)  |  Alu  |-> result
///   alternate  -------->+-------+-> equal, less, less_unsigned (a against b: also for branches)
/// ```
#[derive(LogicBlock, Default)]
pub struct Alu {
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    /// `funct3` of the instruction.
    pub operation: Signal<In, Bits<3>>,
    /// Subtract instead of add, shift right with the sign.
    pub alternate: Signal<In, Bit>,
    pub sum: Signal<Out, Bits<32>>,
    pub result: Signal<Out, Bits<32>>,
    pub equal: Signal<Out, Bit>,
    pub less: Signal<Out, Bit>,
    pub less_unsigned: Signal<Out, Bit>,
    shifter: Shifter,
    total: Signal<Local, Bits<32>>,
    difference: Signal<Local, Bits<32>>,
    below: Signal<Local, Bit>,
    below_unsigned: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<32>>,
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        self.shifter.value.next = self.a.val();
        self.shifter.amount.next = self.b.val().get_bits::<5>(0);
        self.shifter.left.next = !self.operation.val().get_bit(2);
        self.shifter.arithmetic.next = self.alternate.val();

        self.total.next = self.a.val() + self.b.val();
        self.difference.next = self.a.val() - self.b.val();
        // Where the signs differ they decide; else the difference does not overflow.
        if self.a.val().get_bit(31) == self.b.val().get_bit(31) {
            self.below.next = self.difference.val().get_bit(31);
            self.below_unsigned.next = self.difference.val().get_bit(31);
        } else {
            self.below.next = self.a.val().get_bit(31);
            self.below_unsigned.next = self.b.val().get_bit(31);
        }

        self.chosen.next = self.total.val();
        match self.operation.val().index() {
            0 => {
                if self.alternate.val() {
                    self.chosen.next = self.difference.val();
                }
            }
            1 => {
                self.chosen.next = self.shifter.result.val();
            }
            2 => {
                self.chosen.next = bit_cast::<32, 1>(self.below.val().into());
            }
            3 => {
                self.chosen.next = bit_cast::<32, 1>(self.below_unsigned.val().into());
            }
            4 => {
                self.chosen.next = self.a.val() ^ self.b.val();
            }
            5 => {
                self.chosen.next = self.shifter.result.val();
            }
            6 => {
                self.chosen.next = self.a.val() | self.b.val();
            }
            _ => {
                self.chosen.next = self.a.val() & self.b.val();
            }
        }

        self.sum.next = self.total.val();
        self.result.next = self.chosen.val();
        self.equal.next = self.a.val() == self.b.val();
        self.less.next = self.below.val();
        self.less_unsigned.next = self.below_unsigned.val();
    }
}
