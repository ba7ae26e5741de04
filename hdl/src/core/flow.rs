//! Where the program goes next, and which virtual address the port is asked for.

use rust_hdl::prelude::*;

/// Evaluates branches and forms the virtual address of a cycle's access, combinationally.
///
/// ```text
///   pc, immediate, sum            +--------+-> after (pc + 4), target (pc + immediate)
///   condition (funct3), compares  |  Flow  |-> misaligned
///   state, walk_fetch, ahead ---->+--------+-> va, fetch, falls
/// ```
///
/// `va` is `sum` for data (`sum | 4` in P, where `sum` is a multiple of eight) and for `jalr`, `pc`
/// in F and S and in a fetch's walk, `target` in X of a branch or `jal`, `after` otherwise, or `pc`
/// where words in order are fetched `ahead`. Whether a branch is taken is known last, so it does not
/// choose `va`: both addresses are translated, and `falls` says afterwards that `after` is the one.
#[derive(LogicBlock, Default)]
pub struct Flow {
    pub pc: Signal<In, Bits<32>>,
    pub immediate: Signal<In, Bits<32>>,
    /// rs1 + immediate.
    pub sum: Signal<In, Bits<32>>,
    pub condition: Signal<In, Bits<3>>,
    pub equal: Signal<In, Bit>,
    pub less: Signal<In, Bit>,
    pub less_unsigned: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub jal: Signal<In, Bit>,
    pub jalr: Signal<In, Bit>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    /// One bit a state, see [`super::state`].
    pub state: Signal<In, Bits<9>>,
    /// The walk under way is for a fetch.
    pub walk_fetch: Signal<In, Bit>,
    /// Words in order are fetched by somebody else. It does not change while the core runs.
    pub ahead: Signal<In, Bit>,
    pub after: Signal<Out, Bits<32>>,
    pub target: Signal<Out, Bits<32>>,
    /// The jump or taken branch has a target that is no multiple of four.
    pub misaligned: Signal<Out, Bit>,
    pub va: Signal<Out, Bits<32>>,
    /// A branch is not taken: the access is at `after` instead of `va`.
    pub falls: Signal<Out, Bit>,
    /// The access that `va` is for is a fetch.
    pub fetch: Signal<Out, Bit>,
    execute: Signal<Local, Bit>,
    walking: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    data: Signal<Local, Bit>,
    at_pc: Signal<Local, Bit>,
    at_sum: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    leap: Signal<Local, Bit>,
    following: Signal<Local, Bits<32>>,
    relative: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
}

impl Logic for Flow {
    #[hdl_gen]
    fn update(&mut self) {
        // States: 0 F, 2 X, 5 S, 6 W, 7 T, 8 P.
        self.execute.next = self.state.val().get_bit(2);
        self.walking.next = self.state.val().get_bit(6) | self.state.val().get_bit(7);
        self.second.next = self.state.val().get_bit(8);
        self.data.next = (self.execute.val() & (self.load.val() | self.store.val()))
            | (self.walking.val() & !self.walk_fetch.val())
            | self.second.val();
        self.at_sum.next = self.data.val() | (self.execute.val() & self.jalr.val());
        self.at_pc.next =
            self.state.val().get_bit(0) | self.state.val().get_bit(5) | (self.walking.val() & self.walk_fetch.val());

        if self.condition.val().get_bits::<2>(1) == 0 {
            self.holds.next = self.equal.val() ^ self.condition.val().get_bit(0);
        } else if self.condition.val().get_bits::<2>(1) == 2 {
            self.holds.next = self.less.val() ^ self.condition.val().get_bit(0);
        } else {
            self.holds.next = self.less_unsigned.val() ^ self.condition.val().get_bit(0);
        }
        self.leap.next = self.jal.val() | (self.branch.val() & self.holds.val());
        self.following.next = self.pc.val() + 4;
        self.relative.next = self.pc.val() + self.immediate.val();

        self.chosen.next = self.following.val();
        if self.ahead.val() {
            self.chosen.next = self.pc.val();
        }
        if self.at_sum.val() {
            self.chosen.next = self.sum.val();
            if self.jalr.val() {
                self.chosen.next = self.sum.val().replace_bit(0, false);
            } else if self.second.val() {
                self.chosen.next = self.sum.val() | 4;
            }
        } else if self.at_pc.val() {
            self.chosen.next = self.pc.val();
        } else if self.execute.val() & (self.jal.val() | self.branch.val()) {
            self.chosen.next = self.relative.val();
        }
        self.after.next = self.following.val();
        self.target.next = self.relative.val();
        self.misaligned.next =
            (self.leap.val() & self.relative.val().get_bit(1)) | (self.jalr.val() & self.sum.val().get_bit(1));
        self.va.next = self.chosen.val();
        self.falls.next = self.execute.val() & self.branch.val() & !self.holds.val();
        self.fetch.next = !self.data.val();
    }
}
