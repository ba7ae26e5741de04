//! Whether slaves have been unevenly busy for so long that it is no wave.
//!
//! Where work goes through the threads of a program as a wave, as through a pipeline, some slave is
//! always busier than the others, and a moment later another one. To move threads after the wave
//! takes time, and undoes a scatter that is level over any longer time. What lasts is told from
//! what passes only by looking for longer.

use crate::policy::View;
use crate::PROCESSORS;
use testbed_definitions::load::WHOLE;

/// Averages are over so many time-slices, a second, or over as long as the slave is known.
const SLICES: u32 = 50;
/// What has been seen for less may pass.
const LEAST_SLICES: u32 = 40;
/// A slave is busy if its threads ran for so many hundredths of the time.
const BUSY_PERCENT: u32 = 75;
/// Another one has room if they ran there for so many hundredths of that.
const ROOM_PERCENT: u32 = 80;

/// What each slave's threads ran for on average.
#[derive(Clone, Debug)]
pub struct Lasting {
    sampled: [u64; PROCESSORS],
    /// Cycles of which the average tells.
    known: [u32; PROCESSORS],
    /// In `load::WHOLE`ths.
    user: [u32; PROCESSORS],
}

impl Lasting {
    /// Of nothing.
    pub const NEW: Lasting = Lasting { sampled: [0; PROCESSORS], known: [0; PROCESSORS], user: [0; PROCESSORS] };

    /// Takes samples in that have come since the last call.
    pub fn note(&mut self, view: &View<'_>) {
        let all = SLICES * view.costs.slice.max(1);
        for slave in view.summary.processors() {
            let (at, load) = (usize::from(slave) % PROCESSORS, view.summary.slave(slave));
            let sampled = load.sampled.unwrap_or(0);
            if core::mem::replace(&mut self.sampled[at], sampled) == sampled {
                continue;
            }
            let new = load.period.clamp(1, all);
            let known = self.known[at].saturating_add(new).min(all);
            let sum = u64::from(self.user[at]) * u64::from(known - new) + u64::from(load.user) * u64::from(new);
            (self.known[at], self.user[at]) = (known, (sum / u64::from(known)) as u32);
        }
    }

    /// Whether one slave has been busy, and another one much less.
    pub fn is_uneven(&self, view: &View<'_>) -> bool {
        let least = LEAST_SLICES * view.costs.slice;
        if view.summary.processors().any(|slave| self.known[usize::from(slave) % PROCESSORS] < least) {
            return false;
        }
        let user = || view.summary.processors().map(|slave| self.user[usize::from(slave) % PROCESSORS]);
        let (most, least) = (user().max().unwrap_or(0), user().min().unwrap_or(0));
        most * 100 >= BUSY_PERCENT * WHOLE && least * 100 <= most * ROOM_PERCENT
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::policy::Costs;
    use crate::summary::Summary;

    /// Whether it is uneven after each of some samples, five time-slices apart, in which the threads of
    /// two slaves ran for such parts of the time.
    fn uneven(parts: impl IntoIterator<Item = [u16; 2]>) -> Vec<bool> {
        let (mut lasting, mut summary, mut now) = (Lasting::NEW, Summary::new(2), 0);
        let costs = &Costs::DEFAULT;
        let one = |(round, parts): (u32, [u16; 2])| {
            now += u64::from(5 * costs.slice);
            for (load, user) in summary.loads[1..].iter_mut().zip(parts) {
                (load.sampled, load.period, load.user) = (Some(now), 5 * costs.slice, user);
            }
            let view = View { now, summary: &summary, costs, round, pending: &[] };
            lasting.note(&view);
            lasting.is_uneven(&view)
        };
        (1..).zip(parts).map(one).collect()
    }

    #[test]
    fn what_lasts_is_seen_within_a_second() {
        let seen = uneven([[60_000, 9_000]; 20]);
        assert!(!seen[..7].contains(&true), "in less than that it may be a wave");
        assert!(seen[7..].iter().all(|uneven| *uneven), "{seen:?}");
    }

    #[test]
    fn a_wave_is_none() {
        let wave = (0..40).map(|round| if round / 4 % 2 == 0 { [65_000, 9_000] } else { [9_000, 65_000] });
        assert!(!uneven(wave).contains(&true));
    }

    #[test]
    fn slaves_that_are_even_are_none_and_become_one_when_one_idles() {
        let parts = (0..40).map(|round| if round < 20 { [60_000, 60_000] } else { [60_000, 0] });
        let seen = uneven(parts);
        assert!(!seen[..20].contains(&true) && seen[30], "{seen:?}");
    }
}
