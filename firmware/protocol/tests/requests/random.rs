//! Large machines with many threads and requests, in random order.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use testbed_definitions::processors::Processors;
use testbed_definitions::request::Wanted;
use testbed_protocol::{Processor, ThreadNumber};

use crate::explore::{is_long, right};
use crate::model::{describe, Action};
use crate::setup::{index_of, processor, Ask, Plan, Setup, ALL_BUGS};
use crate::splitmix::Random;
use crate::state::State;

const SLAVES: u8 = 4;
const THREADS: u16 = 7;

fn slave() -> impl Strategy<Value = Processor> {
    (1..=SLAVES).prop_map(processor)
}

fn thread() -> impl Strategy<Value = ThreadNumber> {
    (1..=THREADS).prop_map(ThreadNumber::from_bits)
}

fn plans() -> impl Strategy<Value = Plan> {
    let places = (0..2u8, slave(), prop::option::of(slave()), prop::option::weighted(0.8, slave()));
    let bits = (any::<bool>(), prop::bool::weighted(0.2), prop::bool::weighted(0.8), prop::bool::weighted(0.2));
    (places, (0..6u8, 1..4u8), bits).prop_map(|((process, at, link, leaves_to), (runs, parts), bits)| Plan {
        process,
        at,
        runs,
        parts,
        ready: bits.0,
        parent: bits.1,
        link,
        leaves_to,
        exits: bits.2 && process == 0,
        created: bits.3 && process == 0,
    })
}

/// What is wanted, whether of the slave where the named thread begins, otherwise of which one, and
/// how far from there the thread goes.
type Draft = (Wanted, bool, Processor, u8);

fn drafts() -> impl Strategy<Value = Draft> {
    let wanted = prop_oneof![
        1 => Just(Wanted::Compute),
        1 => slave().prop_map(Wanted::Link),
        3 => thread().prop_map(Wanted::Thread),
        1 => (0..1u16 << SLAVES).prop_map(|places| Wanted::Created(Processors::from_bits(places << 1))),
    ];
    (wanted, prop::bool::weighted(0.7), slave(), 1..SLAVES)
}

fn ask(threads: &[Plan], (wanted, is_near, from, step): Draft) -> Ask {
    let from = match wanted {
        Wanted::Thread(number) if is_near => threads[index_of(number)].at,
        _ => from,
    };
    Ask { wanted, from, to: processor((from.number() - 1 + step) % SLAVES + 1) }
}

fn setups() -> impl Strategy<Value = (Setup, u64)> {
    let threads = prop::collection::vec(plans(), THREADS as usize);
    let drafts = prop::collection::vec(prop::collection::vec(drafts(), 1..5), 1..8);
    let orders = prop::collection::vec((thread(), slave(), slave()), 0..6);
    let happens = (0..3u8, 0..3u8, 0..3u8, 0..4u8);
    let rest = (1..4u8, 1..12u8, any::<u64>());
    let all = (threads, drafts, orders, happens, rest);
    all.prop_map(|(threads, drafts, orders, happens, (buffers, patience, order))| {
        let (kills, balancer_kills, suspends, rebirths) = happens;
        let (slaves, bug) = (SLAVES, None);
        let one = |drafts: Vec<Draft>| drafts.into_iter().map(|draft| ask(&threads, draft)).collect();
        let asks = drafts.into_iter().map(one).collect();
        #[rustfmt::skip]
        let setup = Setup {
            slaves, threads, asks, buffers, patience, orders, kills, balancer_kills, suspends, rebirths, bug,
        };
        (setup, order)
    })
}

/// Runs the machine to its end in the order that the seed gives. Returns the steps.
fn walk(setup: &Setup, seed: u64) -> Result<u64, String> {
    let mut random = Random(seed);
    // How eagerly packets arrive, and how fast time passes, in this order.
    let (slow, late) = (random.below(90), random.below(90));
    let mut state = State::new(setup);
    let mut trace = vec![];
    loop {
        let wrong = setup.violated(&state);
        if let Some(wrong) = wrong {
            return Err(format!("not \"{wrong}\" after {} steps:\n{}", trace.len(), trace.join("\n")));
        }
        let mut actions = vec![];
        setup.possible(&state, &mut actions);
        let (hold, delay) = (random.below(100) < slow, random.below(100) < late);
        let is_wished = |action: &&Action| match action {
            Action::Deliver { .. } => !hold,
            Action::Tick(_) | Action::Due(_) => !delay,
            _ => true,
        };
        let wished: Vec<_> = actions.iter().filter(is_wished).copied().collect();
        let pool = if wished.is_empty() { &actions } else { &wished };
        if pool.is_empty() {
            return Ok(trace.len() as u64);
        }
        let action = pool[random.below(pool.len())];
        trace.push(describe(&state, action));
        setup.act(&mut state, action).expect("an action that is possible");
    }
}

#[test]
fn random_orders_of_large_machines() {
    let cases = if is_long() { 300_000 } else { 30_000 };
    let config = Config { cases, rng_seed: RngSeed::Fixed(1994), failure_persistence: None, ..Config::default() };
    let total = std::cell::Cell::new(0);
    proptest!(config, |((setup, order) in setups())| {
        match walk(&setup, order) {
            Ok(steps) => total.set(total.get() + steps),
            Err(wrong) => prop_assert!(false, "{wrong}"),
        }
    });
    println!("{cases} machines, {} steps", total.get());
}

#[test]
fn random_orders_find_seeded_bugs() {
    for bug in ALL_BUGS {
        let config = Config { rng_seed: RngSeed::Fixed(1995), failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new(config);
        let found = (1..=400_000).find(|_| {
            let (setup, order) = setups().new_tree(&mut runner).expect("a machine").current();
            walk(&Setup { bug: Some(bug), ..setup }, order).is_err()
        });
        println!("{bug:?}: found by machine {found:?}");
        assert!(found.is_some(), "{bug:?} is not found");
    }
}

#[test]
fn larger_machines() {
    if is_long() {
        let two = |setup: Setup| Setup { slaves: 3, ..setup };
        let mut killed = two(crate::explore::killed());
        killed.kills = 2;
        killed.rebirths = 2;
        right("long: a process is killed twice", &killed);
        let mut crossed = two(crate::explore::crossed());
        crossed.threads.push(Plan { parts: 2, runs: 1, leaves_to: Some(processor(3)), ..Plan::at(3) });
        crossed.asks.push(vec![Ask { wanted: Wanted::Compute, from: processor(3), to: processor(1) }]);
        right("long: three threads on three slaves", &crossed);
    }
}
