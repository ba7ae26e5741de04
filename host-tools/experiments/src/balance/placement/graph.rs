//! Threads, what they do and tell each other.

use std::collections::BTreeSet;

use testbed_balance::policy::Costs;

use crate::load::{LOCAL_BYTE, REMOTE_BYTE};

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its number ([`testbed_definitions::event::thread_number`]).
    pub thread: u16,
    /// Cycles for which it runs in each stage.
    pub work: Vec<f64>,
    /// The processor where it has to stay, from 0; a parent of other threads does not migrate.
    pub fixed: Option<usize>,
}

/// What two threads exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Places of the threads in [`Graph::nodes`].
    pub ends: (usize, usize),
    /// Cycles that both processors together take for all of it, if the threads are on one processor
    /// or on two, and those that it is under way between two.
    pub local: f64,
    pub remote: f64,
    pub flight: f64,
    /// The share of it in each stage.
    pub shares: Vec<f64>,
}

/// Threads that exchange messages, directly or by others: they advance together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Places in [`Graph::nodes`].
    pub nodes: Vec<usize>,
    /// How many of them can go on at a time, on average: all that they do, divided by what they would
    /// take if none ever waited for a processor.
    pub parallel: f64,
}

/// Threads and what they exchange.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub groups: Vec<Group>,
    /// The group of each node.
    group_of: Vec<usize>,
    /// Messages whose receiver no trace tells.
    pub untold: u64,
}

impl Graph {
    /// With every thread's group found, all of whose threads can go on at a time: what no trace tells
    /// of.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Graph {
        let groups = groups(nodes.len(), edges.iter().map(|edge| edge.ends));
        let groups = groups.into_iter().map(|nodes| Group { parallel: nodes.len() as f64, nodes }).collect();
        Graph::grouped(nodes, edges, groups)
    }

    pub(super) fn grouped(nodes: Vec<Node>, edges: Vec<Edge>, groups: Vec<Group>) -> Graph {
        let mut group_of = vec![0; nodes.len()];
        for (group, own) in groups.iter().enumerate() {
            own.nodes.iter().for_each(|&node| group_of[node] = group);
        }
        Graph { nodes, edges, groups, group_of, untold: 0 }
    }

    /// In how many stages its work is known.
    pub fn stages(&self) -> usize {
        self.nodes.first().map_or(0, |node| node.work.len())
    }

    /// The place of each node's group in [`Graph::groups`].
    pub fn group_of(&self) -> &[usize] {
        &self.group_of
    }
}

impl Node {
    /// Cycles for which it runs in all.
    pub fn whole(&self) -> f64 {
        self.work.iter().sum()
    }
}

impl Edge {
    /// An edge of so many messages with so many bytes in all, in a single stage.
    pub fn new(ends: (usize, usize), messages: u64, bytes: u64) -> Edge {
        let costs = Costs::DEFAULT;
        let (messages, bytes) = (messages as f64, bytes as f64);
        let flight_byte = f64::from(costs.flight_byte) / 256.0;
        Edge {
            ends,
            local: messages * f64::from(costs.local) + bytes * LOCAL_BYTE,
            // Both its sender and its receiver copy it.
            remote: messages * f64::from(costs.remote) + 2.0 * bytes * REMOTE_BYTE,
            flight: messages * f64::from(costs.flight) + bytes * flight_byte,
            shares: vec![1.0],
        }
    }
}

impl Edge {
    /// A local message takes so many times as long as it should: alternatives, and whom its threads
    /// have to be dispatched for. A remote one takes as much more.
    pub(super) fn grow(&mut self, times: f64) {
        let more = self.local * (times - 1.0);
        (self.local, self.remote) = (self.local + more, self.remote + more);
    }
}

/// The connected parts of a graph, each in order, first ones first.
pub(super) fn groups(nodes: usize, ends: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut of: Vec<usize> = (0..nodes).collect();
    for (one, other) in ends {
        let (keep, drop) = (of[one].min(of[other]), of[one].max(of[other]));
        of.iter_mut().filter(|group| **group == drop).for_each(|group| *group = keep);
    }
    let names: BTreeSet<usize> = of.iter().copied().collect();
    names.into_iter().map(|name| (0..nodes).filter(|&node| of[node] == name).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_connected_parts() {
        let found = groups(6, [(4, 1), (2, 4), (3, 5)].into_iter());
        assert_eq!(found, [vec![0], vec![1, 2, 4], vec![3, 5]]);
    }
}
