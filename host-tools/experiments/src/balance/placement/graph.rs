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
    /// Messages whose receiver no trace tells.
    pub untold: u64,
}

/// What is known of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    receiver: u16,
    /// Messages that were followed, and their bytes.
    messages: u64,
    bytes: u64,
}

impl Channel {
    /// Bytes of a message on average.
    fn mean(&self) -> u64 {
        self.bytes / self.messages.max(1)
    }
}

/// The channels of a process, by what these runs show. Whoever receives by an alternative from a
/// sender on the same processor is not told, so runs with threads elsewhere are needed too.
fn channels<'a>(process: u16, runs: impl Iterator<Item = &'a Observed>) -> BTreeMap<u8, Channel> {
    let mut channels = BTreeMap::<u8, Channel>::new();
    for message in runs.flat_map(|run| &run.load.messages).filter(|message| process_of(message.threads.0) == process) {
        let Some(channel) = message.channel else { continue };
        let known = channels.entry(channel).or_default();
        known.receiver = message.threads.1;
        (known.messages, known.bytes) = (known.messages + 1, known.bytes + message.bytes);
    }
    channels
}

impl Graph {
    /// That of a run's measured program. It should be a run with all threads on one processor, where
    /// those that could go on at a time are all ready. `others` are runs of the same with threads
    /// elsewhere.
    pub fn of(observed: &Observed, others: &[Observed]) -> Graph {
        let process = observed.subject().process;
        let load = &observed.load;
        let mut works = BTreeMap::<u16, u64>::new();
        for stay in load.ran.iter().filter(|stay| process_of(stay.thread) == process) {
            *works.entry(stay.thread).or_default() += stay.to - stay.from;
        }
        let node = |(thread, work): (u16, u64)| {
            // The first thread has started the others, where the program was invoked.
            let fixed = (id_of(thread) == 1).then_some(0);
            Node { thread, work: work as f64, fixed }
        };
        let nodes: Vec<Node> = works.into_iter().map(node).collect();
        let place = |thread: u16| nodes.iter().position(|node| node.thread == thread);
        let channels = channels(process, others.iter().chain([observed]));
        let mut untold = 0;
        let mut sends = Vec::new();
        for send in observed.sends.iter().filter(|send| process_of(send.thread) == process) {
            let known = channels.get(&send.channel);
            match known.and_then(|known| place(send.thread).zip(place(known.receiver)).zip(Some(known.mean()))) {
                Some((ends, bytes)) => sends.push(Told { cycle: send.ready, ends, bytes }),
                None => untold += 1,
            }
        }
        sends.sort_by_key(|send| send.cycle);
        let mut sums = BTreeMap::<(usize, usize), (u64, u64)>::new();
        for Told { ends: (one, other), bytes, .. } in &sends {
            let sum = sums.entry((*one.min(other), *one.max(other))).or_default();
            *sum = (sum.0 + 1, sum.1 + bytes);
        }
        let mut edges: Vec<Edge> = sums.iter().map(|(ends, sum)| Edge::new(*ends, sum.0, sum.1)).collect();
        let more = services(observed, process, &nodes) / edges.iter().map(|edge| edge.local).sum::<f64>();
        edges.iter_mut().filter(|_| more > 1.0).for_each(|edge| edge.grow(more));
        let costs: BTreeMap<_, _> =
            edges.iter().zip(sums.values()).map(|(edge, sum)| (edge.ends, edge.local / sum.0 as f64)).collect();
        let ends = ends(&nodes, &load.ran, &sends, &costs);
        let groups = groups(nodes.len(), &edges).into_iter().map(|own| {
            let within = edges.iter().filter(|edge| own.contains(&edge.ends.0)).map(|edge| edge.local);
            let whole: f64 = own.iter().map(|&node| nodes[node].work).chain(within).sum();
            let longest = own.iter().map(|&node| ends[node]).fold(0.0, f64::max);
            Group { parallel: if longest > 0.0 { (whole / longest).max(1.0) } else { 1.0 }, nodes: own }
        });
        let groups = groups.collect();
        Graph { nodes, edges, groups, untold }
    }

    /// With every thread's group found, all of whose threads can go on at a time: what no trace tells
    /// of.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Graph {
        let groups = groups(nodes.len(), &edges);
        let groups = groups.into_iter().map(|nodes| Group { parallel: nodes.len() as f64, nodes }).collect();
        Graph { nodes, edges, groups, untold: 0 }
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

impl Edge {
    /// A local message takes so many times as long as it should: alternatives, and whom its threads
    /// have to be dispatched for. A remote one takes as much more.
    fn grow(&mut self, times: f64) {
        let more = self.local * (times - 1.0);
        (self.local, self.remote) = (self.local + more, self.remote + more);
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

/// A message whose ends are known, as places in [`Graph::nodes`].
#[derive(Clone, Copy, Debug)]
struct Told {
    /// When its sender was ready again.
    cycle: u64,
    ends: (usize, usize),
    bytes: u64,
}

/// Cycles in which threads of a process were ready and none of them ran: what the kernel did for them.
/// Only where all of them are on one processor.
fn services(observed: &Observed, process: u16, nodes: &[Node]) -> f64 {
    let mut changes = BTreeMap::<u64, i64>::new();
    for stay in observed.load.ready.iter().filter(|stay| process_of(stay.thread) == process) {
        *changes.entry(stay.from).or_default() += 1;
        *changes.entry(stay.to).or_default() -= 1;
    }
    let (mut now, mut since, mut any) = (0, 0, 0);
    for (cycle, change) in changes {
        any += if now > 0 { cycle - since } else { 0 };
        (now, since) = (now + change, cycle);
    }
    any as f64 - nodes.iter().map(|node| node.work).sum::<f64>()
}

/// When each node would end if it never waited for a processor, only for its partners: in the order of
/// the run's messages, each of which takes what `costs` says of its two ends.
fn ends(nodes: &[Node], ran: &[Stay], sends: &[Told], costs: &BTreeMap<(usize, usize), f64>) -> Vec<f64> {
    let mut spans: Vec<std::collections::VecDeque<(u64, u64)>> = vec![Default::default(); nodes.len()];
    for stay in ran {
        if let Some(place) = nodes.iter().position(|node| node.thread == stay.thread) {
            spans[place].push_back((stay.from, stay.to));
        }
    }
    let mut ends = vec![0.0; nodes.len()];
    // A node does what it did until a cycle.
    let mut work = |ends: &mut Vec<f64>, node: usize, until: u64| {
        while let Some(span) = spans[node].front_mut().filter(|span| span.0 < until) {
            let to = span.1.min(until);
            ends[node] += (to - span.0) as f64;
            span.0 = to;
            if span.0 == span.1 {
                spans[node].pop_front();
            }
        }
    };
    for Told { cycle, ends: (one, other), .. } in sends {
        work(&mut ends, *one, *cycle);
        work(&mut ends, *other, *cycle);
        let cost = costs.get(&(*one.min(other), *one.max(other))).copied().unwrap_or(0.0);
        let met = ends[*one].max(ends[*other]) + cost;
        (ends[*one], ends[*other]) = (met, met);
    }
    (0..nodes.len()).for_each(|node| work(&mut ends, node, u64::MAX));
    ends
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
    fn threads_that_wait_for_each_other_end_when_the_last_can() {
        let node = |thread| Node { thread, work: 0.0, fixed: None };
        let stay = |thread, from, to| Stay { thread, processor: 1, from, to };
        let nodes = [node(1), node(2), node(3)];
        // Thread 1 works, tells 2 and 3 one after the other, and these work: 2 and 3 at the same time.
        let ran = [stay(1, 0, 100), stay(2, 120, 220), stay(3, 220, 320), stay(1, 320, 330)];
        let told = |cycle, one, other| Told { cycle, ends: (one, other), bytes: 0 };
        let sends = [told(105, 0, 1), told(110, 0, 2)];
        let costs = BTreeMap::from([((0, 1), 5.0), ((0, 2), 5.0)]);
        assert_eq!(ends(&nodes, &ran, &sends, &costs), [120.0, 205.0, 210.0]);
    }
}
