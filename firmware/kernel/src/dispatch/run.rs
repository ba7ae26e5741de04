//! The main loop: what goes on between threads.
//!
//! A thread runs until it calls, faults or is interrupted; the service of that ends in
//! [`Kernel::go_on`] with who runs next. With no thread ready the processor sleeps. Inside the
//! kernel interrupts are never taken, so nothing in it runs twice at a time.
//!
//! Packets interrupt the running thread; they are served, what they queue is handed to Centrenet at
//! once, and the thread goes on within its time-slice. With the option `tos94` all happens as in
//! the report (section 3.2.1), in a main loop:
//!
//! 1. *send*: packets that are queued are passed to Centrenet;
//! 2. *receive*: packets that have arrived are served;
//! 3. *schedule*: the thread at the front of the ready queue runs until it calls or its time-slice
//!    ends;
//! 4. *service*: what it asked for is done.

use testbed_definitions::{csr, event, map};

use crate::arch::hw;
use crate::drivers::events::{self, Classes};
use crate::state::effects::{BY_REPORT, COPIED, KEEPING, MOVES, STOPPED};
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::variant::{self, hot};

impl Kernel {
    /// The main loop: the address of the next thread's control block. That may be `interrupted`,
    /// which goes on within its time-slice.
    #[inline(always)]
    pub fn next(&mut self, mut interrupted: u32) -> u32 {
        self.effects.done(STOPPED);
        loop {
            if policy::tos94() {
                self.send_phase();
            }
            self.receive_phase();
            if variant::IN_LINE && !self.effects.has_any() {
                // As a rule there is nothing but a thread that is ready.
                if let Some(next) = self.go_on_at_once(interrupted) {
                    return next;
                }
                interrupted = 0;
                self.idle();
                continue;
            }
            if self.effects.has(MOVES) {
                self.serve_moves();
            }
            let keeping = self.is_keeping();
            if keeping {
                self.put_keeper_first(interrupted);
            }
            if let Some(tcb) = self.ready.front(self.tcbs) {
                let next = self.ready.address();
                if next == interrupted {
                    events::emit(event::DIAG_PROFILE, tcb.number().bits() | event::SCHEDULE);
                    if keeping {
                        self.watch_keeper();
                    }
                    return next;
                }
                self.schedule(!policy::tos94());
                if !(keeping && self.watch_keeper()) {
                    self.set_slice_timer();
                }
                return next;
            }
            interrupted = 0;
            self.idle();
        }
    }

    /// The first of the ready threads goes on, or `interrupted` does: where nothing is noted.
    #[inline(always)]
    fn go_on_at_once(&mut self, interrupted: u32) -> Option<u32> {
        let next = self.ready.address();
        if next == 0 {
            return None;
        }
        if next == interrupted {
            events::emit(event::DIAG_PROFILE, self.tcb_at(next).number().bits() | event::SCHEDULE);
        } else {
            self.schedule(true);
            self.set_slice_timer();
        }
        Some(next)
    }

    hot! {
        /// After the service of a call: the address of the next thread's control block, 0 if the
        /// main loop has to find it.
        pub fn go_on(&mut self) -> u32 {
            self.go_on_with(Classes::now())
        }
    }

    /// [`Self::go_on`], with the classes that are enabled.
    #[inline(always)]
    pub fn go_on_with(&mut self, classes: Classes) -> u32 {
        if self.is_held_up() {
            return if self.effects.has(BY_REPORT) && !self.effects.has(COPIED) { 0 } else { self.go_on_busy() };
        }
        self.begin_turn(classes, false)
    }

    /// As [`Self::go_on`] where there is something to do for the station, or for a page that is
    /// kept, or the policy is the report's.
    #[inline(never)]
    fn go_on_busy(&mut self) -> u32 {
        // As a rule there is only something to transmit.
        if self.effects.has_any() {
            if self.effects.has(COPIED) {
                self.count_copied();
                if !self.is_busy() {
                    return if policy::tos94() { 0 } else { self.schedule(false) };
                }
            }
            if policy::tos94() || self.effects.has(MOVES) {
                // To the main loop; before threads move, the caller's registers have to be saved.
                return 0;
            }
            self.effects.done(STOPPED);
        }
        self.hand_over();
        let keeping = self.is_keeping();
        if keeping {
            self.put_keeper_first(0);
        }
        let next = self.schedule(true);
        if keeping {
            self.watch_keeper();
        }
        next
    }

    hot! {
        /// The first of the ready threads has a new time-slice; 0 if there is none. `resuming`: if
        /// it stopped within one, to wait for a page or for a thread for which a page had come, it
        /// has what is left of that.
        fn schedule(&mut self, resuming: bool) -> u32 {
            self.begin_turn(Classes::now(), resuming)
        }
    }

    hot! {
        /// [`Self::schedule`], with the classes that are enabled.
        fn begin_turn(&self, classes: Classes, resuming: bool) -> u32 {
            let first = self.ready.address();
            if first == 0 {
                return 0;
            }
            let tcb = self.tcb_at(first);
            if !variant::IN_LINE || classes.has(event::DIAG_READY | event::DIAG_PROFILE) {
                classes.emit(event::DIAG_READY, tcb.number().bits());
                classes.emit(event::DIAG_PROFILE, tcb.number().bits() | event::SCHEDULE);
            }
            tcb.begin_slice(hw::now_low(), resuming);
            first
        }
    }

    /// The timer has interrupted the first of the ready threads. `true`: it goes on.
    pub fn timer_interrupt(&mut self) -> bool {
        let interrupted = self.ready.address();
        if self.effects.has(KEEPING) {
            self.look_at_keeper();
        }
        let over = self.serve_timer();
        if self.effects.has(MOVES) {
            self.serve_moves();
        }
        if !policy::tos94() && self.is_busy() {
            self.hand_over();
        }
        if self.is_keeping() {
            self.put_keeper_first(if over { 0 } else { interrupted });
        }
        let goes_on = !over && self.ready.address() == interrupted;
        if goes_on && !(self.is_keeping() && self.watch_keeper()) {
            self.set_slice_timer();
        }
        goes_on
    }

    /// Nothing is ready: sleep until a packet arrives or something of our own is due.
    fn idle(&mut self) {
        self.console.fill();
        if !policy::tos94() && self.is_busy() {
            self.send_phase();
        } else {
            // A page that has just come for a thread that does not want it any more is others'.
            if self.effects.has(KEEPING) {
                self.release_pages();
            }
            if self.net.can_issue() {
                return;
            }
        }
        // What has just left may have made a thread ready.
        if self.ready.nothing().is_none() {
            return;
        }
        let ended = self.exit_code.is_some();
        if ended && self.net.is_quiet() && self.console.is_silent() {
            if let Some(code) = self.exit_code.take() {
                hw::write(map::SYSTEM_BASE, map::system::EXIT, code);
            }
        }
        self.set_idle_timer();
        if !self.is_stuck() {
            hw::enable_interrupts(csr::INTERRUPT_TIMER | csr::INTERRUPT_EXTERNAL);
        }
        if let Some(nothing) = self.ready.nothing() {
            hw::sleep(nothing);
        }
        self.enable_user_interrupts();
        self.serve_time();
    }
}
