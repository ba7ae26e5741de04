//! The processor core: RV32IM + Zicsr + Zilsd, M and U mode, 1 KiB pages. See `docs/hardware.md`
//! for every cycle of it and `docs/core.md` for the block diagram.

mod alu;
mod control;
mod counter;
mod csr;
mod csr_select;
mod decoder;
mod event_page;
mod flow;
mod lanes;
mod mmu;
mod muldiv;
mod register_file;
mod results;
mod retirement;
mod shifter;
pub mod state;
mod tlb;

#[cfg(test)]
mod formal;
#[cfg(test)]
mod tests;

pub use self::{
    alu::Alu, control::Control, counter::Counter, csr::CsrFile, csr_select::CsrSelect, decoder::Decoder,
    event_page::EventPage, flow::Flow, lanes::Lanes, mmu::Mmu, muldiv::MulDiv, register_file::RegisterFile,
    results::Results, retirement::Retirement, shifter::Shifter, tlb::Tlb,
};
use rust_hdl::prelude::*;

/// The first core, an instruction at a time.
/// ```text
///                               +--------+-> address, read, write, wdata, mask
///   rdata, stall -------------->|        |
///   irq_timer/software/external |  Core  |-> retirement port
///   mtime_low/high ------------>|        |
///   reset_vector, hart_id,      |        |-> instret_low
///   ram_mask, has_smi/mmi ----->+--------+
/// ```
///
/// One memory port: with `read` or `write` high in *t* the memory or device sees the physical byte
/// `address` (and `wdata`, `mask`), and `rdata` is valid in *t*+1. `mask` means nothing without
/// `write`. While `stall` answers a `write`, the same write is repeated and nothing is committed;
/// it never answers a pair's, which go to RAM only. `ram_mask` is the RAM's size in bytes, less
/// one; the last five inputs do not change while the core runs.
#[derive(LogicBlock, Default)]
pub struct Core {
    pub clock: Signal<In, Clock>,
    /// First pc; a multiple of four.
    pub reset_vector: Signal<In, Bits<32>>,
    pub hart_id: Signal<In, Bits<4>>,
    pub ram_mask: Signal<In, Bits<32>>,
    pub has_smi: Signal<In, Bit>,
    pub has_mmi: Signal<In, Bit>,
    pub address: Signal<Out, Bits<32>>,
    pub read: Signal<Out, Bit>,
    pub write: Signal<Out, Bit>,
    /// The same access where it is of a device, sooner in the cycle; where it is of RAM, of no device.
    pub device_address: Signal<Out, Bits<32>>,
    pub device_read: Signal<Out, Bit>,
    pub device_write: Signal<Out, Bit>,
    pub wdata: Signal<Out, Bits<32>>,
    pub mask: Signal<Out, Bits<4>>,
    pub rdata: Signal<In, Bits<32>>,
    pub stall: Signal<In, Bit>,
    pub irq_timer: Signal<In, Bit>,
    pub irq_software: Signal<In, Bit>,
    pub irq_external: Signal<In, Bit>,
    pub mtime_low: Signal<In, Bits<32>>,
    pub mtime_high: Signal<In, Bits<32>>,
    pub retire_valid: Signal<Out, Bit>,
    /// The first half of a pair is committed; the instruction retires with the second.
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
    /// Low half of `minstret`.
    pub instret_low: Signal<Out, Bits<32>>,
    state: DFF<Bits<9>>,
    walk_fetch: DFF<Bit>,
    fetch_fault: DFF<Bit>,
    fetch_denied: DFF<Bit>,
    pc: DFF<Bits<32>>,
    instruction: DFF<Bits<32>>,
    /// In X: the word after the instruction was, or is being, read from the port.
    ahead: DFF<Bit>,
    /// It is at `rdata` in this cycle.
    fresh: DFF<Bit>,
    /// The word that was read ahead.
    following: DFF<Bits<32>>,
    /// What arrives is `following`, not `rdata`.
    held: DFF<Bit>,
    /// Physical address of the access in the cycle before, and its pc, for the retirement port.
    address_before: DFF<Bits<32>>,
    pc_before: DFF<Bits<32>>,
    decoder: Decoder,
    registers: RegisterFile,
    alu: Alu,
    muldiv: MulDiv,
    lanes: Lanes,
    flow: Flow,
    mmu: Mmu,
    event_page: EventPage,
    csr_file: CsrFile,
    control: Control,
    results: Results,
    retirement: Retirement,
    sum: Signal<Local, Bits<32>>,
    arriving: Signal<Local, Bits<32>>,
    latched: Signal<Local, Bits<32>>,
    source: Signal<Local, Bits<5>>,
    destination: Signal<Local, Bits<5>>,
    result: Signal<Local, Bits<32>>,
    completes: Signal<Local, Bit>,
    shown_pc: Signal<Local, Bits<32>>,
    shown_address: Signal<Local, Bits<32>>,
}

impl Logic for Core {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            state,
            walk_fetch,
            fetch_fault,
            fetch_denied,
            pc,
            instruction,
            ahead,
            fresh,
            following,
            held
        );
        clock!(self, clock, address_before, pc_before, decoder, registers, muldiv, mmu, csr_file);

        // Fetched instruction and its registers. Every D also reads the word after, as the port is
        // free. A load or store, which needs it in X, leaves that in `following` for the D after.
        self.arriving.next = self.rdata.val();
        if self.held.q.val() {
            self.arriving.next = self.following.q.val();
        }
        self.following.d.next = self.following.q.val();
        if self.fresh.q.val() {
            self.following.d.next = self.rdata.val();
        }
        self.ahead.d.next = self.ahead.q.val();
        if self.control.passes.val() {
            self.ahead.d.next = self.control.next_ahead.val();
        }
        self.fresh.d.next = self.control.passes.val();
        self.held.d.next = self.control.next_held.val();
        self.latched.next = self.instruction.q.val();
        if self.state.q.val().get_bit(1) {
            self.latched.next = self.arriving.val();
        }
        self.instruction.d.next = self.latched.val();
        self.decoder.instruction.next = self.arriving.val();
        self.decoder.take.next = self.state.q.val().get_bit(1);
        self.registers.read.next = self.state.q.val().get_bit(1);
        self.registers.address_1.next = self.arriving.val().get_bits::<5>(15);
        // A pair's second register is read in X, for P, and its first anew in T, for the X that comes
        // again; beside x0 there is none.
        self.registers.read_2.next = self.state.q.val().get_bit(1)
            | (self.decoder.pair.val() & (self.state.q.val().get_bit(2) | self.state.q.val().get_bit(7)));
        self.source.next = self.latched.val().get_bits::<5>(20);
        if self.state.q.val().get_bit(2) & self.instruction.q.val().get_bits::<4>(21).any() {
            self.source.next = self.latched.val().get_bits::<5>(20) | 1;
        }
        self.registers.address_2.next = self.source.val();
        // L of a pair is its second half.
        self.destination.next = self.instruction.q.val().get_bits::<5>(7);
        if self.decoder.pair.val() & self.state.q.val().get_bit(3) {
            self.destination.next = self.instruction.q.val().get_bits::<5>(7) | 1;
        }
        self.registers.forward.next = false;
        self.registers.forward_address.next = 0.into();
        self.registers.forward_data.next = 0.into();
        self.registers.write.next = self.control.write_rd.val();
        self.registers.write_address.next = self.destination.val();

        // Arithmetic: of registers for `op` and branches, which have bit 5, else with the immediate.
        self.alu.a.next = self.registers.data_1.val();
        self.alu.b.next = self.registers.data_2.val();
        self.alu.immediate.next = self.decoder.immediate.val();
        self.alu.takes_b.next = self.instruction.q.val().get_bit(5);
        self.alu.operation.next = self.instruction.q.val().get_bits::<3>(12);
        self.alu.subtracts.next = self.decoder.subtracts.val();
        self.alu.arithmetic.next = self.instruction.q.val().get_bit(30);
        self.muldiv.start.next = self.control.muldiv_start.val();
        self.muldiv.step.next = self.state.q.val().get_bit(4);
        self.muldiv.operation.next = self.instruction.q.val().get_bits::<3>(12);
        self.muldiv.a.next = self.registers.data_1.val();
        self.muldiv.b.next = self.registers.data_2.val();

        // The next pc and the address of the access.
        self.flow.pc.next = self.pc.q.val();
        self.flow.immediate.next = self.decoder.immediate.val();
        self.sum.next = self.registers.data_1.val() + self.decoder.immediate.val();
        self.flow.sum.next = self.sum.val();
        self.flow.condition.next = self.instruction.q.val().get_bits::<3>(12);
        self.flow.equal.next = self.alu.equal.val();
        self.flow.less.next = self.alu.less.val();
        self.flow.less_unsigned.next = self.alu.less_unsigned.val();
        self.flow.branch.next = self.decoder.branch.val();
        self.flow.jal.next = self.decoder.jal.val();
        self.flow.jalr.next = self.decoder.jalr.val();
        self.flow.load.next = self.decoder.load.val();
        self.flow.store.next = self.decoder.store.val();
        self.flow.state.next = self.state.q.val();
        self.flow.walk_fetch.next = self.walk_fetch.q.val();
        self.flow.ahead.next = false;

        self.mmu.va.next = self.flow.va.val();
        self.mmu.after.next = self.flow.after.val();
        self.mmu.falls.next = self.flow.falls.val();
        self.mmu.fetch.next = self.flow.fetch.val();
        self.mmu.store.next = self.decoder.store.val();
        self.event_page.base.next = self.registers.data_1.val();
        self.event_page.low.next = self.sum.val().get_bits::<13>(0);
        self.mmu.on_event_page.next = self.event_page.on.val();
        self.mmu.pair.next = self.decoder.pair.val();
        self.mmu.user_fetch.next = self.csr_file.user.val();
        self.mmu.user_data.next = self.csr_file.user_data.val();
        self.mmu.page_map.next = self.csr_file.page_map.val();
        self.mmu.flush.next = self.csr_file.flush.val();
        self.mmu.ram_mask.next = self.ram_mask.val();
        self.mmu.has_smi.next = self.has_smi.val();
        self.mmu.has_mmi.next = self.has_mmi.val();
        self.mmu.walk.next = self.state.q.val().get_bit(6);
        self.mmu.fill.next = self.control.fill.val();
        self.mmu.entry.next = self.rdata.val();

        self.lanes.offset.next = self.sum.val().get_bits::<3>(0);
        self.lanes.width.next = self.instruction.q.val().get_bits::<3>(12);
        self.lanes.stored.next = self.registers.data_2.val();
        self.lanes.word.next = self.rdata.val();

        // CSRs.
        self.csr_file.number.next = self.instruction.q.val().get_bits::<12>(20);
        self.csr_file.operation.next = self.instruction.q.val().get_bits::<3>(12);
        self.csr_file.operand.next = self.registers.data_1.val();
        self.csr_file.rs1_field.next = self.instruction.q.val().get_bits::<5>(15);
        self.csr_file.writes.next = self.decoder.writes_csr.val();
        self.csr_file.commit.next = self.control.csr_commit.val();
        self.csr_file.trap.next = self.control.trap.val();
        self.csr_file.trap_pc.next = self.pc.q.val();
        self.csr_file.trap_cause.next = self.control.trap_cause.val();
        self.csr_file.trap_value.next = self.results.trap_value.val();
        self.csr_file.mret.next = self.control.return_commit.val();
        self.csr_file.retire.next = self.control.retire.val();
        self.csr_file.irq_timer.next = self.irq_timer.val();
        self.csr_file.irq_software.next = self.irq_software.val();
        self.csr_file.irq_external.next = self.irq_external.val();
        self.csr_file.mtime_low.next = self.mtime_low.val();
        self.csr_file.mtime_high.next = self.mtime_high.val();
        self.csr_file.hart_id.next = self.hart_id.val();

        // Control.
        self.control.state.next = self.state.q.val();
        self.control.ahead.next = self.ahead.q.val();
        self.control.walk_fetch.next = self.walk_fetch.q.val();
        self.control.fetch_fault.next = self.fetch_fault.q.val();
        self.control.fetch_denied.next = self.fetch_denied.q.val();
        self.control.muldiv.next = self.decoder.muldiv.val();
        self.control.load.next = self.decoder.load.val();
        self.control.store.next = self.decoder.store.val();
        self.control.pair.next = self.decoder.pair.val();
        self.control.csr.next = self.decoder.csr.val();
        self.control.ecall.next = self.decoder.ecall.val();
        self.control.ebreak.next = self.decoder.ebreak.val();
        self.control.mret.next = self.decoder.mret.val();
        self.control.wfi.next = self.decoder.wfi.val();
        self.control.illegal.next = self.decoder.illegal.val();
        self.control.writes_rd.next = self.decoder.writes_rd.val();
        self.control.csr_illegal.next = self.csr_file.illegal.val();
        self.control.user.next = self.csr_file.user.val();
        self.control.interrupt.next = self.csr_file.interrupt.val();
        self.control.interrupt_cause.next = self.csr_file.interrupt_cause.val();
        self.control.wake.next = self.csr_file.wake.val();
        self.control.jump_misaligned.next = self.flow.misaligned.val();
        self.control.data_misaligned.next = self.lanes.misaligned.val();
        self.control.miss.next = self.mmu.miss.val();
        self.control.page_fault.next = self.mmu.page_fault.val();
        self.control.access_fault.next = self.mmu.access_fault.val();
        self.control.walk_good.next = self.mmu.walk_good.val();
        self.control.muldiv_done.next = self.muldiv.done.val();
        self.control.stall.next = self.stall.val();
        self.state.d.next = self.control.next_state.val();
        self.walk_fetch.d.next = self.control.next_walk_fetch.val();
        self.fetch_fault.d.next = self.control.next_fetch_fault.val();
        self.fetch_denied.d.next = self.control.next_fetch_denied.val();

        // What comes of it.
        self.results.state.next = self.state.q.val();
        self.results.reset_vector.next = self.reset_vector.val();
        self.results.pc.next = self.pc.q.val();
        self.results.instruction.next = self.instruction.q.val();
        self.results.arithmetic.next = self.decoder.register_op.val() | self.decoder.immediate_op.val();
        self.results.csr.next = self.decoder.csr.val();
        self.results.lui.next = self.decoder.lui.val();
        self.results.auipc.next = self.decoder.auipc.val();
        self.results.link.next = self.decoder.link.val();
        self.results.alu_result.next = self.alu.result.val();
        self.results.csr_value.next = self.csr_file.value.val();
        self.results.immediate.next = self.decoder.immediate.val();
        self.results.target.next = self.flow.target.val();
        self.results.after.next = self.flow.after.val();
        self.results.muldiv_result.next = self.muldiv.result.val();
        self.results.va.next = self.flow.va.val();
        self.results.jumps.next = !(self.flow.falls.val()
            | (self.state.q.val().get_bit(2)
                & (self.decoder.load.val() | self.decoder.store.val() | self.decoder.wfi.val()))
            | self.state.q.val().get_bit(8));
        self.results.vector.next = self.csr_file.vector.val();
        self.results.return_pc.next = self.csr_file.return_pc.val();
        self.results.moves.next = self.control.moves.val();
        self.results.mret.next = self.decoder.mret.val();
        self.results.trap.next = self.control.trap.val();
        self.results.tval_pc.next = self.control.tval_pc.val();
        self.results.tval_instruction.next = self.control.tval_instruction.val();
        self.results.tval_va.next = self.control.tval_va.val();
        self.pc.d.next = self.results.next_pc.val();
        // A load is completed in L, and the first half of a pair in P.
        self.result.next = self.results.value.val();
        if self.state.q.val().get_bit(3) | self.state.q.val().get_bit(8) {
            self.result.next = self.lanes.load_data.val();
        }
        self.registers.write_data.next = self.result.val();
        self.address_before.d.next = self.mmu.address.val();
        self.pc_before.d.next = self.pc.q.val();

        // The port.
        self.address.next = self.mmu.address.val();
        self.read.next = self.control.read.val();
        self.write.next = self.control.write.val();
        self.device_address.next = self.mmu.address.val();
        self.device_read.next = self.control.read.val();
        self.device_write.next = self.control.write.val();
        self.wdata.next = self.lanes.store_data.val();
        self.mask.next = self.lanes.mask.val();

        // The retirement port. A load may be completed as the next instruction arrives.
        self.retirement.retire.next = self.control.retire.val();
        self.retirement.half.next = self.control.half.val();
        self.retirement.trap.next = self.control.trap.val();
        self.shown_pc.next = self.pc.q.val();
        if self.state.q.val().get_bits::<3>(1) == 5 {
            self.shown_pc.next = self.pc_before.q.val();
        }
        self.retirement.pc.next = self.shown_pc.val();
        self.retirement.instruction.next = self.instruction.q.val();
        self.retirement.unseen.next =
            self.state.q.val().get_bit(1) & !self.control.retire.val() & !self.control.half.val();
        self.retirement.write.next = self.control.write_rd.val();
        self.retirement.destination.next = self.destination.val();
        self.retirement.value.next = self.result.val();
        self.retirement.trap_cause.next = self.control.trap_cause.val();
        self.retirement.trap_value.next = self.results.trap_value.val();
        self.completes.next = self.state.q.val().get_bit(3) | (self.state.q.val().get_bit(8) & self.decoder.load.val());
        self.retirement.load.next = self.completes.val();
        self.retirement.store.next =
            self.decoder.store.val() & (self.state.q.val().get_bit(2) | self.state.q.val().get_bit(8));
        self.shown_address.next = self.mmu.address.val();
        if self.completes.val() {
            self.shown_address.next = self.address_before.q.val();
        }
        self.retirement.address.next = self.shown_address.val();
        self.retirement.store_data.next = self.lanes.store_data.val();
        self.retirement.store_mask.next = self.lanes.mask.val();
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
        self.instret_low.next = self.csr_file.instret_low.val();
    }
}
