//! Epochs and order, against a model of the SMI that knows the truth.

mod common;

use std::convert::Infallible;

use common::{smi_stream, PairKind, Step, Truth};
use proptest::prelude::*;
use testbed_definitions::event::{COMMS, CREATE, EXIT, MORE, SCHEDULE, TRAP7, WAIT};
use testbed_definitions::monitor::Pair;
use testbed_trace::order::{merge, Convention, Epoch, Event, Events, Proof, Stamped, Unwrap, What, Word};

fn unwrap(pairs: &[Pair], proof: Proof) -> Vec<Stamped> {
    Unwrap::new(pairs.iter().map(|pair| Ok::<_, Infallible>(*pair)), proof).map(|stamped| stamped.unwrap()).collect()
}

fn pairs(stream: &[Truth]) -> Vec<Pair> {
    stream.iter().map(|truth| truth.pair).collect()
}

fn decode(words: &[u16]) -> Vec<(What, Option<u16>)> {
    let words = words.iter().enumerate().map(|(index, &word)| {
        let word = Word::Datum(word);
        Ok::<_, Infallible>(Stamped { epoch: Epoch::Certain(0), time: 0, index: index as u64, word })
    });
    Events::new(words, 1, Convention::Profile)
        .map(|event| event.unwrap())
        .map(|event| (event.what, event.argument))
        .collect()
}

fn known(code: u16) -> What {
    What::Known(testbed_definitions::event::kind(code).unwrap())
}

#[test]
fn events_take_one_word_or_two() {
    assert_eq!(
        decode(&[SCHEDULE | 5, TRAP7, CREATE | MORE, 0xc123, WAIT, 0x0fff, 0x8ffe, 7, EXIT | MORE]),
        [
            (What::Schedule(5), None),
            (known(TRAP7), None),
            // An argument is taken as it is, whatever its bits.
            (known(CREATE), Some(0xc123)),
            (known(WAIT), None),
            (What::Unknown(0x0fff), None),
            (What::Unknown(0x0ffe), Some(7)),
            // The stream ends before the argument.
            (known(EXIT), None),
        ]
    );
}

#[test]
fn the_ready_class_is_read_by_its_own_convention() {
    let words = [0x4005u16, 0x0005].map(Word::Datum);
    let words = words
        .into_iter()
        .map(|word| Ok::<_, Infallible>(Stamped { epoch: Epoch::Certain(0), time: 0, index: 0, word }));
    let events: Vec<_> = Events::new(words, 1, Convention::Ready).map(|event| event.unwrap().what).collect();
    assert_eq!(events, [What::Joins(5), What::Leaves(5)]);
}

/// After a loss a word may be the second half of an event whose first was lost, until a word comes that can't continue.
#[test]
fn what_follows_a_loss_is_doubtful_until_the_grammar_is_in_step_again() {
    let stream = smi_stream(&[
        Step::Emit(TRAP7),
        Step::Lose(3),
        Step::Emit(COMMS | MORE),
        Step::Emit(0x8001),
        Step::Emit(2),
        Step::Emit(WAIT),
    ]);
    let pairs = pairs(&stream);
    let words =
        Unwrap::new(pairs.iter().map(|pair| Ok::<_, Infallible>(*pair)), Proof { intact: 7, last_epoch: Some(0) });
    let events: Vec<Event> = Events::new(words, 1, Convention::Profile).map(|event| event.unwrap()).collect();
    let shown: Vec<_> = events.iter().map(|event| (event.what, event.doubtful)).collect();
    assert_eq!(
        shown,
        [
            (known(TRAP7), false),
            (What::Gap(Some(3)), false),
            // Either COMMS 0x8001, then code 2; or an argument, then code 1 with argument 2.
            (known(COMMS), true),
            (known(EXIT), true),
            (known(WAIT), false),
        ]
    );
}

#[test]
fn a_merged_marker_leaves_the_epoch_certain_if_the_run_was_short() {
    let pairs = [(0xfff0, 1), (0, 0xaa03), (5, 2)].map(|(time, datum)| Pair { time, datum });
    let stamped = unwrap(&pairs, Proof { intact: 3, last_epoch: Some(3) });
    assert_eq!(stamped.iter().map(|word| word.epoch).collect::<Vec<_>>(), [Epoch::Certain(0), Epoch::Certain(3)]);
    // Where the run was long enough for 256 wraps more, the number modulo 256 proves nothing.
    let stamped = unwrap(&pairs, Proof { intact: 3, last_epoch: Some(300) });
    assert_eq!(stamped[1].epoch, Epoch::Ambiguous { low: 3, high: Some(300) });
}

#[test]
fn a_gap_marker_that_was_cut_has_no_count() {
    let stamped = unwrap(&[Pair { time: 9, datum: 0xab00 }], Proof::default());
    assert_eq!(stamped.len(), 1);
    assert_eq!(stamped[0].word, Word::Gap(None));
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<u16>().prop_map(Step::Emit),
        4 => (0u32..3_000).prop_map(Step::Wait),
        1 => (0u32..200_000).prop_map(Step::Wait),
        1 => (0u32..0x0100_0000).prop_map(Step::Lose),
    ]
}

/// Every word of `stamped`, looked up by `original` (its index in the undamaged stream), is certain only where that is true.
fn check_certain(stamped: &[Stamped], truth: &[Truth], original: impl Fn(u64) -> usize) -> Result<(), TestCaseError> {
    for word in stamped {
        let truth = truth[original(word.index)];
        match word.epoch {
            Epoch::Certain(epoch) => prop_assert_eq!(epoch, truth.epoch, "{:?}", word),
            Epoch::Ambiguous { low, high } => {
                prop_assert!(
                    low <= truth.epoch && high.is_none_or(|high| truth.epoch <= high),
                    "{:?} {:?}",
                    word,
                    truth
                );
            }
        }
    }
    Ok(())
}

proptest! {
    /// Without damage everything is certain, true, and in place.
    #[test]
    fn a_whole_stream_is_certain_throughout(steps in prop::collection::vec(step(), 0..300)) {
        let truth = smi_stream(&steps);
        let last_epoch = truth.last().map_or(0, |truth| truth.epoch);
        let stamped = unwrap(&pairs(&truth), Proof { intact: truth.len() as u64, last_epoch: Some(last_epoch) });
        let expected: Vec<_> = truth.iter().enumerate().filter_map(|(index, truth)| {
            let word = match truth.kind {
                PairKind::Word => Word::Datum(truth.pair.datum),
                PairKind::Gap(count) => Word::Gap(Some(count)),
                PairKind::Wrap | PairKind::Count => return None,
            };
            Some(Stamped { epoch: Epoch::Certain(truth.epoch), time: truth.pair.time, index: index as u64, word })
        }).collect();
        prop_assert_eq!(stamped, expected);
    }

    /// The same without the second copy that proves wholeness: certain as far as the last marker, and true.
    #[test]
    fn markers_alone_prove_all_but_the_tail(steps in prop::collection::vec(step(), 0..300)) {
        let truth = smi_stream(&steps);
        let stamped = unwrap(&pairs(&truth), Proof::default());
        check_certain(&stamped, &truth, |index| index as usize)?;
        let last_marker = truth.iter().rposition(|truth| truth.kind == PairKind::Wrap).unwrap_or(0) as u64;
        for word in stamped.iter().filter(|word| word.index < last_marker) {
            prop_assert!(word.epoch.is_certain(), "{:?}", word);
        }
    }

    /// Pairs that are missing in the middle (fewer than 256 wraps) make no wrong epoch certain.
    #[test]
    fn a_hole_makes_nothing_wrong_certain(
        steps in prop::collection::vec(step(), 1..300),
        hole in any::<(prop::sample::Index, prop::sample::Index)>(),
        know_last in any::<bool>(),
        intact in any::<prop::sample::Index>(),
    ) {
        let truth = smi_stream(&steps);
        prop_assume!(!truth.is_empty());
        let (one, other) = (hole.0.index(truth.len()), hole.1.index(truth.len()));
        let (from, to) = (one.min(other), one.max(other));
        let wraps = truth[from..to].iter().filter(|truth| truth.kind == PairKind::Wrap).count();
        prop_assume!(wraps < 256);
        let damaged: Vec<_> = truth[..from].iter().chain(&truth[to..]).copied().collect();
        let last_epoch = know_last.then(|| truth[truth.len() - 1].epoch);
        // Only what lies before the hole can have been proven to be without one.
        let proof = Proof { intact: intact.index(from + 1) as u64, last_epoch };
        let stamped = unwrap(&pairs(&damaged), proof);
        check_certain(&stamped, &truth, |index| if (index as usize) < from { index as usize } else { index as usize + to - from })?;
    }

    /// A stream that was cut short anywhere gives the same events as the whole one, up to there.
    #[test]
    fn a_prefix_gives_a_prefix(steps in prop::collection::vec(step(), 1..300), cut in any::<prop::sample::Index>()) {
        let truth = smi_stream(&steps);
        prop_assume!(!truth.is_empty());
        let cut = cut.index(truth.len());
        let whole = unwrap(&pairs(&truth), Proof { intact: truth.len() as u64, last_epoch: None });
        let part = unwrap(&pairs(&truth[..cut]), Proof { intact: cut as u64, last_epoch: None });
        for (a, b) in part.iter().zip(&whole) {
            let lost_count = b.word != a.word && a.word == Word::Gap(None);
            prop_assert!(lost_count || a == b, "{:?} {:?}", a, b);
        }
    }

    /// Any pairs at all: nothing panics, every pair comes out at most once, in order.
    #[test]
    fn garbage_is_survived(raw in prop::collection::vec((any::<u16>(), any::<u16>()), 0..300), intact in 0u64..300) {
        let pairs: Vec<_> = raw.iter().map(|&(time, datum)| Pair { time, datum }).collect();
        let stamped = unwrap(&pairs, Proof { intact, last_epoch: Some(3) });
        prop_assert!(stamped.windows(2).all(|two| two[0].index < two[1].index));
        let events = Events::new(stamped.into_iter().map(Ok::<_, Infallible>), 1, Convention::Profile);
        prop_assert!(events.count() <= pairs.len());
    }

    /// Streams of several SMIs merge into true order.
    #[test]
    fn merged_streams_are_in_true_order(streams in prop::collection::vec(prop::collection::vec(step(), 0..100), 1..6)) {
        let truths: Vec<_> = streams.iter().map(|steps| smi_stream(steps)).collect();
        let events = truths.iter().enumerate().map(|(smi, truth)| {
            let pairs = pairs(truth).into_iter().map(Ok::<_, Infallible>);
            let proof = Proof { intact: truth.len() as u64, last_epoch: None };
            Box::new(Events::new(Unwrap::new(pairs, Proof { last_epoch: Some(u64::MAX >> 20), ..proof }), smi as u8 + 1, Convention::Ready))
                as Box<dyn Iterator<Item = Result<Event, Infallible>>>
        });
        let merged: Vec<_> = merge(events).map(|event| event.unwrap()).collect();
        let mut expected: Vec<_> = truths.iter().enumerate().flat_map(|(smi, truth)| {
            truth.iter().enumerate().filter(|(_, truth)| matches!(truth.kind, PairKind::Word | PairKind::Gap(_)))
                .map(move |(index, truth)| (truth.epoch, truth.pair.time, smi as u8 + 1, index as u64))
        }).collect();
        expected.sort();
        let found: Vec<_> = merged.iter().map(|event| (event.epoch.low(), event.time, event.smi, event.index)).collect();
        prop_assert_eq!(found, expected);
    }
}
