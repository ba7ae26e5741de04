//! Ends of channels keep all they have on their way through a packet.

use proptest::prelude::*;
use testbed_definitions::limits::CHANNELS;
use testbed_protocol::channel::Token;
use testbed_protocol::ends::End;
use testbed_protocol::{Channel, Processor, ThreadNumber};

fn thread() -> impl Strategy<Value = ThreadNumber> {
    any::<u16>().prop_map(ThreadNumber::from_bits)
}

fn token() -> impl Strategy<Value = Token> {
    let at = (0..Processor::NOWHERE.number()).prop_map(Processor::new);
    let some = (at, thread(), any::<u32>(), any::<u32>()).prop_map(|(at, sender, length, sequence)| Token {
        at,
        sender,
        length,
        sequence,
    });
    prop_oneof![Just(Token::NONE), some]
}

fn end() -> impl Strategy<Value = End> {
    let sender = (any::<u32>(), any::<u8>().prop_map(Processor::new), any::<u32>(), thread())
        .prop_map(|(sent, place, epoch, receiver)| End::Sender { sent, place, epoch, receiver });
    let receiver = (any::<u32>(), any::<u32>(), token(), thread())
        .prop_map(|(received, epoch, token, sender)| End::Receiver { received, epoch, token, sender });
    prop_oneof![sender, receiver]
}

proptest! {
    /// Ends that are packed one after the other come out as they were; cut short anywhere, only whole ones come out.
    #[test]
    fn packing(ends in prop::collection::vec(((0..CHANNELS as u8).prop_map(Channel::new), end()), 0..10), cut in any::<prop::sample::Index>()) {
        let mut packed = Vec::new();
        let mut starts = vec![0];
        for &(channel, end) in &ends {
            let (words, count) = end.pack(channel);
            packed.extend_from_slice(&words[..count]);
            starts.push(packed.len());
        }
        let unpack_all = |packed: &[u32]| {
            let (mut at, mut found) = (0, Vec::new());
            while let Some((channel, end, words)) = End::unpack(packed.len() - at, |index| packed[at + index]) {
                found.push((channel, end));
                at += words;
            }
            (found, at)
        };
        prop_assert_eq!(unpack_all(&packed), (ends.clone(), packed.len()));
        let length = cut.index(packed.len() + 1);
        let whole = starts.iter().filter(|&&start| start <= length).count() - 1;
        prop_assert_eq!(unpack_all(&packed[..length]), (ends[..whole].to_vec(), starts[whole]));
    }
}
