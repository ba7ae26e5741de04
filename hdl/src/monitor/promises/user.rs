//! What the SMI promises of programs' events.

use super::{gap, proven, Bench};
use crate::support::random::Random;
use testbed_definitions::map::smi;

/// Stores a datum as a core does, until it does not stall; the cycles that takes.
fn store(bench: &mut Bench, datum: u16) -> u64 {
    let begun = bench.cycle;
    while bench.access(Some((smi::USER_EVENT, Some(datum.into()))), false).0 {}
    bench.cycle - begun
}

fn switched_on(depth: u32, ticks: u64) -> Bench {
    let mut bench = Bench::new(depth, ticks, 1);
    bench.write(smi::CONTROL, smi::CONTROL_USER);
    bench
}

#[test]
fn a_store_is_two_words_in_four_cycles_wherever_the_clock_wraps() {
    for before in 0..12 {
        let mut bench = switched_on(64, (1 << 16) - 6);
        bench.idle(before);
        let mut stored = vec![];
        for datum in [0x0000, 0x1234, 0x4001, 0x8001, 0xffff] {
            stored.push((bench.ticks + 1, smi::USER_FIRST));
            stored.push((bench.ticks + 3, datum));
            assert_eq!(store(&mut bench, datum), 4);
        }
        assert_eq!((bench.read(smi::EMITTED), bench.read(smi::DROPPED)), (10, 0), "{before}");
        assert_eq!(proven(&bench.drain()), stored, "{before}");
    }
}

#[test]
fn switched_off_it_does_nothing() {
    let mut bench = Bench::new(8, 0, 1);
    assert_eq!((store(&mut bench, 1), store(&mut bench, 0xaa00)), (1, 1));
    assert_eq!((bench.read(smi::EMITTED), bench.read(smi::USER_EVENT)), (0, 0));
    bench.write(smi::CONTROL, smi::CONTROL_USER);
    assert_eq!(bench.read(smi::CONTROL), smi::CONTROL_USER);
    // The rest of the page is nothing.
    for offset in (smi::USER_EVENT + 4..smi::USER_EVENT + 0x400).step_by(4) {
        assert!(!bench.access(Some((offset, Some(1))), false).0);
    }
    assert_eq!(bench.read(smi::EMITTED), 0);
}

#[test]
fn a_markers_datum_is_refused_as_a_whole() {
    let mut bench = switched_on(8, 0);
    assert_eq!((store(&mut bench, 0xaa12), store(&mut bench, 0xabcd)), (2, 2));
    assert_eq!((bench.read(smi::EMITTED), bench.read(smi::REFUSED)), (2, 2));
    assert!(bench.drain().is_empty());
}

#[test]
fn a_datum_is_lost_with_its_first_word_in_one_gap() {
    let mut random = Random::new(3);
    for taken in 0..64 {
        let mut bench = switched_on(8, 0);
        for datum in 0..9 {
            bench.emit(datum);
        }
        // The bus makes room at any time.
        for _ in 0..random.below(40) + taken {
            bench.access(None, random.chance(1, 20));
        }
        let fits = bench.read(smi::STATUS) & smi::STATUS_FULL == 0;
        if fits {
            continue;
        }
        let mut repeats = 0;
        while bench.access(Some((smi::USER_EVENT, Some(0x4001))), random.chance(1, 2)).0 {
            repeats += 1;
        }
        assert_eq!(repeats, 3);
        let lost = bench.read(smi::DROPPED);
        let pairs = bench.drain();
        let words: Vec<u16> = proven(&pairs).iter().map(|event| event.1).collect();
        let coded = words.contains(&smi::USER_FIRST);
        assert_eq!(words.contains(&0x4001), coded && lost == 0, "{words:x?}");
        assert!(lost == 0 || gap(&pairs).1 == lost && (coded || lost == 2), "{words:x?}, {lost} lost");
    }
}

#[test]
fn stalling_waits_with_either_word() {
    let mut bench = Bench::new(4, 0, 1);
    bench.write(smi::CONTROL, smi::CONTROL_USER | smi::CONTROL_STALL);
    let mut random = Random::new(9);
    let mut most = 0;
    for datum in 0..200 {
        let begun = bench.cycle;
        while bench.access(Some((smi::USER_EVENT, Some(datum))), random.chance(1, 9)).0 {}
        most = most.max(bench.cycle - begun);
    }
    assert!(most > 20, "{most}");
    assert_eq!((bench.read(smi::EMITTED), bench.read(smi::DROPPED)), (400, 0));
    let words: Vec<u16> = proven(&bench.drain()).iter().map(|event| event.1).collect();
    let expected: Vec<u16> = (0..200).flat_map(|datum| [smi::USER_FIRST, datum]).collect();
    assert_eq!(words, expected);
}
