//! Whether a word names a register as a source.

use rust_hdl::prelude::*;

/// Says whether an instruction word names `register` as a source, by its opcode; combinational.
///
/// ```text
///   word, register --->| Names |---> yes
/// ```
///
/// Which fields name sources, bits 6:2 of the word say: rs1 but for `lui`, `auipc`, `jal` and `fence`,
/// rs2 for `op`, branches and stores. A word that is no instruction is told by the same bits as those.
#[derive(LogicBlock, Default)]
pub struct Names {
    pub word: Signal<In, Bits<32>>,
    pub register: Signal<In, Bits<5>>,
    pub yes: Signal<Out, Bit>,
    has_first: Signal<Local, Bit>,
    has_second: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
}

impl Logic for Names {
    #[hdl_gen]
    fn update(&mut self) {
        self.has_first.next = (self.word.val().get_bits::<3>(2) != 3) & (self.word.val().get_bits::<3>(2) != 5);
        self.has_second.next = self.word.val().get_bit(5)
            & !self.word.val().get_bit(2)
            & !(self.word.val().get_bit(6) & self.word.val().get_bit(4));
        self.first.next = self.has_first.val() & (self.word.val().get_bits::<5>(15) == self.register.val());
        self.second.next = self.has_second.val() & (self.word.val().get_bits::<5>(20) == self.register.val());
        self.yes.next = self.first.val() | self.second.val();
    }
}
