//! What each cycle does: faults, commits, the next state.

use rust_hdl::prelude::*;

/// The core's combinational control: from the state and everything that was found out in this cycle, what is committed
/// and which state comes next.
///
/// ```text
///   state, walk_fetch           +-----------+-> next_state, next_walk_fetch, next fault of a fetch
///   class of the instruction    |  Control  |-> read, write
///   mmu, csr, muldiv, stall --->+-----------+-> moves, trap (and its cause), commits
/// ```
///
/// Exactly the table of `docs/hardware.md`, "Core".
#[derive(LogicBlock, Default)]
pub struct Control {
    /// One bit a state, see [`super::state`]; all zero is R.
    pub state: Signal<In, Bits<9>>,
    /// In X: the word after the instruction was read in D.
    pub ahead: Signal<In, Bit>,
    /// The walk under way is for a fetch.
    pub walk_fetch: Signal<In, Bit>,
    /// The instruction that arrives in D could not be fetched.
    pub fetch_fault: Signal<In, Bit>,
    /// It was an access fault, else a page fault.
    pub fetch_denied: Signal<In, Bit>,
    pub muldiv: Signal<In, Bit>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    /// The load or store is of a pair of registers.
    pub pair: Signal<In, Bit>,
    pub csr: Signal<In, Bit>,
    pub ecall: Signal<In, Bit>,
    pub ebreak: Signal<In, Bit>,
    pub mret: Signal<In, Bit>,
    pub wfi: Signal<In, Bit>,
    pub illegal: Signal<In, Bit>,
    /// The instruction has a destination.
    pub writes_rd: Signal<In, Bit>,
    pub csr_illegal: Signal<In, Bit>,
    pub user: Signal<In, Bit>,
    pub interrupt: Signal<In, Bit>,
    pub interrupt_cause: Signal<In, Bits<4>>,
    pub wake: Signal<In, Bit>,
    /// The target of a jump or taken branch is misaligned.
    pub jump_misaligned: Signal<In, Bit>,
    /// The address of a load or store is misaligned.
    pub data_misaligned: Signal<In, Bit>,
    pub miss: Signal<In, Bit>,
    pub page_fault: Signal<In, Bit>,
    pub access_fault: Signal<In, Bit>,
    pub walk_good: Signal<In, Bit>,
    pub muldiv_done: Signal<In, Bit>,
    pub stall: Signal<In, Bit>,
    pub next_state: Signal<Out, Bits<9>>,
    /// The word after the instruction that arrives is read in this cycle, if `next_ahead` is taken (with `passes`).
    pub next_ahead: Signal<Out, Bit>,
    /// What arrives goes on to X.
    pub passes: Signal<Out, Bit>,
    /// The next D takes the word that was read ahead.
    pub next_held: Signal<Out, Bit>,
    pub next_walk_fetch: Signal<Out, Bit>,
    pub next_fetch_fault: Signal<Out, Bit>,
    pub next_fetch_denied: Signal<Out, Bit>,
    /// The port is read.
    pub read: Signal<Out, Bit>,
    /// The port is written (or would be, but for `stall`).
    pub write: Signal<Out, Bit>,
    /// The pc takes its next value: what is fetched, or what follows a store, `wfi`, `mret` or R. Not with `trap`.
    pub moves: Signal<Out, Bit>,
    pub trap: Signal<Out, Bit>,
    /// Bit 4: interrupt; bits 3:0: the code.
    pub trap_cause: Signal<Out, Bits<5>>,
    /// `mtval` is the pc, the instruction, the virtual address of this cycle; none: 0.
    pub tval_pc: Signal<Out, Bit>,
    pub tval_instruction: Signal<Out, Bit>,
    pub tval_va: Signal<Out, Bit>,
    /// An instruction retires.
    pub retire: Signal<Out, Bit>,
    /// The first half of a pair is committed.
    pub half: Signal<Out, Bit>,
    /// rd is written.
    pub write_rd: Signal<Out, Bit>,
    pub csr_commit: Signal<Out, Bit>,
    pub return_commit: Signal<Out, Bit>,
    pub muldiv_start: Signal<Out, Bit>,
    pub fill: Signal<Out, Bit>,
    arrive: Signal<Local, Bit>,
    execute: Signal<Local, Bit>,
    last_load: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    stalled: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    moves_on: Signal<Local, Bit>,
    last_step: Signal<Local, Bit>,
    sleep: Signal<Local, Bit>,
    receive: Signal<Local, Bit>,
    forbidden: Signal<Local, Bit>,
    memory: Signal<Local, Bit>,
    clean: Signal<Local, Bit>,
    access: Signal<Local, Bit>,
    fault: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    loading: Signal<Local, Bit>,
    walked: Signal<Local, Bit>,
    at_arrival: Signal<Local, Bit>,
    at_execute: Signal<Local, Bit>,
    at_walk: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    got: Signal<Local, Bit>,
    trapping: Signal<Local, Bit>,
    retiring: Signal<Local, Bit>,
    cause: Signal<Local, Bits<5>>,
    to_f: Signal<Local, Bit>,
    to_d: Signal<Local, Bit>,
    to_x: Signal<Local, Bit>,
    to_l: Signal<Local, Bit>,
    to_m: Signal<Local, Bit>,
    to_s: Signal<Local, Bit>,
    to_w: Signal<Local, Bit>,
    to_p: Signal<Local, Bit>,
}

impl Logic for Control {
    #[hdl_gen]
    fn update(&mut self) {
        // States: 0 F, 1 D, 2 X, 3 L, 4 M, 5 S, 6 W, 7 T, 8 P.
        self.arrive.next = self.state.val().get_bit(1);
        self.execute.next = self.state.val().get_bit(2);
        self.last_load.next = self.state.val().get_bit(3);
        self.last_step.next = self.state.val().get_bit(4) & self.muldiv_done.val();
        self.sleep.next = self.state.val().get_bit(5);
        self.receive.next = self.state.val().get_bit(7);
        self.second.next = self.state.val().get_bit(8);

        // D: an interrupt goes before the fault of the fetch. While a load is completed in the same
        // cycle, the interrupt waits for the next one, so that at most one thing retires or traps
        // in a cycle; what arrived then could be fetched.
        self.alone.next = self.last_load.val() & !self.arrive.val();
        self.late.next = self.last_load.val() & self.arrive.val() & self.interrupt.val();
        self.at_arrival.next =
            self.arrive.val() & !self.last_load.val() & (self.interrupt.val() | self.fetch_fault.val());

        // X: `clean` instructions have no fault of their own; an access still has to be translated.
        self.memory.next = self.load.val() | self.store.val();
        self.forbidden.next =
            self.illegal.val() | (self.csr.val() & self.csr_illegal.val()) | (self.mret.val() & self.user.val());
        self.clean.next = self.execute.val()
            & !self.forbidden.val()
            & !self.ecall.val()
            & !self.ebreak.val()
            & !self.jump_misaligned.val()
            & !(self.memory.val() & self.data_misaligned.val());
        self.access.next = self.clean.val() & self.memory.val();
        self.fault.next = self.page_fault.val() | self.access_fault.val();
        self.at_execute.next = (self.execute.val() & !self.clean.val()) | (self.access.val() & self.fault.val());
        self.loading.next = self.access.val() & self.load.val() & !self.miss.val() & !self.fault.val();
        self.stored.next = self.access.val() & self.store.val() & !self.miss.val() & !self.fault.val();
        self.done.next = self.clean.val() & !self.memory.val() & !self.muldiv.val();
        self.stalled.next = self.stored.val() & !self.pair.val() & self.stall.val();
        // A pair goes on to its second half; X has seen to it that nothing is in its way.
        self.to_p.next = self.pair.val() & (self.loading.val() | self.stored.val());
        self.to_l.next = (self.loading.val() & !self.pair.val()) | (self.second.val() & self.load.val());
        self.passed.next =
            (self.stored.val() & !self.pair.val() & !self.stall.val()) | (self.second.val() & self.store.val());
        // A load or store gives the port back to the instruction after it, or that one is there already.
        self.leaves.next = self.to_l.val() | self.passed.val();

        // T.
        self.walked.next = self.receive.val() & self.walk_good.val();
        self.at_walk.next = self.receive.val() & !self.walk_good.val() & !self.walk_fetch.val();

        // Every cycle that asks for an instruction ends in D, or in a walk.
        self.asks.next = self.state.val().get_bit(0)
            | (self.done.val() & !self.mret.val() & !self.wfi.val())
            | self.alone.val()
            | self.last_step.val()
            | (self.sleep.val() & self.wake.val());
        self.got.next = self.asks.val() & !self.miss.val();
        self.trapping.next = self.at_arrival.val() | self.at_execute.val() | self.at_walk.val();
        self.retiring.next = self.done.val() | self.last_load.val() | self.last_step.val() | self.passed.val();

        // Cause.
        self.cause.next = 0.into();
        if self.arrive.val() {
            if self.interrupt.val() {
                self.cause.next = bit_cast::<5, 4>(self.interrupt_cause.val()) | 16;
            } else if self.fetch_denied.val() {
                self.cause.next = 1.into();
            } else {
                self.cause.next = 12.into();
            }
        } else if self.receive.val() {
            self.cause.next = 13.into();
            if self.store.val() {
                self.cause.next = 15.into();
            }
        } else if self.forbidden.val() {
            self.cause.next = 2.into();
        } else if self.ecall.val() {
            self.cause.next = 11.into();
            if self.user.val() {
                self.cause.next = 8.into();
            }
        } else if self.ebreak.val() {
            self.cause.next = 3.into();
        } else if self.memory.val() {
            if self.data_misaligned.val() {
                self.cause.next = 4.into();
            } else if self.page_fault.val() {
                self.cause.next = 13.into();
            } else {
                self.cause.next = 5.into();
            }
            // The causes of stores are those of loads plus two.
            if self.store.val() {
                self.cause.next = self.cause.val() | 2;
            }
        }
        self.tval_pc.next = (self.arrive.val() & !self.interrupt.val()) | (self.execute.val() & self.ebreak.val());
        self.tval_instruction.next = self.execute.val() & self.forbidden.val();
        self.tval_va.next =
            self.receive.val() | (self.execute.val() & (self.memory.val() | self.jump_misaligned.val()));

        // The next state.
        self.to_f.next = !self.state.val().any()
            | self.trapping.val()
            | (self.passed.val() & !self.ahead.val())
            | (self.done.val() & self.mret.val())
            | (self.walked.val() & self.walk_fetch.val());
        self.to_d.next = self.got.val()
            | (self.receive.val() & self.walk_fetch.val() & !self.walk_good.val())
            | (self.leaves.val() & self.ahead.val())
            | self.late.val();
        self.to_x.next = (self.arrive.val() & !self.at_arrival.val() & !self.late.val())
            | self.stalled.val()
            | (self.walked.val() & !self.walk_fetch.val());
        self.to_m.next =
            (self.clean.val() & self.muldiv.val()) | (self.state.val().get_bit(4) & !self.muldiv_done.val());
        self.to_s.next = (self.done.val() & self.wfi.val()) | (self.sleep.val() & !self.wake.val());
        self.to_w.next = (self.asks.val() | self.access.val()) & self.miss.val();
        self.next_state.next = bit_cast::<9, 1>(self.to_f.val().into())
            | (bit_cast::<9, 1>(self.to_d.val().into()) << 1)
            | (bit_cast::<9, 1>(self.to_x.val().into()) << 2)
            | (bit_cast::<9, 1>(self.to_l.val().into()) << 3)
            | (bit_cast::<9, 1>(self.to_m.val().into()) << 4)
            | (bit_cast::<9, 1>(self.to_s.val().into()) << 5)
            | (bit_cast::<9, 1>(self.to_w.val().into()) << 6)
            | (bit_cast::<9, 1>(self.state.val().get_bit(6).into()) << 7)
            | (bit_cast::<9, 1>(self.to_p.val().into()) << 8);
        // Kept through W for T.
        self.next_walk_fetch.next = self.asks.val() | (self.walk_fetch.val() & self.state.val().get_bit(6));
        self.next_fetch_fault.next = (self.asks.val() & self.fault.val()) | self.receive.val();
        self.next_fetch_denied.next = self.asks.val() & self.access_fault.val();

        self.passes.next = self.arrive.val() & !self.at_arrival.val() & !self.late.val();
        self.next_ahead.next = !self.miss.val() & !self.fault.val();
        self.moves_on.next = self.passed.val() | (self.to_l.val() & self.ahead.val());
        self.next_held.next = (self.leaves.val() & self.ahead.val()) | self.late.val();

        self.read.next = ((self.got.val() | self.arrive.val()) & !self.miss.val() & !self.fault.val())
            | self.loading.val()
            | self.to_l.val()
            | self.state.val().get_bit(6);
        self.write.next = self.stored.val() | (self.second.val() & self.store.val());
        self.moves.next = self.asks.val() | self.done.val() | self.moves_on.val() | !self.state.val().any();
        self.trap.next = self.trapping.val();
        self.trap_cause.next = self.cause.val();
        self.retire.next = self.retiring.val();
        self.half.next = (self.stored.val() & self.pair.val()) | (self.second.val() & self.load.val());
        self.write_rd.next = (self.retiring.val() | self.second.val()) & self.writes_rd.val();
        self.csr_commit.next = self.done.val() & self.csr.val();
        self.return_commit.next = self.done.val() & self.mret.val();
        self.muldiv_start.next = self.clean.val() & self.muldiv.val();
        self.fill.next = self.walked.val();
    }
}
