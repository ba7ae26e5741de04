//! The machine as a model for the checker.

use crate::program::{index_of, Setup};
use crate::scrub::scrub;
use crate::seen::Seen;
use crate::world::{Action, World, Wrong, ALL_WRONG};
use stateright::{Checker, HasDiscoveries, Model, Property};
use std::sync::Arc;
use std::time::Instant;
use testbed_protocol::Processor;

pub struct Machine {
    pub setup: Setup,
    /// Threads' first places: each is explored.
    pub starts: Vec<Vec<Processor>>,
    /// States that differ only in the processors' names are one.
    pub symmetry: bool,
    pub seen: Arc<Seen>,
}

impl Model for Machine {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        self.starts.iter().map(|places| World::new(&self.setup, places)).collect()
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        world.actions(&self.setup, actions);
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        next.act(&self.setup, action, &self.seen);
        scrub(&mut next, &self.setup, self.symmetry);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        macro_rules! never {
            ($($index:literal)*) => {
                vec![$(Property::always(ALL_WRONG[$index].1, |_: &Self, world: &World| {
                    world.wrong != Some(ALL_WRONG[$index].0)
                })),*]
            };
        }
        never!(0 1 2 3 4 5 6 7 8 9 10 11 12)
    }
}

/// What an exploration found.
pub struct Report {
    pub states: usize,
    pub generated: usize,
    pub depth: usize,
    pub seconds: f64,
    pub seen: Arc<Seen>,
    /// The first thing that was wrong, and the steps that lead to it.
    pub wrong: Option<(Wrong, String)>,
}

/// All placements of `threads` on `processors`; with `symmetry` only those that differ in more than names.
pub fn placements(threads: usize, processors: u8, symmetry: bool) -> Vec<Vec<Processor>> {
    let mut all: Vec<Vec<Processor>> = vec![vec![]];
    for _ in 0..threads {
        all = all
            .into_iter()
            .flat_map(|places| {
                let names = places.iter().max().map_or(0, |last| last.number() + 1).min(processors - 1);
                let last = if symmetry { names } else { processors - 1 };
                (0..=last).map(move |at| [&places[..], &[Processor::new(at)]].concat())
            })
            .collect();
    }
    all
}

/// Explores all states of `setup` from all placements.
pub fn explore(setup: Setup) -> Report {
    let symmetry = !setup.exits() && setup.bug.is_none();
    let starts = placements(setup.scripts.len(), setup.processors, symmetry);
    explore_from(setup, starts, symmetry)
}

pub fn explore_from(setup: Setup, starts: Vec<Vec<Processor>>, symmetry: bool) -> Report {
    let seen = Arc::new(Seen::default());
    let machine = Machine { setup, starts, symmetry, seen: seen.clone() };
    let started = Instant::now();
    let checker = machine.checker().finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let seconds = started.elapsed().as_secs_f64();
    let wrong = ALL_WRONG.iter().find_map(|&(wrong, name)| {
        let path = checker.discovery(name)?;
        let trace: Vec<String> = describe(&checker.model().setup, path.into_vec());
        Some((wrong, trace.join("\n")))
    });
    Report {
        states: checker.unique_state_count(),
        generated: checker.state_count(),
        depth: checker.max_depth(),
        seconds,
        seen,
        wrong,
    }
}

/// The steps of a path, one in a line.
fn describe(setup: &Setup, path: Vec<(World, Option<Action>)>) -> Vec<String> {
    let step = |(world, action): &(World, Option<Action>)| match action {
        Some(Action::Run(thread)) => {
            let task = &world.tasks[index_of(*thread)];
            let op = setup.scripts[index_of(*thread)][task.next as usize];
            format!("thread {} at {}: {op:?}", thread.bits(), task.at)
        }
        Some(Action::Arrive(from, to)) => {
            let mut packets = world.packets.iter();
            let load = packets.find(|packet| (packet.from, packet.to) == (*from, *to)).map(|packet| &packet.load);
            format!("{from} -> {to}: {load:?}")
        }
        Some(action) => format!("{action:?}"),
        None => format!("places {:?}: {:?}", world.tasks.iter().map(|task| task.at).collect::<Vec<_>>(), world.wrong),
    };
    path.iter().map(step).collect()
}
