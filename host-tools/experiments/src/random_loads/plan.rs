//! Which runs the experiment makes, and on which machines.

use testbed_definitions::boot::BALANCER;
use testbed_definitions::event::DIAG_LOAD;
use testbed_machine::Machine;
use testbed_trace::capture::{BalanceRecord, KernelKind};

use super::generate::{Program, Size};
use crate::plan;

/// A run of this experiment.
pub type Planned = plan::Planned<Part>;

/// The policies and the periods of their samples in microseconds. The first is held against the
/// others; the report's own takes one sample a second.
pub const POLICIES: [(&str, u32); 6] = [
    ("gain", 200_000),
    ("report", 1_000_000),
    ("acknowledged", 200_000),
    ("diffusion", 200_000),
    ("greedy-refine", 200_000),
    ("random", 200_000),
];
/// Placements by lot of each program.
pub const LOTS: u32 = 3;
/// Seed of all runs, so that a program does the same work in all of them, wherever its threads start.
const SEED: u32 = 1;
/// What programs call their file.
const FILE: &str = "load";
/// Names of slaves, as many as a machine may have.
const SLAVES: [&str; 15] = [
    "earth", "air", "fire", "water", "space", "iron", "wood", "metal", "stone", "salt", "light", "wind", "rain",
    "snow", "dust",
];

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All threads on one slave.
    Sequential,
    /// Threads by lot.
    Random,
    /// All threads on one slave at first, from where a policy moves them: its place in [`POLICIES`].
    Policy(usize),
}

/// The machine with so many slaves, on which all but work takes `cost` times as long: as programs work
/// less in the same proportion, a slower clock says just that.
pub fn machine(slaves: u8, cost: u32) -> Machine {
    let standard = Machine::testbed6();
    let names = ["master"].into_iter().chain(SLAVES.into_iter().take(slaves.into()));
    Machine {
        name: format!("slaves{slaves}-cost{cost}"),
        clock_hz: standard.clock_hz / cost,
        processors: names.map(String::from).collect(),
        ..standard
    }
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub size: Size,
    /// Instead of the policies' own periods.
    pub period_us: Option<u32>,
}

/// The file of a program in the output folder.
pub fn file(seed: u32, cost: u32) -> String {
    format!("programs/{seed}-cost{cost}.taskgraph")
}

/// The runs of a program.
pub fn runs(program: &Program, cost: u32, extent: &Extent) -> Vec<Planned> {
    let seed = program.seed;
    let run = |name: String, words: &[&str], part| Planned {
        name: format!("{seed}-{name}"),
        programs: vec!["taskgraph"],
        arguments: [FILE].iter().chain(words).map(ToString::to_string).collect(),
        files: vec![(FILE.into(), program.text(cost))],
        balance: None,
        kernel: KernelKind::Default,
        seed: SEED,
        dgl: 0,
        unmonitored: false,
        part,
    };
    let mut all = vec![run("here".into(), &["here"], Part::Sequential)];
    for lot in 0..LOTS {
        // Programs of as many threads are not to be dealt out alike.
        let lot = (seed.wrapping_mul(LOTS).wrapping_add(lot)).to_string();
        all.push(run(format!("lot-{lot}"), &["random", "seed", &lot], Part::Random));
    }
    for (index, (policy, period_us)) in POLICIES.into_iter().enumerate() {
        let sample_us = extent.period_us.unwrap_or(period_us);
        all.push(Planned {
            programs: vec!["taskgraph", BALANCER],
            balance: Some(BalanceRecord { policy: policy.into(), sample_us, settings: Vec::new() }),
            dgl: DIAG_LOAD,
            ..run(policy.into(), &["here"], Part::Policy(index))
        });
    }
    all
}

/// The command that makes this run again, in the output folder.
pub fn command(run: &Planned, cost: u32, machine: &Machine) -> String {
    let seed = run.name.split_once('-').and_then(|(seed, _)| seed.parse().ok()).unwrap_or_default();
    let balance = run.balance.as_ref();
    let classes =
        balance.map_or("--dgl 0".into(), |own| format!("--balance {} --sample {}us", own.policy, own.sample_us));
    format!(
        "testbed run {} {} --file {}={FILE} --machine machines/{}.toml --seed {SEED} {classes}",
        run.programs[0],
        run.arguments.join(" "),
        file(seed, cost),
        machine.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testbed_balance::policies::NAMES;

    const EXTENT: Extent = Extent { size: Size { cycles: 5_000_000, most_threads: 8 }, period_us: None };

    #[test]
    fn runs_have_names_of_their_own_and_policies_exist() {
        let plan = runs(&Program::generate(7, EXTENT.size), 1, &EXTENT);
        assert_eq!(plan.len(), 1 + LOTS as usize + POLICIES.len());
        assert_eq!(plan.iter().map(|run| &run.name).collect::<BTreeSet<_>>().len(), plan.len());
        assert!(POLICIES.iter().all(|(policy, _)| NAMES.contains(policy)));
    }

    #[test]
    fn machines_can_be_described() {
        for slaves in [2, 5, 15] {
            for cost in [1, 5, 25] {
                let machine = machine(slaves, cost);
                assert_eq!(machine.slaves(), usize::from(slaves));
                assert_eq!(Machine::parse(&machine.to_toml(), "a test").unwrap(), machine);
            }
        }
    }
}
