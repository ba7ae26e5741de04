//! Larger groups in random orders, over networks that lose up to nine datagrams of ten.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use testbed_protocol::Processor;

use crate::model::{is_over, Action};
use crate::setup::{Bug, Setup};
use crate::splitmix::Random;
use crate::state::State;

/// Steps after which a run has come to a standstill. The longest of those below takes a third.
const STEPS: usize = 1_000_000;

/// One round in so many is over while datagrams are on their way.
const EARLY: usize = 16;

/// A run in a random order.
pub struct Run {
    pub state: State,
    random: Random,
    /// Datagrams that are lost, of a thousand.
    loss: usize,
}

impl Run {
    pub fn new(setup: &Setup, loss: usize, seed: u64) -> Run {
        Run { state: State::new(setup), random: Random(seed), loss }
    }

    /// Does something that is possible: what; `None` if nothing is.
    pub fn step(&mut self, setup: &Setup) -> Option<Action> {
        let mut actions = vec![];
        setup.possible(&self.state, &mut actions);
        actions.retain(|action| !matches!(action, Action::Lose(_)));
        let is_quiet = self.state.is_quiet();
        while !actions.is_empty() {
            let chosen = self.random.below(actions.len());
            let action = match actions[chosen] {
                Action::RoundOver(_) if !is_quiet && self.random.below(EARLY) != 0 => {
                    actions.swap_remove(chosen);
                    continue;
                }
                Action::Bus(at) if self.is_lost(at) => Action::Lose(at),
                action => action,
            };
            setup.act(&mut self.state, action);
            return Some(action);
        }
        None
    }

    /// Whether the datagram that a processor has the bus take, if it is one, is lost.
    fn is_lost(&mut self, at: Processor) -> bool {
        let first = &self.state.kernels[at.index()].leaving[0];
        first.content.is_datagram() && self.random.below(1_000) < self.loss
    }
}

#[derive(Clone, Debug)]
struct Case {
    setup: Setup,
    loss: usize,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let sizes = (2..=4u8, 2..=4usize, 1..=2u32, 1..=3usize);
    sizes.prop_flat_map(|(processors, members, piece, kinds)| {
        let bytes = prop_oneof![2 => Just(0), 3 => 1..=8 * piece];
        let row = prop::collection::vec(bytes, members);
        let bytes = prop::collection::vec(prop::collection::vec(row, members), kinds);
        let at = prop::collection::vec(0..processors, members);
        let room = prop_oneof![4 => Just(8 * piece * members as u32), 1 => Just(piece)];
        let rest = (1..=4u16, any::<bool>(), 0..6u32, prop_oneof![Just(0), Just(u32::MAX)]);
        let all = (at, bytes, room, rest, 0..=900usize, any::<u64>());
        all.prop_map(move |(at, bytes, room, (copies, whole, moves, early), loss, seed)| {
            let at = at.into_iter().map(Processor::new).collect();
            let (supersteps, losses, bug) = (4, u32::MAX, None);
            let setup =
                Setup { processors, at, supersteps, bytes, room, piece, copies, whole, moves, losses, early, bug };
            Case { setup, loss, seed }
        })
    })
}

/// Runs to the end of the last superstep: how many steps that takes.
fn run(case: &Case) -> Result<usize, TestCaseError> {
    let mut run = Run::new(&case.setup, case.loss, case.seed);
    for step in 0..STEPS {
        if is_over(&run.state) {
            return Ok(step);
        }
        let action = run.step(&case.setup);
        prop_assert!(action.is_some(), "nobody can go on after {step} steps: {:?}", run.state);
        prop_assert_eq!(run.state.wrong, None, "after {} steps, the last of which is {:?}", step, action);
    }
    Err(TestCaseError::fail(format!("it stands still: {:?}", run.state)))
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, rng_seed: RngSeed::Fixed(0x1055), failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
}

#[test]
fn random_groups_come_to_their_end_whatever_is_lost() {
    let most = std::cell::Cell::new((0, 0));
    let result = runner(400).run(&cases(), |case| {
        let steps = run(&case)?;
        most.set((most.get().0.max(steps), most.get().1 + steps));
        Ok(())
    });
    println!("at most {} steps, {} in all", most.get().0, most.get().1);
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Runs with a mistake until it is seen.
fn seen_in_random_groups(bug: Bug) -> bool {
    let result = runner(400).run(&cases(), |case| {
        let setup = Setup { bug: Some(bug), ..case.setup };
        run(&Case { setup, ..case }).map(|_| ())
    });
    result.is_err()
}

#[test]
fn random_groups_see_mistakes_too() {
    let bugs = [Bug::AnswerOnlyNew, Bug::TakeAgain, Bug::KeepTable, Bug::FollowMember];
    for bug in bugs {
        assert!(seen_in_random_groups(bug), "{bug:?} is not seen");
    }
}
