//! `greedy-refine`: after `GreedyRefineLB` of Charm++ (Kale and Krishnan, "CHARM++: a portable
//! concurrent object oriented system based on C++", OOPSLA 1993; the balancer is in its sources as
//! `ck-ldb/GreedyRefineLB.C`).
//!
//! Threads are taken in order of their measured load, the heaviest first. One stays where it is as
//! long as its processor stays below the greatest load that is allowed; otherwise it goes to the
//! processor with the least. Allowed is the average, or the heaviest thread, and a tolerance more.
//! It knows nothing of who talks to whom.

use arrayvec::ArrayVec;

use crate::policy::{Ask, Pace, Policy, View, PENDING};
use crate::summary::ThreadLoad;
use crate::{PROCESSORS, THREADS};

/// Places all threads anew in each round, and keeps those that needn't move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GreedyRefine {
    /// Per cent above the average that a processor's load may have.
    pub tolerance_percent: u32,
}

impl GreedyRefine {
    /// With the tolerance of Charm++.
    pub const DEFAULT: GreedyRefine = GreedyRefine { tolerance_percent: 5 };
}

impl Default for GreedyRefine {
    fn default() -> Self {
        GreedyRefine::DEFAULT
    }
}

impl Policy for GreedyRefine {
    fn name(&self) -> &'static str {
        "greedy-refine"
    }

    fn pace(&self) -> Pace {
        Pace { pending: PENDING, at_once: PENDING, on_answers: false }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        let summary = view.summary;
        let mut threads: ArrayVec<&ThreadLoad, THREADS> = summary.threads.iter().collect();
        // Numbers decide between equal loads, so that the order is the same everywhere.
        threads.sort_unstable_by_key(|thread| (core::cmp::Reverse(thread.share), thread.thread));
        let total: u32 = threads.iter().map(|thread| u32::from(thread.share)).sum();
        let heaviest = threads.first().map_or(0, |thread| u32::from(thread.share));
        let average = total / u32::from(summary.slaves).max(1);
        let allowed = average.max(heaviest) * (100 + self.tolerance_percent) / 100;
        let mut loads = [0u32; PROCESSORS];
        for &thread in threads.iter().filter(|thread| !thread.movable) {
            loads[usize::from(thread.processor) % PROCESSORS] += u32::from(thread.share);
        }
        for &thread in threads.iter().filter(|thread| thread.movable && thread.share > 0) {
            let (here, share) = (usize::from(thread.processor) % PROCESSORS, u32::from(thread.share));
            let least = summary.processors().min_by_key(|&slave| loads[usize::from(slave)]).unwrap_or(thread.processor);
            let stays = loads[here] + share <= allowed || usize::from(least) == here;
            if !stays && ask.left() > 0 && !ask.is_asked(thread.thread) && ask.thread(thread.thread, least).is_ok() {
                loads[usize::from(least)] += share;
            } else {
                loads[here] += share;
            }
        }
    }
}
