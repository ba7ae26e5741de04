//! Right kernels: nothing goes wrong, and all that matters happens.

use std::collections::BTreeSet;

use testbed_protocol::Processor;

use crate::exploration::{grouped, is_documented, Report};
use crate::model::explore;
use crate::reached;
use crate::setup::Setup;

/// Processors by their numbers.
pub fn on(numbers: &[u8]) -> Vec<Processor> {
    numbers.iter().copied().map(Processor::new).collect()
}

/// Two processes with one packet for each other; datagrams get lost, and a round ends early.
pub fn pair() -> Setup {
    Setup {
        processors: 2,
        at: on(&[0, 1]),
        supersteps: 2,
        bytes: vec![vec![vec![0, 1], vec![1, 0]]],
        room: 8,
        piece: 1,
        copies: 1,
        whole: false,
        moves: 0,
        losses: 2,
        early: 1,
        bug: None,
    }
}

/// Several packets for one another, the last one shorter.
pub fn several() -> Setup {
    Setup { bytes: vec![vec![vec![0, 5], vec![1, 0]], vec![vec![0, 0], vec![3, 0]]], piece: 2, ..pair() }
}

/// Each packet leaves twice.
pub fn twice() -> Setup {
    Setup { copies: 2, ..pair() }
}

/// Members move between supersteps, also to where none was.
pub fn moving() -> Setup {
    Setup { processors: 3, supersteps: 3, moves: 1, losses: 1, early: 1, ..one_way() }
}

/// Members move, and leave copies behind.
pub fn moving_twice() -> Setup {
    Setup { processors: 3, moves: 2, copies: 2, losses: 0, early: 0, supersteps: 3, ..one_way() }
}

/// One member sends to the other one, and in the next superstep gets an answer.
pub fn one_way() -> Setup {
    Setup { bytes: vec![vec![vec![0, 1], vec![0, 0]], vec![vec![0, 0], vec![1, 0]]], ..pair() }
}

/// Who sends goes on at the end of a round's time.
pub fn whole() -> Setup {
    Setup { whole: true, ..pair() }
}

/// Each on a processor of its own, in a ring.
pub fn ring() -> Setup {
    let bytes = vec![vec![vec![0, 1, 0], vec![0, 0, 1], vec![1, 0, 0]]];
    Setup { processors: 3, at: on(&[0, 1, 2]), bytes, losses: 1, early: 0, ..pair() }
}

/// Three processes, two of them on one processor.
pub fn three() -> Setup {
    let first = vec![vec![0, 1, 1], vec![1, 0, 1], vec![0, 0, 0]];
    let second = vec![vec![0, 0, 0], vec![0, 0, 0], vec![1, 1, 0]];
    Setup { at: on(&[0, 1, 1]), bytes: vec![first, second], losses: 1, ..pair() }
}

/// Too little room for what comes, on either side; who lacks it may move.
pub fn short() -> Setup {
    let first = vec![vec![0, 1, 1], vec![0, 0, 0], vec![0, 0, 0]];
    let second = vec![vec![0, 0, 0], vec![0, 0, 0], vec![1, 0, 0]];
    Setup { room: 0, at: on(&[0, 0, 1]), bytes: vec![first, second], moves: 1, losses: 1, early: 0, ..pair() }
}

fn right(name: &str, setup: &Setup) -> (Report, bool) {
    let report = explore(setup);
    println!("{name}: {} states, {} steps, depth {}", report.states, report.steps, report.depth);
    if let Some((wrong, trace)) = report.wrong.first() {
        panic!("{name}: not \"{wrong}\":\n{trace}");
    }
    let (processors, members, copies) = (setup.processors, setup.members(), setup.copies);
    let bounds = [setup.supersteps as u32, setup.losses, setup.early, setup.moves].map(|bound| bound.to_string());
    let (bounds, states) = (bounds.join(" | "), grouped(report.states));
    let row = format!("| {name} | {processors} | {members} | {copies} | {bounds} | {states} |");
    let is_documented = is_documented("Supersteps where packets are lost", &row);
    (report, is_documented)
}

#[test]
fn every_order_is_right_and_all_that_matters_happens() {
    let setups = [
        ("a packet for each other", pair()),
        ("several packets, the last one shorter", several()),
        ("each packet leaves twice", twice()),
        ("members move", moving()),
        ("members move and leave copies behind", moving_twice()),
        ("whole rounds", whole()),
        ("three members in a ring", ring()),
        ("three members, two on one processor", three()),
        ("too little room", short()),
    ];
    let (mut seen, mut all_documented) = (BTreeSet::new(), true);
    for (name, setup) in &setups {
        let (report, is_documented) = right(name, setup);
        seen.extend(report.reached);
        all_documented &= is_documented;
    }
    let missed: Vec<_> = reached::names().filter(|name| !seen.contains(name)).collect();
    assert!(missed.is_empty(), "never reached: {missed:?}");
    assert!(all_documented, "the table of docs/protocols.md says something else");
}
