//! The cycle after an instruction's last: its result is written, and it is shown.

use rust_hdl::prelude::*;

/// Keeps what came of the instruction for one cycle, and completes it.
///
/// ```text
///   retire, half, trap     +-----------+-> write, write_address, write_data
///   what came of it        | Writeback |-> retirement port
///   loaded, product ------>+-----------+
/// ```
///
/// All inputs are of the instruction's last cycle but `loaded`, what its load found, and `product`, of its
/// multiplication, which are of the next one; so are the outputs. `half` is the first half of a
/// pair; with it, `retire` and `trap` at most one is high.
#[derive(LogicBlock)]
pub struct Writeback {
    pub clock: Signal<In, Clock>,
    pub retire: Signal<In, Bit>,
    pub half: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    /// The trap is of an instruction that was not looked at.
    pub unseen: Signal<In, Bit>,
    pub pc: Signal<In, Bits<32>>,
    pub instruction: Signal<In, Bits<32>>,
    /// The instruction has a destination.
    pub writes_rd: Signal<In, Bit>,
    pub destination: Signal<In, Bits<5>>,
    pub value: Signal<In, Bits<32>>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub multiply: Signal<In, Bit>,
    /// Bit 4: interrupt; bits 3:0: the code.
    pub trap_cause: Signal<In, Bits<5>>,
    pub trap_value: Signal<In, Bits<32>>,
    /// Physical address of the access, what is stored, and where.
    pub address: Signal<In, Bits<32>>,
    pub store_data: Signal<In, Bits<32>>,
    pub store_mask: Signal<In, Bits<4>>,
    pub loaded: Signal<In, Bits<32>>,
    pub product: Signal<In, Bits<32>>,
    /// Of the load that is completed: its address and `funct3`, for the lanes.
    pub offset: Signal<Out, Bits<3>>,
    pub width: Signal<Out, Bits<3>>,
    /// The page of the store before, for whoever fetches ahead.
    pub page: Signal<Out, Bits<22>>,
    pub write: Signal<Out, Bit>,
    pub write_address: Signal<Out, Bits<5>>,
    pub write_data: Signal<Out, Bits<32>>,
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
    retired: DFF<Bit>,
    halved: DFF<Bit>,
    trapped: DFF<Bit>,
    was_seen: DFF<Bit>,
    wrote: DFF<Bit>,
    loads: DFF<Bit>,
    stores: DFF<Bit>,
    multiplies: DFF<Bit>,
    kept_pc: DFF<Bits<32>>,
    kept_instruction: DFF<Bits<32>>,
    kept_destination: DFF<Bits<5>>,
    kept_value: DFF<Bits<32>>,
    kept_cause: DFF<Bits<5>>,
    kept_tval: DFF<Bits<32>>,
    kept_address: DFF<Bits<32>>,
    kept_data: DFF<Bits<32>>,
    kept_mask: DFF<Bits<4>>,
    commits: Signal<Local, Bit>,
    result: Signal<Local, Bits<32>>,
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

impl Default for Writeback {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            retire: Default::default(),
            half: Default::default(),
            trap: Default::default(),
            unseen: Default::default(),
            pc: Default::default(),
            instruction: Default::default(),
            writes_rd: Default::default(),
            destination: Default::default(),
            value: Default::default(),
            load: Default::default(),
            store: Default::default(),
            multiply: Default::default(),
            trap_cause: Default::default(),
            trap_value: Default::default(),
            address: Default::default(),
            store_data: Default::default(),
            store_mask: Default::default(),
            loaded: Default::default(),
            product: Default::default(),
            offset: Default::default(),
            width: Default::default(),
            page: Default::default(),
            write: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
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
            retired: Default::default(),
            halved: Default::default(),
            trapped: Default::default(),
            was_seen: Default::default(),
            wrote: Default::default(),
            loads: Default::default(),
            stores: Default::default(),
            multiplies: Default::default(),
            kept_pc: Default::default(),
            kept_instruction: Default::default(),
            kept_destination: Default::default(),
            kept_value: Default::default(),
            kept_cause: Default::default(),
            kept_tval: Default::default(),
            kept_address: Default::default(),
            kept_data: Default::default(),
            kept_mask: Default::default(),
            commits: Default::default(),
            result: Default::default(),
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

impl Logic for Writeback {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            retired,
            halved,
            trapped,
            was_seen,
            wrote,
            loads,
            stores,
            multiplies,
            kept_pc,
            kept_instruction,
            kept_destination,
            kept_value,
            kept_cause,
            kept_tval,
            kept_address,
            kept_data,
            kept_mask
        );
        self.retired.d.next = self.retire.val();
        self.halved.d.next = self.half.val();
        self.trapped.d.next = self.trap.val();
        self.was_seen.d.next = !self.unseen.val();
        self.commits.next = self.retire.val() | self.half.val();
        // A pair's first half writes only what it loads.
        self.wrote.d.next = self.commits.val() & self.writes_rd.val();
        self.loads.d.next = self.load.val();
        self.stores.d.next = self.store.val();
        self.multiplies.d.next = self.multiply.val();
        self.kept_pc.d.next = self.pc.val();
        self.kept_instruction.d.next = self.instruction.val();
        self.kept_destination.d.next = self.destination.val();
        self.kept_value.d.next = self.value.val();
        self.kept_cause.d.next = self.trap_cause.val();
        self.kept_tval.d.next = self.trap_value.val();
        self.kept_address.d.next = self.address.val();
        self.kept_data.d.next = self.store_data.val();
        self.kept_mask.d.next = self.store_mask.val();

        self.result.next = self.kept_value.q.val();
        if self.loads.q.val() {
            self.result.next = self.loaded.val();
        } else if self.multiplies.q.val() {
            self.result.next = self.product.val();
        }
        self.write.next = self.wrote.q.val();
        self.write_address.next = self.kept_destination.q.val();
        self.write_data.next = self.result.val();
        self.offset.next = self.kept_address.q.val().get_bits::<3>(0);
        self.width.next = self.kept_instruction.q.val().get_bits::<3>(12);
        self.page.next = self.kept_address.q.val().get_bits::<22>(10);

        // The retirement port.
        self.shown_pc.next = 0.into();
        self.shown_instruction.next = 0.into();
        if self.retired.q.val() | self.halved.q.val() | self.trapped.q.val() {
            self.shown_pc.next = self.kept_pc.q.val();
            if self.was_seen.q.val() {
                self.shown_instruction.next = self.kept_instruction.q.val();
            }
        }
        self.shown_rd.next = 0.into();
        self.shown_value.next = 0.into();
        if self.wrote.q.val() {
            self.shown_rd.next = self.kept_destination.q.val();
            self.shown_value.next = self.result.val();
        }
        self.shown_cause.next = 0.into();
        self.shown_tval.next = 0.into();
        if self.trapped.q.val() {
            self.shown_cause.next = bit_cast::<32, 4>(self.kept_cause.q.val().get_bits::<4>(0))
                | (bit_cast::<32, 1>(self.kept_cause.q.val().get_bits::<1>(4)) << 31);
            self.shown_tval.next = self.kept_tval.q.val();
        }
        self.shown_address.next = 0.into();
        self.shown_data.next = 0.into();
        self.shown_mask.next = 0.into();
        if (self.retired.q.val() | self.halved.q.val()) & (self.loads.q.val() | self.stores.q.val()) {
            self.shown_address.next = self.kept_address.q.val();
        }
        if (self.retired.q.val() | self.halved.q.val()) & self.stores.q.val() {
            self.shown_mask.next = self.kept_mask.q.val();
            if self.kept_mask.q.val().get_bit(0) {
                self.shown_data.next = self.shown_data.val() | (self.kept_data.q.val() & self.lane_0.val());
            }
            if self.kept_mask.q.val().get_bit(1) {
                self.shown_data.next = self.shown_data.val() | (self.kept_data.q.val() & self.lane_1.val());
            }
            if self.kept_mask.q.val().get_bit(2) {
                self.shown_data.next = self.shown_data.val() | (self.kept_data.q.val() & self.lane_2.val());
            }
            if self.kept_mask.q.val().get_bit(3) {
                self.shown_data.next = self.shown_data.val() | (self.kept_data.q.val() & self.lane_3.val());
            }
        }
        self.retire_valid.next = self.retired.q.val() | self.trapped.q.val();
        self.retire_half.next = self.halved.q.val();
        self.retire_trap.next = self.trapped.q.val();
        self.retire_pc.next = self.shown_pc.val();
        self.retire_instruction.next = self.shown_instruction.val();
        self.retire_rd.next = self.shown_rd.val();
        self.retire_value.next = self.shown_value.val();
        self.retire_cause.next = self.shown_cause.val();
        self.retire_tval.next = self.shown_tval.val();
        self.retire_load.next = (self.retired.q.val() | self.halved.q.val()) & self.loads.q.val();
        self.retire_store.next = (self.retired.q.val() | self.halved.q.val()) & self.stores.q.val();
        self.retire_address.next = self.shown_address.val();
        self.retire_data.next = self.shown_data.val();
        self.retire_mask.next = self.shown_mask.val();
    }
}
