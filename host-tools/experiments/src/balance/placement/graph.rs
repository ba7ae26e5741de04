//! What a run's threads do and tell each other, from its trace.

use std::collections::{BTreeMap, BTreeSet};

use testbed_balance::policy::Costs;

use crate::load::{Stay, LOCAL_BYTE, REMOTE_BYTE};
use crate::observed::{id_of, process_of, Observed};

/// A thread.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its number ([`testbed_definitions::event::thread_number`]).
    pub thread: u16,
    /// Cycles for which it runs.
    pub work: f64,
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
}

/// Threads that exchange messages, directly or by others: they advance together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Places in [`Graph::nodes`].
    pub nodes: Vec<usize>,
    /// How many of them are ready at a time, on average over the time in which any is.
    pub parallel: f64,
}

/// Threads and what they exchange.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    pub groups: Vec<Group>,
}

impl Graph {
    /// That of a run's measured program. It should be a run with all threads on one processor, where
    /// those that could go on at a time are all ready.
    pub fn of(observed: &Observed) -> Graph {
        let process = observed.subject().process;
        let load = &observed.load;
        let works = load.ran.iter().filter(|(thread, _)| process_of(**thread) == process);
        let node = |(&thread, &work): (&u16, &u64)| {
            // The first thread has started the others, where the program was invoked.
            let fixed = (id_of(thread) == 1).then_some(0);
            Node { thread, work: work as f64, fixed }
        };
        let nodes: Vec<Node> = works.map(node).collect();
        let place = |thread: u16| nodes.iter().position(|node| node.thread == thread);
        let mut sums = BTreeMap::<(usize, usize), (u64, u64)>::new();
        for message in &load.messages {
            let Some((one, other)) = place(message.threads.0).zip(place(message.threads.1)) else { continue };
            let sum = sums.entry((one.min(other), one.max(other))).or_default();
            *sum = (sum.0 + 1, sum.1 + message.bytes);
        }
        let edges: Vec<Edge> = sums.into_iter().map(|(ends, (count, bytes))| Edge::new(ends, count, bytes)).collect();
        let ready: Vec<&Stay> = load.ready.iter().collect();
        let groups = groups(nodes.len(), &edges).into_iter().map(|own| {
            let threads: BTreeSet<u16> = own.iter().map(|&place| nodes[place].thread).collect();
            let parallel = parallel(ready.iter().filter(|stay| threads.contains(&stay.thread)));
            Group { nodes: own, parallel }
        });
        let groups = groups.collect();
        Graph { nodes, edges, groups }
    }

    /// With every thread's group found, all of whose threads can go on at a time: what no trace tells
    /// of.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Graph {
        let groups = groups(nodes.len(), &edges);
        let groups = groups.into_iter().map(|nodes| Group { parallel: nodes.len() as f64, nodes }).collect();
        Graph { nodes, edges, groups }
    }
}

impl Edge {
    /// Of so many messages with so many bytes in all.
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
        }
    }
}

/// The connected parts of a graph, each in order, first ones first.
fn groups(nodes: usize, edges: &[Edge]) -> Vec<Vec<usize>> {
    let mut of: Vec<usize> = (0..nodes).collect();
    for Edge { ends: (one, other), .. } in edges {
        let (keep, drop) = (of[*one].min(of[*other]), of[*one].max(of[*other]));
        of.iter_mut().filter(|group| **group == drop).for_each(|group| *group = keep);
    }
    let names: BTreeSet<usize> = of.iter().copied().collect();
    names.into_iter().map(|name| (0..nodes).filter(|&node| of[node] == name).collect()).collect()
}

/// How many of these stays there are at a time, on average over the time in which there is any; at
/// least 1.
fn parallel<'a>(stays: impl Iterator<Item = &'a &'a Stay>) -> f64 {
    let mut changes = BTreeMap::<u64, i64>::new();
    let mut whole = 0;
    for stay in stays {
        *changes.entry(stay.from).or_default() += 1;
        *changes.entry(stay.to).or_default() -= 1;
        whole += stay.to - stay.from;
    }
    let (mut now, mut since, mut any) = (0, 0, 0);
    for (cycle, change) in changes {
        any += if now > 0 { cycle - since } else { 0 };
        (now, since) = (now + change, cycle);
    }
    if any == 0 {
        1.0
    } else {
        (whole as f64 / any as f64).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_connected_parts() {
        let edge = |one, other| Edge::new((one, other), 1, 0);
        assert_eq!(groups(6, &[edge(4, 1), edge(2, 4), edge(3, 5)]), [vec![0], vec![1, 2, 4], vec![3, 5]]);
    }

    #[test]
    fn threads_that_take_turns_are_one_at_a_time() {
        let stay = |thread, from, to| Stay { thread, processor: 1, from, to };
        let turns = [stay(1, 0, 10), stay(2, 10, 20), stay(1, 50, 60)];
        assert_eq!(parallel(turns.iter().collect::<Vec<_>>().iter()), 1.0);
        let beside = [stay(1, 0, 10), stay(2, 0, 10), stay(3, 100, 110), stay(4, 100, 130)];
        assert_eq!(parallel(beside.iter().collect::<Vec<_>>().iter()), 1.5);
    }
}
