//! What the agent is told while it counts, and what requests to move threads wait for.

use testbed_definitions::event::{self, DIAG_READY};
use testbed_definitions::ids::{Processor, ThreadNumber};
use testbed_protocol::channel::Ccb;

use crate::arch::hw::{self, Vector};
use crate::drivers::events::{self, AWAITING, COUNTING, YIELDS};
use crate::state::effects::{COPIED, MOVES};
use crate::state::extended::agent::{LOCAL_CYCLES, LONG_YIELD_CYCLES, REMOTE_CYCLES, REMOTE_DELAY, YIELD_CYCLES};
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::state::thread::Tcb;

/// Whether a yield need tell nobody, but for what is counted.
fn yields_quickly() -> bool {
    !policy::tos94() && !events::enabled(YIELDS)
}

impl Kernel {
    /// A thread joins the ready queue: who looks at class `ready`, and requests that wait for one
    /// are told.
    #[inline(never)]
    pub fn joins_ready(&mut self, tcb: &Tcb) {
        events::emit(DIAG_READY, tcb.number().bits() | event::SCHEDULE);
        if events::enabled(AWAITING) {
            self.effects.note(MOVES);
        }
    }

    /// Begins to count, or stops.
    pub fn count(&mut self, on: bool, now: u64) {
        if on {
            self.agent.open_window(now);
        }
        if on != events::enabled(COUNTING) {
            events::watch(COUNTING, on);
            self.choose_vector();
        }
    }

    /// Chooses where traps lead, by the classes and whether it counts.
    pub fn choose_vector(&self) {
        let on = events::enabled(COUNTING);
        hw::set_vector(match on {
            true => Vector::Counting,
            false if yields_quickly() => Vector::Quick,
            false => Vector::Plain,
        });
    }

    /// A thread has yielded.
    #[inline]
    pub fn count_yield(&mut self) {
        let cycles = if yields_quickly() { YIELD_CYCLES } else { LONG_YIELD_CYCLES };
        self.spend(cycles, cycles);
    }

    /// A communication or a yield has been counted, which has cost so many cycles and delayed threads by
    /// so many: the window closes if that was its last one.
    #[inline]
    fn spend(&mut self, cost: u32, delay: u32) {
        if self.agent.spend(cost, delay) {
            self.stop_counting();
        }
    }

    /// The window closes before its time.
    #[cold]
    #[inline(never)]
    fn stop_counting(&mut self) {
        let now = hw::now();
        self.agent.close_window(now);
        self.count(false, now);
    }

    /// The thread goes on while the agent counts.
    #[inline(never)]
    pub fn begin_counting(&mut self, tcb: &Tcb) {
        self.agent.record(tcb);
        tcb.measured().start();
    }

    /// Two threads of this processor have communicated and are ready: what is to be done then is left
    /// for later.
    #[inline(always)]
    pub fn leave_for_load(&mut self, one: &Tcb, other: &Tcb, bytes: u32) {
        if events::enabled(AWAITING) {
            self.effects.note(MOVES);
            for tcb in [one, other] {
                tcb.measured().led_to(self.me);
            }
        }
        if events::enabled(COUNTING) {
            self.agent.copied = [one.address(), other.address(), bytes];
            self.effects.note(COPIED);
        }
    }

    /// Two threads of this processor have communicated:
    /// [`Agent::copied`](crate::state::extended::agent::Agent::copied).
    #[cold]
    #[inline(never)]
    pub fn count_copied(&mut self) {
        self.effects.done(COPIED);
        let [one, other, bytes] = self.agent.copied;
        let (one, other) = (Tcb::at(self.tcbs, one), Tcb::at(self.tcbs, other));
        for (tcb, partner) in [(one, other), (other, one)] {
            if let Some(record) = self.agent.record(tcb) {
                record.note(partner.number(), self.me, bytes);
            }
        }
        self.spend(LOCAL_CYCLES, LOCAL_CYCLES);
    }

    /// A thread has sent a message to another processor, or received one: that is counted, or only
    /// where it led is noted, for requests that wait for a thread which communicates over a link.
    #[inline(never)]
    pub fn count_remote(&mut self, tcb: &Tcb, bytes: u32, sends: bool) {
        let &mut Ccb { sender_thread, receiver_thread, to, from, .. } = tcb.process().ccb(tcb.channel());
        let (partner, place) = if sends { (receiver_thread, to) } else { (sender_thread, from) };
        if !events::enabled(COUNTING) {
            self.agent.record(tcb);
            tcb.measured().led_to(place);
            return;
        }
        if sends {
            self.agent.sent(place, bytes);
        }
        if let Some(record) = self.agent.record(tcb) {
            record.note(partner, place, bytes);
        }
        self.spend(REMOTE_CYCLES, REMOTE_DELAY);
    }

    /// A thread is created here, and is to start here: where it starts.
    #[inline]
    pub fn birthplace(&mut self) -> Processor {
        self.moves.requests.birthplace(hw::now).unwrap_or(self.me)
    }

    /// Whether requests wait for threads, or threads leave for requests.
    #[inline]
    pub fn has_requests(&self) -> bool {
        self.moves.are_leaving() || events::enabled(AWAITING)
    }

    /// A thread has left, maybe for a request: the answer is left for the main loop.
    #[cold]
    #[inline(never)]
    pub fn gone_for_request(&mut self, thread: ThreadNumber) {
        if self.moves.gone(thread) {
            self.effects.note(MOVES);
        }
    }

    /// A thread is not here any more: likewise.
    #[cold]
    #[inline(never)]
    pub fn ended_for_request(&mut self, thread: ThreadNumber) {
        if self.moves.ended(thread) {
            self.effects.note(MOVES);
        }
    }

    /// When the first request expires, `u64::MAX` if none waits.
    pub fn moves_due(&self) -> u64 {
        match events::enabled(AWAITING) {
            true => self.moves.requests.due().unwrap_or(u64::MAX),
            false => u64::MAX,
        }
    }

    /// Notes that requests have to be looked at, if any has expired.
    pub fn look_at_moves(&mut self, now: u64) {
        if now >= self.moves_due() {
            self.effects.note(MOVES);
        }
    }

    /// The thread's control block is free again.
    #[inline]
    pub fn forget_measured(&mut self, tcb: &Tcb) {
        self.agent.forget(tcb);
    }
}
