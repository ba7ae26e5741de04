//! Time: threads that wait for it, the processor's timer, and time-slices.
//!
//! The timer is set to the earliest of all that is due. A time-slice's end is worked out when it
//! interrupts: threads that have yielded since it was set have moved it on, so then it is just set
//! again.

use testbed_definitions::event::{self, DIAG_TIMER};

use crate::arch::hw;
use crate::drivers::events::{self, AWAITING};
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::state::thread::State;
use crate::variant;

/// How soon to look whether the station takes more: while nothing runs, and while a thread does.
const STATION_POLL_IDLE: u64 = 512;
pub const STATION_POLL: u64 = 2048;

impl Kernel {
    /// Those whose time is up.
    fn wake(&mut self, now: u64) {
        if !variant::PAGES_GO {
            return;
        }
        while let Some(index) = self.timers.expired(self.tcbs, now) {
            match self.tcb_of(index).state() {
                State::Delayed => self.finish(index, Ok(0)),
                State::Synchronizing | State::Exchanging => self.round_over(index),
                _ => self.alt_timeout(index),
            }
        }
    }

    /// Sets the timer to what is due next, `end` at the latest.
    fn set_timer(&mut self, now: u64, poll: u64, end: u64) {
        let console = self.console.due(now).unwrap_or(end);
        let station = if self.is_busy() || self.exit_code.is_some() { now + poll } else { end };
        let end = self.input.due().map_or(end, |due| end.min(due));
        let end = if events::is_watched() { end.min(self.agent.alarm) } else { end };
        self.alarm = end.min(console).min(station).min(self.timers.first());
        hw::set_timer(self.alarm);
    }

    /// Sets the timer for the thread that is first in the ready ring, unless it is set for something
    /// that is due before: then there is time to set it when that has interrupted.
    #[inline]
    pub fn set_slice_timer(&mut self) {
        let Some(tcb) = self.ready.front(self.tcbs) else { return };
        let now = hw::now();
        let left = self.slice_cycles.saturating_sub(tcb.time_used(now as u32));
        // 0: it has interrupted, or is about to.
        let ahead = self.alarm.saturating_sub(now);
        if variant::IN_LINE && ahead != 0 && ahead <= left as u64 {
            return;
        }
        if variant::PAGES_GO && self.has_nothing_due() {
            self.alarm = now + left as u64;
            if events::is_watched() {
                self.alarm = self.alarm.min(self.agent.alarm);
            }
            return hw::set_timer(self.alarm);
        }
        self.set_timer_for_slice(now, left);
    }

    /// Something else is due besides the slice's end.
    #[inline(never)]
    fn set_timer_for_slice(&mut self, now: u64, left: u32) {
        // The main loop's send phase is all that the report's kernel does for the station.
        let poll = if policy::tos94() { u64::MAX >> 1 } else { STATION_POLL };
        self.set_timer(now, poll, now + left as u64);
    }

    /// Sets the timer for a sleep. That it is set for the end of a time-slice which is over now does
    /// no harm: most sleeps end before, with a packet, and for who runs then it is set.
    pub fn set_idle_timer(&mut self) {
        let now = hw::now();
        if variant::IN_LINE && self.alarm > now && self.has_nothing_due() && !events::is_watched() {
            return;
        }
        self.set_timer(now, STATION_POLL_IDLE, u64::MAX);
    }

    /// Whether the timer is wanted for nothing but time-slices, and what is [`events::is_watched`].
    #[inline(always)]
    fn has_nothing_due(&self) -> bool {
        !self.is_busy()
            && self.exit_code.is_none()
            && !self.console.is_waiting()
            && self.timers.is_empty()
            && !self.input.is_wanted()
    }

    /// Bytes have been written: the UART takes what it can, and the rest later.
    pub fn feed_console(&mut self) {
        self.console.fill();
        if let Some(due) = self.console.due(hw::now()) {
            self.want_timer(due);
        }
    }

    /// What is due after a sleep.
    pub fn serve_time(&mut self) {
        if hw::now() >= self.timers.first() {
            self.wake(hw::now());
        }
        self.serve_input();
        // Not sooner: to look when a message has woken the processor is to see little but messages.
        if events::is_watched() && hw::now() >= self.agent.alarm {
            self.serve_agent();
        }
    }

    /// The timer has interrupted the thread that is first in the ready ring. `true`: its time-slice
    /// is over, and it is the last now.
    pub fn serve_timer(&mut self) -> bool {
        let now = hw::now();
        self.console.fill();
        self.serve_input();
        let Some(tcb) = self.ready.front(self.tcbs) else { return true };
        let over = tcb.time_used(now as u32) >= self.slice_cycles;
        if over {
            events::emit(DIAG_TIMER, event::TIMER);
            self.ready.rotate(self.tcbs);
            if events::enabled(event::DIAG_READY | AWAITING) {
                self.joins_ready(tcb);
            }
        }
        self.wake(now);
        if events::is_watched() && now >= self.agent.from {
            self.serve_agent();
        }
        if over {
            events::emit(DIAG_TIMER, event::TIMER_END);
        }
        over
    }
}
