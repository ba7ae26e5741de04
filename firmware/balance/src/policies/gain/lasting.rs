//! Whether slaves have been unevenly busy for so long that it is no wave.
//!
//! Where work goes through the threads of a program as a wave, as through a pipeline, some slave is
//! always busier than the others, and a moment later another one. To move threads after the wave
//! takes time, and undoes a scatter that is level over any longer time. What lasts is told from
//! what passes only by looking for longer.

use crate::policy::View;
use crate::PROCESSORS;
use testbed_definitions::load::WHOLE;

/// Averages are over so many time-slices: a second.
const SLICES: u32 = 50;
/// A slave is busy if its threads ran for so many hundredths of the time.
const BUSY_PERCENT: u32 = 75;
/// Another one has room if they ran there for so many hundredths of that.
const ROOM_PERCENT: u32 = 80;

/// What each slave's threads ran for on average.
#[derive(Clone, Debug)]
pub struct Lasting {
    sampled: [u64; PROCESSORS],
    /// In `load::WHOLE`ths.
    user: [u32; PROCESSORS],
}

impl Lasting {
    /// Of nothing: all have been idle.
    pub const NEW: Lasting = Lasting { sampled: [0; PROCESSORS], user: [0; PROCESSORS] };

    /// Takes samples in that have come since the last call.
    pub fn note(&mut self, view: &View<'_>) {
        let all = SLICES * view.costs.slice.max(1);
        for slave in view.summary.processors() {
            let (at, load) = (usize::from(slave) % PROCESSORS, view.summary.slave(slave));
            let sampled = load.sampled.unwrap_or(0);
            if core::mem::replace(&mut self.sampled[at], sampled) == sampled {
                continue;
            }
            let new = u64::from(load.period.min(all));
            let old = u64::from(all) - new;
            let sum = u64::from(self.user[at]) * old + u64::from(load.user) * new;
            self.user[at] = (sum / u64::from(all)) as u32;
        }
    }

    /// Whether one slave has been busy, and another one much less.
    pub fn is_uneven(&self, view: &View<'_>) -> bool {
        let user = || view.summary.processors().map(|slave| self.user[usize::from(slave) % PROCESSORS]);
        let (most, least) = (user().max().unwrap_or(0), user().min().unwrap_or(0));
        most * 100 >= BUSY_PERCENT * WHOLE && least * 100 <= most * ROOM_PERCENT
    }
}
