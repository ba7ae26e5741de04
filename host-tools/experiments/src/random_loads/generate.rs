//! Random programs: files of `taskgraph`, each a pure function of its seed.
//!
//! A program has parts, each of which is some threads that communicate in one [`Shape`]. It runs
//! through phases: in each, the work of a part and of its threads, its messages and sometimes its
//! shape are drawn anew. The generator of `testbed_kernel_core::task_graph` links threads by lot; here
//! the graphs have the shapes that programs have.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use itertools::Itertools;
use testbed_balance::policies::Rng;
use testbed_kernel_core::task_graph::HEADER;
use testbed_kernel_core::task_graph::{FIRST, LINKS, LINKS_A_THREAD, PAIRS, ROUNDS};

use super::shapes::Shape;

const LEAST_THREADS: u32 = 5;
const MOST_PHASES: u32 = 4;
const MOST_PARTS: u32 = 4;
/// Links of a phase, so that all phases have room in the file.
const LINKS_A_PHASE: usize = LINKS / MOST_PHASES as usize;
/// Bits of the most units of work that a thread does in a round, and of the most bytes of a message.
const WORK_BITS: u32 = 8;
const BYTES_BITS: u32 = 11;
const MOST_MESSAGES: u32 = 3;
/// Rounds that the shortest phase has at least: where fewer would fit, threads get less to do in each.
const LEAST_ROUNDS: u64 = 20;
/// Cycles that a unit of work takes, a message on one processor, and each of its bytes, which is
/// written by its sender and checked by its receiver. Measured with `taskgraph`; they need not be
/// exact, since they only make programs take about as long as they should.
const UNIT_CYCLES: u64 = 1_130;
const MESSAGE_CYCLES: u64 = 1_130;
const BYTE_CYCLES: u64 = 35;

/// How large programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Machine cycles that a program takes on one processor, on average; a program has between two
    /// thirds of them and four thirds.
    pub cycles: u64,
    /// 60 at most.
    pub most_threads: u32,
}

/// `messages` of `bytes` each, in every round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link {
    /// Threads, counted from 0.
    from: u8,
    to: u8,
    messages: u32,
    bytes: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Phase {
    /// Of the cycles of the whole program, in parts of all phases' shares.
    share: u64,
    /// Units of each thread in a round.
    work: Vec<u32>,
    links: Vec<Link>,
}

impl Phase {
    /// Cycles of a round on one processor, where messages and all else but work cost `cost` times as
    /// much as on the machine as it is.
    fn round(&self, cost: u32) -> u64 {
        let work: u64 = self.work.iter().map(|&units| u64::from(dearer(units, cost)) * UNIT_CYCLES).sum();
        let message = |link: &Link| u64::from(link.messages) * (MESSAGE_CYCLES + u64::from(link.bytes) * BYTE_CYCLES);
        work + self.links.iter().map(message).sum::<u64>()
    }
}

/// Work as it is where everything else costs more: a thread that works at all does a unit at least.
fn dearer(units: u32, cost: u32) -> u32 {
    if units == 0 {
        0
    } else {
        (units / cost).max(1)
    }
}

/// A random program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub seed: u32,
    pub threads: u8,
    cycles: u64,
    /// How many threads communicate how, in the first phase.
    parts: Vec<(Shape, Range<u8>)>,
    phases: Vec<Phase>,
}

/// Draws what numbers are like.
fn between(rng: &mut Rng, least: u32, most: u32) -> u32 {
    least + rng.below(most - least + 1)
}

fn chance(rng: &mut Rng, percent: u32) -> bool {
    rng.below(100) < percent
}

/// Below 2 to the power of `bits`, small ones as frequent as large ones by size; 0 too.
fn skewed(rng: &mut Rng, bits: u32) -> u32 {
    let bits = rng.below(bits + 1);
    rng.below(1 << bits)
}

impl Program {
    /// The program of this seed.
    pub fn generate(seed: u32, size: Size) -> Program {
        let mut rng = Rng::new(seed);
        let threads = between(&mut rng, LEAST_THREADS, size.most_threads.max(LEAST_THREADS)) as u8;
        let parts = parts(threads, &mut rng);
        let cycles = size.cycles * u64::from(between(&mut rng, 667, 1_333)) / 1_000;
        let count = between(&mut rng, 1, MOST_PHASES);
        let mut shapes = parts.clone();
        let mut pairs = BTreeSet::new();
        let mut phases: Vec<Phase> = Vec::new();
        for index in 0..count {
            if index > 0 && chance(&mut rng, 40) {
                let changed = rng.below(shapes.len() as u32) as usize;
                shapes[changed].0 = shape(&mut rng);
            }
            phases.push(phase(threads, &shapes, &mut pairs, &mut rng));
        }
        let program = Program { seed, threads, cycles, parts, phases };
        program.with_rounds()
    }

    /// The same, with less work in a round where a phase would have too few rounds.
    fn with_rounds(mut self) -> Program {
        for index in 0..self.phases.len() {
            let cycles = self.cycles_of(&self.phases[index]);
            let phase = &mut self.phases[index];
            let excess = phase.round(1) * LEAST_ROUNDS / cycles.max(1) + 1;
            phase.work.iter_mut().for_each(|units| *units = dearer(*units, excess as u32));
        }
        self
    }

    /// The cycles that a phase should take on one processor.
    fn cycles_of(&self, phase: &Phase) -> u64 {
        let whole: u64 = self.phases.iter().map(|phase| phase.share).sum();
        self.cycles * phase.share / whole.max(1)
    }

    /// How its threads communicate in the first phase, and how many do so.
    pub fn kind(&self) -> String {
        let part = |(shape, members): &(Shape, Range<u8>)| format!("{} {}", shape.name(), members.len());
        self.parts.iter().map(part).join(", ")
    }

    /// How many phases it has.
    pub fn phases(&self) -> usize {
        self.phases.len()
    }

    /// Its file, for a machine on which all but work takes `cost` times as long.
    pub fn text(&self, cost: u32) -> String {
        let id = |thread: u8| thread + FIRST;
        let mut text = format!("{HEADER}\n# seed {}: {}\nthreads {}\n", self.seed, self.kind(), self.threads);
        for phase in &self.phases {
            let rounds = self.cycles_of(phase) / u64::from(cost) / phase.round(cost).max(1);
            let _ = writeln!(text, "phase {}", rounds.clamp(1, ROUNDS.into()));
            for (thread, &units) in (0..).zip(&phase.work).filter(|(_, units)| **units > 0) {
                let _ = writeln!(text, "work {} {}", id(thread), dearer(units, cost));
            }
            for link in &phase.links {
                let _ = writeln!(text, "link {} {} {} {}", id(link.from), id(link.to), link.messages, link.bytes);
            }
        }
        text + "end\n"
    }
}

fn shape(rng: &mut Rng) -> Shape {
    Shape::ALL[rng.below(Shape::ALL.len() as u32) as usize]
}

/// Shares the threads out among one to four parts.
fn parts(threads: u8, rng: &mut Rng) -> Vec<(Shape, Range<u8>)> {
    let wanted = between(rng, 1, MOST_PARTS).min(u32::from(threads) / 3).max(1);
    let mut cuts: BTreeSet<u8> = (1..wanted).map(|_| between(rng, 1, u32::from(threads) - 1) as u8).collect();
    cuts.insert(threads);
    let mut from = 0;
    let mut part = |to: u8| (shape(rng), std::mem::replace(&mut from, to)..to);
    cuts.into_iter().map(&mut part).collect()
}

/// Draws a phase. `pairs` has the pairs of threads that are linked in some phase.
fn phase(threads: u8, parts: &[(Shape, Range<u8>)], pairs: &mut BTreeSet<(u8, u8)>, rng: &mut Rng) -> Phase {
    let mut phase = Phase { share: between(rng, 1, 4).into(), work: vec![0; threads.into()], links: Vec::new() };
    for (shape, members) in parts {
        let most = skewed(rng, WORK_BITS).max(1);
        // One thread in so many has the most work; the others have a part of it. With 1 all are alike.
        let (heavy, part) = (between(rng, 1, 4), between(rng, 2, 10));
        for thread in members.clone() {
            let is_heavy = rng.below(heavy) == 0;
            phase.work[usize::from(thread)] = if is_heavy { most } else { most / part };
        }
        let (messages, bytes) = (between(rng, 1, MOST_MESSAGES), skewed(rng, BYTES_BITS));
        for (from, to) in shape.links(members, rng) {
            let of = |thread| phase.links.iter().filter(|link| link.from == thread || link.to == thread).count();
            let has_room = phase.links.len() < LINKS_A_PHASE
                && of(from).max(of(to)) < LINKS_A_THREAD
                && (pairs.len() < PAIRS || pairs.contains(&(from, to)));
            if has_room {
                pairs.insert((from, to));
                phase.links.push(Link { from, to, messages, bytes });
            }
        }
    }
    // Somebody works in every phase, so that none is over at once.
    let somebody = &mut phase.work[rng.below(threads.into()) as usize];
    *somebody = (*somebody).max(1);
    phase
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use testbed_definitions::packet::STATIONS_MAX;
    use testbed_kernel_core::task_graph::line::Lines;
    use testbed_kernel_core::task_graph::parse::Reader;
    use testbed_kernel_core::task_graph::Graph;

    fn read(text: &str) -> Result<Box<Graph>, String> {
        let mut graph = Box::new(Graph::EMPTY);
        let mut reader = Reader::new(&mut graph, STATIONS_MAX as u8);
        let mut lines = Lines::default();
        let mut taken = Ok(());
        for &byte in text.as_bytes() {
            lines.put(byte, |line| {
                if taken.is_ok() {
                    taken = reader.line(line).map_err(|fault| fault.to_string());
                }
            });
        }
        taken?;
        reader.end().map_err(|fault| fault.to_string())?;
        Ok(graph)
    }

    /// Cycles on one processor by the file, and of its messages alone.
    fn cycles(graph: &Graph) -> u64 {
        let of = |phase: &testbed_kernel_core::task_graph::Phase| {
            let work: u64 = graph.threads().map(|thread| u64::from(phase.work(thread)) * UNIT_CYCLES).sum();
            let links = graph
                .links(phase)
                .map(|(_, link)| u64::from(link.messages) * (MESSAGE_CYCLES + u64::from(link.bytes) * BYTE_CYCLES));
            u64::from(phase.rounds) * (work + links.sum::<u64>())
        };
        graph.phases().iter().map(of).sum()
    }

    const SIZE: Size = Size { cycles: 187_500_000, most_threads: 60 };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_program_is_a_file_and_takes_as_long_as_it_should(seed: u32, cost in prop::sample::select(vec![1u32, 5, 25])) {
            let program = Program::generate(seed, SIZE);
            prop_assert_eq!(&program, &Program::generate(seed, SIZE));
            let graph = read(&program.text(cost));
            prop_assert!(graph.is_ok(), "{:?}\n{}", graph, program.text(cost));
            let graph = graph.unwrap();
            prop_assert_eq!(graph.threads().count(), usize::from(program.threads));
            let share = cycles(&graph) as f64 * f64::from(cost) / SIZE.cycles as f64;
            // Where messages cost 25 times as much, one round can be longer than its phase should be, or
            // nearly two be too many.
            let (least, most) = if cost == 25 { (0.33, f64::INFINITY) } else { (0.45, 1.5) };
            prop_assert!((least..most).contains(&share), "{}\n{}", share, program.text(cost));
        }

        #[test]
        fn small_programs_have_few_threads(seed: u32, most_threads in 5u32..12) {
            let program = Program::generate(seed, Size { cycles: 5_000_000, most_threads });
            prop_assert!((5..=most_threads as u8).contains(&program.threads));
            prop_assert!(read(&program.text(1)).is_ok());
        }
    }

    #[test]
    fn programs_are_all_that_they_can_be() {
        let all: Vec<_> = (1..=400).map(|seed| Program::generate(seed, SIZE)).collect();
        assert!((5..=60).all(|threads| all.iter().any(|program| program.threads == threads)));
        assert!((1..=4).all(|phases| all.iter().any(|program| program.phases() == phases)));
        for shape in Shape::ALL {
            let alone = all.iter().filter(|program| program.parts.len() == 1 && program.parts[0].0 == shape);
            assert!(alone.count() > 3, "{shape:?}");
        }
        let changes = |program: &&Program| program.phases.windows(2).any(|two| two[0].work != two[1].work);
        assert!(all.iter().filter(changes).count() > 200, "work shifts between threads");
    }
}
