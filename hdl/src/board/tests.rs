use std::collections::VecDeque;

use rust_hdl::prelude::*;
use testbed_definitions::link::{Frame, BAUD, COUNT_BYTES, COUNT_EVERY, FRAME_BYTES, LINE_BITS};
use testbed_definitions::monitor::{MmiWord, Pair};
use testbed_machine::Machine as Description;
use testbed_trace::capture::{Received, Receiver};

use super::*;
use crate::support::fitting::assert_fits;
use crate::support::lint::assert_clean;
use crate::support::random::Random;
use crate::support::serial::Ear;
use crate::support::synthesis::Family;
use crate::{differential, settle_low, step};

/// Clocks and bauds: eight and a third cycles a bit, exactly eight, exactly sixteen, the fewest, and a
/// slow line.
const RATES: [(u32, u32); 5] =
    [(25_000_000, BAUD), (24_000_000, BAUD), (48_000_000, BAUD), (18_000_000, BAUD), (12_000_000, 921_600)];

fn sender((clock_hz, baud): (u32, u32)) -> FrameSender {
    let mut block = FrameSender::new(clock_hz, baud);
    block.connect_all();
    block
}

fn frames(ear: &Ear) -> Vec<Frame> {
    assert_eq!(ear.bytes.len() % FRAME_BYTES, 0);
    ear.bytes.chunks(FRAME_BYTES).map(|bytes| Frame::unpack(bytes.try_into().unwrap()).unwrap()).collect()
}

fn random_pair(random: &mut Random) -> (u8, Pair) {
    let smi = 1 + random.below(15) as u8;
    (smi, Pair { time: random.below(1 << 16) as u16, datum: random.below(1 << 16) as u16 })
}

/// Offers `words`, each when `gap` says, and hears until they are sent and the line has been idle for a while.
fn send(rate: (u32, u32), words: &[MmiWord], mut gap: impl FnMut() -> u32) -> Ear {
    let mut block = sender(rate);
    let mut ear = Ear::new(rate.0, rate.1);
    let mut words: VecDeque<_> = words.iter().collect();
    let (mut pause, mut quiet) = (0, 0);
    while quiet < 2_000 {
        let word = if pause == 0 { words.front() } else { None };
        block.valid.next = word.is_some();
        // What is not valid means nothing.
        block.word.next = u64::from(word.map_or(0xf_ffff, |word| word.pack())).into();
        settle_low!(block).unwrap();
        if word.is_some() && block.ready.val() {
            words.pop_front();
            pause = gap();
        } else {
            pause = pause.saturating_sub(1);
        }
        quiet = if words.is_empty() && !block.sending.val() { quiet + 1 } else { 0 };
        ear.hear(block.line.val()).unwrap();
        step!(block).unwrap();
    }
    ear
}

fn words_of(pairs: &[(u8, Pair)]) -> Vec<MmiWord> {
    let words = |&(smi, pair): &(u8, Pair)| [pair.time, pair.datum].map(|value| MmiWord { smi, value });
    pairs.iter().flat_map(words).collect()
}

/// What a transmitter may send: counts that are right, first, in time, and not twice without need.
fn check_counts(frames: &[Frame]) {
    let (mut pairs, mut since) = (0, None);
    for frame in frames {
        match frame {
            Frame::Count(count) => {
                assert_eq!(*count, pairs);
                assert_ne!(since, Some(0), "a second count");
                since = Some(0);
            }
            Frame::Pair { sequence, .. } => {
                assert_eq!(u32::from(*sequence), pairs & 0xff);
                let before = since.expect("a count comes first");
                assert!(before < COUNT_EVERY);
                since = Some(before + 1);
                pairs += 1;
            }
        }
    }
    assert_eq!(since, Some(0), "a count comes last");
}

#[test]
fn what_goes_in_is_what_the_host_decodes() {
    let mut random = Random::new(31);
    for (rate, number) in RATES.into_iter().zip([1_500, 1_000, 500, 1_000, 300]) {
        let pairs: Vec<_> = (0..number).map(|_| random_pair(&mut random)).collect();
        // Bursts, gaps inside a pair, gaps of some frames.
        let mut gaps = Random::new(32);
        let ear = send(rate, &words_of(&pairs), || match gaps.below(100) {
            0..90 => 0,
            90..97 => gaps.below(900) as u32,
            _ => gaps.below(6_000) as u32,
        });
        check_counts(&frames(&ear));
        let (mut receiver, mut got) = (Receiver::new(15), vec![]);
        receiver.push(&ear.bytes, &mut |received| match received {
            Received::Pair { smi, pair } => got.push((smi, pair)),
            other => panic!("{other:?} of a sound line"),
        });
        assert_eq!(got, pairs, "{rate:?}");
        let figures = receiver.figures();
        assert_eq!((figures.stray_bytes, figures.crc_errors, figures.unconfirmed), (0, 0, 0));
    }
}

/// With pairs that always wait, a byte follows another without a pause at every rate: 64 pairs and
/// a count in 65 frames.
#[test]
fn the_line_is_never_idle_while_pairs_wait() {
    for rate in RATES {
        let mut block = sender(rate);
        block.valid.next = true;
        block.word.next = 0x5_1234u64.into();
        let (mut taken, mut cycles) = (0u64, 0u64);
        let frame = u64::from(rate.0) * u64::from(LINE_BITS) * FRAME_BYTES as u64;
        let wanted = 130 * frame / u64::from(rate.1);
        while cycles < wanted {
            settle_low!(block).unwrap();
            taken += u64::from(block.ready.val());
            // The first bit's tick and the first count's CRC.
            assert!(block.sending.val() || cycles < 40, "{rate:?}: idle in cycle {cycles}");
            step!(block).unwrap();
            cycles += 1;
        }
        // Two counts in 130 frames, two words a pair; the pair that waits behind the last.
        assert!((2 * 127..=2 * 129).contains(&taken), "{rate:?}: {taken} words");
    }
}

/// Edges of the line are off by less than a cycle from where an exact divider would have them, from
/// the first bit to the last.
#[test]
fn edges_come_in_time() {
    for (clock_hz, baud) in RATES {
        let mut block = sender((clock_hz, baud));
        block.valid.next = true;
        block.word.next = 0x9_a5c3u64.into();
        let bit = f64::from(clock_hz) / f64::from(baud);
        let (mut before, mut first, mut worst) = (true, None, 0f64);
        for cycle in 0..100_000u32 {
            let line = block.line.val();
            if line != before {
                let since = f64::from(cycle - *first.get_or_insert(cycle));
                worst = worst.max((since - (since / bit).round() * bit).abs());
                before = line;
            }
            step!(block).unwrap();
        }
        println!("{baud} baud at {clock_hz} Hz: edges up to {worst:.2} cycles off, a bit has {bit:.2}");
        assert!(worst < bit / 4.0, "{worst} cycles of {bit}");
    }
}

#[test]
fn an_idle_line_says_how_many_pairs_it_sent_from_time_to_time() {
    let rate = (18_000_000, BAUD);
    let mut block = sender(rate);
    let mut starts = vec![];
    let mut before = false;
    // Two counts and a little more; the silence lies between starts of counts.
    for cycle in 0..2 * u64::from(COUNT_BYTES * LINE_BITS) * 6 + 1_000 {
        let sending = block.sending.val();
        if sending && !before {
            starts.push(cycle);
        }
        before = sending;
        step!(block).unwrap();
    }
    assert_eq!(starts.len(), 3);
    let most = u64::from(COUNT_BYTES * LINE_BITS + 1) * 6;
    assert!(starts.windows(2).all(|two| two[1] - two[0] <= most), "{starts:?}, at most {most} apart");
}

#[test]
fn rates_that_cannot_be_are_refused() {
    assert!(fits(18_000_000, BAUD) && !fits(17_999_999, BAUD) && !fits(25_000_000, 0));
    assert!(fits(25_000_000, 115_200) && !fits(25_000_000, 9_600));
    let slow = Description { clock_hz: 12_000_000, ..Description::testbed6() };
    let error = verilog(&slow, &Options::default()).unwrap_err().to_string();
    assert!(error.contains("12000000 Hz, which can't send 3000000 baud"), "{error}");
    assert!(error.contains("`clock` has to be 18000000 to"), "{error}");
}

#[test]
fn verilog_agrees() {
    differential! {
        block: FrameSender = FrameSender::new(25_000_000, BAUD),
        inputs: [valid, word],
        outputs: [ready, line, sending],
        cycles: 60_000,
        seed: 33,
        stimulus: |block, random, cycle| {
            // A busy time and a quiet time.
            block.valid.next = random.chance(1, if cycle & 0x4000 == 0 { 2 } else { 3_000 });
            block.word.next = random.bits();
        }
    }
    differential! {
        block: Beat = Beat::new(100),
        inputs: [],
        outputs: [beat, half],
        cycles: 1_000,
        seed: 34,
    }
    differential! {
        block: Light = Light::default(),
        inputs: [on, beat],
        outputs: [lit],
        cycles: 2_000,
        seed: 35,
        stimulus: |block, random, _cycle| {
            block.on.next = random.chance(1, 8);
            block.beat.next = random.chance(1, 8);
        }
    }
}

#[test]
fn lint_is_clean() {
    assert_clean(FrameSender::new(25_000_000, BAUD));
    let two = Description { processors: vec!["a".into(), "b".into()], ram_bytes: 16 * 1024, ..Description::testbed6() };
    let small = Description { headless: true, ..two.clone() };
    assert_clean(Board::new(&two, &Options::default()));
    assert_clean(Board::new(&small, &Options::default()));
}

#[test]
fn it_synthesises() {
    for family in [Family::Ice40, Family::Ecp5] {
        assert_fits(FrameSender::new(25_000_000, BAUD), family, 0, None);
    }
}

#[test]
fn the_board_is_the_top_and_keeps_the_machines_names() {
    let image = Some("image.hex".into());
    let options = Options { image, queues_in_luts: true, ..Options::default() };
    let text = verilog(&Description { ram_bytes: 16 * 1024, ..Description::testbed6() }, &options).unwrap();
    assert!(text.contains("module board(clock,rx,tx,rts,link,leds);"));
    assert!(!text.contains("module top"));
    assert!(text.contains("module board$machine$processors$5$pipeline("));
    assert_eq!(text.matches("$readmemh(\"image.hex.0\", mem_0)").count(), 6);
    assert_eq!(text.matches("$readmemh(\"image.hex.1\", mem_1)").count(), 6);
    assert_eq!(text.matches("ram_style = \"distributed\"").count(), 2);
}
