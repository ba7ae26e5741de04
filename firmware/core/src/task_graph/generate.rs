//! Random task graphs: 5 to 60 threads of all mixes, which change from phase to phase.

use super::{Graph, FIRST, LINKS_A_THREAD, PAIRS};
use crate::work::mixed;

const LEAST_THREADS: u32 = 5;
const MOST_THREADS: u32 = 60;
const MOST_PHASES: u32 = 6;
const LONGEST: u32 = 2000;
/// What a message costs in units of work, and how many bytes cost as much as one. These need not be
/// exact: they make graphs take about as long as they are asked to.
const UNITS_A_MESSAGE: u64 = 2;
const BYTES_A_UNIT: u64 = 1000;

/// Draws numbers from a seed.
struct Draw {
    seed: u32,
    count: u32,
}

impl Draw {
    fn below(&mut self, limit: u32) -> u32 {
        self.count += 1;
        ((u64::from(mixed(self.seed, self.count, 0x6e4a)) * u64::from(limit)) >> 32) as u32
    }

    fn between(&mut self, least: u32, most: u32) -> u32 {
        least + self.below(most - least + 1)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// A number up to `most`, in which small ones are as frequent as large ones by size.
    fn skewed(&mut self, most: u32) -> u32 {
        let bits = self.below(most.ilog2() + 1);
        self.between(1 << bits, (2 << bits) - 1).min(most)
    }
}

/// How a graph's phases are mixed: of 100 threads, how many compute; messages for each thread;
/// whether lengths and works are alike.
struct Mix {
    compute_percent: u32,
    links_of_100: u32,
    most_work: u32,
    most_messages: u32,
    most_bytes: u32,
}

impl Mix {
    fn draw(draw: &mut Draw) -> Self {
        // Bound by computing, by communication, by both, and by a few threads.
        let (compute_percent, links_of_100) = [(95, 10), (10, 150), (60, 80), (15, 30)][draw.below(4) as usize];
        Mix {
            compute_percent,
            links_of_100,
            most_work: draw.between(5, 200),
            most_messages: draw.between(1, 8),
            most_bytes: draw.skewed(LONGEST),
        }
    }
}

/// Makes `graph` the one of this seed. On one processor it computes and communicates for about as
/// long as `units` of work take. It names no places. The same seed gives the same graph everywhere.
pub fn generate(seed: u32, units: u32, graph: &mut Graph) {
    graph.clone_from(&Graph::EMPTY);
    let mut draw = Draw { seed, count: 0 };
    graph.threads = draw.between(LEAST_THREADS, MOST_THREADS) as u8;
    let phases = draw.between(1, MOST_PHASES);
    // Phases differ in length, so that some pass before a balancer has seen them.
    let mut shares = [0; MOST_PHASES as usize];
    let shares = &mut shares[..phases as usize];
    shares.iter_mut().for_each(|share| *share = draw.between(1, 5));
    let whole: u32 = shares.iter().sum();
    for &share in shares.iter() {
        phase(graph, &mut draw);
        let last = usize::from(graph.phases_used) - 1;
        let wanted = u64::from(units) * u64::from(share) / u64::from(whole);
        let rounds = (wanted / graph.cost(last)).clamp(1, super::ROUNDS.into());
        graph.phases[last].rounds = rounds as u32;
    }
}

/// Adds a phase of one round.
fn phase(graph: &mut Graph, draw: &mut Draw) {
    let mix = Mix::draw(draw);
    let index = usize::from(graph.phases_used);
    (graph.phases[index].rounds, graph.phases[index].first) = (1, graph.links_used);
    graph.phases_used += 1;
    let threads = u32::from(graph.threads);
    for thread in 0..threads as usize {
        if draw.chance(mix.compute_percent) {
            graph.phases[index].work[thread] = draw.between(1, mix.most_work);
        }
    }
    // Somebody computes in every phase, so that no phase costs nothing.
    let somebody = draw.below(threads) as usize;
    graph.phases[index].work[somebody] = graph.phases[index].work[somebody].max(1);
    for _ in 0..(threads * mix.links_of_100 / 100).min(super::LINKS as u32 / MOST_PHASES) {
        let from = FIRST + draw.below(threads) as u8;
        // Often a neighbour, so that there are groups that a processor could have.
        let away = if draw.chance(60) { 1 } else { draw.between(1, threads - 1) };
        let to = FIRST + ((u32::from(from - FIRST) + away) % threads) as u8;
        let messages = draw.between(1, mix.most_messages) as u16;
        let bytes = draw.between(0, mix.most_bytes) as u16;
        let has_room = graph.channel(from, to).is_some() || usize::from(graph.channels) < PAIRS;
        if has_room {
            // Refused if the phase has such a link, or a thread has enough: then there is one less.
            let _ = graph.add_link(index, from, to, messages, bytes);
        }
    }
}

impl Graph {
    /// What a round of a phase costs on one processor, about, in units of work.
    pub(super) fn cost(&self, phase: usize) -> u64 {
        let phase = &self.phases[phase];
        let work: u64 = phase.work.iter().map(|&units| u64::from(units)).sum();
        let message = |bytes: u16| UNITS_A_MESSAGE + u64::from(bytes) / BYTES_A_UNIT;
        let links: u64 = self.links(phase).map(|(_, link)| u64::from(link.messages) * message(link.bytes)).sum();
        (work + links).max(1)
    }
}

const _: () = assert!(LINKS_A_THREAD > 2 && MOST_PHASES as usize <= super::PHASES);
