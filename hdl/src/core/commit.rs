//! What a cycle leaves behind: rd, the pc, the trap's value, the retirement port.

use rust_hdl::prelude::*;

/// Chooses the values that are committed, combinationally.
///
/// ```text
///   results of all units        +----------+-> rd_value, next_pc, trap_value
///   what Control commits  ----->|  Commit  |-> retirement port
///                               +----------+
/// ```
///
/// The retirement port is as `docs/hardware.md` says; fields that mean nothing for an instruction are 0, and so are all
/// while neither `retire_valid` nor `half` is high.
#[derive(LogicBlock)]
pub struct Commit {
    /// One bit a state, see [`super::state`].
    pub state: Signal<In, Bits<9>>,
    pub reset_vector: Signal<In, Bits<32>>,
    pub pc: Signal<In, Bits<32>>,
    pub instruction: Signal<In, Bits<32>>,
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
    pub load_data: Signal<In, Bits<32>>,
    pub muldiv_result: Signal<In, Bits<32>>,
    pub va: Signal<In, Bits<32>>,
    pub load: Signal<In, Bit>,
    /// The pc of the cycle before: the load's, when the next instruction arrives in the cycle that completes it.
    pub pc_before: Signal<In, Bits<32>>,
    /// The fetch is at `after`, not at `va`.
    pub falls: Signal<In, Bit>,
    pub vector: Signal<In, Bits<32>>,
    pub return_pc: Signal<In, Bits<32>>,
    /// The pc takes its next value.
    pub moves: Signal<In, Bit>,
    pub mret: Signal<In, Bit>,
    pub wfi: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub trap_cause: Signal<In, Bits<5>>,
    pub tval_pc: Signal<In, Bit>,
    pub tval_instruction: Signal<In, Bit>,
    pub tval_va: Signal<In, Bit>,
    pub retire: Signal<In, Bit>,
    /// The first half of a pair is committed.
    pub half: Signal<In, Bit>,
    /// What `write_rd` writes.
    pub destination: Signal<In, Bits<5>>,
    pub write_rd: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub store_data: Signal<In, Bits<32>>,
    pub store_mask: Signal<In, Bits<4>>,
    /// Physical address of this cycle's access, and of the one before.
    pub address: Signal<In, Bits<32>>,
    pub address_before: Signal<In, Bits<32>>,
    pub rd_value: Signal<Out, Bits<32>>,
    pub next_pc: Signal<Out, Bits<32>>,
    pub trap_value: Signal<Out, Bits<32>>,
    pub retire_valid: Signal<Out, Bit>,
    pub retire_trap: Signal<Out, Bit>,
    pub retire_pc: Signal<Out, Bits<32>>,
    pub retire_instruction: Signal<Out, Bits<32>>,
    pub retire_rd: Signal<Out, Bits<5>>,
    pub retire_value: Signal<Out, Bits<32>>,
    pub retire_cause: Signal<Out, Bits<32>>,
    pub retire_tval: Signal<Out, Bits<32>>,
    pub retire_load: Signal<Out, Bit>,
    pub retire_store: Signal<Out, Bit>,
    pub retire_address: Signal<Out, Bits<32>>,
    pub retire_data: Signal<Out, Bits<32>>,
    pub retire_mask: Signal<Out, Bits<4>>,
    value: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    following: Signal<Local, Bits<32>>,
    culprit: Signal<Local, Bits<32>>,
    shown_pc: Signal<Local, Bits<32>>,
    shown_instruction: Signal<Local, Bits<32>>,
    shown_rd: Signal<Local, Bits<5>>,
    shown_value: Signal<Local, Bits<32>>,
    shown_cause: Signal<Local, Bits<32>>,
    shown_tval: Signal<Local, Bits<32>>,
    shown_address: Signal<Local, Bits<32>>,
    shown_data: Signal<Local, Bits<32>>,
    shown_mask: Signal<Local, Bits<4>>,
    shows: Signal<Local, Bit>,
    loaded: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    lane_0: Constant<Bits<32>>,
    lane_1: Constant<Bits<32>>,
    lane_2: Constant<Bits<32>>,
    lane_3: Constant<Bits<32>>,
}

impl Default for Commit {
    fn default() -> Self {
        Self {
            state: Default::default(),
            reset_vector: Default::default(),
            pc: Default::default(),
            instruction: Default::default(),
            csr: Default::default(),
            lui: Default::default(),
            auipc: Default::default(),
            link: Default::default(),
            alu_result: Default::default(),
            csr_value: Default::default(),
            immediate: Default::default(),
            target: Default::default(),
            after: Default::default(),
            load_data: Default::default(),
            muldiv_result: Default::default(),
            va: Default::default(),
            load: Default::default(),
            pc_before: Default::default(),
            falls: Default::default(),
            vector: Default::default(),
            return_pc: Default::default(),
            moves: Default::default(),
            mret: Default::default(),
            wfi: Default::default(),
            trap: Default::default(),
            trap_cause: Default::default(),
            tval_pc: Default::default(),
            tval_instruction: Default::default(),
            tval_va: Default::default(),
            retire: Default::default(),
            half: Default::default(),
            destination: Default::default(),
            write_rd: Default::default(),
            store: Default::default(),
            store_data: Default::default(),
            store_mask: Default::default(),
            address: Default::default(),
            address_before: Default::default(),
            rd_value: Default::default(),
            next_pc: Default::default(),
            trap_value: Default::default(),
            retire_valid: Default::default(),
            retire_trap: Default::default(),
            retire_pc: Default::default(),
            retire_instruction: Default::default(),
            retire_rd: Default::default(),
            retire_value: Default::default(),
            retire_cause: Default::default(),
            retire_tval: Default::default(),
            retire_load: Default::default(),
            retire_store: Default::default(),
            retire_address: Default::default(),
            retire_data: Default::default(),
            retire_mask: Default::default(),
            value: Default::default(),
            chosen: Default::default(),
            following: Default::default(),
            culprit: Default::default(),
            shown_pc: Default::default(),
            shown_instruction: Default::default(),
            shown_rd: Default::default(),
            shown_value: Default::default(),
            shown_cause: Default::default(),
            shown_tval: Default::default(),
            shown_address: Default::default(),
            shown_data: Default::default(),
            shown_mask: Default::default(),
            shows: Default::default(),
            loaded: Default::default(),
            stored: Default::default(),
            lane_0: Constant::new(0x0000_00ffu64.into()),
            lane_1: Constant::new(0x0000_ff00u64.into()),
            lane_2: Constant::new(0x00ff_0000u64.into()),
            lane_3: Constant::new(0xff00_0000u64.into()),
        }
    }
}

impl Logic for Commit {
    #[hdl_gen]
    fn update(&mut self) {
        // States: 1 D, 2 X, 3 L, 4 M, 8 P.
        self.value.next = self.alu_result.val();
        if self.state.val().get_bit(3) | self.state.val().get_bit(8) {
            self.value.next = self.load_data.val();
        } else if self.state.val().get_bit(4) {
            self.value.next = self.muldiv_result.val();
        } else if self.csr.val() {
            self.value.next = self.csr_value.val();
        } else if self.lui.val() {
            self.value.next = self.immediate.val();
        } else if self.auipc.val() {
            self.value.next = self.target.val();
        } else if self.link.val() {
            self.value.next = self.after.val();
        }

        // Where to is chosen by the kind of instruction, which is known early; whether at all comes late.
        self.chosen.next = self.va.val();
        if !self.state.val().any() {
            self.chosen.next = self.reset_vector.val();
        } else if self.state.val().get_bit(2) & self.mret.val() {
            self.chosen.next = self.return_pc.val();
        } else if self.falls.val()
            | (self.state.val().get_bit(2) & (self.load.val() | self.store.val() | self.wfi.val()))
            | self.state.val().get_bit(8)
        {
            self.chosen.next = self.after.val();
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

        // The retirement port.
        self.shows.next = self.retire.val() | self.half.val();
        self.loaded.next =
            self.shows.val() & (self.state.val().get_bit(3) | (self.state.val().get_bit(8) & self.load.val()));
        self.stored.next =
            self.shows.val() & self.store.val() & (self.state.val().get_bit(2) | self.state.val().get_bit(8));
        self.shown_pc.next = 0.into();
        self.shown_instruction.next = 0.into();
        if self.shows.val() | self.trap.val() {
            self.shown_pc.next = self.pc.val();
            if self.state.val().get_bits::<3>(1) == 5 {
                self.shown_pc.next = self.pc_before.val();
            }
            if self.shows.val() | !self.state.val().get_bit(1) {
                self.shown_instruction.next = self.instruction.val();
            }
        }
        self.shown_rd.next = 0.into();
        self.shown_value.next = 0.into();
        if self.write_rd.val() {
            self.shown_rd.next = self.destination.val();
            self.shown_value.next = self.value.val();
        }
        self.shown_cause.next = 0.into();
        self.shown_tval.next = 0.into();
        if self.trap.val() {
            self.shown_cause.next = bit_cast::<32, 4>(self.trap_cause.val().get_bits::<4>(0))
                | (bit_cast::<32, 1>(self.trap_cause.val().get_bits::<1>(4)) << 31);
            self.shown_tval.next = self.culprit.val();
        }
        self.shown_address.next = 0.into();
        self.shown_data.next = 0.into();
        self.shown_mask.next = 0.into();
        if self.loaded.val() {
            self.shown_address.next = self.address_before.val();
        } else if self.stored.val() {
            self.shown_address.next = self.address.val();
            self.shown_mask.next = self.store_mask.val();
            if self.store_mask.val().get_bit(0) {
                self.shown_data.next = self.shown_data.val() | (self.store_data.val() & self.lane_0.val());
            }
            if self.store_mask.val().get_bit(1) {
                self.shown_data.next = self.shown_data.val() | (self.store_data.val() & self.lane_1.val());
            }
            if self.store_mask.val().get_bit(2) {
                self.shown_data.next = self.shown_data.val() | (self.store_data.val() & self.lane_2.val());
            }
            if self.store_mask.val().get_bit(3) {
                self.shown_data.next = self.shown_data.val() | (self.store_data.val() & self.lane_3.val());
            }
        }

        self.rd_value.next = self.value.val();
        self.next_pc.next = self.following.val();
        self.trap_value.next = self.culprit.val();
        self.retire_valid.next = self.retire.val() | self.trap.val();
        self.retire_trap.next = self.trap.val();
        self.retire_pc.next = self.shown_pc.val();
        self.retire_instruction.next = self.shown_instruction.val();
        self.retire_rd.next = self.shown_rd.val();
        self.retire_value.next = self.shown_value.val();
        self.retire_cause.next = self.shown_cause.val();
        self.retire_tval.next = self.shown_tval.val();
        self.retire_load.next = self.loaded.val();
        self.retire_store.next = self.stored.val();
        self.retire_address.next = self.shown_address.val();
        self.retire_data.next = self.shown_data.val();
        self.retire_mask.next = self.shown_mask.val();
    }
}
