//! What each cycle does: faults, commits, the next state.

use rust_hdl::prelude::*;

/// The pipelined core's combinational control: from the state and everything that was found out in
/// this cycle, what is committed and which state comes next.
///
/// ```text
///   state, ahead, again, ...    +-----------+-> next_state, next fault of a fetch
///   class of the instruction    |  Control  |-> read, write, takes
///   mmu, csr, stall ----------->+-----------+-> moves, trap (and its cause), commits
/// ```
///
/// The times are those of `docs/pipeline.md`.
#[derive(LogicBlock, Default)]
pub struct Control {
    /// One bit a state, see [`crate::core::state`]; all zero is R.
    pub state: Signal<In, Bits<9>>,
    /// This X has come before: it follows a walk or a stall.
    pub again: Signal<In, Bit>,
    /// The walk under way is for a fetch.
    pub walk_fetch: Signal<In, Bit>,
    /// The instruction could not be fetched.
    pub fetch_fault: Signal<In, Bit>,
    /// It was an access fault, else a page fault.
    pub fetch_denied: Signal<In, Bit>,
    /// The instruction divides.
    pub divide: Signal<In, Bit>,
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
    /// The instruction, in X, does not go on to the word after it.
    pub jumps: Signal<In, Bit>,
    /// The word after it has to be fetched anew.
    pub breaks: Signal<In, Bit>,
    /// The next instruction needs what this one has only in the cycle after its last.
    pub waits: Signal<In, Bit>,
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
    /// The address of a load or store goes through the page map.
    pub translated: Signal<In, Bit>,
    pub walk_good: Signal<In, Bit>,
    /// An untranslated access is of a device.
    pub device: Signal<In, Bit>,
    /// This M is the last.
    pub divided: Signal<In, Bit>,
    pub stall: Signal<In, Bit>,
    pub next_state: Signal<Out, Bits<9>>,
    /// The next instruction arrives in this cycle and goes to X.
    pub takes: Signal<Out, Bit>,
    /// Its word is asked for.
    pub starts: Signal<Out, Bit>,
    /// The instruction stays in X, or comes back to it, or goes on to P or M.
    pub keeps: Signal<Out, Bit>,
    pub next_again: Signal<Out, Bit>,
    /// A store is made, and over.
    pub wrote: Signal<Out, Bit>,
    pub next_walk_fetch: Signal<Out, Bit>,
    pub next_fetch_fault: Signal<Out, Bit>,
    pub next_fetch_denied: Signal<Out, Bit>,
    /// The port is read.
    pub read: Signal<Out, Bit>,
    /// The port is written (or would be, but for `stall`).
    pub write: Signal<Out, Bit>,
    /// The load, or store, would be of a device, if there is one at its address.
    pub device_read: Signal<Out, Bit>,
    pub device_write: Signal<Out, Bit>,
    /// The pc takes its next value. Not with `trap`.
    pub moves: Signal<Out, Bit>,
    pub trap: Signal<Out, Bit>,
    /// The trap is of an instruction that was not looked at: an interrupt, or a fault of its fetch.
    pub unseen: Signal<Out, Bit>,
    /// Bit 4: interrupt; bits 3:0: the code.
    pub trap_cause: Signal<Out, Bits<5>>,
    /// `mtval` is the instruction, or the virtual address of this cycle, which is the pc where there is no
    /// other; neither: 0.
    pub tval_instruction: Signal<Out, Bit>,
    pub tval_va: Signal<Out, Bit>,
    /// An instruction retires.
    pub retire: Signal<Out, Bit>,
    /// The first half of a pair is committed.
    pub half: Signal<Out, Bit>,
    pub csr_commit: Signal<Out, Bit>,
    pub return_commit: Signal<Out, Bit>,
    pub fill: Signal<Out, Bit>,
    arrive: Signal<Local, Bit>,
    execute: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    stalled: Signal<Local, Bit>,
    last_step: Signal<Local, Bit>,
    sleep: Signal<Local, Bit>,
    receive: Signal<Local, Bit>,
    interrupted: Signal<Local, Bit>,
    passed_over: Signal<Local, Bit>,
    forbidden: Signal<Local, Bit>,
    memory: Signal<Local, Bit>,
    possible: Signal<Local, Bit>,
    computes: Signal<Local, Bit>,
    access: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    fault: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    sequel: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    passed: Signal<Local, Bit>,
    loading: Signal<Local, Bit>,
    walked: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    at_execute: Signal<Local, Bit>,
    at_walk: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    taking: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    got: Signal<Local, Bit>,
    trapping: Signal<Local, Bit>,
    ended: Signal<Local, Bit>,
    cause: Signal<Local, Bits<5>>,
    to_f: Signal<Local, Bit>,
    to_d: Signal<Local, Bit>,
    to_x: Signal<Local, Bit>,
    to_m: Signal<Local, Bit>,
    to_s: Signal<Local, Bit>,
    to_w: Signal<Local, Bit>,
    to_p: Signal<Local, Bit>,
}

impl Logic for Control {
    #[hdl_gen]
    fn update(&mut self) {
        // States: 0 F, 1 D, 2 X, 4 M, 5 S, 6 W, 7 T, 8 P.
        self.arrive.next = self.state.val().get_bit(1);
        self.execute.next = self.state.val().get_bit(2);
        self.last_step.next = self.state.val().get_bit(4) & self.divided.val();
        self.sleep.next = self.state.val().get_bit(5);
        self.receive.next = self.state.val().get_bit(7);
        self.second.next = self.state.val().get_bit(8);

        // X: an interrupt goes before a fault of the fetch, and that before what the word could
        // cause. What `computes` has no fault of its own; an `access` still has to be translated.
        self.interrupted.next = self.interrupt.val() & !self.again.val();
        self.passed_over.next = self.interrupted.val() | self.fetch_fault.val();
        self.memory.next = self.load.val() | self.store.val();
        self.forbidden.next =
            self.illegal.val() | (self.csr.val() & self.csr_illegal.val()) | (self.mret.val() & self.user.val());
        self.possible.next = self.execute.val() & !self.passed_over.val() & !self.illegal.val();
        // Loads and stores are told to devices at once: no comparison of registers, no CSR's number is waited for.
        self.access.next = self.possible.val() & self.memory.val() & !self.data_misaligned.val();
        self.computes.next = self.possible.val()
            & !self.memory.val()
            & !self.forbidden.val()
            & !self.ecall.val()
            & !self.ebreak.val()
            & !self.jump_misaligned.val();
        self.fault.next = self.page_fault.val() | self.access_fault.val();
        self.at_execute.next =
            (self.execute.val() & !self.computes.val() & !self.access.val()) | (self.access.val() & self.fault.val());
        self.loading.next = self.access.val() & self.load.val() & !self.miss.val() & !self.fault.val();
        self.stored.next = self.access.val() & self.store.val() & !self.miss.val() & !self.fault.val();
        self.done.next = self.computes.val() & !self.divide.val();
        self.stalled.next = self.stored.val() & !self.pair.val() & self.stall.val();
        // A pair goes on to its second half; X has seen to it that nothing is in its way.
        self.to_p.next = self.pair.val() & (self.loading.val() | self.stored.val());
        self.passed.next = (self.stored.val() & !self.pair.val() & !self.stall.val())
            | (self.loading.val() & !self.pair.val())
            | self.second.val();
        // No word with a device behind it is refused, so neither the TLB nor the fault is asked.
        self.plain.next = self.access.val() & !self.pair.val() & !self.translated.val();

        // T.
        self.walked.next = self.receive.val() & self.walk_good.val();
        self.refused.next = self.receive.val() & !self.walk_good.val() & self.walk_fetch.val();
        self.at_walk.next = self.receive.val() & !self.walk_good.val() & !self.walk_fetch.val();

        // What ends goes on with the word after it, if that is there; in D, if it has to wait. Devices
        // are not accessed in consecutive cycles.
        self.ended.next = self.done.val() | self.passed.val() | self.last_step.val();
        self.sequel.next = self.ended.val() & !self.jumps.val() & !self.mret.val() & !self.wfi.val();
        self.goes_on.next = self.sequel.val() & !self.breaks.val();
        self.late.next = self.waits.val() | (self.plain.val() & self.device.val());
        self.taking.next = self.arrive.val() | (self.goes_on.val() & !self.late.val());
        self.asks.next =
            self.state.val().get_bit(0) | (self.done.val() & self.jumps.val()) | (self.sleep.val() & self.wake.val());
        self.got.next = self.asks.val() & !self.miss.val();
        self.trapping.next = self.at_execute.val() | self.at_walk.val();

        // Cause.
        self.cause.next = 0.into();
        if self.receive.val() {
            self.cause.next = 13.into();
            if self.store.val() {
                self.cause.next = 15.into();
            }
        } else if self.interrupted.val() {
            self.cause.next = bit_cast::<5, 4>(self.interrupt_cause.val()) | 16;
        } else if self.fetch_fault.val() {
            self.cause.next = 12.into();
            if self.fetch_denied.val() {
                self.cause.next = 1.into();
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
        self.unseen.next = self.execute.val() & self.passed_over.val();
        self.tval_instruction.next = self.execute.val() & !self.passed_over.val() & self.forbidden.val();
        self.tval_va.next = self.receive.val()
            | (self.execute.val()
                & !self.interrupted.val()
                & (self.fetch_fault.val() | self.ebreak.val() | self.memory.val() | self.jump_misaligned.val()));

        // The next state.
        self.to_f.next = !self.state.val().any()
            | self.trapping.val()
            | (self.sequel.val() & self.breaks.val())
            | (self.done.val() & self.mret.val())
            | (self.walked.val() & self.walk_fetch.val());
        self.to_d.next = self.got.val() | self.refused.val() | (self.goes_on.val() & self.late.val());
        self.to_x.next = self.taking.val() | self.stalled.val() | (self.walked.val() & !self.walk_fetch.val());
        self.to_m.next =
            (self.computes.val() & self.divide.val()) | (self.state.val().get_bit(4) & !self.divided.val());
        self.to_s.next = (self.done.val() & self.wfi.val()) | (self.sleep.val() & !self.wake.val());
        self.to_w.next = (self.asks.val() | self.access.val()) & self.miss.val();
        self.next_state.next = bit_cast::<9, 1>(self.to_f.val().into())
            | (bit_cast::<9, 1>(self.to_d.val().into()) << 1)
            | (bit_cast::<9, 1>(self.to_x.val().into()) << 2)
            | (bit_cast::<9, 1>(self.to_m.val().into()) << 4)
            | (bit_cast::<9, 1>(self.to_s.val().into()) << 5)
            | (bit_cast::<9, 1>(self.to_w.val().into()) << 6)
            | (bit_cast::<9, 1>(self.state.val().get_bit(6).into()) << 7)
            | (bit_cast::<9, 1>(self.to_p.val().into()) << 8);
        self.next_again.next = self.stalled.val() | (self.walked.val() & !self.walk_fetch.val());
        // Kept through W for T.
        self.next_walk_fetch.next = self.asks.val() | (self.walk_fetch.val() & self.state.val().get_bit(6));
        // Kept through D for X.
        self.next_fetch_fault.next =
            (self.asks.val() & self.fault.val()) | self.refused.val() | (self.arrive.val() & self.fetch_fault.val());
        self.next_fetch_denied.next =
            (self.asks.val() & self.access_fault.val()) | (self.arrive.val() & self.fetch_denied.val());
        self.takes.next = self.taking.val();
        self.starts.next = self.got.val() & !self.fault.val();
        // Of what is known of an access only what is known in time: if it is refused, nothing is kept
        // in vain.
        self.keeps.next = (self.memory.val() & (self.pair.val() | self.miss.val()))
            | (self.store.val() & self.stall.val())
            | self.divide.val();

        self.read.next = (self.got.val() & !self.fault.val())
            | self.loading.val()
            | (self.second.val() & self.load.val())
            | self.state.val().get_bit(6);
        self.write.next = self.stored.val() | (self.second.val() & self.store.val());
        self.wrote.next = self.passed.val() & self.store.val();
        self.device_read.next = self.plain.val() & self.load.val();
        self.device_write.next = self.plain.val() & self.store.val();
        self.moves.next = self.ended.val() | !self.state.val().any();
        self.trap.next = self.trapping.val();
        self.trap_cause.next = self.cause.val();
        self.retire.next = self.ended.val();
        self.half.next = self.to_p.val();
        self.csr_commit.next = self.done.val() & self.csr.val();
        self.return_commit.next = self.done.val() & self.mret.val();
        self.fill.next = self.walked.val();
    }
}
