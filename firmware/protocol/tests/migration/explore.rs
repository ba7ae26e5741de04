//! Correct programs: nothing goes wrong, and every path through the protocol is taken.

use crate::model::{explore, Report};
use crate::program::{Op, Setup};
use crate::seen::{Path, PATHS};
use std::sync::atomic::Ordering;
use testbed_definitions::mpc::FRAGMENT_BYTES;

/// A message of two fragments.
const LONG: u32 = FRAGMENT_BYTES as u32 + 4;

/// Whether there is time for large configurations.
pub fn long() -> bool {
    std::env::var_os("TESTBED_LONG").is_some_and(|value| value == "1")
}

/// Explores and reports; panics with the shortest trace if something goes wrong.
pub fn right(name: &str, setup: Setup) -> Report {
    let report = explore(setup);
    let Report { states, generated, depth, seconds, .. } = report;
    println!("{name}: {states} states, {generated} steps, depth {depth}, {seconds:.1} s");
    if let Some((wrong, trace)) = &report.wrong {
        panic!("{name}: {wrong:?}\n{trace}");
    }
    report
}

/// Two threads and a channel: short, in fragments, truncated, empty.
fn pair(processors: u8, moves: u16) -> Setup {
    let sender = [Op::Send(0, 4), Op::Send(0, LONG), Op::Send(0, 0)];
    let receiver = [Op::Receive(0, 2), Op::Receive(0, LONG), Op::Receive(0, 4)];
    Setup::new(processors, &[&sender, &receiver], moves)
}

/// One thread receives on one channel and sends on another.
fn chain(processors: u8, moves: u16) -> Setup {
    let first = [Op::Send(0, 4), Op::Send(0, LONG)];
    let second = [Op::Receive(0, 4), Op::Send(1, 4), Op::Receive(0, LONG)];
    Setup::new(processors, &[&first, &second, &[Op::Receive(1, 4)]], moves)
}

/// Two threads that send to each other.
fn there_and_back(moves: u16) -> Setup {
    let first = [Op::Send(0, 4), Op::Receive(1, 4), Op::Send(0, 4)];
    let second = [Op::Receive(0, 4), Op::Send(1, 4), Op::Receive(0, 4)];
    Setup::new(3, &[&first, &second], moves)
}

/// Two threads send to one that chooses.
fn alternative(processors: u8, moves: u16) -> Setup {
    let first = [Op::Send(0, 4), Op::Send(0, LONG)];
    let second = [Op::Send(1, 4)];
    let chooser = [Op::Each(3, 4), Op::Receive(0, LONG)];
    Setup::new(processors, &[&first, &second, &chooser], moves)
}

/// Four threads and three channels: one chooses between a chain of two and a single one.
fn four(processors: u8, moves: u16) -> Setup {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 4)];
    let chooser = [Op::Each(6, 4)];
    Setup::new(processors, &[&[send], &[receive, Op::Send(1, 4)], &chooser, &[Op::Send(2, 4)]], moves)
}

/// As `alternative`, and it may time out.
fn timed(moves: u16) -> Setup {
    Setup::new(
        3,
        &[&[Op::Send(0, 4)], &[Op::Send(1, 4), Op::Send(1, 4)], &[Op::EachTimed(3, 4), Op::Receive(1, 4)]],
        moves,
    )
}

/// Threads that exit and are created again; the partner goes on.
fn exits(moves: u16) -> [Setup; 2] {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 4)];
    [
        Setup::new(3, &[&[send, Op::Exit, send], &[receive, receive]], moves),
        Setup::new(3, &[&[send, send], &[receive, Op::Exit, receive]], moves),
    ]
}

#[test]
fn every_order_is_right_and_every_path_is_taken() {
    let [sender_exits, receiver_exits] = exits(2);
    let scenarios = [
        ("pair, 5 moves", pair(3, 5)),
        ("pair, 4 moves, ends ahead", Setup { ends_ahead: true, ..pair(3, 4) }),
        ("pair, 4 processors, 4 moves", pair(4, 4)),
        ("pair, 4 moves, page by page", Setup { by_pages: true, ..pair(3, 4) }),
        ("pair, 4 moves, counts wrap", Setup { base: u32::MAX, ..pair(3, 4) }),
        ("there and back, 5 moves", there_and_back(5)),
        ("chain, 3 moves", chain(3, 3)),
        ("chain, 4 processors, 2 moves", chain(4, 2)),
        ("alternative, 3 moves", alternative(3, 3)),
        ("alternative, 3 moves, ends ahead", Setup { ends_ahead: true, ..alternative(3, 3) }),
        ("alternative with timeout, 3 moves", timed(3)),
        ("sender exits, 2 moves", sender_exits),
        ("receiver exits, 2 moves", receiver_exits),
    ];
    let mut taken = [0; PATHS];
    for (name, setup) in scenarios {
        let report = right(name, setup);
        taken.iter_mut().zip(&report.seen.0).for_each(|(sum, count)| *sum += count.load(Ordering::Relaxed));
    }
    for path in (0..PATHS).filter(|&path| path != Path::Refused as usize) {
        assert!(taken[path] > 0, "path number {path} of `seen::Path` was never taken");
    }
    assert_eq!(taken[Path::Refused as usize], 0);
}

#[test]
#[ignore = "takes many minutes and gigabytes; `cargo testbed test --long` runs it"]
fn large_configurations() {
    right("chain, 6 moves", chain(3, 6));
    right("chain, 4 processors, 3 moves", chain(4, 3));
    right("four threads, 6 moves", four(3, 6));
    right("alternative, 4 processors, 4 moves", alternative(4, 4));
    right("alternative, 5 moves, ends ahead", Setup { ends_ahead: true, ..alternative(3, 5) });
    right("alternative, 8 moves", alternative(3, 8));
}
