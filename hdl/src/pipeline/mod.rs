//! The pipelined core: the first core's instructions and ports in fewer cycles (`docs/pipeline.md`).

mod ahead;
mod bank;
mod control;
mod divide_bit;
mod divider;
mod multiplier;
mod names;
mod writeback;

#[cfg(test)]
mod formal;
#[cfg(test)]
mod tests;

pub use self::{
    ahead::Ahead, bank::Bank, control::Control, divider::Divider, multiplier::Multiplier, names::Names,
    writeback::Writeback,
};
use crate::core::{Alu, CsrFile, Decoder, EventPage, Flow, Lanes, Mmu, RegisterFile, Results};
use rust_hdl::prelude::*;

/// The core whose instructions overlap: while one is in X, the next one arrives and reads its
/// registers, and the one before writes its result. Their words are fetched ahead, past the data's
/// port.
///
/// ```text
///                               +--------+-> address, read, write, wdata, mask
///   rdata, stall -------------->|        |-> device_address, device_read, device_write
///   code_0, code_1 ------------>|        |-> ahead_0, ahead_1
///   fetched_0/1, free_0/1 ----->|Pipeline|-> retirement port
///   irq_timer/software/external |        |
///   mtime_low/high ------------>|        |-> instret_low
///   reset_vector, hart_id,      |        |
///   ram_mask, has_smi/mmi ----->+--------+
/// ```
///
/// Two ways to memory. With `read` or `write` high in *t* the memory or device sees the physical byte
/// `address` (and `wdata`, `mask`), and `rdata` is valid in *t*+1; what is read of RAM is also at
/// `code_0` and `code_1`, with the word after it, each where its bank is ([`Ram`](crate::ram::Ram)).
/// `mask` means nothing without `write`. While `stall` answers a `write`, the same write is repeated and
/// nothing is committed; it never answers a pair's, which go to RAM only. The second way reads a word of
/// each bank in every cycle, at `ahead_0` and `ahead_1`; where `free_0` or `free_1` is high in *t* it is
/// at `fetched_0` or `fetched_1` in *t*+1.
///
/// A device looks at `device_address`, `device_read` and `device_write`: they say the same of what has
/// a device behind it, and where there is one they are high for nothing else. `ram_mask` is the RAM's
/// size in bytes, less one; it, `reset_vector`, `hart_id`, `has_smi` and `has_mmi` do not change while
/// the core runs. The states are the first core's ([`crate::core::state`]), one at a time, without L.
#[derive(LogicBlock, Default)]
pub struct Pipeline {
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
    pub code_0: Signal<In, Bits<32>>,
    pub code_1: Signal<In, Bits<32>>,
    pub ahead_0: Signal<Out, Bits<32>>,
    pub ahead_1: Signal<Out, Bits<32>>,
    pub fetched_0: Signal<In, Bits<32>>,
    pub fetched_1: Signal<In, Bits<32>>,
    pub free_0: Signal<In, Bit>,
    pub free_1: Signal<In, Bit>,
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
    /// This X has come before.
    again: DFF<Bit>,
    /// Of the instruction in X; in F, D and S of the one that comes.
    pc: DFF<Bits<32>>,
    instruction: DFF<Bits<32>>,
    decoder: Decoder,
    registers: RegisterFile,
    alu: Alu,
    multiplier: Multiplier,
    divider: Divider,
    lanes: Lanes,
    loaded: Lanes,
    flow: Flow,
    mmu: Mmu,
    event_page: EventPage,
    csr_file: CsrFile,
    control: Control,
    ahead: Ahead,
    results: Results,
    writeback: Writeback,
    takes_word: Signal<Local, Bit>,
    looked_at: Signal<Local, Bits<9>>,
    divides: Signal<Local, Bit>,
    multiplies: Signal<Local, Bit>,
    memory: Signal<Local, Bit>,
    again_pair: Signal<Local, Bit>,
    source: Signal<Local, Bits<5>>,
    destination: Signal<Local, Bits<5>>,
    sum: Signal<Local, Bits<32>>,
    jumps: Signal<Local, Bit>,
    is_late: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<32>>,
}

impl Logic for Pipeline {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            state,
            walk_fetch,
            fetch_fault,
            fetch_denied,
            again,
            pc,
            instruction,
            decoder,
            registers,
            multiplier,
            divider,
            mmu,
            csr_file,
            ahead,
            writeback
        );

        // States: 1 D, 2 X, 4 M, 7 T, 8 P. A word that arrives while the one before it is in X, or in its
        // last cycle, is decoded where what it replaces is no longer needed, and anew in D if it has not
        // gone on: whether it does is known late.
        self.memory.next = self.decoder.load.val() | self.decoder.store.val();
        self.divides.next = self.decoder.muldiv.val() & self.instruction.q.val().get_bit(14);
        self.multiplies.next = self.decoder.muldiv.val() & !self.instruction.q.val().get_bit(14);
        self.again.d.next = self.control.next_again.val();
        self.takes_word.next = self.state.q.val().get_bit(1)
            | (self.state.q.val().get_bit(2) & !self.control.keeps.val())
            | (self.state.q.val().get_bit(4) & self.divider.done.val())
            | self.state.q.val().get_bit(8);
        self.instruction.d.next = self.instruction.q.val();
        if self.takes_word.val() {
            self.instruction.d.next = self.ahead.word.val();
        }
        self.decoder.instruction.next = self.ahead.word.val();
        self.decoder.take.next = self.takes_word.val();
        self.registers.read.next = self.takes_word.val();
        self.registers.address_1.next = self.ahead.word.val().get_bits::<5>(15);
        // A pair's second register is read in X, for P, and its first anew in T, for the X that
        // comes again; beside x0 there is none.
        self.again_pair.next =
            self.decoder.pair.val() & (self.state.q.val().get_bit(2) | self.state.q.val().get_bit(7));
        self.registers.read_2.next = self.takes_word.val() | self.again_pair.val();
        self.source.next = self.ahead.word.val().get_bits::<5>(20);
        if self.again_pair.val() {
            self.source.next = self.instruction.q.val().get_bits::<5>(20);
            if self.state.q.val().get_bit(2) & self.instruction.q.val().get_bits::<4>(21).any() {
                self.source.next = self.instruction.q.val().get_bits::<5>(20) | 1;
            }
        }
        self.registers.address_2.next = self.source.val();
        // P is a pair's second half.
        self.destination.next = self.instruction.q.val().get_bits::<5>(7);
        if self.state.q.val().get_bit(8) {
            self.destination.next = self.instruction.q.val().get_bits::<5>(7) | 1;
        }
        self.is_late.next = self.decoder.load.val() | self.multiplies.val();
        self.registers.forward.next = self.decoder.writes_rd.val()
            & !self.is_late.val()
            & (self.state.q.val().get_bit(2) | self.state.q.val().get_bit(4));
        self.registers.forward_address.next = self.instruction.q.val().get_bits::<5>(7);
        self.registers.forward_data.next = self.results.value.val();
        self.registers.write.next = self.writeback.write.val();
        self.registers.write_address.next = self.writeback.write_address.val();
        self.registers.write_data.next = self.writeback.write_data.val();

        // Whether the next word needs a register that is only known in the next cycle.
        self.waits.next = self.is_late.val() & self.decoder.writes_rd.val() & self.ahead.names.val();
        // Behind a page's last word, behind a store to the page of these words and behind `fence.i` (bit 12)
        // the words that were fetched ahead are not the next ones.
        self.breaks.next = (self.pc.q.val().get_bits::<8>(2) == 255)
            | self.ahead.stale.val()
            | ((self.instruction.q.val().get_bits::<5>(2) == 3) & self.instruction.q.val().get_bit(12));

        // Arithmetic: of registers for `op` and branches, which have bit 5, else with the immediate.
        self.alu.a.next = self.registers.data_1.val();
        self.alu.b.next = self.registers.data_2.val();
        self.alu.immediate.next = self.decoder.immediate.val();
        self.alu.takes_b.next = self.instruction.q.val().get_bit(5);
        self.alu.operation.next = self.instruction.q.val().get_bits::<3>(12);
        self.alu.subtracts.next = self.decoder.subtracts.val();
        self.alu.arithmetic.next = self.instruction.q.val().get_bit(30);
        self.multiplier.take.next = self.state.q.val().get_bit(2);
        self.multiplier.operation.next = self.instruction.q.val().get_bits::<3>(12);
        self.multiplier.a.next = self.registers.data_1.val();
        self.multiplier.b.next = self.registers.data_2.val();
        self.divider.start.next = self.state.q.val().get_bit(2);
        self.divider.step.next = self.state.q.val().get_bit(4);
        self.divider.operation.next = self.instruction.q.val().get_bits::<3>(12);
        self.divider.a.next = self.registers.data_1.val();
        self.divider.b.next = self.registers.data_2.val();

        // The next pc and the address of the access.
        self.flow.pc.next = self.pc.q.val();
        self.flow.immediate.next = self.decoder.immediate.val();
        // An adder of its own, as the second operand of the ALU's is chosen first.
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
        // A word whose fetch was refused is not looked at: `va` is the pc then, which its trap tells.
        self.looked_at.next =
            self.state.q.val().replace_bit(2, self.state.q.val().get_bit(2) & !self.fetch_fault.q.val());
        self.flow.state.next = self.looked_at.val();
        self.flow.walk_fetch.next = self.walk_fetch.q.val();
        self.flow.ahead.next = true;
        self.jumps.next = self.state.q.val().get_bit(2)
            & (self.decoder.link.val() | (self.decoder.branch.val() & !self.flow.falls.val()));

        // What follows in order is not translated again, so of two addresses one is enough.
        self.mmu.va.next = self.flow.va.val();
        self.mmu.after.next = 0.into();
        self.mmu.falls.next = false;
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

        // Stores in X and P, loads in the cycle after.
        self.lanes.offset.next = self.sum.val().get_bits::<3>(0);
        self.lanes.width.next = self.instruction.q.val().get_bits::<3>(12);
        self.lanes.stored.next = self.registers.data_2.val();
        self.lanes.word.next = 0.into();
        self.loaded.offset.next = self.writeback.offset.val();
        self.loaded.width.next = self.writeback.width.val();
        self.loaded.stored.next = 0.into();
        self.loaded.word.next = self.rdata.val();

        // Words ahead.
        self.ahead.start.next = self.control.starts.val();
        self.ahead.address.next = self.mmu.ram_address.val();
        self.ahead.code_0.next = self.code_0.val();
        self.ahead.code_1.next = self.code_1.val();
        self.ahead.fetched_0.next = self.fetched_0.val();
        self.ahead.fetched_1.next = self.fetched_1.val();
        self.ahead.free_0.next = self.free_0.val();
        self.ahead.free_1.next = self.free_1.val();
        // In D the pc is the address of the word that arrives, else of the one before it.
        self.ahead.odd.next = self.pc.q.val().get_bit(2) ^ !self.state.q.val().get_bit(1);
        self.ahead.take.next = self.control.takes.val();
        self.ahead.register.next = self.destination.val();
        self.ahead.wrote.next = self.control.wrote.val();
        self.ahead.written_page.next = self.writeback.page.val();

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
        self.control.again.next = self.again.q.val();
        self.control.jumps.next = self.jumps.val();
        self.control.breaks.next = self.breaks.val();
        self.control.waits.next = self.waits.val();
        self.control.walk_fetch.next = self.walk_fetch.q.val();
        self.control.fetch_fault.next = self.fetch_fault.q.val();
        self.control.fetch_denied.next = self.fetch_denied.q.val();
        self.control.divide.next = self.divides.val();
        self.control.load.next = self.decoder.load.val();
        self.control.store.next = self.decoder.store.val();
        self.control.pair.next = self.decoder.pair.val();
        self.control.csr.next = self.decoder.csr.val();
        self.control.ecall.next = self.decoder.ecall.val();
        self.control.ebreak.next = self.decoder.ebreak.val();
        self.control.mret.next = self.decoder.mret.val();
        self.control.wfi.next = self.decoder.wfi.val();
        self.control.illegal.next = self.decoder.illegal.val();
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
        self.control.translated.next = self.mmu.translated.val();
        self.control.walk_good.next = self.mmu.walk_good.val();
        // Devices lie in the lower half of all addresses.
        self.control.device.next = !self.sum.val().get_bit(31);
        self.control.divided.next = self.divider.done.val();
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
        self.results.muldiv_result.next = self.divider.result.val();
        self.results.va.next = self.flow.va.val();
        self.results.jumps.next = self.jumps.val();
        self.results.vector.next = self.csr_file.vector.val();
        self.results.return_pc.next = self.csr_file.return_pc.val();
        self.results.moves.next = self.control.moves.val();
        self.results.mret.next = self.decoder.mret.val();
        self.results.trap.next = self.control.trap.val();
        self.results.tval_pc.next = false;
        self.results.tval_instruction.next = self.control.tval_instruction.val();
        self.results.tval_va.next = self.control.tval_va.val();
        self.pc.d.next = self.results.next_pc.val();

        // The cycle after.
        self.writeback.retire.next = self.control.retire.val();
        self.writeback.half.next = self.control.half.val();
        self.writeback.trap.next = self.control.trap.val();
        self.writeback.unseen.next = self.control.unseen.val();
        self.writeback.pc.next = self.pc.q.val();
        self.writeback.instruction.next = self.instruction.q.val();
        self.writeback.writes_rd.next = self.decoder.writes_rd.val();
        self.writeback.destination.next = self.destination.val();
        self.writeback.value.next = self.results.value.val();
        self.writeback.load.next = self.decoder.load.val();
        self.writeback.store.next = self.decoder.store.val();
        self.writeback.multiply.next = self.multiplies.val();
        self.writeback.trap_cause.next = self.control.trap_cause.val();
        self.writeback.trap_value.next = self.results.trap_value.val();
        self.writeback.address.next = self.mmu.address.val();
        self.writeback.store_data.next = self.lanes.store_data.val();
        self.writeback.store_mask.next = self.lanes.mask.val();
        self.writeback.loaded.next = self.loaded.load_data.val();
        self.writeback.product.next = self.multiplier.result.val();

        // The port. Where a fetch has begun, it is for the words after those.
        self.chosen.next = self.mmu.address.val();
        if self.ahead.fresh.val() {
            self.chosen.next = self.ahead.second_address.val();
        }
        self.address.next = self.chosen.val();
        self.read.next = self.control.read.val() | self.ahead.fresh.val();
        self.write.next = self.control.write.val();
        self.device_address.next = self.sum.val();
        self.device_read.next = self.control.device_read.val();
        self.device_write.next = self.control.device_write.val();
        self.wdata.next = self.lanes.store_data.val();
        self.mask.next = self.lanes.mask.val();
        self.ahead_0.next = self.ahead.ahead_0.val();
        self.ahead_1.next = self.ahead.ahead_1.val();

        self.retire_valid.next = self.writeback.retire_valid.val();
        self.retire_half.next = self.writeback.retire_half.val();
        self.retire_trap.next = self.writeback.retire_trap.val();
        self.retire_pc.next = self.writeback.retire_pc.val();
        self.retire_instruction.next = self.writeback.retire_instruction.val();
        self.retire_rd.next = self.writeback.retire_rd.val();
        self.retire_value.next = self.writeback.retire_value.val();
        self.retire_cause.next = self.writeback.retire_cause.val();
        self.retire_tval.next = self.writeback.retire_tval.val();
        self.retire_load.next = self.writeback.retire_load.val();
        self.retire_store.next = self.writeback.retire_store.val();
        self.retire_address.next = self.writeback.retire_address.val();
        self.retire_data.next = self.writeback.retire_data.val();
        self.retire_mask.next = self.writeback.retire_mask.val();
        self.instret_low.next = self.csr_file.instret_low.val();
    }
}
