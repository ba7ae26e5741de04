//! The present, of which no fact tells yet.

use super::{Follower, Uncertainty};
use crate::analysis::fact::{Doing, ThreadNow};

impl Follower {
    /// What all threads that are known do, by their numbers.
    pub fn threads(&self) -> impl Iterator<Item = ThreadNow> + '_ {
        self.lives.present()
    }

    /// What a processor does, and since which cycle. [`Doing::Untold`] also where only its next event tells.
    pub fn doing(&self, processor: u8) -> (Doing, u64) {
        let Some(present) = self.presents.get(processor as usize) else { return (Doing::Unknown, 0) };
        present.now(self.lives.able(processor))
    }

    /// Packets handed to Centrenet on one processor and not served yet on another, as far as they can be followed.
    pub fn under_way(&self, from: u8, to: u8) -> usize {
        self.flights.under_way(from, to)
    }

    /// What has made times uncertain so far.
    pub fn uncertainty(&self) -> &Uncertainty {
        &self.uncertainty
    }
}
