//! Right kernels: nothing goes wrong, and all that matters happens.

use std::collections::BTreeSet;

use testbed_protocol::Processor;

use crate::exploration::{grouped, is_documented, Report};
use crate::model::{explore, reached};
use crate::setup::Setup;

/// Processors by their numbers.
fn on(numbers: &[u8]) -> Vec<Processor> {
    numbers.iter().copied().map(Processor::new).collect()
}

/// Two processes on two of three processors; they exchange, and one may move to the third.
pub fn pair() -> Setup {
    Setup {
        processors: 3,
        at: on(&[0, 1]),
        supersteps: 3,
        bytes: [vec![vec![0, 2], vec![1, 0]], vec![vec![0, 0], vec![1, 0]]],
        room: 4,
        piece: 1,
        moves: 2,
        ends: 0,
        bug: None,
    }
}

/// Three processes, two of them on one processor, each with something for each.
pub fn all_to_all() -> Setup {
    Setup {
        at: on(&[0, 1, 1]),
        supersteps: 2,
        bytes: [vec![vec![1; 3]; 3], vec![vec![0, 1, 0], vec![0, 0, 0], vec![1, 0, 0]]],
        moves: 1,
        piece: 2,
        ..pair()
    }
}

/// Too little room for what comes, on either side; members may move before they say that they have
/// more.
pub fn short() -> Setup {
    Setup { room: 0, moves: 1, bytes: [vec![vec![0, 1], vec![1, 0]], vec![vec![0, 1], vec![0, 0]]], ..pair() }
}

/// One of three has too little room, while the others go on to the next superstep.
pub fn short_of_three() -> Setup {
    let first = vec![vec![0, 0, 1], vec![0, 0, 0], vec![0, 0, 0]];
    let second = vec![vec![0, 0, 0], vec![1, 0, 0], vec![0, 0, 0]];
    Setup { room: 0, moves: 0, at: on(&[0, 1, 1]), supersteps: 2, bytes: [first, second], ..pair() }
}

/// Nobody has anything for anybody.
pub fn barriers() -> Setup {
    Setup { bytes: [vec![vec![0; 3]; 3], vec![vec![0; 3]; 3]], at: on(&[0, 1, 1]), moves: 1, ..pair() }
}

/// A process ends at any time.
pub fn ending() -> Setup {
    Setup { ends: 1, moves: 0, ..pair() }
}

/// A process ends while others wait for room.
pub fn ending_short() -> Setup {
    Setup { ends: 1, moves: 0, ..short() }
}

fn right(name: &str, setup: &Setup) -> (Report, bool) {
    let report = explore(setup);
    println!("{name}: {} states, {} steps, depth {}", report.states, report.steps, report.depth);
    if let Some((wrong, trace)) = report.wrong.first() {
        panic!("{name}: not \"{wrong}\":\n{trace}");
    }
    let row = format!("| {name} | {} | {} | {} |", setup.processors, setup.members(), grouped(report.states));
    let is_documented = is_documented("Supersteps", &row);
    (report, is_documented)
}

#[test]
fn every_order_is_right_and_all_that_matters_happens() {
    let setups = [
        ("two processes, which may move", pair()),
        ("three processes, all to all", all_to_all()),
        ("too little room", short()),
        ("one of three has too little room", short_of_three()),
        ("nothing to exchange", barriers()),
        ("a process ends", ending()),
        ("a process ends while others lack room", ending_short()),
    ];
    let (mut seen, mut all_documented) = (BTreeSet::new(), true);
    for (name, setup) in &setups {
        let (report, is_documented) = right(name, setup);
        seen.extend(report.reached);
        all_documented &= is_documented;
    }
    assert!(all_documented, "the table of docs/protocols.md says something else");
    let missed: Vec<_> = reached().filter(|name| !seen.contains(name)).collect();
    assert!(missed.is_empty(), "never reached: {missed:?}");
}
