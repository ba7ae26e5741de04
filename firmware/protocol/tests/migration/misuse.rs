//! Threads that use other threads' ends of channels.

use testbed_protocol::channel::{self, Ccb, Misuse, Output, Role, Sink};
use testbed_protocol::mpc::Mpc;

use crate::explore::{long, right};
use crate::program::{Op, Setup};
use testbed_protocol::{Processor, ThreadNumber};

/// Two messages on channel 0 from thread 1 to thread 2, and a rogue that comes in between.
fn intrusion(rogue: &[Op], moves: u16) -> Setup {
    let [send, receive] = [Op::Send(0, 4), Op::Receive(0, 4)];
    let rogue = [&[Op::Await(0, 1)], rogue].concat();
    Setup { rogues: 1 << 3, ..Setup::new(3, &[&[send, send], &[receive, receive], &rogue], moves) }
}

/// A pair that has communicated goes on as if nothing had happened, whatever a third thread does
/// with its channel, and however all move; that thread's requests fail, or wait where nobody knows
/// of the pair.
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

/// Before any communication nobody's right is known: requests may fail, but the kernel's threads
/// are released once. With at most two moves nobody waits who could be served. With more a receiver
/// that has not communicated can leave a trail that leads nowhere, when it meets another one: then
/// a sender waits that follows it.
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

#[derive(Default)]
struct Outputs(Vec<Output>);

impl Sink for Outputs {
    fn put(&mut self, output: Output) {
        self.0.push(output);
    }
}

/// What a step says that is not to be transmitted, and what is to be.
fn step(act: impl FnOnce(&mut Outputs)) -> (Vec<Output>, Vec<Mpc>) {
    let mut outputs = Outputs::default();
    act(&mut outputs);
    let sent = |output: &Output| match output {
        Output::Transmit { mpc, .. } => Some(*mpc),
        _ => None,
    };
    let sent_all = outputs.0.iter().filter_map(sent).collect();
    (outputs.0.into_iter().filter(|output| sent(output).is_none()).collect(), sent_all)
}

/// A thread that has been refused the receiving end of a pair that has communicated is refused at
/// once the next time: it would wait for ever, since no token comes to it any more.
#[test]
fn who_was_refused_is_not_left_waiting() {
    let [here_is, there_is, elsewhere_is]: [Processor; 3] = [0, 1, 2].map(Processor::new);
    let [sender, receiver, rogue]: [ThreadNumber; 3] = [1, 2, 3].map(ThreadNumber::from_bits);
    let (mut here, mut there, mut elsewhere) = (Ccb::default(), Ccb::default(), Ccb::default());
    let (_, advert) = step(|sink| channel::send(&mut here, here_is, sender, 4, sink));
    for (ccb, at) in [(&mut there, there_is), (&mut elsewhere, elsewhere_is)] {
        step(|sink| channel::arrive(ccb, at, here_is, advert[0], sink));
    }
    let (_, answer) = step(|sink| channel::receive(&mut there, there_is, receiver, 4, sink));
    step(|sink| channel::arrive(&mut here, here_is, there_is, answer[0], sink));
    step(|sink| channel::room(&mut here, sink));
    step(|sink| channel::arrive(&mut there, there_is, here_is, Mpc::Msg { total: 4, offset: 0, bytes: 4 }, sink));

    let (_, answer) = step(|sink| channel::receive(&mut elsewhere, elsewhere_is, rogue, 4, sink));
    let (_, refusal) = step(|sink| channel::arrive(&mut here, here_is, elsewhere_is, answer[0], sink));
    let (released, _) = step(|sink| channel::arrive(&mut elsewhere, elsewhere_is, here_is, refusal[0], sink));
    let error = Err(Misuse::ChannelInUse);
    assert_eq!(released, [Output::Release { thread: rogue, role: Role::Receiver, result: error }]);
    let (again, _) = step(|sink| channel::receive(&mut elsewhere, elsewhere_is, rogue, 4, sink));
    assert_eq!(again, [Output::Reject { thread: rogue, misuse: Misuse::ChannelInUse }]);
    assert_eq!(channel::poll(&mut elsewhere, elsewhere_is, rogue), Err(Misuse::ChannelInUse));

    // The owner, who comes there, is not refused.
    let end = testbed_protocol::ends::leave(&mut there, there_is, elsewhere_is, receiver).expect("it is idle");
    step(|sink| testbed_protocol::ends::join(&mut elsewhere, elsewhere_is, receiver, end, sink));
    let (waits, _) = step(|sink| channel::receive(&mut elsewhere, elsewhere_is, receiver, 4, sink));
    assert_eq!(waits, [Output::Block { thread: receiver }]);
}
