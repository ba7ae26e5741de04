//! The cycle after an instruction's last: its result is written, and it is shown.

use crate::core::Retirement;
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
#[derive(LogicBlock, Default)]
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
    was_unseen: DFF<Bit>,
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
    retirement: Retirement,
}

impl Logic for Writeback {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, retired, halved, trapped, was_unseen, wrote, loads, stores, multiplies);
        clock!(
            self,
            clock,
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
        self.was_unseen.d.next = self.unseen.val();
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

        self.retirement.retire.next = self.retired.q.val();
        self.retirement.half.next = self.halved.q.val();
        self.retirement.trap.next = self.trapped.q.val();
        self.retirement.pc.next = self.kept_pc.q.val();
        self.retirement.instruction.next = self.kept_instruction.q.val();
        self.retirement.unseen.next = self.was_unseen.q.val();
        self.retirement.write.next = self.wrote.q.val();
        self.retirement.destination.next = self.kept_destination.q.val();
        self.retirement.value.next = self.result.val();
        self.retirement.trap_cause.next = self.kept_cause.q.val();
        self.retirement.trap_value.next = self.kept_tval.q.val();
        self.retirement.load.next = self.loads.q.val();
        self.retirement.store.next = self.stores.q.val();
        self.retirement.address.next = self.kept_address.q.val();
        self.retirement.store_data.next = self.kept_data.q.val();
        self.retirement.store_mask.next = self.kept_mask.q.val();
        self.retire_valid.next = self.retirement.retire_valid.val();
        self.retire_half.next = self.retirement.retire_half.val();
        self.retire_trap.next = self.retirement.retire_trap.val();
        self.retire_pc.next = self.retirement.retire_pc.val();
        self.retire_instruction.next = self.retirement.retire_instruction.val();
        self.retire_rd.next = self.retirement.retire_rd.val();
        self.retire_value.next = self.retirement.retire_value.val();
        self.retire_cause.next = self.retirement.retire_cause.val();
        self.retire_tval.next = self.retirement.retire_tval.val();
        self.retire_load.next = self.retirement.retire_load.val();
        self.retire_store.next = self.retirement.retire_store.val();
        self.retire_address.next = self.retirement.retire_address.val();
        self.retire_data.next = self.retirement.retire_data.val();
        self.retire_mask.next = self.retirement.retire_mask.val();
    }
}
