//! Trains: packets without pause between them, which a network spreads out by what fits through it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Packets of a train, at most.
pub const TRAIN_PACKETS_MAX: usize = 32;

/// Gaps between packets that follow each other directly and arrived so. A lost packet's neighbours
/// make no gap, so it does not matter whether it was lost ahead of the narrowest link or behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    pub count: u32,
    /// The sum of all gaps.
    pub nanoseconds: u64,
}

impl Gaps {
    /// Bytes a second that packets of so many bytes had, if there was a gap.
    pub fn rate(&self, bytes: usize) -> Option<f64> {
        (self.count > 0 && self.nanoseconds > 0)
            .then(|| f64::from(self.count) * bytes as f64 * 1e9 / self.nanoseconds as f64)
    }
}

/// What has arrived of one train.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Train {
    /// Places that have arrived, the first in bit 0.
    arrived: u32,
    /// The last arrival: its place and its time.
    last: Option<(u32, Duration)>,
    gaps: Gaps,
}

impl Train {
    /// A packet arrives; `false` if it had arrived before, or is of no train.
    pub fn arrive(&mut self, place: u32, now: Duration) -> bool {
        if place as usize >= TRAIN_PACKETS_MAX || self.arrived >> place & 1 == 1 {
            return false;
        }
        self.arrived |= 1 << place;
        if let Some((_, before)) = self.last.filter(|(last, _)| last + 1 == place) {
            self.gaps.count += 1;
            self.gaps.nanoseconds += u64::try_from(now.saturating_sub(before).as_nanos()).unwrap_or(u64::MAX >> 8);
        }
        self.last = Some((place, now));
        true
    }

    /// Packets that have arrived.
    pub fn count(&self) -> u32 {
        self.arrived.count_ones()
    }

    pub fn gaps(&self) -> Gaps {
        self.gaps
    }
}
