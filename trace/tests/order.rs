//! Epochs and order, against a model of the SMI that knows the truth.

use crate::common::{read, smi_stream, words, PairKind, Part, Script, Step, Truth};
use proptest::prelude::*;
use testbed_definitions::event::{COMMS, CREATE, EXIT, MORE, SCHEDULE, TRAP7, WAIT};
use testbed_definitions::filter::TOTAL_MAX;
use testbed_definitions::monitor::{Pair, GAP_COUNT_MAX};
use testbed_trace::order::{Convention, Epoch, Event, Hole, Input, Ordered, What};

fn pairs(stream: &[Truth]) -> Vec<Pair> {
    stream.iter().map(|truth| truth.pair).collect()
}

fn decode(words: &[u16]) -> Vec<(What, Option<u16>)> {
    let pairs = words.iter().map(|&datum| Pair { time: 0, datum }).collect();
    read([Part::Pairs(pairs)], Convention::Profile, Some(0)).iter().map(|event| (event.what, event.argument)).collect()
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
    let pairs = [0x4005u16, 0x0005].map(|datum| Pair { time: 0, datum });
    let events: Vec<_> = words([Part::Pairs(pairs.into())], None).iter().map(|event| event.what).collect();
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
    let events = read([Part::Pairs(pairs(&stream))], Convention::Profile, Some(0));
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
    let epochs = |last| words([Part::Pairs(pairs.into())], last).iter().map(|event| event.epoch).collect::<Vec<_>>();
    assert_eq!(epochs(Some(3)), [Epoch::Certain(0), Epoch::Certain(3)]);
    // Where the run was long enough for 256 wraps more, the number modulo 256 proves nothing.
    assert_eq!(epochs(Some(300))[1], Epoch::Ambiguous { low: 3, high: Some(259) });
    assert_eq!(epochs(None)[1], Epoch::Ambiguous { low: 3, high: None });
}

#[test]
fn a_gap_marker_that_was_cut_has_no_count() {
    let events = words([Part::Pairs(vec![Pair { time: 9, datum: 0xab00 }])], None);
    assert_eq!(events.iter().map(|event| event.what).collect::<Vec<_>>(), [What::Gap(None)]);
}

/// As many wraps are hidden as pairs are missing, at most; the next marker says how many, modulo 256.
#[test]
fn a_hole_is_bounded_by_what_is_missing_and_by_the_next_marker() {
    let pair = |time, datum| Pair { time, datum };
    let parts = |at_most: Option<u64>, nn: u16| {
        let behind = vec![pair(7, 2), pair(0, 0xaa00 | nn), pair(8, 3)];
        let hole = Hole { index: 1 + at_most.unwrap_or(9), at_most };
        [Part::Pairs(vec![pair(5, 1)]), Part::Hole(hole), Part::Pairs(behind)]
    };
    let epochs = |at_most, nn| {
        let events = words(parts(at_most, nn), None);
        assert_eq!((events[1].what, events[1].doubtful), (What::Gap(None), true));
        events[2..].iter().map(|event| event.epoch).collect::<Vec<_>>()
    };
    // Nothing but a wrap marker can be missing, and none is.
    assert_eq!(epochs(Some(1), 1), [Epoch::Certain(0), Epoch::Certain(1)]);
    assert_eq!(epochs(Some(2), 3), [Epoch::Ambiguous { low: 0, high: Some(2) }, Epoch::Certain(3)]);
    let far = [Epoch::Ambiguous { low: 0, high: Some(258) }, Epoch::Ambiguous { low: 3, high: Some(259) }];
    assert_eq!(epochs(Some(300), 3), far);
    let open = [Epoch::Ambiguous { low: 0, high: None }, Epoch::Ambiguous { low: 3, high: None }];
    assert_eq!(epochs(None, 3), open);
}

/// What a hole hides may be the first half of a loss's marker: its count is no event, nor a wrap
/// marker if it looks like one, and the word behind it may be the second of an event that the loss
/// began in.
#[test]
fn the_count_of_a_loss_that_a_hole_hides_is_not_believed() {
    let pair = |time, datum| Pair { time, datum };
    let hole = Part::Hole(Hole { index: 2, at_most: Some(1) });
    let parts = |count| {
        let behind = vec![pair(7, count), pair(8, SCHEDULE | 1), pair(9, TRAP7), pair(0, 0xaa01), pair(3, WAIT)];
        [Part::Pairs(vec![pair(5, TRAP7)]), hole.clone(), Part::Pairs(behind)]
    };
    for count in [TRAP7, 0xaa01, 0xaa05, 0xab00, CREATE | MORE] {
        let events = read(parts(count), Convention::Profile, None);
        let certain: Vec<_> = events.iter().filter(|event| event.is_certain()).collect();
        assert!(certain.iter().all(|event| [0, 4, 6].contains(&event.index)), "{count:#x}: {certain:?}");
        assert!(events.iter().all(|event| event.epoch == Epoch::Certain(u64::from(event.index == 6))), "{events:?}");
        let events = words(parts(count), None);
        assert!(events.iter().all(|event| event.index != 2 || event.doubtful), "{count:#x}: {events:?}");
    }
    // At time 0 a count can't be told from a marker.
    let behind = vec![pair(0, 0xaa01), pair(8, 1), pair(0, 0xaa02), pair(3, 2)];
    let parts = [Part::Pairs(vec![pair(5, 1)]), hole, Part::Pairs(behind)];
    let epochs: Vec<_> = words(parts, None)[2..].iter().map(|event| event.epoch).collect();
    assert_eq!(epochs, [Epoch::Ambiguous { low: 0, high: Some(1) }, Epoch::Certain(2)]);
}

/// Where nobody says what is missing, what looks like a marker may be the count of a loss whose
/// first half is gone: at another time than 0 it is, and at time 0 the markers behind it tell.
#[test]
fn a_count_that_looks_like_a_marker_moves_nothing() {
    let epochs = |time, count| {
        let stream =
            [(0, 0xaa01), (time, count), (9, 1), (0, 0xaa02), (9, 2), (0, 0xaa03), (9, 3), (0, 0xaa04), (9, 4)];
        let pairs = stream.map(|(time, datum)| Pair { time, datum }).into();
        let events = words([Part::Unguarded, Part::Pairs(pairs)], None);
        events.into_iter().filter(|event| event.time == 9).map(|event| event.epoch).collect::<Vec<_>>()
    };
    for count in 0xaa00..=0xaaff {
        let all = [1, 2, 3].map(Epoch::Certain);
        assert_eq!(epochs(8, count)[..3], all, "{count:#x}");
        let found = epochs(0, count);
        assert!(found.iter().zip(1..).all(|(epoch, truth)| allows(*epoch, truth)), "{count:#x}: {found:?}");
    }
}

/// Half of the count of a gap or a total is missing.
fn is_cut(what: What) -> bool {
    matches!(what, What::Gap(None) | What::Total { count: None, .. })
}

#[test]
fn totals_are_told_from_gaps_and_leave_no_doubt() {
    let pairs =
        [(1, 0x4005), (2, 0xabe1), (2, 0x0007), (3, 0x4006), (4, 0xabbf), (4, 0xffff), (5, 0xabff), (6, 0x4007)];
    let pairs = pairs.map(|(time, datum)| Pair { time, datum });
    let events = read([Part::Pairs(pairs.into())], Convention::Profile, Some(0));
    let shown: Vec<_> = events.iter().map(|event| (event.what, event.value(), event.doubtful)).collect();
    let total = |rule, count| What::Total { rule, count };
    assert_eq!(
        shown,
        [
            (What::Schedule(5), Some(5), false),
            (total(2, Some(0x1_0007)), Some(0x1_0007), false),
            (What::Schedule(6), Some(6), false),
            (What::Gap(Some(GAP_COUNT_MAX)), Some(GAP_COUNT_MAX), false),
            (total(3, None), None, false),
            (What::Schedule(7), Some(7), true),
        ]
    );
}

#[test]
fn a_total_between_the_words_of_an_event_leaves_the_second_in_doubt() {
    let pairs = [0x8200, 0xabc0, 3, 7, 0x4005].map(|datum| Pair { time: 0, datum });
    let events = read([Part::Pairs(pairs.into())], Convention::Profile, Some(0));
    let shown: Vec<_> = events.iter().map(|event| (event.what.name(), event.doubtful)).collect();
    assert_eq!(shown, [("USER", false), ("TOTAL", false), ("TRAP7", true), ("SCHEDULE", false)]);
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => any::<u16>().prop_map(Step::Emit),
        4 => (0u32..3_000).prop_map(Step::Wait),
        1 => (0u32..200_000).prop_map(Step::Wait),
        1 => (0..=GAP_COUNT_MAX).prop_map(Step::Lose),
        1 => (0..4u8, 0..=TOTAL_MAX).prop_map(|(rule, count)| Step::Total(rule, count)),
    ]
}

/// Whether the epoch is the true one if certain, and otherwise has it within its bounds.
fn allows(epoch: Epoch, truth: u64) -> bool {
    match epoch {
        Epoch::Certain(epoch) => epoch == truth,
        Epoch::Ambiguous { low, high } => low <= truth && high.is_none_or(|high| truth <= high),
    }
}

/// Every event's epoch is the true one if certain, and otherwise within its bounds.
fn check(events: &[Event], truth: &[Truth]) -> Result<(), TestCaseError> {
    for event in events {
        let truth = truth[event.index as usize];
        prop_assert!(allows(event.epoch, truth.epoch), "{:?} {:?}", event, truth);
    }
    Ok(())
}

/// Pairs with those of `holes` taken out, as a source announces it; `known`: with the number of the missing.
fn with_holes(truth: &[Truth], holes: &[(usize, usize)], known: bool) -> Vec<Part> {
    let mut missing = vec![false; truth.len()];
    holes.iter().for_each(|&(from, to)| missing[from..to].fill(true));
    let (mut parts, mut at) = (Vec::new(), 0);
    for run in missing.chunk_by(|one, other| one == other) {
        let end = at + run.len();
        if run[0] {
            let hole = Hole { index: end as u64, at_most: known.then_some(run.len() as u64) };
            parts.push(Part::Hole(hole));
        } else {
            parts.push(Part::Pairs(pairs(&truth[at..end])));
        }
        at = end;
    }
    parts
}

proptest! {
    /// Without damage everything is certain, true, and in place.
    #[test]
    fn a_whole_stream_is_certain_throughout(steps in prop::collection::vec(step(), 0..300)) {
        let truth = smi_stream(&steps);
        let last_epoch = truth.last().map_or(0, |truth| truth.epoch);
        let events = words([Part::Pairs(pairs(&truth))], Some(last_epoch));
        let found: Vec<_> = events.iter().map(|event| (event.index as usize, event.epoch, event.time, event.what)).collect();
        let expected: Vec<_> = truth.iter().enumerate().filter_map(|(index, truth)| {
            let datum = truth.pair.datum;
            let what = match truth.kind {
                PairKind::Word if datum & SCHEDULE != 0 => What::Joins(datum & 0x3fff),
                PairKind::Word => What::Leaves(datum & 0x3fff),
                PairKind::Gap(count) => What::Gap(Some(count)),
                PairKind::Total(rule, count) => What::Total { rule, count: Some(count) },
                PairKind::Wrap | PairKind::Count => return None,
            };
            Some((index, Epoch::Certain(truth.epoch), truth.pair.time, what))
        }).collect();
        prop_assert_eq!(found, expected);
    }

    /// The same if nobody knows whether pairs are missing: the epoch is known as far as the last
    /// marker, but no event is certain.
    #[test]
    fn markers_alone_prove_the_epochs_of_all_but_the_tail(steps in prop::collection::vec(step(), 0..300)) {
        let truth = smi_stream(&steps);
        let events = words([Part::Unguarded, Part::Pairs(pairs(&truth))], None);
        check(&events, &truth)?;
        let last_marker = truth.iter().rposition(|truth| truth.kind == PairKind::Wrap).unwrap_or(0) as u64;
        for event in &events {
            prop_assert!(event.epoch.is_certain() || event.index >= last_marker, "{:?}", event);
            prop_assert!(!event.is_certain());
        }
    }

    /// Holes that are announced make no wrong epoch certain, however many wraps they hide; without them everything is.
    #[test]
    fn holes_make_nothing_wrong_certain(
        steps in prop::collection::vec(step(), 1..300),
        silence in 0u32..40_000_000,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        known in any::<bool>(),
        know_last in any::<bool>(),
    ) {
        let mut steps = steps;
        steps.insert(steps.len() / 2, Step::Wait(silence));
        let truth = smi_stream(&steps);
        prop_assume!(!truth.is_empty());
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(truth.len())).collect();
        cuts.sort();
        let holes: Vec<_> = cuts.chunks_exact(2).map(|two| (two[0], two[1])).collect();
        let last_epoch = know_last.then(|| truth[truth.len() - 1].epoch);
        let events = words(with_holes(&truth, &holes, known), last_epoch);
        check(&events, &truth)?;
        let first = holes.iter().find(|(from, to)| from < to).map_or(truth.len(), |hole| hole.0) as u64;
        prop_assert!(events.iter().all(|event| event.index >= first || event.epoch.is_certain() || is_cut(event.what)));
    }

    /// The same with pairs missing anywhere, unannounced (fewer than 256 wraps).
    #[test]
    fn a_silent_hole_makes_no_wrong_epoch_certain(
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
        let last_epoch = know_last.then(|| truth[truth.len() - 1].epoch);
        let intact = intact.index(from + 1);
        // Only what lies before the hole can have been proven to be without one.
        let damaged: Vec<_> = truth[intact..from].iter().chain(&truth[to..]).copied().collect();
        let parts = [Part::Pairs(pairs(&truth[..intact])), Part::Unguarded, Part::Pairs(pairs(&damaged))];
        let mut events = words(parts, last_epoch);
        for event in events.iter_mut().filter(|event| event.index as usize >= from) {
            event.index += (to - from) as u64;
        }
        check(&events, &truth)?;
        prop_assert!(events.iter().all(|event| !event.is_certain() || (event.index as usize) < from));
    }

    /// A stream that was cut short anywhere gives the same events as the whole one, up to there.
    #[test]
    fn a_prefix_gives_a_prefix(steps in prop::collection::vec(step(), 1..300), cut in any::<prop::sample::Index>()) {
        let truth = smi_stream(&steps);
        prop_assume!(!truth.is_empty());
        let cut = cut.index(truth.len());
        let whole = words([Part::Pairs(pairs(&truth))], None);
        let part = words([Part::Pairs(pairs(&truth[..cut]))], None);
        for (a, b) in part.iter().zip(&whole) {
            let lost_count = b.what != a.what && is_cut(a.what);
            prop_assert!(lost_count || a == b, "{:?} {:?}", a, b);
        }
    }

    /// Any pairs at all: nothing panics, every pair comes out at most once, in order.
    #[test]
    fn garbage_is_survived(
        raw in prop::collection::vec((any::<u16>(), any::<u16>()), 0..300),
        markers in prop::collection::vec((any::<prop::sample::Index>(), 0u16..512), 0..30),
        cut in any::<prop::sample::Index>(),
        ready in any::<bool>(),
    ) {
        let mut pairs: Vec<_> = raw.iter().map(|&(time, datum)| Pair { time, datum }).collect();
        for (place, low) in &markers {
            if !pairs.is_empty() {
                let place = place.index(pairs.len());
                pairs[place].datum = 0xaa00 + low;
            }
        }
        let cut = cut.index(pairs.len() + 1);
        let hole = Hole { index: cut as u64 + 3, at_most: Some(3) };
        let (one, other) = (Part::Pairs(pairs[..cut].into()), Part::Pairs(pairs[cut..].into()));
        let convention = if ready { Convention::Ready } else { Convention::Profile };
        for middle in [Part::Unguarded, Part::Hole(hole)] {
            let events = read([one.clone(), middle, other.clone()], convention, Some(3));
            let is_hole = |event: &Event| event.what == What::Gap(None);
            prop_assert!(events.windows(2).all(|two| two[0].index < two[1].index + u64::from(is_hole(&two[0]))));
            prop_assert!(events.len() <= pairs.len() + 1);
        }
    }

    /// Streams of several SMIs merge into true order.
    #[test]
    fn merged_streams_are_in_true_order(streams in prop::collection::vec(prop::collection::vec(step(), 0..100), 1..6)) {
        let truths: Vec<_> = streams.iter().map(|steps| smi_stream(steps)).collect();
        let events = truths.iter().enumerate().map(|(smi, truth)| {
            let pairs = Box::new(Script::new([Part::Pairs(pairs(truth))]));
            Input { smi: smi as u8 + 1, pairs, guarded: true }
        });
        let merged: Vec<_> = Ordered::new(events.collect(), Convention::Ready, Some(u64::MAX >> 20)).map(|event| event.unwrap()).collect();
        let mut expected: Vec<_> = truths.iter().enumerate().flat_map(|(smi, truth)| {
            truth.iter().enumerate().filter(|(_, truth)| !matches!(truth.kind, PairKind::Wrap | PairKind::Count))
                .map(move |(index, truth)| (truth.epoch, truth.pair.time, smi as u8 + 1, index as u64))
        }).collect();
        expected.sort();
        let found: Vec<_> = merged.iter().map(|event| (event.epoch.low(), event.time, event.smi, event.index)).collect();
        prop_assert_eq!(found, expected);
    }
}
