//! The best static placement of a run's threads: for each a processor, where it stays.
//!
//! [`graph`] has what threads do and tell each other, [`traced`] finds that in a run, [`model`] is
//! how long that takes with threads in given places, [`search`] looks for the best places and says
//! how far from the best they can be. By the model, that is: it knows no waiting, so what it finds
//! is run too. [`moving`] bounds what threads can achieve that move as they like.

pub mod graph;
pub mod model;
pub mod moving;
pub mod search;
pub mod traced;

use std::fmt::Write as _;

use testbed_definitions::ids::ThreadNumber;

use crate::observed::id_of;
use graph::Graph;
use model::Places;

/// Threads that can move, each with the number of its slave.
fn moved<'a>(graph: &'a Graph, places: &'a Places) -> impl Iterator<Item = (u16, usize)> + 'a {
    let free = graph.nodes.iter().zip(places).filter(|(node, _)| node.fixed.is_none());
    free.map(|(node, place)| (node.thread, place + 1))
}

/// The file that the policy `static` reads: a line a thread, as `1-00-003 2`.
pub fn of_policy(graph: &Graph, places: &Places) -> String {
    let mut text = String::from("# thread  processor\n");
    for (thread, place) in moved(graph, places) {
        let thread = ThreadNumber::from_bits(thread);
        let _ = writeln!(text, "{}-{:02}-{:03}  {place}", thread.home(), thread.place(), thread.id());
    }
    text
}

/// The file that the programs read that start their threads where it says: `place 2 3`.
pub fn of_program(graph: &Graph, places: &Places) -> String {
    moved(graph, places).map(|(thread, place)| format!("place {} {place}\n", id_of(thread))).collect()
}

#[cfg(test)]
mod tests {
    use super::graph::{Edge, Node};
    use super::model::{bound, time};
    use super::search::{best, exact};
    use super::*;
    use proptest::prelude::*;
    use testbed_balance::policies::placement::Placement;
    use testbed_definitions::event::thread_number;

    fn node(id: u8, work: f64) -> Node {
        Node { thread: thread_number(1, 1, id), work: vec![work], fixed: None }
    }

    /// The time of a placement, straight from what the model is said to be.
    fn plainly(graph: &Graph, places: &[usize], processors: usize) -> f64 {
        let is_local = |edge: &Edge| places[edge.ends.0] == places[edge.ends.1];
        let load = |stage: usize, processor: usize| -> f64 {
            let nodes = graph.nodes.iter().zip(places).filter(|(_, place)| **place == processor);
            let ends = |edge: &Edge| [edge.ends.0, edge.ends.1].iter().filter(|end| places[**end] == processor).count();
            let each = |edge: &Edge| ends(edge) as f64 * if is_local(edge) { edge.local } else { edge.remote } / 2.0;
            nodes.map(|(node, _)| node.work[stage]).sum::<f64>()
                + graph.edges.iter().map(|edge| edge.shares[stage] * each(edge)).sum::<f64>()
        };
        let span = |stage: usize, group: &super::graph::Group| -> f64 {
            let edges = graph.edges.iter().filter(|edge| group.nodes.contains(&edge.ends.0));
            let one = |edge: &Edge| if is_local(edge) { edge.local } else { edge.remote + edge.flight };
            let works: f64 = group.nodes.iter().map(|&node| graph.nodes[node].work[stage]).sum();
            (works + edges.map(|edge| edge.shares[stage] * one(edge)).sum::<f64>()) / group.parallel
        };
        let stage = |stage: usize| {
            let loads = (0..processors).map(|processor| load(stage, processor));
            loads.chain(graph.groups.iter().map(|group| span(stage, group))).fold(0.0, f64::max)
        };
        (0..graph.stages()).map(stage).sum()
    }

    /// The time of the best of all placements.
    fn of_all(graph: &Graph, processors: usize) -> f64 {
        let count = graph.nodes.len() as u32;
        let places = |number: usize| -> Places {
            (0..count)
                .map(|node| graph.nodes[node as usize].fixed.unwrap_or(number / processors.pow(node) % processors))
                .collect()
        };
        let all = (0..processors.pow(count)).map(|number| plainly(graph, &places(number), processors));
        all.fold(f64::INFINITY, f64::min)
    }

    fn graphs() -> impl Strategy<Value = Graph> {
        let edges = |nodes: usize| {
            let edge = (0..nodes, 0..nodes, 0..400u64, 0..100_000u64);
            let edge = edge
                .prop_map(|(one, other, count, bytes)| (one != other).then(|| Edge::new((one, other), count, bytes)));
            prop::collection::vec(edge, 0..10).prop_map(|edges| edges.into_iter().flatten().collect::<Vec<_>>())
        };
        (1usize..8).prop_flat_map(move |nodes| {
            let works = prop::collection::vec((0..2_000_000u32, prop::bool::weighted(0.1)), nodes);
            (works, edges(nodes), prop::collection::vec(1.0..4.0, 8)).prop_map(|(works, edges, parallel)| {
                let nodes = works
                    .into_iter()
                    .zip(1..)
                    .map(|((work, fixed), id)| Node { fixed: fixed.then_some(0), ..node(id, f64::from(work)) });
                let mut graph = Graph::new(nodes.collect(), edges);
                graph.groups.iter_mut().zip(parallel).for_each(|(group, parallel)| group.parallel = parallel);
                graph
            })
        })
    }

    proptest! {
        #[test]
        fn small_graphs_are_placed_as_well_as_they_can_be(graph in graphs(), processors in 1usize..5) {
            let (found, least) = (best(&graph, processors), of_all(&graph, processors));
            prop_assert!((found.time - least).abs() < 1e-3, "{} and not {least}", found.time);
            prop_assert!((plainly(&graph, &found.places, processors) - found.time).abs() < 1e-3);
            // From a bad placement branch and bound finds it alone.
            let sequential = exact(&graph, processors, vec![0; graph.nodes.len()]);
            prop_assert!((sequential.time - least).abs() < 1e-3, "{} and not {least}", sequential.time);
            prop_assert!(found.gap() < 1e-9);
            prop_assert!(bound(&graph, processors) <= least + 1e-3, "the bound is none");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn large_ones_are_within_their_gap(works in prop::collection::vec(1..1_000_000u32, 30..60), seed: u64) {
            let nodes: Vec<_> = works.iter().zip(2..).map(|(&work, id)| node(id, f64::from(work))).collect();
            let partner = |place: usize| (place * 7 + seed as usize % 5 + 1) % nodes.len();
            let pairs = (0..nodes.len()).filter(|&place| partner(place) != place);
            let edges = pairs.map(|place| Edge::new((place, partner(place)), seed % 500, seed % 9_000)).collect();
            let graph = Graph::new(nodes, edges);
            let found = best(&graph, 5);
            prop_assert!(found.bound <= found.time + 1e-3);
            // No placement that is drawn is better than the bound, nor than what was found.
            let mut random = testbed_trace::synthetic::Random::new(seed);
            for _ in 0..200 {
                let drawn: Places = graph.nodes.iter().map(|_| random.below(5) as usize).collect();
                let drawn = time(&graph, &drawn, 5);
                prop_assert!(drawn >= found.bound && drawn >= found.time - 1e-3);
            }
        }
    }

    #[test]
    fn pairs_stay_together_and_loads_are_level() {
        let nodes = (2..42).map(|id| node(id, 1e6)).collect();
        let edges = (0..20).map(|pair| Edge::new((2 * pair, 2 * pair + 1), 1_000, 1_000_000)).collect();
        let graph = Graph::new(nodes, edges);
        let found = best(&graph, 5);
        assert!(found.gap() < 1e-9, "{}", found.gap());
        assert!((0..20).all(|pair| found.places[2 * pair] == found.places[2 * pair + 1]));
    }

    #[test]
    fn threads_of_which_one_is_active_at_a_time_stay_together() {
        let nodes = (2..10).map(|id| node(id, 1e6)).collect();
        let edges = (0..7).map(|place| Edge::new((place, place + 1), 1_000, 0)).collect();
        let mut graph = Graph::new(nodes, edges);
        graph.groups[0].parallel = 1.0;
        let found = best(&graph, 5);
        assert!(found.places.iter().all(|place| *place == found.places[0]), "{:?}", found.places);
    }

    #[test]
    fn the_files_are_those_that_are_read() {
        let mut graph = Graph::new((1..5).map(|id| node(id, 1.0)).collect(), Vec::new());
        graph.nodes[0].fixed = Some(0);
        let places = vec![0, 1, 4, 0];
        let text = of_policy(&graph, &places);
        assert_eq!(text, "# thread  processor\n1-01-002  2\n1-01-003  5\n1-01-004  1\n");
        assert!(Placement::parse(&text, 5).is_ok() && Placement::parse(&text, 4).is_err());
        assert_eq!(of_program(&graph, &places), "place 2 2\nplace 3 5\nplace 4 1\n");
    }
}
