//! The retirement port.

use rust_hdl::prelude::*;

/// What the retirement port shows of an instruction that is done, half a pair, or a trap, combinationally.
///
/// ```text
///   retire, half, trap     +------------+-> retire_valid, retire_half, retire_trap
///   what came of it ------>| Retirement |-> the port's other fields
///                          +------------+
/// ```
///
/// The port is as `docs/hardware.md` says; fields that mean nothing for an instruction are 0, and so are
/// all while none of the three is high. At most one of them is.
#[derive(LogicBlock)]
pub struct Retirement {
    pub retire: Signal<In, Bit>,
    /// The first half of a pair is committed.
    pub half: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub pc: Signal<In, Bits<32>>,
    pub instruction: Signal<In, Bits<32>>,
    /// The trap is of an instruction that was not looked at.
    pub unseen: Signal<In, Bit>,
    /// rd is written.
    pub write: Signal<In, Bit>,
    pub destination: Signal<In, Bits<5>>,
    pub value: Signal<In, Bits<32>>,
    /// Bit 4: interrupt; bits 3:0: the code.
    pub trap_cause: Signal<In, Bits<5>>,
    pub trap_value: Signal<In, Bits<32>>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    /// Physical address of the access, what is stored, and where.
    pub address: Signal<In, Bits<32>>,
    pub store_data: Signal<In, Bits<32>>,
    pub store_mask: Signal<In, Bits<4>>,
    pub retire_valid: Signal<Out, Bit>,
    pub retire_half: Signal<Out, Bit>,
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
    shows: Signal<Local, Bit>,
    shown_pc: Signal<Local, Bits<32>>,
    shown_instruction: Signal<Local, Bits<32>>,
    shown_rd: Signal<Local, Bits<5>>,
    shown_value: Signal<Local, Bits<32>>,
    shown_cause: Signal<Local, Bits<32>>,
    shown_tval: Signal<Local, Bits<32>>,
    shown_address: Signal<Local, Bits<32>>,
    shown_data: Signal<Local, Bits<32>>,
    shown_mask: Signal<Local, Bits<4>>,
    lane_0: Constant<Bits<32>>,
    lane_1: Constant<Bits<32>>,
    lane_2: Constant<Bits<32>>,
    lane_3: Constant<Bits<32>>,
}

impl Default for Retirement {
    fn default() -> Self {
        Self {
            retire: Default::default(),
            half: Default::default(),
            trap: Default::default(),
            pc: Default::default(),
            instruction: Default::default(),
            unseen: Default::default(),
            write: Default::default(),
            destination: Default::default(),
            value: Default::default(),
            trap_cause: Default::default(),
            trap_value: Default::default(),
            load: Default::default(),
            store: Default::default(),
            address: Default::default(),
            store_data: Default::default(),
            store_mask: Default::default(),
            retire_valid: Default::default(),
            retire_half: Default::default(),
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
            shows: Default::default(),
            shown_pc: Default::default(),
            shown_instruction: Default::default(),
            shown_rd: Default::default(),
            shown_value: Default::default(),
            shown_cause: Default::default(),
            shown_tval: Default::default(),
            shown_address: Default::default(),
            shown_data: Default::default(),
            shown_mask: Default::default(),
            lane_0: Constant::new(0x0000_00ffu64.into()),
            lane_1: Constant::new(0x0000_ff00u64.into()),
            lane_2: Constant::new(0x00ff_0000u64.into()),
            lane_3: Constant::new(0xff00_0000u64.into()),
        }
    }
}

impl Logic for Retirement {
    #[hdl_gen]
    fn update(&mut self) {
        self.shows.next = self.retire.val() | self.half.val();
        self.shown_pc.next = 0.into();
        self.shown_instruction.next = 0.into();
        if self.shows.val() | self.trap.val() {
            self.shown_pc.next = self.pc.val();
            if !self.unseen.val() {
                self.shown_instruction.next = self.instruction.val();
            }
        }
        self.shown_rd.next = 0.into();
        self.shown_value.next = 0.into();
        if self.write.val() {
            self.shown_rd.next = self.destination.val();
            self.shown_value.next = self.value.val();
        }
        self.shown_cause.next = 0.into();
        self.shown_tval.next = 0.into();
        if self.trap.val() {
            self.shown_cause.next = bit_cast::<32, 4>(self.trap_cause.val().get_bits::<4>(0))
                | (bit_cast::<32, 1>(self.trap_cause.val().get_bits::<1>(4)) << 31);
            self.shown_tval.next = self.trap_value.val();
        }
        self.shown_address.next = 0.into();
        self.shown_data.next = 0.into();
        self.shown_mask.next = 0.into();
        if self.shows.val() & (self.load.val() | self.store.val()) {
            self.shown_address.next = self.address.val();
        }
        if self.shows.val() & self.store.val() {
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
        self.retire_valid.next = self.retire.val() | self.trap.val();
        self.retire_half.next = self.half.val();
        self.retire_trap.next = self.trap.val();
        self.retire_pc.next = self.shown_pc.val();
        self.retire_instruction.next = self.shown_instruction.val();
        self.retire_rd.next = self.shown_rd.val();
        self.retire_value.next = self.shown_value.val();
        self.retire_cause.next = self.shown_cause.val();
        self.retire_tval.next = self.shown_tval.val();
        self.retire_load.next = self.shows.val() & self.load.val();
        self.retire_store.next = self.shows.val() & self.store.val();
        self.retire_address.next = self.shown_address.val();
        self.retire_data.next = self.shown_data.val();
        self.retire_mask.next = self.shown_mask.val();
    }
}
