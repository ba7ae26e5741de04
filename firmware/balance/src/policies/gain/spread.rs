//! The first placement: groups that have never been moved are dealt out at once.
//!
//! Where a processor has nearly all work, a search move by move takes longer than it is worth: with
//! many threads it takes the machine's master hundreds of milliseconds, and as long the other
//! processors stand idle. So groups that are still where they were created are dealt out by a rule
//! that takes milliseconds, if the plan says that this is better; the search refines what came of it.
//!
//! The group with the most work goes first, each to the processor with the least (Graham, "Bounds on
//! multiprocessing timing anomalies", SIAM Journal on Applied Mathematics 17, 1969). A group that is
//! more than a processor's part of the work is *scattered*, if messages cost it little: its threads
//! go to the processors in turns, by their ids. Where load wanders from neighbour to neighbour that
//! stays level for longer than what is level now (Nicol and Saltz, "An analysis of scatter
//! decomposition", IEEE Transactions on Computers 39, 1990). Other large groups are left to the
//! search, which takes them apart.

use arrayvec::ArrayVec;

use super::estimate::NODES;
use super::memory::Memory;
use super::plan::{Plan, Scene};
use crate::PROCESSORS;

/// Threads and where they go.
pub type Moves = ArrayVec<(u8, u8), NODES>;

/// A group is scattered if its work is so many times what its messages cost between processors.
const WORK_A_MESSAGE: u64 = 4;

/// Groups that can be dealt out, and what else there is to do.
pub struct Spread<'a> {
    scene: Scene<'a>,
    /// Threads of large groups, and where they go.
    scattered: Moves,
    /// Groups, and their cycles of work and services.
    groups: ArrayVec<(u8, u64), NODES>,
    /// What each slave has to do beside them.
    base: [u64; PROCESSORS],
}

impl<'a> Spread<'a> {
    /// Starts with the threads as they are in the plan.
    pub fn new(scene: Scene<'a>, plan: &Plan, memory: &Memory) -> Self {
        let estimate = scene.estimate;
        let mut spread = Spread { scene, scattered: Moves::new(), groups: ArrayVec::new(), base: [0; PROCESSORS] };
        let needs = |node| plan.needs(&scene, node);
        let total: u64 = (0..estimate.nodes.len()).map(needs).sum();
        let part = total / u64::from(estimate.slaves.max(1));
        let is_free = |node: usize| {
            let own = &estimate.nodes[node];
            own.movable && !memory.knows(own.thread)
        };
        for group in 0..estimate.groups {
            let members = estimate.members(group);
            let all = members.clone().map(needs).sum();
            let scatters = all > part && scene.work_a_message(group) >= WORK_A_MESSAGE;
            if all <= part && members.clone().all(is_free) {
                spread.groups.push((group as u8, all));
                continue;
            }
            for node in members {
                let mut place = plan.place(node);
                if scatters && is_free(node) {
                    place = 1 + (estimate.nodes[node].thread.id() % usize::from(estimate.slaves)) as u8;
                    spread.scattered.push((node as u8, place));
                }
                spread.base[usize::from(place)] += needs(node);
            }
        }
        spread
    }

    /// Whether one slave has at least half as much again as the average, and another less than half
    /// of it: only then is there so much to deal out that it can't wait.
    pub fn is_wanted(&self, plan: &Plan) -> bool {
        let all = || self.slaves().map(|slave| plan.busy(self.scene.estimate.groups, slave));
        let average = all().sum::<u64>() / u64::from(self.scene.estimate.slaves.max(1));
        let (most, least) = (all().max().unwrap_or(0), all().min().unwrap_or(0));
        self.groups.len() + self.scattered.len() > 1 && 2 * most >= 3 * average && 2 * least < average
    }

    /// The moves of all groups.
    pub fn moves(&self, plan: &Plan) -> Moves {
        let mut load = self.base;
        let scattered = self.scattered.iter().filter(|(node, to)| plan.place((*node).into()) != *to);
        let mut moves: Moves = scattered.copied().collect();
        let mut left = self.groups.clone();
        while let Some(heaviest) = (0..left.len()).max_by_key(|&at| (left[at].1, core::cmp::Reverse(at))) {
            let (group, needs) = left.remove(heaviest);
            let Some(least) = self.slaves().min_by_key(|&slave| load[usize::from(slave)]) else { break };
            load[usize::from(least)] += needs;
            let members = self.scene.estimate.members(group.into());
            moves.extend(members.filter(|&node| plan.place(node) != least).map(|node| (node as u8, least)));
        }
        moves
    }

    /// By how much the plan is better with all these moves together.
    pub fn worth(&self, plan: &mut Plan, moves: &Moves) -> i64 {
        let groups = self.scene.estimate.groups;
        let before = plan.total(&self.scene, groups);
        let back: Moves = moves.iter().map(|&(node, _)| (node, plan.place(node.into()))).collect();
        moves.iter().for_each(|&(node, to)| plan.shift(&self.scene, node.into(), to));
        let after = plan.total(&self.scene, groups);
        back.iter().for_each(|&(node, from)| plan.shift(&self.scene, node.into(), from));
        before - after
    }

    fn slaves(&self) -> impl Iterator<Item = u8> {
        1..=self.scene.estimate.slaves
    }
}
