//! Threads that use other threads' ends of channels.

use crate::explore::{long, right};
use crate::program::{Op, Setup};

/// Two messages on channel 0 from thread 1 to thread 2, and a rogue that comes in between.
fn intrusion(rogue: &[Op], moves: u16) -> Setup {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 4)];
    let rogue = [&[Op::Await(0, 1)], rogue].concat();
    Setup { rogues: 1 << 3, ..Setup::new(3, &[&[send, send], &[receive, receive], &rogue], moves) }
}

/// A pair that has communicated goes on as if nothing had happened, whatever a third thread does with its channel, and however all move;
/// that thread's requests fail, or wait where nobody knows of the pair.
#[test]
fn a_pair_is_not_disturbed() {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 4)];
    let moves = if long() { 3 } else { 2 };
    let rogues: [&[Op]; 5] =
        [&[send, send], &[receive], &[Op::EachTimed(1, 4)], &[Op::EachTimed(3, 4)], &[send, receive]];
    for rogue in rogues {
        right(&format!("{rogue:?} intrudes, {moves} moves"), intrusion(rogue, moves));
        let ahead = Setup { ends_ahead: true, ..intrusion(rogue, moves) };
        right(&format!("{rogue:?} intrudes, {moves} moves, ends ahead"), ahead);
    }
}

/// A sender and a receiver that asks for more than was offered.
pub fn greedy() -> Setup {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 8)];
    let rights =
        Setup { rogues: !0, lawless: true, served: false, ..Setup::new(3, &[&[send, send], &[receive, receive]], 3) };
    Setup { greedy: true, ..rights }
}

/// Nobody sends more than is there, whatever is asked for.
#[test]
fn a_sender_sends_what_it_has() {
    right("receivers ask for more than was offered, 3 moves", greedy());
}

/// Before any communication nobody's right is known: requests may fail, but the kernel's threads are released once. With at most two moves
/// nobody waits who could be served. With more a receiver that has not communicated can leave a trail that leads nowhere, when it meets
/// another one: then a sender waits that follows it.
#[test]
fn who_has_a_channel_is_settled_somehow() {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 4)];
    let programs: [&[&[Op]]; 4] = [
        &[&[send], &[receive], &[send]],
        &[&[send], &[receive], &[receive]],
        &[&[send, receive], &[receive, send], &[send]],
        &[&[send], &[Op::EachTimed(3, 4)], &[receive, send]],
    ];
    for program in programs {
        for (moves, served) in [(2, true), (3, false)] {
            let setup = Setup { rogues: !0, lawless: true, served, ..Setup::new(3, program, moves) };
            right(&format!("{program:?}, {moves} moves"), setup);
        }
    }
}
