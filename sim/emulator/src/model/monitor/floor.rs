//! What an SMI that has nothing in its queue shows the MMI: a bound below the times of all that comes.

use super::clock::Clock;
use super::late::horizon;
use std::collections::VecDeque;
use testbed_definitions::timing::LOOKAHEAD;

/// What bounds the times of all that is not in the queue yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Floor {
    /// The clock.
    Now,
    /// The clock's wraps: a wrap marker waits.
    Epoch,
    /// This extended time: that of the latch, or of the marker ahead of it.
    Latched(u32),
}

/// Runs of windows with one floor that are kept: more than SMIs are ahead of the poller.
const FLOORS: usize = 8;

/// The floors of the last windows.
#[derive(Clone, Debug)]
pub(super) struct Floors {
    /// Floors at the start of a cycle that begins a window, and of those that follow until the next entry.
    kept: VecDeque<(u64, Floor)>,
    /// The next cycle that begins a window.
    boundary: u64,
}

impl Default for Floors {
    fn default() -> Self {
        Floors { kept: VecDeque::from([(0, Floor::Now)]), boundary: LOOKAHEAD }
    }
}

impl Floors {
    /// Notes the floor at the start of cycle `now` if that begins a window, or if some have begun, without
    /// a change since the first.
    #[inline]
    pub fn note(&mut self, now: u64, floor: impl FnOnce() -> Floor) {
        if now < self.boundary {
            return;
        }
        let floor = floor();
        if self.kept.back().is_none_or(|last| last.1 != floor) {
            self.kept.push_back((self.boundary, floor));
            if self.kept.len() > FLOORS {
                self.kept.pop_front();
            }
        }
        self.boundary = (now / LOOKAHEAD + 1) * LOOKAHEAD;
    }

    /// The floor that the MMI sees in `cycle`, an extended time: that of the start of the window before.
    pub fn seen_in(&self, cycle: u64, clock: &Clock) -> u32 {
        let boundary = horizon(cycle);
        if boundary == 0 {
            return 0;
        }
        let after = self.kept.partition_point(|&(from, _)| from <= boundary);
        let now = clock.extended(boundary - 1);
        match self.kept[after - 1].1 {
            Floor::Now => now,
            Floor::Epoch => now & extended(0xff, 0),
            Floor::Latched(key) => key,
        }
    }
}

/// Wraps above the time.
pub(super) fn extended(wraps: u8, time: u16) -> u32 {
    u32::from(wraps) << 16 | u32::from(time)
}
