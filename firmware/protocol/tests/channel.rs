//! The channel protocol under every interleaving of small programs, random interleavings of large ones, and misuse.

mod common;

use common::{Action, Channel, World};
use std::collections::HashSet;
use testbed_definitions::mpc::FRAGMENT_BYTES;
use testbed_protocol::channel::{step, Ccb, Input, Misuse, Output, Receiver, Role};
use testbed_protocol::mpc::Mpc;

const FRAGMENT: u32 = FRAGMENT_BYTES as u32;

/// A small generator (SplitMix64), so that a printed seed says it all.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Explores every interleaving; every state that has no successor must be a finished one. Returns the states seen.
fn explore(world: World) -> usize {
    let mut seen = HashSet::new();
    let mut open = vec![world];
    while let Some(world) = open.pop() {
        let actions = world.actions();
        assert!(!actions.is_empty() || world.finished(), "deadlock: {world:?}");
        for action in actions {
            let mut next = world.clone();
            next.act(action);
            if !seen.contains(&next) {
                seen.insert(next.clone());
                open.push(next);
            }
        }
    }
    seen.len()
}

fn channel(sender_at: u8, receiver_at: u8, lengths: &[u32], capacities: &[u32]) -> Channel {
    Channel { sender_at, receiver_at, lengths: lengths.into(), capacities: capacities.into() }
}

#[test]
fn every_interleaving_of_one_channel() {
    let lengths = [0, 3 * FRAGMENT + 1, 5, 1];
    let capacities = [9, 2 * FRAGMENT, 0, 1];
    for (sender, receiver) in [(0, 0), (0, 1), (2, 1)] {
        let states = explore(World::new(3, vec![channel(sender, receiver, &lengths, &capacities)]));
        assert!(states > 10, "{states} states from {sender} to {receiver}");
    }
}

#[test]
fn every_interleaving_of_two_channels_that_cross() {
    let a = channel(0, 1, &[1, FRAGMENT + 1], &[2, FRAGMENT + 1]);
    let b = channel(1, 0, &[FRAGMENT, 0], &[1, 7]);
    assert!(explore(World::new(3, vec![a, b])) > 100);
}

#[test]
fn random_interleavings_of_many_channels() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let processors = 2 + random.below(5);
        let channels = (0..1 + random.below(8)).map(|_| random_channel(&mut random, processors)).collect();
        let mut world = World::new(processors, channels);
        loop {
            let actions = world.actions();
            let Some(&action) = actions.get(random.below(actions.len().max(1))) else { break };
            world.act(action);
        }
        assert!(world.finished(), "seed {seed}: deadlock in {world:?}");
    }
}

fn random_channel(random: &mut Random, processors: usize) -> Channel {
    const SIZES: [u32; 8] = [0, 1, 4, 1024, FRAGMENT - 1, FRAGMENT, FRAGMENT + 1, 5000];
    let messages = 1 + random.below(20);
    let mut sizes = || (0..messages).map(|_| SIZES[random.below(8)]).collect();
    let (lengths, capacities) = (sizes(), sizes());
    Channel {
        sender_at: random.below(processors) as u8,
        receiver_at: random.below(processors) as u8,
        lengths,
        capacities,
    }
}

#[test]
fn the_world_notices_a_lost_component() {
    let mut world = World::new(2, vec![channel(0, 1, &[4], &[4])]);
    world.act(Action::Send(0));
    world.act(Action::Receive(0));
    assert_eq!(world.actions(), [Action::Deliver(1)]);
    assert!(!world.finished());
}

/// Applies the inputs and returns the state and the last step's outputs.
fn after(inputs: &[Input]) -> (Ccb, Vec<Output>) {
    let mut ccb = Ccb::default();
    let mut outputs = Vec::new();
    for &input in inputs {
        let (next, list) = step(ccb, input);
        ccb = next;
        outputs = list.iter().collect();
    }
    (ccb, outputs)
}

fn focus(from: u8, length: u32) -> Input {
    Input::Mpc { from, mpc: Mpc::Focus { length } }
}

#[test]
fn only_the_first_communication_adverts() {
    let first = [Input::Send { thread: 1, length: 4 }];
    let advert = Output::Transmit { to: None, mpc: Mpc::Advert { length: 4 } };
    assert_eq!(after(&first).1, [Output::Block { thread: 1 }, advert]);
    let rtr = Input::Mpc { from: 3, mpc: Mpc::Rtr { length: 4 } };
    let second = [first[0], rtr, Input::Room, Input::Send { thread: 1, length: 9 }];
    let focus = Output::Transmit { to: Some(3), mpc: Mpc::Focus { length: 9 } };
    assert_eq!(after(&second).1, [Output::Block { thread: 1 }, focus]);
}

#[test]
fn a_second_thread_at_an_end_is_rejected() {
    let reject = |thread| vec![Output::Reject { thread, misuse: Misuse::ChannelInUse }];
    let send = |thread| Input::Send { thread, length: 1 };
    let receive = |thread| Input::Receive { thread, capacity: 1 };
    assert_eq!(after(&[send(1), send(2)]).1, reject(2));
    assert_eq!(after(&[receive(1), receive(2)]).1, reject(2));
    assert_eq!(after(&[send(1), receive(1)]).1, reject(1));
    assert_eq!(after(&[receive(1), send(1)]).1, reject(1));
    // Reserved also while both are at rest.
    assert_eq!(after(&[send(1), receive(2), send(3)]).1, reject(3));
    assert_eq!(after(&[send(1), receive(2), receive(3)]).1, reject(3));
    // The sender is on another processor.
    assert_eq!(after(&[focus(2, 1), send(3)]).1, reject(3));
    // A rejected request changes nothing.
    assert_eq!(after(&[send(1), send(2)]).0, after(&[send(1)]).0);
}

#[test]
fn a_second_thread_on_another_processor_is_refused() {
    let refuse = |to| vec![Output::Transmit { to: Some(to), mpc: Mpc::Refuse }];
    let receive = Input::Receive { thread: 1, capacity: 1 };
    assert_eq!(after(&[receive, focus(2, 1), focus(3, 1)]).1, refuse(3));
    assert_eq!(after(&[Input::Send { thread: 1, length: 1 }, focus(3, 1)]).1, refuse(3));
    let rtr = Input::Mpc { from: 4, mpc: Mpc::Rtr { length: 1 } };
    assert_eq!(after(&[receive, Input::Send { thread: 2, length: 1 }, rtr]).1, refuse(4));
    let refused = Input::Mpc { from: 4, mpc: Mpc::Refuse };
    let released = |thread, role| vec![Output::Release { thread, role, result: Err(Misuse::ChannelInUse) }];
    assert_eq!(after(&[Input::Send { thread: 2, length: 1 }, refused]).1, released(2, Role::Sender));
    assert_eq!(after(&[receive, focus(4, 1), refused]).1, released(1, Role::Receiver));
}

#[test]
fn components_that_do_not_fit_are_ignored() {
    let ignored = vec![Output::Ignored(Misuse::Unexpected)];
    let msg = |from, total, offset, bytes| Input::Mpc { from, mpc: Mpc::Msg { total, offset, bytes } };
    let waiting = [Input::Receive { thread: 1, capacity: 8 }, focus(2, 9)];
    assert_eq!(after(&waiting).0.receiver, Receiver::Collecting { thread: 1, length: 8, received: 0 });
    for wrong in [msg(3, 8, 0, 8), msg(2, 9, 0, 8), msg(2, 8, 4, 4), msg(2, 8, 0, 9), focus(2, 9)] {
        let (ccb, outputs) = after(&[waiting[0], waiting[1], wrong]);
        assert_eq!((ccb, outputs), (after(&waiting).0, ignored.clone()), "{wrong:?}");
    }
    assert_eq!(after(&[msg(2, 0, 0, 0)]).1, ignored);
    assert_eq!(after(&[Input::Room]).1, []);
    let greedy = Input::Mpc { from: 4, mpc: Mpc::Rtr { length: 2 } };
    let sent = [Input::Send { thread: 1, length: 1 }, greedy];
    assert_eq!(after(&sent).1, [Output::Transmit { to: Some(4), mpc: Mpc::Refuse }]);
}

#[test]
fn components_survive_the_wire() {
    let all = [
        Mpc::Focus { length: 7 },
        Mpc::Advert { length: 5000 },
        Mpc::Rtr { length: 0 },
        Mpc::Msg { total: 5000, offset: FRAGMENT, bytes: FRAGMENT },
        Mpc::Refuse,
    ];
    for mpc in all {
        let payload = if let Mpc::Msg { bytes, .. } = mpc { 12 + bytes as usize } else { 8 };
        let (length, offset) = mpc.words();
        assert_eq!(Mpc::decode(mpc.kind(), payload, length, offset), Some(mpc));
        assert_eq!(Mpc::decode(mpc.kind(), 4, length, offset), None);
    }
    assert_eq!(Mpc::decode(200, 8, 0, 0), None);
}
