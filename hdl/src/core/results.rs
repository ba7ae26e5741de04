//! What comes of the instruction in X, or in the last M, within the cycle.

use rust_hdl::prelude::*;

/// The result, where the program goes, and what a trap tells, combinationally.
///
/// ```text
///   class of the instruction  +---------+-> value
///   what was computed         | Results |-> next_pc
///   from Control  ----------->+---------+-> trap_value
/// ```
///
/// `value` is the result but of what is only there a cycle later: of loads, and on the pipelined core of
/// multiplications.
#[derive(LogicBlock, Default)]
pub struct Results {
    /// One bit a state, see [`super::state`].
    pub state: Signal<In, Bits<9>>,
    pub reset_vector: Signal<In, Bits<32>>,
    pub pc: Signal<In, Bits<32>>,
    pub instruction: Signal<In, Bits<32>>,
    /// The result is the ALU's.
    pub arithmetic: Signal<In, Bit>,
    pub csr: Signal<In, Bit>,
    pub lui: Signal<In, Bit>,
    pub auipc: Signal<In, Bit>,
    /// `jal` or `jalr`.
    pub link: Signal<In, Bit>,
    pub alu_result: Signal<In, Bits<32>>,
    pub csr_value: Signal<In, Bits<32>>,
    pub immediate: Signal<In, Bits<32>>,
    pub target: Signal<In, Bits<32>>,
    pub after: Signal<In, Bits<32>>,
    /// In M.
    pub muldiv_result: Signal<In, Bits<32>>,
    pub va: Signal<In, Bits<32>>,
    /// The instruction goes on at `va`, and not at `after`.
    pub jumps: Signal<In, Bit>,
    pub vector: Signal<In, Bits<32>>,
    pub return_pc: Signal<In, Bits<32>>,
    /// The pc takes its next value.
    pub moves: Signal<In, Bit>,
    pub mret: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub tval_pc: Signal<In, Bit>,
    pub tval_instruction: Signal<In, Bit>,
    pub tval_va: Signal<In, Bit>,
    pub value: Signal<Out, Bits<32>>,
    pub next_pc: Signal<Out, Bits<32>>,
    pub trap_value: Signal<Out, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    following: Signal<Local, Bits<32>>,
    computed: Signal<Local, Bits<32>>,
    culprit: Signal<Local, Bits<32>>,
}

impl Logic for Results {
    #[hdl_gen]
    fn update(&mut self) {
        // States: 2 X, 4 M.
        // One of these at most: put together by `or` they take fewer LUT4 than chosen one after
        // another.
        self.computed.next = 0.into();
        if self.arithmetic.val() {
            self.computed.next = self.alu_result.val();
        }
        if self.state.val().get_bit(4) {
            self.computed.next = self.computed.val() | self.muldiv_result.val();
        }
        if self.csr.val() {
            self.computed.next = self.computed.val() | self.csr_value.val();
        }
        if self.lui.val() {
            self.computed.next = self.computed.val() | self.immediate.val();
        }
        if self.auipc.val() {
            self.computed.next = self.computed.val() | self.target.val();
        }
        if self.link.val() {
            self.computed.next = self.computed.val() | self.after.val();
        }

        // Where to is chosen by the kind of instruction, which is known early; whether at all comes late.
        self.chosen.next = self.after.val();
        if !self.state.val().any() {
            self.chosen.next = self.reset_vector.val();
        } else if self.state.val().get_bit(2) & self.mret.val() {
            self.chosen.next = self.return_pc.val();
        } else if self.jumps.val() {
            self.chosen.next = self.va.val();
        }
        self.following.next = self.pc.val();
        if self.trap.val() {
            self.following.next = self.vector.val();
        } else if self.moves.val() {
            self.following.next = self.chosen.val();
        }

        self.culprit.next = 0.into();
        if self.tval_pc.val() {
            self.culprit.next = self.pc.val();
        } else if self.tval_instruction.val() {
            self.culprit.next = self.instruction.val();
        } else if self.tval_va.val() {
            self.culprit.next = self.va.val();
        }
        self.value.next = self.computed.val();
        self.next_pc.next = self.following.val();
        self.trap_value.next = self.culprit.val();
    }
}
