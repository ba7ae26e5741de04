//! Looks for the best placement: by branch and bound where a graph is small enough, else by local
//! search from many beginnings.

use testbed_trace::synthetic::Random;

use super::graph::{Edge, Graph};
use super::model::{bound, placed, time, Places, Sums, LEAST};

/// Placements that branch and bound looks at before it gives up.
const NODES_MOST: u64 = 200_000;
/// Beginnings of the local search that are drawn by lot, beside the regular ones.
const DRAWN: u32 = 24;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    pub places: Places,
    /// Cycles by the model, and what no placement is below.
    pub time: f64,
    pub bound: f64,
}

impl Best {
    /// By how much it may be above the best there is, as a part of that.
    pub fn gap(&self) -> f64 {
        if self.bound > 0.0 {
            (self.time / self.bound - 1.0).max(0.0)
        } else {
            0.0
        }
    }
}

/// The best placement on so many processors, or the best that was found, with the bound that says how
/// good it is.
pub fn best(graph: &Graph, processors: usize) -> Best {
    exact(graph, processors, local_search(graph, processors))
}

/// Goes on from a placement by branch and bound.
pub(super) fn exact(graph: &Graph, processors: usize, found: Places) -> Best {
    let found_time = time(graph, &found, processors);
    let least = bound(graph, processors);
    if found_time <= least + LEAST {
        return Best { places: found, time: found_time, bound: least };
    }
    let mut branch = Branch::new(graph, processors, found, found_time, least);
    let is_whole = branch.go(0, 0, &Sums::new(graph, processors));
    let (places, time) = (branch.best, branch.best_time);
    Best { places, time, bound: if is_whole { time } else { least } }
}

/// The best local optimum from all beginnings.
fn local_search(graph: &Graph, processors: usize) -> Places {
    let mut random = Random::new(graph.nodes.len() as u64);
    let drawn: Vec<Places> = (0..DRAWN)
        .map(|_| {
            graph.nodes.iter().map(|node| node.fixed.unwrap_or(random.below(processors as u32) as usize)).collect()
        })
        .collect();
    let apart: Vec<Vec<usize>> = (0..graph.nodes.len()).map(|node| vec![node]).collect();
    let together: Vec<Vec<usize>> = graph.groups.iter().map(|group| group.nodes.clone()).collect();
    let one = graph.nodes.iter().map(|node| node.fixed.unwrap_or(0)).collect();
    let regular = [one, heaviest_first(graph, &apart, processors), heaviest_first(graph, &together, processors)];
    let all = regular.into_iter().chain(drawn).map(|places| improved(graph, places, processors));
    let keyed = all.map(|places| (time(graph, &places, processors), places));
    keyed.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(Vec::new(), |(_, places)| places)
}

/// Puts each set of nodes where there is least yet, the heaviest one first.
fn heaviest_first(graph: &Graph, sets: &[Vec<usize>], processors: usize) -> Places {
    let work = |set: &Vec<usize>| set.iter().map(|&node| graph.nodes[node].whole()).sum::<f64>();
    let mut sets: Vec<_> = sets.iter().collect();
    sets.sort_by(|one, other| work(other).total_cmp(&work(one)));
    let mut loads = vec![0.0f64; processors];
    let mut places = vec![0; graph.nodes.len()];
    for set in sets {
        let least = (0..processors).min_by(|one, other| loads[*one].total_cmp(&loads[*other])).unwrap_or(0);
        for &node in set {
            places[node] = graph.nodes[node].fixed.unwrap_or(least);
            loads[places[node]] += graph.nodes[node].whole();
        }
    }
    places
}

/// How good a placement is: its time, and for those of the same time how unequal its processors are.
fn value(graph: &Graph, places: &[usize], processors: usize) -> (f64, f64) {
    let sums = placed(graph, places, processors);
    (sums.bound(), sums.squares())
}

fn is_better(one: (f64, f64), other: (f64, f64)) -> bool {
    one.0 < other.0 - LEAST || (one.0 <= other.0 + LEAST && one.1 < other.1 * (1.0 - 1e-9))
}

/// Moves a thread, or exchanges two, as long as that makes the placement better.
fn improved(graph: &Graph, mut places: Places, processors: usize) -> Places {
    let mut now = value(graph, &places, processors);
    let free: Vec<usize> = (0..graph.nodes.len()).filter(|&node| graph.nodes[node].fixed.is_none()).collect();
    loop {
        let before = now;
        for &node in &free {
            let from = places[node];
            for to in 0..processors {
                let here = std::mem::replace(&mut places[node], to);
                let then = value(graph, &places, processors);
                if to != from && is_better(then, now) {
                    now = then;
                } else {
                    places[node] = here;
                }
            }
        }
        for (index, &one) in free.iter().enumerate() {
            for &other in &free[index + 1..] {
                if places[one] == places[other] {
                    continue;
                }
                places.swap(one, other);
                let then = value(graph, &places, processors);
                if is_better(then, now) {
                    now = then;
                } else {
                    places.swap(one, other);
                }
            }
        }
        if !is_better(now, before) {
            return places;
        }
    }
}

/// Branch and bound in order of the nodes' weights.
struct Branch<'a> {
    graph: &'a Graph,
    processors: usize,
    /// Nodes in the order in which they are placed, and for each the edges to those before it.
    order: Vec<usize>,
    edges_back: Vec<Vec<usize>>,
    places: Places,
    best: Places,
    best_time: f64,
    /// What no placement is below.
    least: f64,
    left: u64,
}

impl<'a> Branch<'a> {
    fn new(graph: &'a Graph, processors: usize, best: Places, best_time: f64, least: f64) -> Self {
        let weight = |node: usize| {
            let own = graph.edges.iter().filter(|edge| edge.ends.0 == node || edge.ends.1 == node);
            graph.nodes[node].whole() + own.map(|edge| edge.remote).sum::<f64>()
        };
        let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
        // Those that have to stay come first: the other processors are alike only then.
        let key = |node: usize| (graph.nodes[node].fixed.is_none(), -weight(node));
        order.sort_by(|&one, &other| {
            let (one, other) = (key(one), key(other));
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1))
        });
        let rank = |node: usize| order.iter().position(|&own| own == node).unwrap_or(0);
        let is_back = |edge: &Edge, node: usize| {
            let (one, other) = edge.ends;
            (one == node && rank(other) <= rank(node)) || (other == node && rank(one) < rank(node))
        };
        let back = |&node: &usize| (0..graph.edges.len()).filter(|&edge| is_back(&graph.edges[edge], node)).collect();
        let edges_back = order.iter().map(back).collect();
        let places = vec![0; graph.nodes.len()];
        Branch { graph, processors, order, edges_back, places, best, best_time, least, left: NODES_MOST }
    }

    /// Places the nodes from `depth` on, those before have these sums; `used` processors have been
    /// used, the others are alike. Whether nothing was left out.
    fn go(&mut self, depth: usize, used: usize, sums: &Sums) -> bool {
        if self.best_time <= self.least + LEAST {
            return true;
        }
        let Some(&node) = self.order.get(depth) else {
            let time = time(self.graph, &self.places, self.processors);
            if time < self.best_time - LEAST {
                (self.best, self.best_time) = (self.places.clone(), time);
            }
            return true;
        };
        let candidates = match self.graph.nodes[node].fixed {
            Some(place) => place..place + 1,
            None => 0..self.processors.min(used + 1),
        };
        let mut is_whole = true;
        for place in candidates {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            self.places[node] = place;
            let mut sums = sums.clone();
            sums.place_node(self.graph, node, place);
            for &edge in &self.edges_back[depth] {
                let edge = &self.graph.edges[edge];
                sums.place_edge(self.graph, edge, (self.places[edge.ends.0], self.places[edge.ends.1]));
            }
            if sums.bound() < self.best_time - LEAST {
                is_whole &= self.go(depth + 1, used.max(place + 1), &sums);
            }
        }
        is_whole
    }
}
