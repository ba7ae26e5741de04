//! What policies achieve on the model of the machine. `examples/compare.rs` tells more, of more.

use testbed_balance::policy::Costs;

use crate::model::program::Program;
use crate::model::table::{balanced, best_static, fixed, placed, random, sequential};
use crate::model::{machine, policy, SECOND};

/// `one` is at most so many hundredths of `other`.
fn within(one: u64, hundredths: u64, other: u64) -> bool {
    one * 100 <= other * hundredths
}

#[test]
fn gain_levels_threads_that_compute() {
    let program = Program::compute(20, 200);
    let dealt: Vec<u8> = (0..20).map(|thread| 1 + thread % 5).collect();
    let best = fixed(&program, 5, &|thread| dealt[thread]);
    // Nothing is better than level.
    assert!(within(best, 101, program.bound(5)));
    assert!(within(placed(&program, 5, &dealt).cycles, 103, best));
    assert!(within(balanced(&program, 5, "gain").cycles, 110, best));
}

#[test]
fn gain_keeps_pairs_together_and_spreads_them() {
    let program = Program::pairs(20, 10_000);
    let best = fixed(&program, 5, &|thread| 1 + (thread / 2 % 5) as u8);
    let apart = fixed(&program, 5, &|thread| 1 + (thread % 5) as u8);
    assert!(within(best * 14, 1000, apart * 10), "together is much better");
    assert!(within(balanced(&program, 5, "gain").cycles, 110, best));
}

#[test]
fn gain_does_not_spread_what_is_best_together() {
    let program = Program::adder(10_000);
    let best = best_static(&program, 5, 20);
    let outcome = balanced(&program, 5, "gain");
    assert!(within(outcome.cycles, 105, best), "{outcome:?} {best}");
    // Two threads of which only one can be active at a time, for so long that what the first placement
    // costs is little of it.
    let mut pair = Program::pairs(1, 100_000);
    pair.threads.iter_mut().for_each(|thread| thread.depends = true);
    let outcome = balanced(&pair, 5, "gain");
    let together = fixed(&pair, 5, &sequential);
    let apart = fixed(&pair, 5, &|thread| 1 + thread as u8);
    assert!(within(together, 90, apart) && within(outcome.cycles, 102, together), "{:?} {together} {apart}", outcome);
}

#[test]
fn gain_follows_work_that_wanders() {
    let program = Program::wator(20, 200);
    let blocks = fixed(&program, 5, &|thread| 1 + (thread / 4) as u8);
    assert!(within(balanced(&program, 5, "gain").cycles * 164, 10_000, blocks * 100));
}

#[test]
fn gain_hurts_no_random_program() {
    for seed in [1, 3, 6, 10, 11] {
        let (program, slaves) = (Program::random(seed), if seed % 2 == 0 { 15 } else { 5 });
        let drawn = random(&program, slaves, 5);
        let better = fixed(&program, slaves, &sequential).min(drawn.iter().sum::<u64>() / 5);
        let outcome = balanced(&program, slaves, "gain");
        assert!(within(outcome.cycles, 105, better), "{seed}: {} of {better}", outcome.cycles);
        assert_eq!(outcome.counts.faults, 0);
    }
}

#[test]
fn report_syphons_one_thread_a_second() {
    let outcome = balanced(&Program::compute(20, 400), 5, "report");
    let early: Vec<_> = outcome.moves.iter().take_while(|made| made.0 < 18 * SECOND).collect();
    assert_eq!(early.len(), 16, "level after about 17 seconds");
    assert!(early.iter().all(|made| made.2 == 1), "no thread goes back");
    assert!(early.windows(2).all(|two| two[1].0 - two[0].0 > SECOND * 9 / 10));
}

#[test]
fn every_policy_ends_every_program_and_is_repeatable() {
    let programs = [Program::compute(8, 40), Program::pairs(6, 2_000), Program::mixed(8, 100), Program::adder(1_000)];
    for program in programs {
        let work = program.work();
        for name in ["none", "random", "report", "acknowledged", "diffusion", "greedy-refine", "gain"] {
            let run = || machine::run(&program, 5, &sequential, Costs::default(), Some(policy(name, 3)));
            let (one, two) = (run(), run());
            assert_eq!((one.cycles, &one.moves), (two.cycles, &two.moves), "{name}");
            assert!(one.cycles >= work / 5 && one.counts.faults == 0, "{name}: {:?}", one.counts);
            assert!(one.counts.moved as usize <= one.moves.len() && one.counts.unanswered == 0);
        }
        let none = balanced(&program, 5, "none");
        assert!(within(none.cycles, 101, fixed(&program, 5, &sequential)) && none.moves.is_empty());
    }
}
