//! Programs for the model: threads that repeat rounds of computing and communicating.
//!
//! In each round a thread goes through its edges in the order of their numbers. It computes before
//! all of them, or, where it depends on what comes, before the first one over which it sends. As
//! all threads keep one order, and do the same number of rounds as their partners, no program can
//! stand still.

use testbed_balance::policies::Rng;

/// What a thread computes in a round.
#[derive(Clone, Debug)]
pub enum Work {
    /// Cycles in each round.
    Constant(u64),
    /// So many rounds with so many cycles each, and round again.
    Phases(Vec<(u32, u64)>),
    /// A wave that goes round the threads: least and most cycles, rounds in which it goes round, and
    /// the thread's place on its way in 256ths.
    Wave { least: u64, most: u64, rounds: u32, place: u32 },
}

impl Work {
    pub fn cycles(&self, round: u32) -> u64 {
        match self {
            Work::Constant(cycles) => *cycles,
            Work::Phases(phases) => {
                let all: u32 = phases.iter().map(|phase| phase.0).sum();
                let mut at = round % all.max(1);
                for &(rounds, cycles) in phases {
                    if at < rounds {
                        return cycles;
                    }
                    at -= rounds;
                }
                0
            }
            &Work::Wave { least, most, rounds, place } => {
                let at = (round % rounds) * 256 / rounds;
                let away = (at.abs_diff(place)).min(256 - at.abs_diff(place));
                // Narrow: half of the way round has next to nothing.
                let high = 96u64.saturating_sub(u64::from(away));
                least + (most - least) * high * high / (96 * 96)
            }
        }
    }
}

/// A channel; used in every `every`th round of those in `rounds`.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub bytes: u32,
    pub every: u32,
    pub rounds: std::ops::Range<u32>,
}

impl Edge {
    pub fn is_used(&self, round: u32) -> bool {
        self.rounds.contains(&round) && round % self.every == 0
    }
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub rounds: u32,
    pub work: Work,
    pub pages: u32,
    /// It computes from what it has received.
    pub depends: bool,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub threads: Vec<Thread>,
    pub edges: Vec<Edge>,
}

impl Program {
    fn new(name: &str) -> Self {
        Program { name: name.into(), threads: Vec::new(), edges: Vec::new() }
    }

    fn add(&mut self, rounds: u32, work: Work) -> usize {
        self.threads.push(Thread { rounds, work, pages: 3, depends: false });
        self.threads.len() - 1
    }

    fn link(&mut self, from: usize, to: usize, bytes: u32, every: u32) {
        self.edges.push(Edge { from, to, bytes, every, rounds: 0..u32::MAX });
    }

    /// Cycles that all threads compute together, without messages.
    pub fn work(&self) -> u64 {
        let thread = |thread: &Thread| (0..thread.rounds).map(|round| thread.work.cycles(round)).sum::<u64>();
        self.threads.iter().map(thread).sum()
    }

    /// No placement takes less: all processors share the work, and no thread is done sooner than its
    /// own.
    pub fn bound(&self, slaves: u8) -> u64 {
        let thread = |thread: &Thread| (0..thread.rounds).map(|round| thread.work.cycles(round)).sum::<u64>();
        let longest = self.threads.iter().map(thread).max().unwrap_or(0);
        longest.max(self.work() / u64::from(slaves))
    }

    /// `count` threads that compute for so many slices.
    pub fn compute(count: usize, slices: u32) -> Program {
        let mut program = Program::new("compute");
        for _ in 0..count {
            program.add(slices, Work::Constant(500_000));
        }
        program
    }

    /// `count` pairs that exchange messages to and fro.
    pub fn pairs(count: usize, rounds: u32) -> Program {
        let mut program = Program::new("pairs");
        for _ in 0..count {
            let (a, b) = (program.add(rounds, Work::Constant(2_000)), program.add(rounds, Work::Constant(2_000)));
            program.link(a, b, 4, 1);
            program.link(b, a, 4, 1);
        }
        program
    }

    /// `count` threads that spend half their time computing, in pairs.
    pub fn mixed(count: usize, rounds: u32) -> Program {
        let mut program = Program::new("mixed");
        for _ in 0..count / 2 {
            let ends = [0, 1].map(|_| program.add(rounds, Work::Phases(vec![(39, 3_000), (1, 3_000_000)])));
            program.link(ends[0], ends[1], 64, 1);
            program.link(ends[1], ends[0], 64, 1);
        }
        program
    }

    /// The report's adder: an environment and fourteen elements that wait for their inputs, compute
    /// next to nothing and pass on a record of delays.
    pub fn adder(rounds: u32) -> Program {
        let mut program = Program::new("adder");
        let environment = program.add(rounds, Work::Constant(600));
        let bits: Vec<usize> = (0..8).map(|_| program.add(rounds, Work::Constant(400))).collect();
        let joins: Vec<usize> = (0..4).map(|_| program.add(rounds, Work::Constant(300))).collect();
        let last: Vec<usize> = (0..2).map(|_| program.add(rounds, Work::Constant(300))).collect();
        program.threads.iter_mut().for_each(|thread| thread.depends = true);
        for &bit in &bits {
            program.link(environment, bit, 32, 1);
        }
        for (at, &bit) in bits.iter().enumerate() {
            if at < 7 {
                program.link(bit, bits[at + 1], 32, 1);
            }
            program.link(bit, joins[at / 2], 32, 1);
        }
        for (at, &join) in joins.iter().enumerate() {
            program.link(join, last[at / 2], 32, 1);
        }
        for &element in &last {
            program.link(element, environment, 32, 1);
        }
        program
    }

    /// Regions in a ring that exchange their edges with both neighbours in each round, and whose work
    /// wanders.
    pub fn wator(regions: usize, rounds: u32) -> Program {
        let mut program = Program::new("wator");
        for at in 0..regions {
            let place = (at * 256 / regions) as u32;
            program.add(rounds, Work::Wave { least: 100_000, most: 4_000_000, rounds: 200, place });
        }
        // Every other border first, so that no wave of waiting runs through all regions.
        for at in (0..regions).step_by(2).chain((1..regions).step_by(2)) {
            let next = (at + 1) % regions;
            program.link(at, next, 400, 1);
            program.link(next, at, 400, 1);
        }
        program
    }

    /// A program drawn by a seed: 5 to 60 threads in groups of all kinds, which change over time.
    pub fn random(seed: u32) -> Program {
        let mut rng = Rng::new(seed);
        let mut program = Program::new(&format!("random {seed}"));
        let count = 5 + rng.below(56) as usize;
        // Every thread has about so much to do, in cycles; a program takes some seconds.
        let budget = 50_000_000 + u64::from(rng.below(100_000_000));
        while program.threads.len() < count {
            let most = count - program.threads.len();
            let members = match rng.below(4) {
                0 => 1,
                1 => 2,
                _ => 1 + rng.below(12) as usize,
            };
            program.group(members.min(most), budget, &mut rng);
        }
        program
    }

    /// A group of threads that communicate with each other.
    fn group(&mut self, members: usize, budget: u64, rng: &mut Rng) {
        let first = self.threads.len();
        // Cycles of a round: from 6,000 to a million and a half.
        let grain = 6_000u64 << rng.below(9);
        let rounds = (budget * u64::from(50 + rng.below(100)) / 100 / grain).clamp(20, 60_000) as u32;
        for _ in 0..members {
            let mut draw = || grain * u64::from(10 + rng.below(190)) / 100;
            let (one, two) = (draw(), draw());
            let work = match rng.below(3) {
                0 => Work::Constant(one),
                1 => Work::Phases(vec![(rounds / 2 + 1, one), (rounds, two)]),
                _ => {
                    let period = 1 + rounds / (2 + rng.below(6));
                    Work::Phases(vec![(period, one), (period, two / 8 + 1), (period, two)])
                }
            };
            self.add(rounds, work);
        }
        let depends = rng.below(3) == 0;
        self.threads[first..].iter_mut().for_each(|thread| thread.depends = depends);
        let links = if members < 2 { 0 } else { members - 1 + rng.below(members as u32) as usize };
        for at in 0..links {
            let a = match at + 1 < members {
                true => at + 1,
                false => rng.below(members as u32) as usize,
            };
            let b = match at + 1 < members {
                true => rng.below(at as u32 + 1) as usize,
                false => rng.below(members as u32) as usize,
            };
            if a != b {
                let bytes = 4 << rng.below(9);
                let every = 1 + rng.below(4) * rng.below(4);
                let begin = rng.below(4).saturating_sub(2) * rounds / 4;
                let rounds = begin..if rng.below(3) == 0 { begin + rounds / 2 } else { u32::MAX };
                self.edges.push(Edge { from: first + a, to: first + b, bytes, every, rounds });
            }
        }
    }
}
