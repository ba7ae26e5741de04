//! The load assessor.

use proptest::prelude::*;
use testbed_balance::assess::Assessor;
use testbed_definitions::event::MORE;
use testbed_definitions::ids::{ProcessId, Processor, ThreadNumber};
use testbed_definitions::load::PARTS;
use testbed_definitions::load::{Part, WORD_BYTES};

fn thread(id: u8) -> ThreadNumber {
    ProcessId::new(Processor::new(1), 2, 1).thread(id)
}

/// What a thread of a sample did: id, share, partners with messages and bytes.
type Did = (u8, u16, Vec<(u8, u32, u32)>);

/// A sample, as words that were read again.
fn sample(sequence: u8, ready: u8, sent: &[(u8, u32, u32)], threads: &[Did]) -> Vec<Part> {
    let mut parts = vec![
        Part::Begin { sequence, ready },
        Part::Period { cycles: 1 << 20 },
        Part::Queue { average: 300 },
        // Where threads ran it tells of some.
        Part::User { share: if threads.is_empty() { 0 } else { 40_000 } },
    ];
    let bytes = |sends: u32, bytes: u32| (bytes != sends * WORD_BYTES).then_some(Part::Bytes { bytes });
    for &(processor, sends, sum) in sent {
        parts.push(Part::Link { processor, sends });
        parts.extend(bytes(sends, sum));
    }
    for (id, share, partners) in threads {
        parts.push(Part::Thread { thread: thread(*id).bits(), movable: id % 2 == 1 });
        parts.push(Part::Share { share: *share });
        for &(id, count, sum) in partners {
            parts.push(Part::Partner { id, count });
            parts.extend(bytes(count, sum));
        }
    }
    parts.push(Part::End { sequence: sequence & 0x3f, parts: parts.len() as u16 });
    parts.iter().map(|part| Part::of(part.words()[0] & !MORE, part.words()[1]).unwrap()).collect()
}

fn feed(assessor: &mut Assessor, slave: u8, time: u64, parts: &[Part]) -> bool {
    parts.iter().fold(false, |_, &part| assessor.take(slave, time, part))
}

#[test]
fn a_sample_says_everything() {
    let mut assessor = Assessor::new(5);
    let parts = sample(7, 3, &[(4, 20, 80), (5, 3, 900)], &[(1, 5_000, vec![(2, 6, 24), (9, 1, 400)]), (2, 0, vec![])]);
    assert!(feed(&mut assessor, 2, 500, &parts));
    let summary = assessor.summary();
    let slave = summary.slave(2);
    assert_eq!((slave.ready, slave.average, slave.user, slave.period), (3, 300, 40_000, 1 << 20));
    assert_eq!((slave.sent[4].sends, slave.sent[4].bytes, slave.sent[5].bytes, slave.lost), (20, 80, 900, 0));
    let known = summary.thread(thread(1)).unwrap();
    assert_eq!((known.processor, known.share, known.movable, known.messages()), (2, 5_000, true, 7));
    assert_eq!(known.partners[1].thread, thread(9));
    assert!(!summary.thread(thread(2)).unwrap().movable);
    assert_eq!((summary.age(2, 700), summary.age(3, 700)), (Some(200), None));
}

#[test]
fn lost_and_late_samples_are_recognised() {
    let mut assessor = Assessor::new(5);
    let whole = |sequence| sample(sequence, 1, &[], &[(1, 9, vec![])]);
    assert!(feed(&mut assessor, 1, 1_000, &whole(254)));
    // One is cut, one is filtered away, one begins behind a hole.
    let cut = whole(255);
    assert!(!feed(&mut assessor, 1, 2_000, &cut[..3]));
    assert!(!feed(&mut assessor, 1, 3_000, &whole(0)[2..]));
    assert!(!feed(&mut assessor, 1, 4_000, &whole(1)[..2]));
    assessor.lost(1);
    assert!(!feed(&mut assessor, 1, 4_100, &whole(1)[4..]));
    assert_eq!(assessor.summary().age(1, 5_000), Some(4_000));
    assert!(feed(&mut assessor, 1, 5_000, &whole(2)));
    assert_eq!(assessor.summary().slave(1).lost, 3);
    // What is older than what is known changes nothing.
    assert!(!feed(&mut assessor, 1, 4_900, &whole(3)));
    assert_eq!(assessor.summary().slave(1).sequence, 2);
    // The master and processors that are none send no samples.
    assert!(!feed(&mut assessor, 0, 6_000, &whole(4)) && !feed(&mut assessor, 6, 6_000, &whole(4)));
}

#[test]
fn a_thread_is_where_answers_and_newer_samples_say() {
    let mut assessor = Assessor::new(5);
    let place = |assessor: &Assessor| assessor.summary().thread(thread(1)).unwrap().processor;
    let of = |sequence| sample(sequence, 1, &[], &[(1, 9, vec![])]);
    feed(&mut assessor, 1, 1_000, &of(0));
    assessor.moved(thread(1), 3, 1_500);
    assert_eq!(place(&assessor), 3);
    // Taken before it left.
    feed(&mut assessor, 1, 1_400, &of(1));
    assert_eq!(place(&assessor), 3);
    feed(&mut assessor, 4, 2_500, &of(0));
    assert_eq!(place(&assessor), 4);
    // One of which nothing is heard for long is forgotten.
    for sequence in 1..20 {
        feed(&mut assessor, 4, 2_500 + (1 << 20) * u64::from(sequence), &sample(sequence, 0, &[], &[]));
    }
    assert!(assessor.summary().threads.is_empty());
}

#[test]
fn what_threads_do_stays_known_between_samples_that_tell_of_it() {
    let mut assessor = Assessor::new(5);
    let busy = |ready: u8| {
        let mut parts = sample(ready, ready, &[], &[(1, 9, vec![(2, 6, 24)])]);
        // Head and end alone.
        parts.drain(4..parts.len() - 1);
        let end = parts.len() - 1;
        parts[end] = Part::End { sequence: ready & 0x3f, parts: 4 };
        parts
    };
    feed(&mut assessor, 1, 1_000, &sample(0, 1, &[], &[(1, 9, vec![(2, 6, 24)])]));
    for sequence in 1..4u8 {
        assert!(feed(&mut assessor, 1, 1_000 + 20 * u64::from(sequence), &busy(sequence)));
        let known = assessor.summary().thread(thread(1)).unwrap();
        assert_eq!((known.share, known.partners.len(), known.sampled), (9, 1, 1_000));
    }
    let (sampled, told) = (assessor.summary().slave(1).sampled, assessor.summary().slave(1).told);
    assert_eq!((sampled, told), (Some(1_060), Some(1_000)));
    feed(&mut assessor, 1, 1_080, &sample(4, 2, &[], &[(3, 7, vec![])]));
    let slave = assessor.summary().slave(1);
    assert_eq!((slave.told, slave.span, slave.queue), (Some(1_080), 4 << 20, 300));
    assert_eq!(assessor.summary().thread(thread(1)).unwrap().share, 0);
}

#[test]
fn a_sample_that_is_too_long_is_none() {
    let mut assessor = Assessor::new(5);
    let mut parts = sample(0, 1, &[], &[]);
    let end = parts.pop().unwrap();
    parts.resize(PARTS + 1, Part::User { share: 0 });
    assert!(!feed(&mut assessor, 1, 1_000, &parts));
    assert!(!assessor.take(1, 1_001, end));
    assert!(feed(&mut assessor, 1, 2_000, &sample(1, 1, &[], &[])));
}

fn did() -> impl Strategy<Value = Did> {
    let partner = (1..64u8, 0..100u32, 0..4_000u32);
    (1..64u8, any::<u16>(), prop::collection::vec(partner, 0..4))
}

proptest! {
    /// Parts of slaves that come interleaved make the same summary as one after the other; a part
    /// that is missing anywhere makes that sample none, and the others stay whole.
    #[test]
    fn samples_are_whole_or_none(threads in prop::collection::vec(did(), 0..8), gap in any::<prop::sample::Index>()) {
        let parts = sample(3, 5, &[(2, 9, 36), (3, 1, 77)], &threads);
        let mut one = Assessor::new(5);
        prop_assert!(feed(&mut one, 1, 10, &parts) && feed(&mut one, 4, 11, &parts));
        let mut both = Assessor::new(5);
        for &part in &parts {
            both.take(1, 10, part);
            both.take(4, 11, part);
        }
        prop_assert_eq!(&one.summary().threads, &both.summary().threads);
        prop_assert_eq!(one.summary().slave(4), both.summary().slave(4));

        let mut damaged = Assessor::new(5);
        let mut less = parts.clone();
        less.remove(gap.index(parts.len()));
        prop_assert!(!feed(&mut damaged, 1, 10, &less));
        prop_assert!(damaged.summary().threads.is_empty() && damaged.summary().age(1, 10).is_none());
        prop_assert!(feed(&mut damaged, 1, 20, &parts));
    }

    #[test]
    fn any_parts_are_survived(words in prop::collection::vec((0..6u8, 0x2ff..0x30bu16, any::<u16>()), 0..600)) {
        let mut assessor = Assessor::new(5);
        for (time, (slave, code, argument)) in words.into_iter().enumerate() {
            match Part::of(code, argument) {
                Some(part) => drop(assessor.take(slave, time as u64, part)),
                None => assessor.lost(slave),
            }
        }
        prop_assert!(assessor.summary().threads.iter().all(|thread| (1..=5).contains(&thread.processor)));
    }
}
