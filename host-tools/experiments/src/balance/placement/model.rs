//! How long a graph takes with its threads in given places, by a model that leaves out waiting: what
//! no machine can beat that spends these cycles, if threads advance together from stage to stage.

use super::graph::{Edge, Graph};

/// Processors of all threads, from 0, in order of the graph's nodes.
pub type Places = Vec<usize>;

/// Cycles by which one placement has to be better than another to count as better.
pub const LEAST: f64 = 1e-6;

/// What has been placed so far: the cycles of each processor and each group by stages.
#[derive(Clone, Debug)]
pub struct Sums {
    processors: usize,
    /// Cycles of a stage's processors, with their services; one stage behind the other.
    loads: Vec<f64>,
    /// Cycles that a stage's groups take, one thread after the other, divided by how many of them can
    /// go on at a time.
    spans: Vec<f64>,
    /// All cycles of a stage.
    whole: Vec<f64>,
    /// Cycles of the thread that does most in a stage.
    longest: Vec<f64>,
}

impl Sums {
    /// The model of a graph of which nothing is placed: each message counts as the least that it can take.
    pub fn new(graph: &Graph, processors: usize) -> Self {
        let (stages, groups) = (graph.stages(), graph.groups.len());
        let mut sums = Sums {
            processors,
            loads: vec![0.0; stages * processors],
            spans: vec![0.0; stages * groups],
            whole: vec![0.0; stages],
            longest: vec![0.0; stages],
        };
        for (node, group) in graph.nodes.iter().zip(graph.group_of().iter().copied()) {
            for (stage, work) in node.work.iter().enumerate() {
                sums.spans[stage * groups + group] += work / graph.groups[group].parallel;
                sums.whole[stage] += work;
                sums.longest[stage] = sums.longest[stage].max(*work);
            }
        }
        for edge in &graph.edges {
            sums.add(graph, edge, edge.local.min(edge.remote), edge.local.min(edge.remote + edge.flight));
        }
        sums
    }

    /// Adds cycles of an edge to what all do, and to what its group takes.
    fn add(&mut self, graph: &Graph, edge: &Edge, whole: f64, span: f64) {
        let (groups, group) = (graph.groups.len(), graph.group_of()[edge.ends.0]);
        for (stage, share) in edge.shares.iter().enumerate() {
            self.spans[stage * groups + group] += share * span / graph.groups[group].parallel;
            self.whole[stage] += share * whole;
        }
    }

    /// A node's work is on this processor.
    pub fn place_node(&mut self, graph: &Graph, node: usize, place: usize) {
        for (stage, work) in graph.nodes[node].work.iter().enumerate() {
            self.loads[stage * self.processors + place] += work;
        }
    }

    /// An edge's ends are on these processors.
    pub fn place_edge(&mut self, graph: &Graph, edge: &Edge, (one, other): (usize, usize)) {
        let (whole, span) = (-edge.local.min(edge.remote), -edge.local.min(edge.remote + edge.flight));
        let (each, whole, span) = match one == other {
            true => (edge.local / 2.0, whole + edge.local, span + edge.local),
            false => (edge.remote / 2.0, whole + edge.remote, span + edge.remote + edge.flight),
        };
        self.add(graph, edge, whole, span);
        for (stage, share) in edge.shares.iter().enumerate() {
            self.loads[stage * self.processors + one] += share * each;
            self.loads[stage * self.processors + other] += share * each;
        }
    }

    /// What no placement is below that goes on from here: of each stage the processor that has most to
    /// do, all shared out evenly, the thread that does most, and what groups need.
    pub fn bound(&self) -> f64 {
        let groups = self.spans.len() / self.whole.len().max(1);
        let of = |values: &[f64], stage: usize, width: usize| {
            values[stage * width..(stage + 1) * width].iter().copied().fold(0.0, f64::max)
        };
        let stage = |stage: usize| {
            let (loads, spans) = (of(&self.loads, stage, self.processors), of(&self.spans, stage, groups));
            loads.max(spans).max(self.whole[stage] / self.processors as f64).max(self.longest[stage])
        };
        (0..self.whole.len()).map(stage).sum()
    }

    /// How unequal the processors are.
    pub fn squares(&self) -> f64 {
        self.loads.iter().map(|load| load * load).sum()
    }
}

/// The sums of a whole placement.
pub fn placed(graph: &Graph, places: &[usize], processors: usize) -> Sums {
    let mut sums = Sums::new(graph, processors);
    places.iter().enumerate().for_each(|(node, place)| sums.place_node(graph, node, *place));
    for edge in &graph.edges {
        sums.place_edge(graph, edge, (places[edge.ends.0], places[edge.ends.1]));
    }
    sums
}

/// Cycles until all is done: of each stage those of the processor that has most to do, or of the group
/// that can't go faster.
pub fn time(graph: &Graph, places: &[usize], processors: usize) -> f64 {
    placed(graph, places, processors).bound()
}

/// What no placement is below.
pub fn bound(graph: &Graph, processors: usize) -> f64 {
    Sums::new(graph, processors).bound()
}
