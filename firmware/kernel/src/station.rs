//! Between the kernel and its station: what leaves, and what arrives.

use testbed_definitions::event::{self, DIAG_PROFILE};

use crate::kernel::{Kernel, KEEPING, STUCK};
use crate::{events, hw, options, timers};

impl Kernel {
    /// Whether the station has more to do than it has taken.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.net.is_waiting() || self.has_work() || self.unfinished != 0
    }

    /// Whether more than issuing what waits is to be done for the station.
    #[inline]
    fn has_work(&self) -> bool {
        #[cfg(not(feature = "small"))]
        if self.files_wait {
            return true;
        }
        !self.transmitting.is_empty() || self.parked != 0
    }

    /// Passes to the station what it takes, and comes back to the rest by the timer. What is queued leaves before anything else is done. What has
    /// left is found out later, if it can wait: the answer to what has just been issued may be here soon.
    #[inline]
    pub fn hand_over(&mut self) {
        self.issue();
        if self.is_busy() || self.is_doomed() || self.net.needs_retiring() {
            self.work_for_station();
        }
    }

    #[inline(never)]
    fn work_for_station(&mut self) {
        self.send_phase();
        if self.is_busy() {
            self.want_timer(hw::now() + timers::STATION_POLL);
        }
    }

    pub fn send_phase(&mut self) {
        self.net.retire(&mut self.pages);
        if !self.transmitting.is_empty() {
            self.pump_fragments();
        }
        if self.parked != 0 {
            self.unpark();
        }
        #[cfg(not(feature = "small"))]
        if self.files_wait {
            self.pump_files();
        }
        self.issue();
        #[cfg(not(feature = "small"))]
        if self.unfinished & KEEPING != 0 {
            self.release_pages();
            self.issue();
        }
        if self.is_doomed() {
            self.end_doomed();
            self.issue();
        }
    }

    /// Passes to the station what it takes.
    #[inline]
    pub fn issue(&mut self) {
        while let Some(place) = self.net.issue() {
            if events::enabled(DIAG_PROFILE) {
                let (header, first) = place.header_and_first_word();
                let argument = event::message_argument(header.destination, header.kind, first as u8);
                events::emit_word(event::TX_MPC | event::MORE);
                events::emit_word(argument);
            }
        }
    }

    /// Waits until the station has taken enough that another token can be queued: for a step that needs more of them than
    /// [`Centrenet::has_room`] promises. The others go on receiving meanwhile, since a processor has at most one such token for each page.
    #[cold]
    #[inline(never)]
    #[cfg(not(feature = "small"))]
    pub fn await_room(&mut self) {
        while !self.net.has_room() {
            self.issue();
            self.net.retire(&mut self.pages);
        }
    }

    /// Serves what has arrived.
    #[inline(always)]
    pub fn receive_phase(&mut self) {
        while let Some(packet) = self.net.receive() {
            if !self.net.has_room() {
                self.net.retire(&mut self.pages);
            }
            if !self.net.has_room() {
                return self.set_stuck(true);
            }
            self.serve_packet(&packet);
            self.net.release(&packet);
            if !options::tos94() {
                self.issue();
                if self.has_work() || self.net.wants_retiring() {
                    self.work_for_station();
                }
            }
            if self.is_doomed() {
                self.end_doomed();
            }
        }
        self.set_stuck(false);
    }

    /// Whether processes are to be ended that are out of memory. The small kernel has none.
    #[inline(always)]
    fn is_doomed(&self) -> bool {
        !cfg!(feature = "small") && self.doomed
    }

    pub fn is_stuck(&self) -> bool {
        self.unfinished & STUCK != 0
    }

    /// Whether pages are kept whose threads have to be watched. The report's main loop looks at them in its own time.
    #[inline]
    pub fn is_keeping(&self) -> bool {
        !cfg!(feature = "small") && self.unfinished & KEEPING != 0 && !options::tos94()
    }

    /// Whether packets have to wait until there is room; meanwhile they don't interrupt.
    #[inline]
    fn set_stuck(&mut self, stuck: bool) {
        if self.is_stuck() != stuck {
            self.unfinished ^= STUCK;
            self.enable_user_interrupts();
        }
    }
}
