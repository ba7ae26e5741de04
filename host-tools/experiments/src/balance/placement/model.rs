//! How long a graph takes with its threads in given places, by a model that leaves out waiting: what
//! no machine can beat that spends these cycles.

use super::graph::Graph;

/// Processors of all threads, from 0, in order of the graph's nodes.
pub type Places = Vec<usize>;

/// Cycles by which one placement has to be better than another to count as better.
pub const LEAST: f64 = 1e-6;

/// The cycles of each processor, with its services.
pub fn loads(graph: &Graph, places: &[usize], processors: usize) -> Vec<f64> {
    let mut loads = vec![0.0; processors];
    for (node, &place) in graph.nodes.iter().zip(places) {
        loads[place] += node.work;
    }
    for edge in &graph.edges {
        let (one, other) = (places[edge.ends.0], places[edge.ends.1]);
        if one == other {
            loads[one] += edge.local;
        } else {
            loads[one] += edge.remote / 2.0;
            loads[other] += edge.remote / 2.0;
        }
    }
    loads
}

/// The cycles that a group's threads take in all, one after the other, divided by how many of them
/// can go on at a time; of each group.
fn spans(graph: &Graph, places: &[usize]) -> Vec<f64> {
    let mut group_of = vec![0; graph.nodes.len()];
    let mut sums = vec![0.0; graph.groups.len()];
    for (group, own) in graph.groups.iter().enumerate() {
        for &node in &own.nodes {
            group_of[node] = group;
            sums[group] += graph.nodes[node].work;
        }
    }
    for edge in &graph.edges {
        let is_local = places[edge.ends.0] == places[edge.ends.1];
        sums[group_of[edge.ends.0]] += if is_local { edge.local } else { edge.remote + edge.flight };
    }
    sums.iter().zip(&graph.groups).map(|(sum, group)| sum / group.parallel).collect()
}

/// Cycles until all is done: those of the processor that has most to do, or of the group that can't
/// go faster.
pub fn time(graph: &Graph, places: &[usize], processors: usize) -> f64 {
    let loads = loads(graph, places, processors);
    loads.into_iter().chain(spans(graph, places)).fold(0.0, f64::max)
}

/// What no placement is below: everything shared out evenly with all messages local or remote,
/// whichever takes less; the thread that works most; and what groups need.
pub fn bound(graph: &Graph, processors: usize) -> f64 {
    let least = |edge: &super::graph::Edge| edge.local.min(edge.remote);
    let works: f64 = graph.nodes.iter().map(|node| node.work).sum();
    let services: f64 = graph.edges.iter().map(least).sum();
    let longest = graph.nodes.iter().map(|node| node.work).fold(0.0, f64::max);
    let group = |group: &super::graph::Group| {
        let works: f64 = group.nodes.iter().map(|&node| graph.nodes[node].work).sum();
        let own = graph.edges.iter().filter(|edge| group.nodes.contains(&edge.ends.0));
        let least = |edge: &super::graph::Edge| edge.local.min(edge.remote + edge.flight);
        (works + own.map(least).sum::<f64>()) / group.parallel
    };
    let groups = graph.groups.iter().map(group);
    groups.chain([(works + services) / processors.max(1) as f64, longest]).fold(0.0, f64::max)
}
