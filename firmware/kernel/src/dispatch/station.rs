//! Between the kernel and its station: what leaves, and what arrives.

use crate::arch::hw;
use crate::services::timers::STATION_POLL;
use crate::state::kernel::Kernel;
use crate::state::policy;
use crate::state::unfinished::{DOOMED, FILES_WAIT, KEEPING};

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

    pub fn send_phase(&mut self) {
        self.net.retire(&mut self.pages);
        if !self.transmitting.is_empty() {
            self.pump_fragments();
        }
        if self.parked != 0 {
            self.unpark();
        }
        if self.unfinished.has(FILES_WAIT) {
            self.pump_files();
        }
        self.issue();
        if self.unfinished.has(KEEPING) {
            self.release_pages();
            self.issue();
        }
        if self.unfinished.has(DOOMED) {
            self.end_doomed();
            self.issue();
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
            if !policy::tos94() {
                self.issue();
                if self.has_work() || self.net.wants_retiring() {
                    self.work_for_station();
                }
            }
            if self.unfinished.has(DOOMED) {
                self.end_doomed();
            }
        }
        self.set_stuck(false);
    }
}
