//! The first placement: groups that have never been moved are dealt out at once.
//!
//! Where a processor has nearly all work, a search move by move takes longer than it is worth: with
//! many threads it takes the machine's master hundreds of milliseconds, and as long the other
//! processors stand idle. So groups that are still where they were created are dealt out by a rule
//! that takes milliseconds; the search refines what came of it.
//!
//! What one sample tells of work is too little to go by: where threads compute for long it shows
//! some of them and not the others. So slaves are to have the same *number* of threads. Groups
//! whose messages cost them little against their work are scattered thread by thread: where load
//! wanders from neighbour to neighbour that stays level for longer than what is level now (Nicol
//! and Saltz, "An analysis of scatter decomposition", IEEE Transactions on Computers 39, 1990).
//! Other groups stay together, the largest first, each to the slave with the fewest threads
//! (Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on Applied Mathematics 17,
//! 1969); one that is more than a slave's part of all threads is left to the search, which takes it
//! apart.

use arrayvec::ArrayVec;

use super::estimate::NODES;
use super::level::gains;
use super::memory::Memory;
use super::plan::{Plan, Scene};
use crate::PROCESSORS;

/// Threads and where they go.
pub type Moves = ArrayVec<(u8, u8), NODES>;

/// Groups that can be dealt out, and where threads are.
pub struct Spread<'a> {
    scene: Scene<'a>,
    /// How many threads each slave has, once all of this have been dealt out.
    threads: [i16; PROCESSORS],
    least: u32,
    moves: Moves,
}

impl<'a> Spread<'a> {
    /// Starts with the threads as they are in the plan, where each slave has so many. They are dealt
    /// out where that gains so much of a thread's speed, in thousandths.
    pub fn new(scene: Scene<'a>, plan: &Plan, memory: &Memory, threads: [i16; PROCESSORS], least: u32) -> Self {
        let estimate = scene.estimate;
        let is_free = |node: usize| {
            let own = &estimate.nodes[node];
            own.movable && !memory.knows(own.thread)
        };
        let mut spread = Spread { scene, threads, least, moves: Moves::new() };
        let all: i16 = spread.slaves().map(|slave| threads[usize::from(slave)]).sum();
        let part = (all as usize).div_ceil(usize::from(estimate.slaves.max(1)));
        let mut whole: ArrayVec<(u8, usize), NODES> = ArrayVec::new();
        for group in 0..estimate.groups {
            let members = estimate.members(group);
            let count = members.clone().count();
            if scene.is_scattered(group) {
                members.filter(|&node| is_free(node)).for_each(|node| spread.put(plan, &[node as u8]));
            } else if count <= part && members.clone().all(is_free) {
                whole.push((group as u8, count));
            }
        }
        while let Some(largest) = (0..whole.len()).max_by_key(|&at| (whole[at].1, core::cmp::Reverse(at))) {
            let (group, _) = whole.remove(largest);
            let members: ArrayVec<u8, NODES> = estimate.members(group.into()).map(|node| node as u8).collect();
            spread.put(plan, &members);
        }
        spread
    }

    /// Puts threads that stay together where there are fewest, if that is not where they are.
    fn put(&mut self, plan: &Plan, members: &[u8]) {
        let here = plan.place(members[0].into());
        let count = members.iter().filter(|&&node| plan.place(node.into()) == here).count() as i16;
        let Some(fewest) = self.slaves().min_by_key(|&slave| self.threads[usize::from(slave)]) else { return };
        let (before, after) = (self.threads[usize::from(here)], self.threads[usize::from(fewest)] + count);
        if !gains(before, after, self.least) {
            return;
        }
        for &node in members {
            let from = plan.place(node.into());
            if from != fewest {
                self.threads[usize::from(from)] -= 1;
                self.threads[usize::from(fewest)] += 1;
                self.moves.push((node, fewest));
            }
        }
    }

    /// The moves of all groups.
    pub fn moves(self) -> Moves {
        self.moves
    }

    fn slaves(&self) -> impl Iterator<Item = u8> {
        1..=self.scene.estimate.slaves
    }
}
