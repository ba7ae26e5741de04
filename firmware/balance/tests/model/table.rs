//! The table of times: every policy on every program.

use testbed_balance::policies::{Placement, Rng};
use testbed_balance::policy::Costs;

use super::machine::{number, run, Outcome};
use super::policy;
use super::program::Program;

/// Everything on one processor.
pub fn sequential(_: usize) -> u8 {
    1
}

/// Without balancing, from this placement.
pub fn fixed(program: &Program, slaves: u8, place: &dyn Fn(usize) -> u8) -> u64 {
    run(program, slaves, place, Costs::default(), None).cycles
}

/// A placement drawn by a seed.
pub fn drawn(program: &Program, slaves: u8, seed: u32) -> Vec<u8> {
    let mut rng = Rng::new(seed);
    (0..program.threads.len()).map(|_| 1 + rng.below(slaves.into()) as u8).collect()
}

/// Times with threads placed at random.
pub fn random(program: &Program, slaves: u8, seeds: u32) -> Vec<u64> {
    let time = |seed| {
        let places = drawn(program, slaves, seed);
        fixed(program, slaves, &|thread| places[thread])
    };
    (1..=seeds).map(time).collect()
}

/// With a policy and its own sample period, everything created on one processor.
pub fn balanced(program: &Program, slaves: u8, name: &str) -> Outcome {
    run(program, slaves, &sequential, Costs::default(), Some(policy(name, 1)))
}

/// The least time that a static placement was found to take: pieces of work dealt round, pairs
/// together, blocks of neighbours, all on one processor, or the luckiest of those drawn.
pub fn best_static(program: &Program, slaves: u8, seeds: u32) -> u64 {
    let slaves_in_all = usize::from(slaves);
    let dealt = |each: usize| move |thread: usize| 1 + (thread / each % slaves_in_all) as u8;
    let blocks = program.threads.len().div_ceil(slaves_in_all);
    let regular = [1, 2, blocks].map(|each| fixed(program, slaves, &dealt(each)));
    let drawn = random(program, slaves, seeds);
    regular.into_iter().chain(drawn).chain([fixed(program, slaves, &sequential)]).min().expect("some")
}

/// With a placement that the policy `static` makes.
pub fn placed(program: &Program, slaves: u8, places: &[u8]) -> Outcome {
    let places = places.iter().enumerate().map(|(thread, &to)| (number(thread), to));
    let policy = Box::new(Placement::new(places));
    run(program, slaves, &sequential, Costs::default(), Some((policy, super::SECOND / 5)))
}
