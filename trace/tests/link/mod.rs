//! A link from a board: what comes out of any damage is what went in, at its place, and every loss is counted.

use proptest::prelude::*;
use testbed_definitions::link::{Frame, CRC_BITS, FRAME_BYTES, MARK};
use testbed_definitions::monitor::Pair;
use testbed_trace::capture::{LinkFigures, Received, Receiver, Transmitter};
use testbed_trace::synthetic::Random;

const SMIS: usize = 5;

type Sent = (u8, Pair);

fn pairs(random: &mut Random, count: usize) -> Vec<Sent> {
    let pair = |bits: u64| (1 + (bits >> 40) as u8 % SMIS as u8, Pair::unpack(bits as u32));
    (0..count).map(|_| pair(random.bits())).collect()
}

/// What a board sends, with a count now and then since nothing waits, and at the end.
fn line(random: &mut Random, pairs: &[Sent], idle_every: u32) -> Vec<u8> {
    let (mut transmitter, mut line) = (Transmitter::new(), Vec::new());
    transmitter.idle(&mut line);
    for (smi, pair) in pairs {
        transmitter.pair(*smi, *pair, &mut line);
        if random.once_in(idle_every) {
            transmitter.idle(&mut line);
        }
    }
    transmitter.idle(&mut line);
    line
}

/// Three counts, so that the first of them may be out of step.
fn quiet(count: usize) -> Vec<u8> {
    (0..3).flat_map(|_| Frame::Count(count as u32).pack()).collect()
}

fn receive(bytes: &[&[u8]]) -> (Vec<Received>, LinkFigures) {
    let (mut receiver, mut out) = (Receiver::new(SMIS), Vec::new());
    bytes.iter().for_each(|bytes| receiver.push(bytes, &mut |received| out.push(received)));
    (out, receiver.figures())
}

/// Every pair is the one that was sent at its place, and all are accounted for.
fn assert_true(sent: &[Sent], received: &[Received], figures: &LinkFigures) {
    let mut place = 0;
    for received in received {
        match *received {
            Received::Hole(count) => place += count as usize,
            Received::Pair { smi, pair } => {
                assert_eq!(sent.get(place), Some(&(smi, pair)), "at {place} of {}", sent.len());
                place += 1;
            }
            Received::Restart => panic!("nothing began anew"),
        }
    }
    assert_eq!(place, sent.len());
    assert_eq!(figures.pairs.iter().sum::<u64>() + figures.lost, sent.len() as u64);
    assert_eq!(figures.unconfirmed, 0);
}

/// What happens to a byte.
#[derive(Clone, Copy, Debug)]
struct Damage {
    /// One byte in so many.
    flipped: u32,
    dropped: u32,
    inserted: u32,
    replaced: u32,
    /// One byte in so many begins a stretch of up to 5,000 that are lost.
    cut: u32,
}

fn damaged(random: &mut Random, line: &[u8], damage: Damage) -> Vec<u8> {
    let (mut out, mut gone) = (Vec::new(), 0);
    for &byte in line {
        if random.once_in(damage.cut) {
            gone = random.below(5_000);
        }
        if gone > 0 || random.once_in(damage.dropped) {
            gone = gone.saturating_sub(1);
            continue;
        }
        if random.once_in(damage.inserted) {
            out.push(random.bits() as u8);
        }
        out.push(match () {
            () if random.once_in(damage.flipped) => byte ^ 1 << random.below(8),
            () if random.once_in(damage.replaced) => random.bits() as u8,
            () => byte,
        });
    }
    out
}

fn rate() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), 200..20_000u32]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_sound_line_brings_all(seed: u64, count in 0usize..2_000, idle_every in 0u32..100, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut random = Random::new(seed);
        let sent = pairs(&mut random, count);
        let line = line(&mut random, &sent, idle_every);
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(line.len())).chain([0, line.len()]).collect();
        places.sort();
        let parts: Vec<&[u8]> = places.windows(2).map(|two| &line[two[0]..two[1]]).collect();
        let (received, figures) = receive(&parts);
        assert_true(&sent, &received, &figures);
        prop_assert_eq!((figures.lost, figures.stray_bytes, figures.crc_errors, figures.left_out), (0, 0, 0, 0));
        prop_assert_eq!(figures.frames as usize * FRAME_BYTES, line.len());
    }

    #[test]
    fn what_comes_through_damage_is_what_was_sent(
        seed: u64, count in 0usize..3_000, idle_every in 0u32..100, flipped in rate(), dropped in rate(), inserted in rate(), replaced in rate(),
        cut in prop_oneof![Just(0), 5_000..50_000u32],
    ) {
        let mut random = Random::new(seed);
        let sent = pairs(&mut random, count);
        let line = line(&mut random, &sent, idle_every);
        let line = damaged(&mut random, &line, Damage { flipped, dropped, inserted, replaced, cut });
        let (received, figures) = receive(&[&line, &quiet(count)]);
        assert_true(&sent, &received, &figures);
        prop_assert_eq!(figures.bytes as usize, line.len() + 3 * FRAME_BYTES);
    }
}

/// With one bit or byte damaged in a frame, that frame is lost and no other, unless bytes are
/// missing or too many: then that behind it is out of step.
#[test]
fn single_damages_cost_what_they_must() {
    let mut random = Random::new(1);
    let sent = pairs(&mut random, 40);
    let line = line(&mut random, &sent, 0);
    // Frame 0 is a count, frame n pair n - 1.
    let tenth = 10 * FRAME_BYTES;
    for bit in 0..64 {
        let mut line = line.clone();
        line[tenth + bit / 8] ^= 1 << (bit % 8);
        let (received, figures) = receive(&[&line]);
        assert_true(&sent, &received, &figures);
        assert_eq!((figures.lost, figures.holes), (1, 1), "bit {bit}");
        assert_eq!(received[9], Received::Hole(1));
    }
    for byte in 0..FRAME_BYTES {
        let (before, after) = line.split_at(tenth + byte);
        let (received, figures) = receive(&[before, &after[1..]]);
        assert_true(&sent, &received, &figures);
        assert_eq!((figures.lost, figures.left_out), (2, 1), "dropped {byte}");
        let (received, figures) = receive(&[before, &[0x2a], after]);
        assert_true(&sent, &received, &figures);
        // Between two frames a byte that begins none does no harm.
        assert_eq!(figures.lost, if byte == 0 { 0 } else { 2 }, "inserted {byte}");
    }
}

#[test]
fn any_number_of_frames_may_be_lost() {
    let mut random = Random::new(2);
    let sent = pairs(&mut random, 70_500);
    let line = line(&mut random, &sent, 0);
    // 65 frames for 64 pairs.
    let frame_of = |pair: usize| (pair + pair / 64 + 1) * FRAME_BYTES;
    for lost in [1, 2, 63, 64, 255, 256, 257, 300, 511, 512, 768, 65_536, 65_537, 70_000] {
        for from in [0, 3, 70] {
            let (from_byte, to) = (frame_of(from), frame_of(from + lost));
            let (received, figures) = receive(&[&line[..from_byte], &line[to..]]);
            assert_true(&sent, &received, &figures);
            // What stands between two counts that disagree with the numbers is left out.
            assert!((lost as u64..=lost as u64 + 66).contains(&figures.lost), "{lost} from {from}: {figures:?}");
        }
    }
}

#[test]
fn a_receiver_that_comes_late_knows_how_many_it_lacks() {
    let mut random = Random::new(3);
    let sent = pairs(&mut random, 3_000);
    let line = line(&mut random, &sent, 50);
    for late in [0, 1, 7, 8, 9, 500, 4_000, 20_001] {
        let (received, figures) = receive(&[&line[late..]]);
        assert_true(&sent, &received, &figures);
        let is_whole = late == 0;
        assert_eq!(matches!(received[0], Received::Hole(_)), !is_whole && figures.lost > 0);
    }
}

#[test]
fn a_transmitter_that_begins_anew_ends_the_link() {
    let mut random = Random::new(4);
    let sent = pairs(&mut random, 100);
    let line = line(&mut random, &sent, 10);
    let (received, figures) = receive(&[&line, &line]);
    assert_eq!(received.last(), Some(&Received::Restart));
    assert_true(&sent, &received[..received.len() - 1], &figures);
}

#[test]
fn a_line_that_is_cut_goes_on_with_what_is_missing_counted() {
    let mut random = Random::new(5);
    let sent = pairs(&mut random, 1_000);
    let line = line(&mut random, &sent, 0);
    let (mut receiver, mut out) = (Receiver::new(SMIS), Vec::new());
    receiver.push(&line[..2_003], &mut |received| out.push(received));
    receiver.cut();
    receiver.push(&line[4_001..], &mut |received| out.push(received));
    assert_true(&sent, &out, &receiver.figures());
    // 250 frames, of which three or four are counts, and one that is out of step.
    assert!((246..=250).contains(&receiver.figures().lost), "{:?}", receiver.figures());
}

#[test]
fn pairs_of_other_machines_are_losses() {
    let pair = |smi, sequence| Frame::Pair { smi, pair: Pair { time: 1, datum: 2 }, sequence }.pack();
    let bytes = [Frame::Count(0).pack(), pair(1, 0), pair(9, 1), pair(2, 2), Frame::Count(3).pack()].concat();
    let (received, figures) = receive(&[&bytes]);
    assert_eq!((figures.foreign, figures.lost, figures.pairs.iter().sum::<u64>()), (1, 1, 2));
    assert_eq!(received[1], Received::Hole(1));
}

/// More pairs than are held without a count are a loss, not a guess.
#[test]
fn without_counts_nothing_is_given_out() {
    let mut random = Random::new(6);
    let sent = pairs(&mut random, 70_000);
    let mut bytes: Vec<u8> = Frame::Count(0).pack().into();
    for (number, (smi, pair)) in sent.iter().enumerate() {
        bytes.extend(Frame::Pair { smi: *smi, pair: *pair, sequence: number as u8 }.pack());
    }
    let (received, figures) = receive(&[&bytes]);
    assert!(received.is_empty() && figures.unconfirmed > 0);
    let (received, figures) = receive(&[&bytes, &quiet(sent.len())]);
    assert_true(&sent, &received, &figures);
    assert_eq!(figures.lost, sent.len() as u64);
}

/// A million bytes, random, and random in the form of frames: of those the CRC lets one in 4,096
/// through, and none becomes a pair.
#[test]
fn noise_makes_no_pairs() {
    let mut random = Random::new(7);
    let noise: Vec<u8> = (0..1_000_000).map(|_| random.bits() as u8).collect();
    let (received, figures) = receive(&[&noise]);
    assert!(received.is_empty() && figures.unconfirmed == 0, "{figures:?}");
    // Eight bytes have a frame's form once in 256 times.
    assert!((3_400..4_400).contains(&(figures.crc_errors + figures.frames)), "{figures:?}");
    assert!(figures.frames <= 8, "{figures:?}");

    let frames = noise.iter().enumerate().map(|(place, byte)| if place % 8 == 0 { byte | MARK } else { byte & !MARK });
    let (received, figures) = receive(&[&frames.collect::<Vec<_>>()]);
    assert!(received.is_empty(), "{figures:?}");
    assert_eq!(figures.crc_errors + figures.frames, 125_000);
    let expected = 125_000.0 / f64::from(1 << CRC_BITS);
    assert!((figures.frames as f64 - expected).abs() < 6.0 * expected.sqrt(), "{figures:?}, {expected} expected");
    assert!(figures.unconfirmed <= 1, "{figures:?}");
}
