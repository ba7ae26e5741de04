//! The steps of the protocol do with ordinary components what [`testbed_protocol::ordinary`] says of
//! them, whatever the control block is like otherwise.

use proptest::prelude::*;
use testbed_definitions::mpc::FRAGMENT_BYTES;
use testbed_protocol::channel::{self, Ccb, Output, Receiver, Sender, Sink};
use testbed_protocol::mpc::{Mpc, Token};
use testbed_protocol::{ordinary, Processor, ThreadNumber};

/// What a step says, in its order.
#[derive(Default)]
struct Said(Vec<Output>);

impl Sink for Said {
    fn put(&mut self, output: Output) {
        self.0.push(output);
    }
}

fn processor() -> impl Strategy<Value = Processor> {
    prop_oneof![(0..3u8).prop_map(Processor::new), Just(Processor::NOWHERE)]
}

fn thread() -> impl Strategy<Value = ThreadNumber> {
    prop_oneof![(1..4u16).prop_map(ThreadNumber::from_bits), Just(ThreadNumber::NOBODY)]
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![0..3u32, Just(u32::MAX)]
}

/// As a rule `usual`, so that ordinary components are many.
fn mostly<T: Clone + std::fmt::Debug>(usual: T, others: impl Strategy<Value = T>) -> impl Strategy<Value = T> {
    prop_oneof![9 => Just(usual), 1 => others]
}

fn token() -> impl Strategy<Value = Token> {
    (processor(), thread(), number(), number()).prop_map(|(at, sender, length, sequence)| Token {
        at,
        sender,
        length,
        sequence,
    })
}

/// A control block whose ends are mostly so.
fn block(sender: Sender, receiver: Receiver) -> impl Strategy<Value = Ccb> {
    use Receiver as R;
    use Sender as S;
    let sender = mostly(sender, prop::sample::select(vec![S::Away, S::Idle, S::Waiting, S::Transmitting]));
    let receivers = vec![R::Away, R::Idle, R::Waiting, R::Alternative, R::Collecting];
    let ends = (sender, mostly(receiver, prop::sample::select(receivers)), thread(), thread());
    let places = (processor(), processor(), processor());
    let numbers = prop::array::uniform7(number());
    (ends, places, numbers, prop::option::of(token())).prop_map(|(ends, places, numbers, token)| {
        let (sender, receiver, sender_thread, receiver_thread) = ends;
        let (place, to, from) = places;
        let [epoch, sent, received, length, offset, capacity, collected] = numbers;
        let token = token.unwrap_or(Token::NONE);
        Ccb {
            sender,
            receiver,
            sender_thread,
            receiver_thread,
            place,
            to,
            from,
            epoch,
            sent,
            received,
            length,
            offset,
            capacity,
            collected,
            token,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000, max_global_rejects: 1_000_000, ..ProptestConfig::default()
    })]

    #[test]
    fn a_token_that_is_awaited_is_answered(
        (mut ccb, token) in block(Sender::Away, Receiver::Waiting).prop_flat_map(|ccb| {
            let parts = (processor(), mostly(ccb.sender_thread, thread()), number(), mostly(ccb.received, number()));
            let token = parts.prop_map(|(at, sender, length, sequence)| Token { at, sender, length, sequence });
            (Just(ccb), token)
        }),
        me in (0..3u8).prop_map(Processor::new),
        epoch in prop::option::of(number()),
    ) {
        prop_assume!(ordinary::is_awaited(&ccb, me, token));
        let (before, mut said) = (ccb, Said::default());
        channel::focus(&mut ccb, me, token, epoch, &mut said);
        let mpc = Mpc::Rtr {
            thread: before.receiver_thread,
            length: token.length.min(before.capacity),
            sequence: before.received,
            epoch: before.epoch,
        };
        prop_assert_eq!(said.0, vec![Output::Transmit { to: token.at, mpc }]);
        prop_assert_eq!(ccb.receiver, Receiver::Collecting);
    }

    #[test]
    fn a_request_for_what_is_offered_wants_room(
        (mut ccb, thread, sequence, length) in block(Sender::Waiting, Receiver::Away).prop_flat_map(|ccb| {
            let length = mostly(ccb.length, number());
            (Just(ccb), mostly(ccb.receiver_thread, thread()), mostly(ccb.sent, number()), length)
        }),
        from in processor(),
        epoch in number(),
    ) {
        prop_assume!(ordinary::is_offered(&ccb, thread, sequence, length));
        let mut said = Said::default();
        channel::rtr(&mut ccb, from, Mpc::Rtr { thread, length, sequence, epoch }, &mut said);
        prop_assert_eq!(said.0, vec![Output::WantRoom { thread: ccb.sender_thread }]);
        prop_assert_eq!(channel::next_fragment(&ccb), (0, length.min(FRAGMENT_BYTES as u32)));
    }

    #[test]
    fn a_whole_message_releases_its_receiver(
        (mut ccb, from, fragment) in block(Sender::Away, Receiver::Collecting).prop_flat_map(|ccb| {
            let collected = mostly(0, Just(ccb.collected));
            let block = collected.prop_map(move |collected| Ccb { collected, ..ccb });
            let fragment = (mostly(ccb.capacity, number()), mostly(0, number()), mostly(ccb.capacity, number()));
            (block, mostly(ccb.from, processor()), fragment)
        })
    ) {
        prop_assume!(ordinary::is_whole(&ccb, from, fragment));
        let (before, mut said) = (ccb, Said::default());
        channel::msg(&mut ccb, from, fragment, &mut said);
        let (thread, (total, ..)) = (before.receiver_thread, fragment);
        let delivered = Output::Deliver { thread, offset: 0, bytes: total };
        let released = Output::Release { thread, role: channel::Role::Receiver, result: Ok(total) };
        prop_assert_eq!(said.0, vec![delivered, released]);
        prop_assert_eq!((ccb.receiver, ccb.received), (Receiver::Idle, before.received.wrapping_add(1)));
    }
}
