//! Large programs on large machines, in random order.

use crate::explore::long;
use crate::program::{Op, Setup, ALL_BUGS};
use crate::seen::Seen;
use crate::splitmix::Random;
use crate::world::{Action, Run, World};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use testbed_definitions::mpc::FRAGMENT_BYTES;
use testbed_protocol::Processor;

const LENGTHS: [u32; 6] = [0, 1, 4, FRAGMENT_BYTES as u32, FRAGMENT_BYTES as u32 + 1, 3 * FRAGMENT_BYTES as u32];

/// One communication: a channel, bytes offered and taken; whether the receiver may take it together
/// with the one before, with a timeout; whether its sender, and its receiver, exits afterwards.
type Communication = (usize, usize, usize, (bool, bool), (bool, bool));

#[derive(Clone, Debug)]
struct Program {
    processors: u8,
    /// The two threads of each channel.
    channels: Vec<(usize, usize)>,
    communications: Vec<Communication>,
    moves: u16,
    ends_ahead: bool,
    schedule: u64,
}

fn programs() -> impl Strategy<Value = Program> {
    let sizes = (2..=6u8, 2..=10usize, 1..=20usize);
    sizes.prop_flat_map(|(processors, threads, channels)| {
        let pair = (0..threads, 1..threads).prop_map(move |(a, b)| (a, (a + b) % threads));
        let sometimes = || prop::bool::weighted(0.05);
        let joined = (prop::bool::weighted(0.7), any::<bool>());
        let communication = (0..channels, 0..LENGTHS.len(), 0..LENGTHS.len(), joined, (sometimes(), sometimes()));
        let communications = prop::collection::vec(communication, 1..150);
        let rest = (prop::collection::vec(pair, channels), communications, 0..300u16, any::<bool>(), any::<u64>());
        rest.prop_map(move |(channels, communications, moves, ends_ahead, schedule)| Program {
            processors,
            channels,
            communications,
            moves,
            ends_ahead,
            schedule,
        })
    })
}

/// Every thread's part of the communications, in their order: so some order always leads to the end.
fn setup(program: &Program) -> Setup {
    let threads = program.channels.iter().map(|&(a, b)| a.max(b)).max().unwrap_or(0) + 1;
    let mut scripts = vec![Vec::new(); threads];
    for &(channel, offered, taken, (joined, timed), (sender_exits, receiver_exits)) in &program.communications {
        let (sender, receiver) = program.channels[channel];
        scripts[sender].push(Op::Send(channel as u8, LENGTHS[offered]));
        let bit = 1 << channel;
        match scripts[receiver].last_mut() {
            Some(Op::Each(set, _) | Op::EachTimed(set, _)) if joined && *set & bit == 0 => *set |= bit,
            _ if joined && timed => scripts[receiver].push(Op::EachTimed(bit, LENGTHS[taken])),
            _ if joined => scripts[receiver].push(Op::Each(bit, LENGTHS[taken])),
            _ => scripts[receiver].push(Op::Receive(channel as u8, LENGTHS[taken])),
        }
        for (thread, exits) in [(sender, sender_exits), (receiver, receiver_exits)] {
            if exits {
                scripts[thread].push(Op::Exit);
            }
        }
    }
    let scripts: Vec<&[Op]> = scripts.iter().map(|script| &script[..]).collect();
    Setup { ends_ahead: program.ends_ahead, ..Setup::new(program.processors, &scripts, program.moves) }
}

/// Runs the program to its end in the order that the seed gives. Returns the steps.
fn walk(setup: &Setup, seed: u64) -> Result<u32, String> {
    let (mut random, seen) = (Random(seed), Seen::default());
    let places: Vec<Processor> =
        setup.scripts.iter().map(|_| Processor::new(random.below(setup.processors as usize) as u8)).collect();
    let mut world = World::new(setup, &places);
    // How eagerly threads move, and packets arrive, in this run.
    let (moving, slow) = (random.below(60), random.below(90));
    let mut steps = 0;
    loop {
        let mut actions = Vec::new();
        world.actions(setup, &mut actions);
        if let Some(wrong) = world.wrong {
            return Err(format!("{wrong:?} after {steps} steps"));
        }
        let (move_now, hold) = (random.below(100) < moving, random.below(100) < slow);
        let wanted = |action: &&Action| match action {
            Action::Move(..) => move_now,
            Action::Arrive(..) => !hold,
            _ => true,
        };
        let wished: Vec<Action> = actions.iter().filter(wanted).copied().collect();
        let pool = if wished.is_empty() { &actions } else { &wished };
        if pool.is_empty() {
            break;
        }
        world.act(setup, pool[random.below(pool.len())], &seen);
        steps += 1;
    }
    let ended = world.tasks.iter().all(|task| task.run == Run::Ended);
    if ended {
        Ok(steps)
    } else {
        Err(format!("not ended after {steps} steps: {world:?}"))
    }
}

#[test]
fn random_orders_of_large_programs() {
    let cases = if long() { 50_000 } else { 2_000 };
    let config = Config { cases, rng_seed: RngSeed::Fixed(1994), failure_persistence: None, ..Config::default() };
    let total = std::cell::Cell::new(0u64);
    let started = std::time::Instant::now();
    proptest!(config, |(program in programs())| {
        let setup = setup(&program);
        match walk(&setup, program.schedule) {
            Ok(steps) => total.set(total.get() + steps as u64),
            Err(wrong) => prop_assert!(false, "{wrong}"),
        }
    });
    println!("{cases} programs, {} steps, {:.1} s", total.get(), started.elapsed().as_secs_f64());
}

/// Random orders find each of the seeded bugs, too.
#[test]
fn random_orders_find_seeded_bugs() {
    for bug in ALL_BUGS {
        let config = Config { rng_seed: RngSeed::Fixed(1995), failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new(config);
        let found = (1..=2000).find(|_| {
            let program = programs().new_tree(&mut runner).expect("a program").current();
            walk(&Setup { bug: Some(bug), ..setup(&program) }, program.schedule).is_err()
        });
        println!("{bug:?}: found by program {found:?}");
        assert!(found.is_some(), "{bug:?} is not found");
    }
}
