//! Arithmetic and logic unit.

use super::shifter::Shifter;
use rust_hdl::prelude::*;

/// Adds, subtracts, compares, shifts and combines two words, combinationally.
///
/// ```text
///   a, b, immediate     +-------+-> result (of a and b, or of a and the immediate)
///   operation (funct3)  |  Alu  |-> less, less_unsigned (of the same two)
///   takes_b, subtracts  |       |-> equal (of a and b)
///   arithmetic -------->+-------+
/// ```
///
/// One carry chain adds, subtracts and compares. All operations but `add` find the second operand
/// inverted, as the chain subtracts it, so one LUT4 a bit chooses and inverts it, and what it does
/// so by comes from registers. `subtracts` has to say so: it is low for `add` only, where `less` and
/// `less_unsigned` mean nothing. `equal` is found without the chain.
#[derive(LogicBlock, Default)]
pub struct Alu {
    pub a: Signal<In, Bits<32>>,
    pub b: Signal<In, Bits<32>>,
    pub immediate: Signal<In, Bits<32>>,
    /// The second operand is `b`, else the immediate.
    pub takes_b: Signal<In, Bit>,
    /// `funct3` of the instruction.
    pub operation: Signal<In, Bits<3>>,
    pub subtracts: Signal<In, Bit>,
    /// Shift right with the sign.
    pub arithmetic: Signal<In, Bit>,
    pub result: Signal<Out, Bits<32>>,
    pub equal: Signal<Out, Bit>,
    pub less: Signal<Out, Bit>,
    pub less_unsigned: Signal<Out, Bit>,
    shifter: Shifter,
    operand: Signal<Local, Bits<32>>,
    addend: Signal<Local, Bits<32>>,
    other: Signal<Local, Bits<32>>,
    total: Signal<Local, Bits<32>>,
    below: Signal<Local, Bit>,
    below_unsigned: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<32>>,
}

impl Logic for Alu {
    #[hdl_gen]
    fn update(&mut self) {
        self.operand.next = self.immediate.val();
        if self.takes_b.val() {
            self.operand.next = self.b.val();
        }
        self.addend.next = self.operand.val();
        if self.subtracts.val() {
            self.addend.next = !self.operand.val();
        }
        // The operand again, for the operations that find it inverted.
        self.other.next = !self.addend.val();

        self.shifter.value.next = self.a.val();
        self.shifter.amount.next = self.other.val().get_bits::<5>(0);
        self.shifter.left.next = !self.operation.val().get_bit(2);
        self.shifter.arithmetic.next = self.arithmetic.val();

        self.total.next = self.a.val() + self.addend.val() + bit_cast::<32, 1>(self.subtracts.val().into());
        // Where the signs differ they decide; else the difference does not overflow.
        if self.a.val().get_bit(31) == self.other.val().get_bit(31) {
            self.below.next = self.total.val().get_bit(31);
            self.below_unsigned.next = self.total.val().get_bit(31);
        } else {
            self.below.next = self.a.val().get_bit(31);
            self.below_unsigned.next = self.other.val().get_bit(31);
        }

        self.chosen.next = self.total.val();
        match self.operation.val().index() {
            0 => {}
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
                self.chosen.next = self.a.val() ^ self.other.val();
            }
            5 => {
                self.chosen.next = self.shifter.result.val();
            }
            6 => {
                self.chosen.next = self.a.val() | self.other.val();
            }
            _ => {
                self.chosen.next = self.a.val() & self.other.val();
            }
        }

        self.result.next = self.chosen.val();
        self.equal.next = self.a.val() == self.b.val();
        self.less.next = self.below.val();
        self.less_unsigned.next = self.below_unsigned.val();
    }
}
