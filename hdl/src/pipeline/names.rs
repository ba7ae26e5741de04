//! Whether a word names a register as a source.

use rust_hdl::prelude::*;

/// Says whether an instruction word names `register` as a source, by its opcode; combinational.
///
/// ```text
///   word, register --->| Names |---> yes
/// ```
///
/// Which fields name sources, bits 6:2 of the word say: rs1 but for `lui`, `auipc` and `jal`, rs2 for
/// `op`, branches and stores.
#[derive(LogicBlock, Default)]
pub struct Names {
    pub word: Signal<In, Bits<32>>,
    pub register: Signal<In, Bits<5>>,
    pub yes: Signal<Out, Bit>,
    opcode: Signal<Local, Bits<5>>,
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
}

impl Logic for Names {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcode.next = self.word.val().get_bits::<5>(2);
        self.first.next = (self.word.val().get_bits::<3>(2) != 5)
            & (self.opcode.val() != 27)
            & (self.word.val().get_bits::<5>(15) == self.register.val());
        self.second.next = ((self.opcode.val() == 8) | (self.opcode.val() == 12) | (self.opcode.val() == 24))
            & (self.word.val().get_bits::<5>(20) == self.register.val());
        self.yes.next = self.first.val() | self.second.val();
    }
}
