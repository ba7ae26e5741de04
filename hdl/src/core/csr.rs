//! Control and status registers, privilege, interrupts.

use super::counter::Counter;
use super::csr_select::CsrSelect;
use rust_hdl::prelude::*;
use testbed_definitions::csr;

/// The CSRs, the current privilege and the pending interrupts.
///
/// ```text
///   number, operation, operand    +-----------+-> value, illegal
///   rs1_field, writes, commit         |           |-> user, user_data, page_map, flush
///   trap, trap_pc/cause/value     |  CsrFile  |-> vector, return_pc
///   mret, retire                  |           |-> interrupt, interrupt_cause, wake
///   irq_*, mtime_*, hart_id ----->+-----------+
/// ```
///
/// `value` and `illegal` follow the instruction combinationally. With `commit` high a CSR
/// instruction that `writes` does so, seen from the next cycle on; `trap` and `mret` likewise. At
/// most one of the three is high.
#[derive(LogicBlock)]
pub struct CsrFile {
    pub clock: Signal<In, Clock>,
    pub number: Signal<In, Bits<12>>,
    /// `funct3` of the instruction.
    pub operation: Signal<In, Bits<3>>,
    /// Value of rs1.
    pub operand: Signal<In, Bits<32>>,
    /// The instruction's rs1 field: the operand itself, if bit 2 of `operation` says so.
    pub rs1_field: Signal<In, Bits<5>>,
    pub writes: Signal<In, Bit>,
    pub commit: Signal<In, Bit>,
    pub value: Signal<Out, Bits<32>>,
    pub illegal: Signal<Out, Bit>,
    pub trap: Signal<In, Bit>,
    pub trap_pc: Signal<In, Bits<32>>,
    /// Bit 4: interrupt; bits 3:0: the code.
    pub trap_cause: Signal<In, Bits<5>>,
    pub trap_value: Signal<In, Bits<32>>,
    pub mret: Signal<In, Bit>,
    /// An instruction retires.
    pub retire: Signal<In, Bit>,
    pub user: Signal<Out, Bit>,
    /// Loads and stores are made with the rights of user mode.
    pub user_data: Signal<Out, Bit>,
    pub page_map: Signal<Out, Bits<32>>,
    pub flush: Signal<Out, Bit>,
    pub vector: Signal<Out, Bits<32>>,
    pub return_pc: Signal<Out, Bits<32>>,
    /// An interrupt is to be taken before the next instruction.
    pub interrupt: Signal<Out, Bit>,
    pub interrupt_cause: Signal<Out, Bits<4>>,
    /// An enabled interrupt is pending, whether it may be taken or not.
    pub wake: Signal<Out, Bit>,
    pub irq_timer: Signal<In, Bit>,
    pub irq_software: Signal<In, Bit>,
    pub irq_external: Signal<In, Bit>,
    pub mtime_low: Signal<In, Bits<32>>,
    pub mtime_high: Signal<In, Bits<32>>,
    pub hart_id: Signal<In, Bits<4>>,
    pub instret_low: Signal<Out, Bits<32>>,
    is_user: DFF<Bit>,
    mie: DFF<Bit>,
    mpie: DFF<Bit>,
    /// Both bits of MPP.
    mpp: DFF<Bit>,
    mprv: DFF<Bit>,
    enabled: DFF<Bits<32>>,
    software: DFF<Bit>,
    timer: DFF<Bit>,
    external: DFF<Bit>,
    mtvec: DFF<Bits<32>>,
    counter_enable: DFF<Bits<3>>,
    mscratch: DFF<Bits<32>>,
    mepc: DFF<Bits<32>>,
    mcause: DFF<Bits<32>>,
    mtval: DFF<Bits<32>>,
    pmbase: DFF<Bits<32>>,
    cycles: Counter,
    retired: Counter,
    select: CsrSelect,
    pending: Signal<Local, Bits<32>>,
    ready: Signal<Local, Bits<32>>,
    source: Signal<Local, Bits<32>>,
    written: Signal<Local, Bits<32>>,
    write: Signal<Local, Bit>,
    mstatus_number: Constant<Bits<12>>,
    mie_number: Constant<Bits<12>>,
    mtvec_number: Constant<Bits<12>>,
    mcounteren_number: Constant<Bits<12>>,
    mscratch_number: Constant<Bits<12>>,
    mepc_number: Constant<Bits<12>>,
    mcause_number: Constant<Bits<12>>,
    mtval_number: Constant<Bits<12>>,
    pmbase_number: Constant<Bits<12>>,
    mcycle_number: Constant<Bits<12>>,
    mcycleh_number: Constant<Bits<12>>,
    minstret_number: Constant<Bits<12>>,
    minstreth_number: Constant<Bits<12>>,
    interrupts: Constant<Bits<32>>,
    aligned: Constant<Bits<32>>,
    mcause_mask: Constant<Bits<32>>,
    pmbase_mask: Constant<Bits<32>>,
}

impl Default for CsrFile {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            number: Default::default(),
            operation: Default::default(),
            operand: Default::default(),
            rs1_field: Default::default(),
            writes: Default::default(),
            commit: Default::default(),
            value: Default::default(),
            illegal: Default::default(),
            trap: Default::default(),
            trap_pc: Default::default(),
            trap_cause: Default::default(),
            trap_value: Default::default(),
            mret: Default::default(),
            retire: Default::default(),
            user: Default::default(),
            user_data: Default::default(),
            page_map: Default::default(),
            flush: Default::default(),
            vector: Default::default(),
            return_pc: Default::default(),
            interrupt: Default::default(),
            interrupt_cause: Default::default(),
            wake: Default::default(),
            irq_timer: Default::default(),
            irq_software: Default::default(),
            irq_external: Default::default(),
            mtime_low: Default::default(),
            mtime_high: Default::default(),
            hart_id: Default::default(),
            instret_low: Default::default(),
            is_user: Default::default(),
            mie: Default::default(),
            mpie: Default::default(),
            mpp: Default::default(),
            mprv: Default::default(),
            enabled: Default::default(),
            software: Default::default(),
            timer: Default::default(),
            external: Default::default(),
            mtvec: Default::default(),
            counter_enable: Default::default(),
            mscratch: Default::default(),
            mepc: Default::default(),
            mcause: Default::default(),
            mtval: Default::default(),
            pmbase: Default::default(),
            cycles: Default::default(),
            retired: Default::default(),
            select: Default::default(),
            pending: Default::default(),
            ready: Default::default(),
            source: Default::default(),
            written: Default::default(),
            write: Default::default(),
            mstatus_number: number(csr::MSTATUS),
            mie_number: number(csr::MIE),
            mtvec_number: number(csr::MTVEC),
            mcounteren_number: number(csr::MCOUNTEREN),
            mscratch_number: number(csr::MSCRATCH),
            mepc_number: number(csr::MEPC),
            mcause_number: number(csr::MCAUSE),
            mtval_number: number(csr::MTVAL),
            pmbase_number: number(csr::PMBASE),
            mcycle_number: number(csr::MCYCLE),
            mcycleh_number: number(csr::MCYCLEH),
            minstret_number: number(csr::MINSTRET),
            minstreth_number: number(csr::MINSTRETH),
            interrupts: word(csr::INTERRUPT_SOFTWARE | csr::INTERRUPT_TIMER | csr::INTERRUPT_EXTERNAL),
            aligned: word(!3),
            mcause_mask: word(csr::MCAUSE_MASK),
            pmbase_mask: word(csr::PMBASE_MASK),
        }
    }
}

/// A CSR's number.
fn number(number: u16) -> Constant<Bits<12>> {
    Constant::new(u64::from(number).into())
}

/// A word.
fn word(value: u32) -> Constant<Bits<32>> {
    Constant::new(u64::from(value).into())
}

impl Logic for CsrFile {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            is_user,
            mie,
            mpie,
            mpp,
            mprv,
            enabled,
            software,
            timer,
            external,
            mtvec,
            counter_enable,
            mscratch,
            mepc,
            mcause,
            mtval,
            pmbase
        );
        self.cycles.clock.next = self.clock.val();
        self.retired.clock.next = self.clock.val();

        // Interrupts.
        self.software.d.next = self.irq_software.val();
        self.timer.d.next = self.irq_timer.val();
        self.external.d.next = self.irq_external.val();
        self.pending.next = (bit_cast::<32, 1>(self.software.q.val().into()) << 3)
            | (bit_cast::<32, 1>(self.timer.q.val().into()) << 7)
            | (bit_cast::<32, 1>(self.external.q.val().into()) << 11);
        self.ready.next = self.pending.val() & self.enabled.q.val();
        self.wake.next = self.ready.val().any();
        self.interrupt.next = self.ready.val().any() & (self.is_user.q.val() | self.mie.q.val());
        if self.ready.val().get_bit(11) {
            self.interrupt_cause.next = 11.into();
        } else if self.ready.val().get_bit(3) {
            self.interrupt_cause.next = 3.into();
        } else {
            self.interrupt_cause.next = 7.into();
        }

        // The instruction's view.
        self.select.number.next = self.number.val();
        self.select.writes.next = self.writes.val();
        self.select.user.next = self.is_user.q.val();
        self.select.mstatus.next = (bit_cast::<32, 1>(self.mie.q.val().into()) << 3)
            | (bit_cast::<32, 1>(self.mpie.q.val().into()) << 7)
            | (bit_cast::<32, 1>(self.mpp.q.val().into()) << 11)
            | (bit_cast::<32, 1>(self.mpp.q.val().into()) << 12)
            | (bit_cast::<32, 1>(self.mprv.q.val().into()) << 17);
        self.select.mie.next = self.enabled.q.val();
        self.select.mip.next = self.pending.val();
        self.select.mtvec.next = self.mtvec.q.val();
        self.select.counter_enable.next = self.counter_enable.q.val();
        self.select.mscratch.next = self.mscratch.q.val();
        self.select.mepc.next = self.mepc.q.val();
        self.select.mcause.next = self.mcause.q.val();
        self.select.mtval.next = self.mtval.q.val();
        self.select.pmbase.next = self.pmbase.q.val();
        self.select.cycle_low.next = self.cycles.low.val();
        self.select.cycle_high.next = self.cycles.high.val();
        self.select.instret_low.next = self.retired.low.val();
        self.select.instret_high.next = self.retired.high.val();
        self.select.mtime_low.next = self.mtime_low.val();
        self.select.mtime_high.next = self.mtime_high.val();
        self.select.hart_id.next = self.hart_id.val();

        // What it writes.
        self.source.next = self.operand.val();
        if self.operation.val().get_bit(2) {
            self.source.next = bit_cast::<32, 5>(self.rs1_field.val());
        }
        self.written.next = self.source.val();
        if self.operation.val().get_bits::<2>(0) == 2 {
            self.written.next = self.select.value.val() | self.source.val();
        } else if self.operation.val().get_bits::<2>(0) == 3 {
            self.written.next = self.select.value.val() & !self.source.val();
        }
        self.write.next = self.commit.val() & self.writes.val();

        if self.write.val() {
            if self.number.val() == self.mstatus_number.val() {
                self.mie.d.next = self.written.val().get_bit(3);
                self.mpie.d.next = self.written.val().get_bit(7);
                self.mpp.d.next = self.written.val().get_bit(11) & self.written.val().get_bit(12);
                self.mprv.d.next = self.written.val().get_bit(17);
            } else if self.number.val() == self.mie_number.val() {
                self.enabled.d.next = self.written.val() & self.interrupts.val();
            } else if self.number.val() == self.mtvec_number.val() {
                self.mtvec.d.next = self.written.val() & self.aligned.val();
            } else if self.number.val() == self.mcounteren_number.val() {
                self.counter_enable.d.next = self.written.val().get_bits::<3>(0);
            } else if self.number.val() == self.mscratch_number.val() {
                self.mscratch.d.next = self.written.val();
            } else if self.number.val() == self.mepc_number.val() {
                self.mepc.d.next = self.written.val() & self.aligned.val();
            } else if self.number.val() == self.mcause_number.val() {
                self.mcause.d.next = self.written.val() & self.mcause_mask.val();
            } else if self.number.val() == self.mtval_number.val() {
                self.mtval.d.next = self.written.val();
            } else if self.number.val() == self.pmbase_number.val() {
                self.pmbase.d.next = self.written.val() & self.pmbase_mask.val();
            }
        }
        self.flush.next = self.write.val() & (self.number.val() == self.pmbase_number.val());

        // Counters.
        self.cycles.count.next = true;
        self.cycles.value.next = self.written.val();
        self.cycles.write_low.next = self.write.val() & (self.number.val() == self.mcycle_number.val());
        self.cycles.write_high.next = self.write.val() & (self.number.val() == self.mcycleh_number.val());
        self.retired.count.next = self.retire.val();
        self.retired.value.next = self.written.val();
        self.retired.write_low.next = self.write.val() & (self.number.val() == self.minstret_number.val());
        self.retired.write_high.next = self.write.val() & (self.number.val() == self.minstreth_number.val());

        // Traps and the return from them.
        if self.trap.val() {
            self.mepc.d.next = self.trap_pc.val();
            self.mcause.d.next = bit_cast::<32, 4>(self.trap_cause.val().get_bits::<4>(0))
                | (bit_cast::<32, 1>(self.trap_cause.val().get_bits::<1>(4)) << 31);
            self.mtval.d.next = self.trap_value.val();
            self.mpie.d.next = self.mie.q.val();
            self.mie.d.next = false;
            self.mpp.d.next = !self.is_user.q.val();
            self.is_user.d.next = false;
        } else if self.mret.val() {
            self.mie.d.next = self.mpie.q.val();
            self.mpie.d.next = true;
            self.is_user.d.next = !self.mpp.q.val();
            self.mprv.d.next = self.mprv.q.val() & self.mpp.q.val();
            self.mpp.d.next = false;
        }

        self.value.next = self.select.value.val();
        self.illegal.next = self.select.illegal.val();
        self.user.next = self.is_user.q.val();
        self.user_data.next = self.is_user.q.val() | (self.mprv.q.val() & !self.mpp.q.val());
        self.page_map.next = self.pmbase.q.val();
        self.vector.next = self.mtvec.q.val();
        self.return_pc.next = self.mepc.q.val();
        self.instret_low.next = self.retired.low.val();
    }
}
