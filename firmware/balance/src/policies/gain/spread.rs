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
//! 1969). One that is more than a slave's part of all threads is cut into pieces of neighbours that
//! are not (Farhat, "A simple and efficient automatic FEM domain decomposer", Computers and
//! Structures 28, 1988), if several of its threads can be active at once, and their work takes longer
//! than their messages; else it is left to the search.

use arrayvec::ArrayVec;

use super::estimate::{Estimate, NODES};
use super::level::gains;
use super::memory::Memory;
use super::plan::{Plan, Scene};
use crate::PROCESSORS;

/// Threads and where they go.
pub type Moves = ArrayVec<(u8, u8), NODES>;

/// Adds a group's threads in an order in which each has a partner among those before it, by their
/// distance from the first.
fn add_neighbours(estimate: &Estimate, group: usize, order: &mut ArrayVec<u8, NODES>) {
    let mut next = order.len();
    order.extend(estimate.members(group).next().map(|first| first as u8));
    while let Some(&node) = order.get(next) {
        next += 1;
        for pair in estimate.pairs_of(node.into()) {
            let other = pair.other(node.into()) as u8;
            if !order.contains(&other) {
                order.push(other);
            }
        }
    }
}

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
        // Threads by the piece that they belong to, and where each piece begins, and its length.
        let (mut order, mut pieces): (ArrayVec<u8, NODES>, ArrayVec<(usize, usize), NODES>) = Default::default();
        for group in 0..estimate.groups {
            let members = estimate.members(group);
            let count = members.clone().count();
            if scene.is_scattered(group) {
                members.filter(|&node| is_free(node)).for_each(|node| spread.put(plan, &[node as u8]));
            } else if (count <= part || scene.may_be_cut(group)) && members.clone().all(is_free) {
                let begin = order.len();
                add_neighbours(estimate, group, &mut order);
                let length = count.div_ceil(count.div_ceil(part.max(1)));
                let starts = (begin..begin + count).step_by(length);
                pieces.extend(starts.map(|start| (start, length.min(begin + count - start))));
            }
        }
        while let Some(largest) = (0..pieces.len()).max_by_key(|&at| (pieces[at].1, core::cmp::Reverse(at))) {
            let (start, length) = pieces.remove(largest);
            spread.put(plan, &order[start..start + length]);
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
