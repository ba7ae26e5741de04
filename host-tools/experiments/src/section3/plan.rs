//! Which runs the experiment makes.

use testbed_definitions::event::{DIAG_DEFAULT, DIAG_DETAIL};
use testbed_trace::capture::{Capture, KernelKind};

use crate::plan;
use crate::subject::BACKGROUND;

/// A run of this experiment.
pub type Planned = plan::Planned<Part>;

/// Classes from which the figures come: with `detail`, sends are told from receives.
const CLASSES: u32 = DIAG_DEFAULT | DIAG_DETAIL;
/// Pairs that communicate, and threads that compute on each slave, on the busy machine.
const LOAD: [&str; 2] = ["5", "1"];
/// Seed of the runs that figures come from.
const SEED: u32 = 1;

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Figures,
    /// Other seeds, and the first one again.
    Seeds,
    Again,
    /// What monitoring costs.
    Cost,
}

/// A program with its arguments.
type Call = (&'static str, &'static [&'static str]);

/// The report's programs as in its appendix A, the bytes of messages unchecked as there.
const FULL: [Call; 4] = [
    ("local", &["100", "10", "10", "0"]),
    ("remote", &["100", "10", "10", "0"]),
    ("migrate", &["50", "5000", "100"]),
    ("multi-phase", &["5000", "10", "1", "1000"]),
];
/// Small enough for the engines that are a hundred times slower.
const REDUCED: [Call; 4] = [
    ("local", &["10", "2", "1", "0"]),
    ("remote", &["10", "2", "1", "0"]),
    ("migrate", &["6", "2000", "1"]),
    ("multi-phase", &["1000", "2", "1", "5"]),
];
/// What is run beside load, and with other seeds: `multi-phase` is its own load, and takes no chances.
const SERVICES: usize = 3;

/// Programs that show what monitoring costs: as in the report, and with nothing between two messages.
const COSTS: [(&str, Call); 4] = [
    ("local", ("local", &["100", "10", "10", "0"])),
    ("local-dense", ("local", &["100", "10", "0", "0"])),
    ("remote-dense", ("remote", &["100", "10", "0", "0"])),
    ("multi-phase", ("multi-phase", &["5000", "10", "1", "0"])),
];

/// What is enabled in each of those, from nothing to all that can be at once.
pub const LEVELS: [(&str, u32, bool); 4] = [
    ("no instrumentation", 0, true),
    ("no class", 0, false),
    ("default classes", DIAG_DEFAULT, false),
    ("detail too", CLASSES, false),
];

/// All runs. `seeds`: how many the services are repeated with; `reduced`: small ones, and those of the figures only.
pub fn plan(reduced: bool, seeds: u32) -> Vec<Planned> {
    let calls = if reduced { REDUCED } else { FULL };
    let mut all = Vec::new();
    for kernel in KernelKind::ALL {
        all.extend(calls.iter().map(|call| quiet(*call, kernel)));
        all.extend(calls[..SERVICES].iter().map(|call| busy(*call, kernel)));
    }
    if !reduced {
        for call in &calls[..SERVICES] {
            let run = quiet(*call, KernelKind::Default);
            for seed in SEED + 1..=seeds {
                all.push(Planned { name: format!("{}-seed{seed}", run.name), seed, part: Part::Seeds, ..run.clone() });
            }
            all.push(Planned { name: format!("{}-again", run.name), part: Part::Again, ..run });
        }
        all.extend(
            COSTS
                .iter()
                .flat_map(|(name, call)| LEVELS.iter().enumerate().map(move |(level, _)| cost(name, *call, level))),
        );
    }
    all
}

/// Name of the run of a program on the quiet machine. Those with other seeds begin with it.
pub fn quiet_name(program: &str, kernel: KernelKind) -> String {
    format!("{program}-{}-quiet", kernel.name())
}

fn quiet((program, arguments): Call, kernel: KernelKind) -> Planned {
    Planned {
        name: quiet_name(program, kernel),
        programs: vec![program],
        arguments: arguments.iter().map(ToString::to_string).collect(),
        files: Vec::new(),
        balance: None,
        kernel,
        seed: SEED,
        dgl: CLASSES,
        unmonitored: false,
        part: Part::Figures,
    }
}

fn busy((program, arguments): Call, kernel: KernelKind) -> Planned {
    let words = LOAD.iter().chain([&program]).chain(arguments);
    Planned {
        name: format!("{program}-{}-busy", kernel.name()),
        programs: vec![BACKGROUND, program],
        arguments: words.map(ToString::to_string).collect(),
        ..quiet((program, arguments), kernel)
    }
}

/// Name of the run of a program with a level of monitoring.
pub fn cost_name(program: &str, level: usize) -> String {
    format!("cost-{program}-{level}")
}

fn cost(name: &str, call: Call, level: usize) -> Planned {
    let (_, dgl, unmonitored) = LEVELS[level];
    Planned { name: cost_name(name, level), dgl, unmonitored, part: Part::Cost, ..quiet(call, KernelKind::Default) }
}

/// Programs of the table of costs, by the name in their runs.
pub fn costs() -> impl Iterator<Item = (&'static str, String)> {
    COSTS.iter().map(|(name, (program, arguments))| (*name, format!("{program} {}", arguments.join(" "))))
}

/// Runs whose figures are shown.
pub fn of_figures<'a>(
    plan: &'a [Planned],
    captures: &'a [Capture],
) -> impl Iterator<Item = (&'a Planned, &'a Capture)> {
    plan.iter().zip(captures).filter(|(run, _)| run.part == Part::Figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_run_has_a_name_of_its_own() {
        for (reduced, runs) in [(false, 14 + 3 * 5 + 16), (true, 14)] {
            let plan = plan(reduced, 5);
            assert_eq!(plan.len(), runs);
            assert_eq!(plan.iter().map(|run| &run.name).collect::<BTreeSet<_>>().len(), runs);
        }
    }
}
