//! The monitor by arithmetic: what `hdl/src/monitor/` does, advanced when someone looks.
//!
//! Processors may run ahead of each other within a window of [`LOOKAHEAD`] cycles, so three clocks run here:
//!
//! - the **poller** (MMI and bus) stands at the cycle given to [`Monitor::advance`]. What it does in window *w*
//!   depends only on what was stored before the first cycle of window *w* - 1;
//! - each **SMI** stands at the cycle of its processor's last access, or behind it. It learns of
//!   the pops that the poller has already decided on from a list of their cycles;
//! - the master's **queue** is looked at as of any recent cycle, for every word carries the cycle it was written in.
//!
//! Cycles between events are skipped by arithmetic: a monitor with nothing queued costs a few
//! comparisons however long it is advanced. `docs/monitor.md` is the contract;
//! `sim/tests/monitor.rs` holds this model to the RTL.

mod clock;
mod filter;
mod floor;
mod late;
mod parts;
mod poller;
mod port;
mod smi;
mod user;

use crate::engine::{SmiCounters, TraceWord};
use clock::Clock;
use late::{horizon, seen_from};
use poller::Poller;
use smi::{Smi, StoreOutcome, HISTORY};
use testbed_definitions::filter::Command;
use testbed_definitions::map::{mmi, smi as smi_map};
use testbed_definitions::timing::LOOKAHEAD;
use testbed_machine::Machine;
pub use user::Part;

/// In fewer cycles there is at most one wrap.
const EASY_CYCLES: u64 = 1 << 16;

/// A store to EVENT or USER_EVENT is not done with: the core repeats its X cycle with the same store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// The same store would stall in every cycle before this one as well; later than the cycle asked about.
    /// A core may repeat its X cycle up to here without asking.
    pub retry: u64,
}

/// A store to an SMI that the monitor does not know yet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Event {
    pub cycle: u64,
    pub processor: usize,
    pub offset: u32,
    pub value: u32,
}

/// The whole monitor of one machine.
///
/// Cycles of calls for one processor must not decrease, and a cycle's one access is reported once.
/// Calls dated `cycle` need everything that other processors stored before window `cycle / 32 - 1` to be reported.
#[derive(Clone, Debug)]
pub struct Monitor {
    clock: Clock,
    smis: Vec<Smi>,
    poller: Poller,
    /// Window of the last command.
    commanded: Option<u64>,
    /// The poller takes nothing before this cycle, whatever SMIs do by themselves; what is stored in time moves it.
    asleep: u64,
}

impl Monitor {
    /// The monitor at the start of cycle 0. `machine` is a validated description.
    pub fn new(machine: &Machine) -> Self {
        let count = machine.slaves();
        Monitor {
            clock: Clock::new(machine.tick_cycles),
            smis: (0..count).map(|_| Smi::new(machine.smi_queue)).collect(),
            poller: Poller::new(machine),
            commanded: None,
            asleep: 0,
        }
    }

    /// Does everything that poller and bus do in cycles before `until`, and the SMIs by themselves
    /// as far as that needs it.
    ///
    /// The caller guarantees that all stores of cycles before `until` - [`LOOKAHEAD`] are reported.
    /// Going back does nothing.
    pub fn advance(&mut self, until: u64) {
        if until <= self.asleep {
            self.poller.rest(until);
            return;
        }
        if self.is_easy(until) {
            for smi in &mut self.smis {
                smi.advance(horizon(until), &self.clock);
            }
            self.poller.advance(until, &mut self.smis, &self.clock);
            self.asleep = self.poller.idle_until(&mut self.smis, &self.clock);
        }
        while self.poller.now() < until {
            let now = self.poller.now();
            for smi in &mut self.smis {
                smi.advance(horizon(now), &self.clock);
            }
            let window_end = (now / LOOKAHEAD + 1) * LOOKAHEAD;
            let idle = self.poller.idle_until(&mut self.smis, &self.clock);
            self.poller.advance(until.min(window_end.max(idle)), &mut self.smis, &self.clock);
            self.asleep = idle;
        }
        if self.clock.has_past() {
            // An SMI that nobody looked at for long is still there.
            let least = self.smis.iter().map(Smi::now).min().unwrap_or(until);
            self.clock.forget(least.saturating_sub(1).min(until.saturating_sub(HISTORY)));
        }
    }

    /// Whether nothing that SMIs do before cycle `until` depends on what is taken from them, so that
    /// they can come there first.
    fn is_easy(&self, until: u64) -> bool {
        until.saturating_sub(self.poller.now()) < EASY_CYCLES && self.can_lead(|_| 0)
    }

    /// Whether SMIs can store so many events each, for less than a wrap, ahead of what the MMI takes.
    fn can_lead(&self, events: impl Fn(usize) -> usize) -> bool {
        let roomy = |(index, smi): (usize, &Smi)| smi.has_room_for(events(index + 1) as u32);
        self.poller.takes_in_turn() && self.smis.iter().enumerate().all(roomy)
    }

    /// Something happens in `cycle` that the poller may see.
    fn wake(&mut self, cycle: u64) {
        self.asleep = self.asleep.min(seen_from(cycle));
    }

    /// A store by processor `smi` (1..) to offset `offset` of its SMI in X-cycle `cycle`.
    ///
    /// # Errors
    /// [`Stall`] if the core has to repeat the X cycle; of a store to EVENT nothing was stored then.
    pub fn smi_store(&mut self, smi: usize, offset: u32, value: u32, cycle: u64) -> Result<(), Stall> {
        self.advance(cycle);
        self.wake(cycle);
        let known = self.poller.now();
        let Some(unit) = smi.checked_sub(1).and_then(|i| self.smis.get_mut(i)) else { return Ok(()) };
        unit.advance(cycle, &self.clock);
        match unit.write(offset, value, &self.clock) {
            StoreOutcome::Done => Ok(()),
            StoreOutcome::Stalled => Err(Stall { retry: unit.stalls_until(known).max(cycle + 1) }),
            StoreOutcome::GoesOn(retry) => Err(Stall { retry }),
        }
    }

    /// Stores to EVENT and USER_EVENT before cycle `until`, for which no queue is waited for, in order of
    /// their cycles.
    pub fn smi_events(&mut self, events: &[Event], until: u64) {
        if !self.can_lead(|smi| events.iter().filter(|event| event.processor == smi).count()) {
            for event in events {
                let taken = self.smi_store(event.processor, event.offset, event.value, event.cycle);
                let is_whole = taken.is_ok() || event.offset == smi_map::USER_EVENT;
                debug_assert!(is_whole, "who may stall does not run ahead");
            }
            return;
        }
        // What the MMI takes meanwhile decides nothing, so it may come after them.
        for event in events {
            self.wake(event.cycle);
            let Some(unit) = event.processor.checked_sub(1).and_then(|i| self.smis.get_mut(i)) else { continue };
            unit.advance(event.cycle, &self.clock);
            unit.write(event.offset, event.value, &self.clock);
        }
        for smi in &mut self.smis {
            smi.advance(until, &self.clock);
        }
    }

    /// Where a store to USER_EVENT by processor `smi` stands, as far as the monitor has been told;
    /// `None` if it would do nothing.
    pub fn user_part(&self, smi: usize) -> Option<Part> {
        smi.checked_sub(1).and_then(|i| self.smis.get(i)).and_then(|smi| smi.user.part())
    }

    /// Whether a store to EVENT by processor `smi` (1..) may stall.
    pub fn may_stall(&self, smi: usize) -> bool {
        smi.checked_sub(1).and_then(|i| self.smis.get(i)).is_some_and(Smi::stalls)
    }

    /// A load by processor `smi` (1..) with its read strobe in `cycle`.
    pub fn smi_load(&mut self, smi: usize, offset: u32, cycle: u64) -> u32 {
        self.advance(cycle);
        let Some(unit) = smi.checked_sub(1).and_then(|i| self.smis.get_mut(i)) else { return 0 };
        unit.advance(cycle, &self.clock);
        unit.load(offset & !3, &self.clock)
    }

    /// A store by the master to offset `offset` of the MMI in X-cycle `cycle`.
    pub fn mmi_store(&mut self, offset: u32, value: u32, cycle: u64) {
        self.wake(cycle);
        match offset & !3 {
            mmi::TICK_CYCLES => self.clock.set_tick(value, cycle),
            mmi::COMMAND => self.command(Command::unpack(value), cycle),
            offset => self.poller.store(offset, value, cycle),
        }
    }

    /// A store to COMMAND: the first one of its window goes out.
    fn command(&mut self, command: Command, cycle: u64) {
        let window = cycle / LOOKAHEAD;
        if self.commanded.replace(window) == Some(window) {
            return;
        }
        for (i, smi) in self.smis.iter_mut().enumerate() {
            if command.smi == 0 || usize::from(command.smi) == i + 1 {
                smi.command(command, seen_from(cycle));
            }
        }
    }

    /// A load by the master with its read strobe in `cycle`. A load of DATA takes the word.
    pub fn mmi_load(&mut self, offset: u32, cycle: u64) -> u32 {
        self.advance(cycle);
        match offset & !3 {
            mmi::DATA => {
                self.wake(cycle);
                self.poller.pop(cycle)
            }
            mmi::STATUS => {
                let busy = self.commanded == Some(cycle / LOOKAHEAD);
                self.poller.load(mmi::STATUS, cycle) | if busy { mmi::STATUS_COMMAND_BUSY } else { 0 }
            }
            mmi::TICK_CYCLES => self.clock.programmed(),
            offset @ mmi::DELIVERED..0x80 => {
                let smi = ((offset - mmi::DELIVERED) / 4) as usize;
                smi.checked_sub(1).and_then(|i| self.smis.get(i)).map_or(0, |s| s.delivered(cycle))
            }
            offset => self.poller.load(offset, cycle),
        }
    }

    /// Words that left by the trace port in cycles before the one advanced to, since the last call.
    pub fn take_trace(&mut self) -> Vec<TraceWord> {
        self.poller.take_trace()
    }

    /// Words in the trace port's FIFO at the start of `cycle`; to be advanced to `cycle` before.
    pub fn port_queued(&self, cycle: u64) -> u32 {
        self.poller.port_queued(cycle)
    }

    /// Counters of SMI `smi` (1..) in their state at the start of `cycle`; to be advanced to `cycle` before.
    /// Zeros for an SMI that is not there.
    pub fn counters(&self, smi: usize, cycle: u64) -> SmiCounters {
        let Some(unit) = smi.checked_sub(1).and_then(|i| self.smis.get(i)) else { return SmiCounters::default() };
        let mut unit = unit.clone();
        unit.advance(cycle, &self.clock);
        SmiCounters { delivered: unit.delivered(cycle), ..unit.counters() }
    }

    /// A cycle, not before the one advanced to, until which nothing observable happens without a
    /// further store: no trace word appears that is not decided already, and no register but TIME
    /// changes. With nothing queued the next wrap cycle, or the next cycle in which a filter's
    /// total is due.
    pub fn quiet_until(&mut self) -> u64 {
        let now = self.poller.now();
        let mut quiet = self.poller.idle_until(&mut self.smis, &self.clock);
        for smi in &mut self.smis {
            if smi.is_moving() {
                return now;
            }
            quiet = quiet.min(smi.alone_from_now(&self.clock));
        }
        quiet.max(now)
    }
}
