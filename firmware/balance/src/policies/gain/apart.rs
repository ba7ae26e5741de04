//! How many threads of a group can be active at once.
//!
//! As many as are ready at once, on average, where each has a processor. Where they share one they
//! keep each other waiting, so that more are ready than could be active: to go by that spreads
//! programs that are best where they are, over and over. So what was seen of a group while it was on
//! several processors is remembered, and holds when it has come together again.
//!
//! Where one of several processors is full it is that which the others wait for: they show how many
//! can be active with the threads where they are, and not how many could be. Those are at most as
//! many as the group's work is times that of its heaviest thread.

use super::estimate::{saturated, Apart, Estimate};
use crate::PROCESSORS;

/// A processor is full that is busy for so many hundredths of the time.
const FULL_PERCENT: u64 = 90;

impl Apart {
    /// Whether it still counts for a thread that was first seen then: for as long as that had been
    /// known when this was seen. So a program that does something else is found out.
    fn holds(self, first: u64, now: u64) -> bool {
        now.saturating_sub(self.at) <= self.at.saturating_sub(first)
    }
}

impl Estimate {
    /// How many threads of a group can be active at once, if so many were ready at once.
    pub(super) fn active(&mut self, group: usize, ready: u32, busy: &[u64; PROCESSORS], now: u64) -> u32 {
        let members = || self.members(group).map(|node| &self.nodes[node]);
        let place = members().next().map(|node| node.at);
        if members().all(|node| Some(node.at) == place) {
            let seen = members().filter_map(|node| node.apart.filter(|seen| seen.holds(node.first, now)));
            return seen.map(|seen| seen.parallel).min().map_or(ready, |most| ready.min(most));
        }
        let period = u64::from(self.period);
        // Full, and not by one thread alone, which no other placement would relieve.
        let is_full = |at: u8| busy[usize::from(at) % PROCESSORS] * 100 >= FULL_PERCENT * period;
        let shares = |at: u8| members().filter(|node| node.at == at).count() > 1;
        if members().any(|node| is_full(node.at) && shares(node.at)) {
            let work = || members().map(|node| u64::from(node.work));
            let most = saturated((work().sum::<u64>() << 8) / work().max().unwrap_or(0).max(1));
            return ready.max(most);
        }
        for node in self.nodes.iter_mut().filter(|node| usize::from(node.group) == group) {
            // Of one round after the other the average.
            let before = node.apart.filter(|seen| now - seen.at <= 2 * period);
            let parallel = before.map_or(ready, |seen| node.weight.mean(seen.parallel, ready));
            node.apart = Some(Apart { parallel, at: now });
        }
        ready
    }
}
