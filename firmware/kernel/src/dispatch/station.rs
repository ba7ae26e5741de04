//! Between the kernel and its station: what leaves, and what arrives.

use crate::arch::hw;
use crate::services::timers::STATION_POLL;
use crate::state::effects::{AFTER_PACKETS, BY_REPORT};
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::variant::apart;

impl Kernel {
    /// Passes to the station what it takes, and comes back to the rest by the timer. What is queued
    /// leaves before anything else is done. What has left is found out later, if it can wait: the
    /// answer to what has just been issued may be here soon.
    #[inline]
    pub fn hand_over(&mut self) {
        self.issue();
        if self.is_busy() || self.net.needs_retiring() {
            self.work_for_station();
        }
    }

    #[inline(never)]
    fn work_for_station(&mut self) {
        self.send_phase();
        if self.is_busy() {
            self.want_timer(hw::now() + STATION_POLL);
        }
    }

    /// Takes back what the station has done with, and goes on with what that makes room for.
    pub fn send_phase(&mut self) {
        self.net.retire(&mut self.pages);
        self.perform_effects();
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
            // The report's kernel passes nothing to the station before its main loop comes to it.
            let wants_retiring = !self.effects.has(BY_REPORT) && {
                self.issue();
                self.net.wants_retiring()
            };
            if wants_retiring || self.effects.has(AFTER_PACKETS) || !self.transmitting.is_empty() {
                self.go_on_after_packet();
            }
        }
        self.set_stuck(false);
    }

    apart! {
        /// A packet has been served, and there is more to be done than to look for the next one.
        fn go_on_after_packet(&mut self) {
            if !policy::tos94() && (self.has_work() || self.net.wants_retiring()) {
                self.work_for_station();
            }
            self.perform_ends();
        }
    }
}
