//! Which runs the experiment makes.

use testbed_balance::policies::{placement, NAMES};
use testbed_definitions::boot::BALANCER;
use testbed_definitions::event::{DIAG_DEFAULT, DIAG_DETAIL, DIAG_LOAD, DIAG_PROFILE, DIAG_READY};
use testbed_kernel_core::placement::by_lot;
use testbed_kernel_core::task_graph::FIRST;
use testbed_trace::capture::{BalanceRecord, KernelKind};

use super::queries::SLAVES;
use super::report::TABLE_9;
use super::sizes::Sizes;
use super::variation::{variations, Variation};
use crate::plan;

/// A run of this experiment.
pub type Planned = plan::Planned<Part>;

/// Classes of which the metrics and the graphs are made.
const CLASSES: u32 = DIAG_DEFAULT | DIAG_DETAIL;
/// Seed of all runs, so that each program does the same work in all of them.
const SEED: u32 = 1;
/// The file that says where threads start.
const PLACES: &str = "places";
/// Seeds of placements by lot that are run with events too: any two threads are apart in one of them,
/// as a rule.
pub const APART: [u32; 3] = [1, 2, 3];
/// Regions of `wator`.
const REGIONS: u32 = 20;

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `multi-phase` with all that its metrics need.
    Metrics,
    /// `multi-phase` with other classes.
    Cost,
    /// All threads of a program on one processor, by its place in [`programs`].
    Sequential(usize),
    /// The same with events.
    Graph(usize),
    /// Threads by lot with events, by the lot's seed.
    Apart(usize, u32),
    /// Threads by lot, with this seed.
    Random(usize, u32),
    /// Threads in the best places by the model.
    Static(usize),
    /// Threads that a policy moves: the program's place in [`balanced`], the policy, and the period of
    /// samples in microseconds.
    Policy(usize, &'static str, u32),
    /// The same with a variation: the program's place in [`balanced`], the variation's in
    /// [`variations`].
    Varied(usize, usize),
}

/// A program of Table 9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// In the names of its runs.
    pub name: &'static str,
    /// As the report calls it.
    pub title: &'static str,
    pub program: &'static str,
    pub arguments: Vec<String>,
    /// How many threads there are to place.
    pub threads: usize,
}

/// The programs of Table 9, in its order.
pub fn programs(sizes: &Sizes) -> [Program; 4] {
    let Sizes { rounds, messages, additions, steps, .. } = *sizes;
    let of = |name, title, program, arguments: &str, threads| Program {
        name,
        title,
        program,
        arguments: arguments.split(' ').map(String::from).collect(),
        threads,
    };
    [
        of("compute", "20 compute-bound threads", "synthetic", &format!("20 compute {rounds}"), 20),
        of("pairs", "20 communication-bound threads", "synthetic", &format!("20 communicate {messages}"), 40),
        of("adder", "adder simulation", "adder", &format!("0 0 {additions}"), 15),
        of("wator", "wator simulation", "wator", &format!("{steps} {REGIONS}"), REGIONS as usize),
    ]
}

/// The programs that policies balance: those of Table 9, and the mixed threads of Figure 48.
pub fn balanced(sizes: &Sizes) -> Vec<Program> {
    let arguments = ["20", "mixed", &sizes.rounds.to_string()].map(String::from).into();
    let (title, program) = ("20 mixed threads", "synthetic");
    let mixed = Program { name: "mixed", title, program, arguments, threads: 20 };
    programs(sizes).into_iter().chain([mixed]).collect()
}

/// The policy that needs a placement.
pub const STATIC: &str = "static";

impl Program {
    /// The program with its arguments.
    pub fn command(&self) -> String {
        format!("{} {}", self.program, self.arguments.join(" "))
    }

    fn run(&self, name: &str, dgl: u32, part: Part) -> Planned {
        plain(format!("{}-{name}", self.name), self.program, self.arguments.clone(), dgl, part)
    }

    /// A run whose threads start where a text says ([`super::placement::of_program`]).
    fn placed(&self, name: &str, dgl: u32, part: Part, places: String) -> Planned {
        let run = self.run(name, dgl, part);
        let arguments = run.arguments.iter().cloned().chain(["static".into(), PLACES.into()]).collect();
        Planned { arguments, files: vec![(PLACES.into(), places)], ..run }
    }

    /// Threads by lot: every slave has as many as any other, or one more.
    fn by_lot(&self, seed: u32) -> String {
        let mut places = vec![0; self.threads];
        by_lot(seed, SLAVES.len() as u8, &mut places);
        let line = |(id, place): (u8, &u8)| format!("place {id} {}\n", place + 1);
        (FIRST..).zip(&places).map(line).collect()
    }

    /// A run with all threads on one processor at first, from which a policy moves them.
    fn balanced(&self, index: usize, policy: &'static str, period_us: u32) -> Planned {
        let variation = Variation { policy: policy.into(), period_us, setting: None };
        self.varied(&variation, Part::Policy(index, policy, period_us))
    }

    /// The same with what a variation says.
    fn varied(&self, variation: &Variation, part: Part) -> Planned {
        let settings = variation.argument().into_iter().collect();
        let record = BalanceRecord { policy: variation.policy.clone(), sample_us: variation.period_us, settings };
        Planned {
            programs: vec![self.program, BALANCER],
            balance: Some(record),
            ..self.run(&variation.name(), DIAG_LOAD, part)
        }
    }

    /// The runs with the policy that moves threads to the best places by the model.
    pub fn moved(&self, index: usize, sizes: &Sizes, places: &str) -> Vec<Planned> {
        let one = |period: &u32| Planned {
            files: vec![(placement::FILE.into(), places.into())],
            ..self.balanced(index, STATIC, *period)
        };
        sizes.periods_us.iter().map(one).collect()
    }

    /// The run that verifies the best placement.
    pub fn verify(&self, index: usize, places: String) -> Planned {
        self.placed("static", 0, Part::Static(index), places)
    }
}

/// Class names and classes with which `multi-phase` shows what they take.
pub const LEVELS: [(&str, u32); 6] = [
    ("none", 0),
    ("load", DIAG_LOAD),
    ("ready", DIAG_READY),
    ("profile", DIAG_PROFILE),
    ("profile+timer+user", DIAG_DEFAULT),
    ("profile+timer+user+detail", CLASSES),
];

fn multi_phase(sizes: &Sizes, name: &str, dgl: u32, part: Part) -> Planned {
    let arguments = [5_000, sizes.turns, 1, sizes.pause_ms].iter().map(ToString::to_string).collect();
    plain(format!("multi-phase-{name}"), "multi-phase", arguments, dgl, part)
}

/// A run of a program by itself.
fn plain(name: String, program: &'static str, arguments: Vec<String>, dgl: u32, part: Part) -> Planned {
    Planned {
        name,
        programs: vec![program],
        arguments,
        files: Vec::new(),
        balance: None,
        kernel: KernelKind::Default,
        seed: SEED,
        dgl,
        unmonitored: false,
        part,
    }
}

/// All runs that need no other before them.
pub fn plan(sizes: &Sizes) -> Vec<Planned> {
    let mut all: Vec<Planned> = LEVELS
        .iter()
        .map(|&(name, dgl)| {
            let part = if dgl == CLASSES { Part::Metrics } else { Part::Cost };
            multi_phase(sizes, name, dgl, part)
        })
        .collect();
    for (index, program) in programs(sizes).iter().enumerate() {
        all.push(program.run("sequential", 0, Part::Sequential(index)));
        all.push(program.run("graph", CLASSES, Part::Graph(index)));
        all.extend(
            (1..=sizes.seeds).map(|seed| {
                program.placed(&format!("random-{seed}"), 0, Part::Random(index, seed), program.by_lot(seed))
            }),
        );
        all.extend(APART.map(|seed| {
            program.placed(&format!("apart-{seed}"), CLASSES, Part::Apart(index, seed), program.by_lot(seed))
        }));
    }
    for (index, program) in balanced(sizes).iter().enumerate() {
        if index >= TABLE_9.len() {
            all.push(program.run("sequential", 0, Part::Sequential(index)));
        }
        for policy in NAMES.iter().filter(|policy| **policy != STATIC) {
            all.extend(sizes.periods_us.iter().map(|period| program.balanced(index, policy, *period)));
        }
    }
    all
}

/// The runs of a sweep that are not in the plan without it.
pub fn sweep(sizes: &Sizes) -> Vec<Planned> {
    let known = plan(sizes);
    let all = balanced(sizes).into_iter().enumerate().flat_map(|(index, program)| {
        let varied = variations(sizes).into_iter().enumerate();
        let runs = varied.map(|(place, variation)| program.varied(&variation, Part::Varied(index, place)));
        runs.collect::<Vec<_>>()
    });
    all.filter(|run| known.iter().all(|other| other.name != run.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_run_has_a_name_of_its_own() {
        for (sizes, runs) in [(Sizes::FULL, 7 + 4 * 25 + 5 * 7 * 2), (Sizes::REDUCED, 7 + 4 * 8 + 5 * 7)] {
            let plan = plan(&sizes);
            assert_eq!(plan.len(), runs);
            let names: BTreeSet<_> = plan.iter().map(|run| &run.name).collect();
            assert_eq!(names.len(), runs);
            let sweep = sweep(&sizes);
            let more: BTreeSet<_> = sweep.iter().map(|run| &run.name).collect();
            assert!(more.len() == sweep.len() && more.is_disjoint(&names));
            // With those in the plan all variations are run.
            let all = variations(&sizes).len() * balanced(&sizes).len();
            let own = if sizes == Sizes::FULL { 3 * 2 } else { 3 };
            assert_eq!(sweep.len(), all - own * balanced(&sizes).len());
        }
    }

    #[test]
    fn threads_by_lot_are_shared_out_evenly() {
        let [_, _, adder, _] = programs(&Sizes::FULL);
        let text = adder.by_lot(7);
        assert!((2..17).all(|id| text.matches(&format!("place {id} ")).count() == 1), "{text}");
        assert!((1..6).all(|slave| text.lines().filter(|line| line.ends_with(&format!(" {slave}"))).count() == 3));
    }
}
