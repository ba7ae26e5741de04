//! Conformance: good traces conform, and every kind of deviation is found.

use crate::common::steps::{plain, request, runs, rx, tx, Step, AIR, EARTH, FIRE, FIRST, GAP, SECOND};
use proptest::prelude::*;
use testbed_definitions::event::{self, request_argument, thread_number, SCHEDULE};
use testbed_definitions::mpc;
use testbed_trace::conform::{Checker, Conformance, Deviation};
use testbed_trace::synthetic;

mod good;

use good::*;

fn check(steps: &[Step], settled: Option<u64>) -> Conformance {
    let mut checker = Checker::new(&["master", "earth", "air", "fire"].map(String::from), true);
    for (tick, step) in steps.iter().enumerate() {
        let (smi, code, argument) = *step;
        checker.add(&synthetic::event(tick as u64, smi, code, argument));
    }
    checker.finish(settled)
}

/// The trace is over long after its last event.
fn conforms(steps: &[Step]) -> Conformance {
    check(steps, Some(u64::MAX))
}

#[track_caller]
fn good(steps: &[Step]) {
    let found = conforms(steps);
    assert_eq!(found.deviations, vec![], "{:#?}", found.unchecked);
}

/// The first deviation is of `smi`, and says and expects this.
#[track_caller]
fn bad(steps: &[Step], what: &str, expected: &str) {
    let found = conforms(steps).deviations;
    let hit = found.iter().any(|one| one.what.contains(what) && one.expected.contains(expected));
    assert!(hit, "no `{what}` with `{expected}` in {found:#?}");
}

/// The trace without its `nth` step that is `step`.
fn without(steps: &[Step], step: Step, nth: usize) -> Vec<Step> {
    let place = steps.iter().enumerate().filter(|(_, one)| **one == step).nth(nth).unwrap().0;
    let mut rest = steps.to_vec();
    rest.remove(place);
    rest
}

#[test]
fn good_traces_conform() {
    for steps in [local(EARTH, 1), remote(EARTH, AIR, 3, 2, true), remote(AIR, EARTH, 3, 1, false), everything()] {
        good(&steps);
    }
    let found = conforms(&everything());
    assert_eq!((found.threads, found.migrations, found.faults, found.requests), (2, 2, 1, 10));
    assert_eq!(found.packets, 2 * 2 + 1 + 3 + 3 + 2 + 2 + 2);
}

#[test]
fn a_request_without_its_end() {
    let steps = remote(EARTH, AIR, 1, 1, true);
    bad(&without(&steps, plain(EARTH, event::TRAP70), 0), "COMMS of thread earth.1.1", "blocked by TRAP70");
    bad(&without(&steps, plain(AIR, event::TRAP70), 0), "COMMR of thread earth.1.2", "blocked by TRAP70");
    bad(&without(&local(EARTH, 1), plain(EARTH, event::TRAP70), 0), "TRAP72 with no partner", "TRAP70");
    bad(&without(&local(EARTH, 1), plain(EARTH, event::TRAP72), 0), "SCHEDULE of thread earth.1.2", "TRAP72");
    bad(&without(&local(EARTH, 1), plain(EARTH, event::TRAP7), 1), "TRAP72 ends nothing", "TRAP7");
}

#[test]
fn releases_that_nothing_explains() {
    let steps = remote(EARTH, AIR, 1, 1, true);
    bad(&without(&steps, rx(EARTH, AIR, mpc::RTR, 1), 0), "COMMS of thread earth.1.1", "an rtr for it");
    bad(&without(&steps, rx(AIR, EARTH, mpc::MSG, 1), 0), "COMMR ends nothing", "RX_MPC");
    bad(&without(&steps, (EARTH, event::COMMS, FIRST), 0), "SCHEDULE of thread earth.1.1", "COMMS");
    bad(&without(&steps, (AIR, event::COMMR, SECOND), 0), "in the middle of a service", "COMMR or RX_END");
}

#[test]
fn an_alternative_that_times_out_takes_no_other_release() {
    let [third, fourth] = [3, 4].map(|id| thread_number(EARTH, 1, id));
    let alternative =
        |channel| [plain(EARTH, event::TRAP7), (EARTH, event::REQUEST, request_argument(true, true, false, channel))];
    let mut steps = vec![];
    // Two wait to send, and one in an alternative; another's alternative then copies from one of the two.
    for (thread, channel) in [(FIRST, 7), (SECOND, 8)] {
        steps.push(runs(EARTH, thread));
        steps.extend(request(EARTH, false, channel));
        steps.push(plain(EARTH, event::TRAP70));
    }
    steps.push(runs(EARTH, third));
    steps.extend(alternative(20));
    steps.extend([plain(EARTH, event::TRAP70), runs(EARTH, fourth)]);
    steps.extend(alternative(7));
    steps.extend([plain(EARTH, event::TRAP72), runs(EARTH, fourth)]);
    // The one that waited in an alternative runs, since its time is over; then the sender that was released.
    let sound = [steps.clone(), vec![runs(EARTH, third), runs(EARTH, FIRST)]].concat();
    good(&sound);
    bad(&[sound, vec![runs(EARTH, SECOND)]].concat(), "SCHEDULE", "COMMS");
}

/// The call of an alternative, which blocks.
fn alternative(at: u8, thread: u16, channel: u8) -> Vec<Step> {
    let told = (at, event::REQUEST, request_argument(true, true, false, channel));
    vec![runs(at, thread), plain(at, event::TRAP7), told, plain(at, event::TRAP70)]
}

/// Its time is over, so it is ready; another thread has it moved before it runs.
#[test]
fn an_alternative_that_times_out_may_move_before_it_runs() {
    let steps = [alternative(EARTH, FIRST, 7), migration(FIRST, EARTH, AIR)[1..].to_vec()].concat();
    good(&steps);
    assert_eq!(without_detail(&steps), vec![]);
    // Who sends has no time.
    let mut sends = vec![runs(EARTH, FIRST)];
    sends.extend(request(EARTH, false, 7));
    sends.push(plain(EARTH, event::TRAP70));
    sends.extend(&migration(FIRST, EARTH, AIR)[1..]);
    bad(&sends, "PACK of thread earth.1.1", "in the ready queue");
}

/// What is found where no event tells what requests are.
fn without_detail(steps: &[Step]) -> Vec<Deviation> {
    let mut checker = Checker::new(&["master", "earth", "air", "fire"].map(String::from), false);
    for (tick, (smi, code, argument)) in steps.iter().filter(|step| step.1 != event::REQUEST).enumerate() {
        checker.add(&synthetic::event(tick as u64, *smi, *code, *argument));
    }
    checker.finish(Some(u64::MAX)).deviations
}

/// Two wait, a third communicates with one of them, and nobody says with whom. That one goes, and
/// then the other is met.
#[test]
fn who_was_released_without_a_name_may_go_before_it_runs() {
    let [third, fourth] = [3, 4].map(|id| thread_number(EARTH, 1, id));
    let blocks = |thread| [runs(EARTH, thread), plain(EARTH, event::TRAP7), plain(EARTH, event::TRAP70)];
    let meets = |thread| [runs(EARTH, thread), plain(EARTH, event::TRAP7), plain(EARTH, event::TRAP72)];
    let begins = [blocks(FIRST), blocks(SECOND), meets(third)].concat();
    let goes = [
        vec![(EARTH, event::EXIT, FIRST)],
        migration(FIRST, EARTH, AIR)[1..].to_vec(),
        vec![(EARTH, event::PROCESS_END, FIRST >> 6), runs(EARTH, FIRST), runs(EARTH, SECOND)],
    ];
    for goes in &goes[..2] {
        let steps = [begins.clone(), goes.clone(), meets(fourth).to_vec()].concat();
        assert_eq!(without_detail(&steps), vec![]);
    }
    // The next process in this place has nothing to do with it.
    let steps = [&begins[..], &goes[2], &blocks(FIRST), &meets(SECOND)].concat();
    assert_eq!(without_detail(&steps), vec![]);
    // Nobody is left to be met.
    let steps = [&begins[..], &goes[0], &meets(fourth), &meets(third)].concat();
    assert!(without_detail(&steps).iter().any(|one| one.what.contains("TRAP72 with no partner")));
}

/// A call that waits: no event says when it is over.
#[test]
fn a_thread_in_a_call_goes_on_by_itself() {
    let waits = (EARTH, event::BLOCKED, 26);
    good(&[runs(EARTH, FIRST), waits, runs(EARTH, FIRST), waits, (EARTH, event::EXIT, FIRST)]);
    good(&[&[runs(EARTH, FIRST), waits][..], &migration(FIRST, EARTH, AIR)[1..]].concat());
    bad(&[waits], "BLOCKED with no thread running", "SCHEDULE");
}

/// Who waits at the end, and for what.
#[test]
fn threads_that_wait_at_the_end_are_named() {
    let third = thread_number(EARTH, 1, 3);
    let mut steps = alternative(EARTH, FIRST, 7);
    steps.extend([runs(EARTH, SECOND), (EARTH, event::BLOCKED, 26), runs(EARTH, third), plain(EARTH, event::WAIT)]);
    let found = conforms(&steps);
    let waits: Vec<_> = found.waiting.iter().map(|one| (one.thread, one.since.ticks(), one.what.as_str())).collect();
    let wanted = [
        (FIRST, 3, "to receive by an alternative, first channel 7"),
        (SECOND, 5, "for console input"),
        (third, 7, "for its children"),
    ];
    assert_eq!(waits, wanted);
    // Not for long yet, or nobody knows.
    assert_eq!(check(&steps, Some(5)).waiting.len(), 1);
    assert_eq!(check(&steps, None).waiting, vec![]);
}

#[test]
fn messages_that_nothing_permits() {
    bad(&[tx(AIR, EARTH, mpc::RTR, 1)], "rtr on channel 1 leaves", "focus or advert");
    let steps = remote(EARTH, AIR, 1, 1, true);
    let steps = without(&steps, rx(EARTH, AIR, mpc::RTR, 1), 0);
    bad(&steps, "msg on channel 1 leaves", "an rtr from there");
    bad(&[tx(EARTH, AIR, mpc::PAGE_DATA, 1)], "page data leaves", "just before it");
    bad(&[tx(EARTH, AIR, mpc::PAGE, 1), tx(EARTH, AIR, mpc::PAGE_DATA, 1)], "page data leaves", "asks for it");
    bad(&[tx(EARTH, AIR, mpc::THREAD, 0)], "thread leaves", "PACK and PACKED");
}

/// A permission is used up by the next token.
#[test]
fn an_old_rtr_permits_no_new_message() {
    let mut steps = [remote(EARTH, AIR, 1, 1, true), remote(EARTH, AIR, 1, 1, true)].concat();
    let second = steps.len() / 2;
    let place = second + steps[second..].iter().position(|step| *step == rx(EARTH, AIR, mpc::RTR, 1)).unwrap();
    steps.remove(place);
    bad(&steps, "msg on channel 1 leaves", "since the last token");
}

#[test]
fn packets_that_are_lost_or_from_nowhere() {
    let steps = remote(EARTH, AIR, 1, 2, true);
    let lost = without(&without(&steps, rx(AIR, EARTH, mpc::FOCUS, 1), 0), plain(AIR, event::RX_FOCUS), 0);
    bad(&lost, "focus on channel 1 to air is lost", "RX_MPC on air");
    bad(&without(&steps, tx(EARTH, AIR, mpc::MSG, 1), 1), "msg on channel 1 from earth served", "TX_MPC there");
    let two = [tx(EARTH, AIR, mpc::FOCUS, 1), tx(EARTH, AIR, mpc::FOCUS, 2)];
    let reordered = [two[0], two[1], rx(AIR, EARTH, mpc::FOCUS, 2), plain(AIR, event::RX_END)];
    bad(&reordered, "focus on channel 1 to air is lost", "RX_MPC");
    // At the end it may still be under way.
    assert_eq!(check(&two, None).deviations, vec![]);
    assert_eq!(check(&two, Some(0)).deviations, vec![]);
    assert_eq!(check(&two, Some(1)).deviations.len(), 1);
}

#[test]
fn threads_that_are_in_two_places_or_none() {
    bad(&[runs(EARTH, FIRST), runs(AIR, FIRST)], "SCHEDULE of thread earth.1.1", "on earth");
    let steps = migration(FIRST, EARTH, AIR);
    let unsent = without(&without(&steps, tx(EARTH, AIR, mpc::THREAD, 0), 0), rx(AIR, EARTH, mpc::THREAD, 0), 0);
    bad(&unsent, "UNPACKED ends nothing", "RX_MPC");
    bad(&without(&steps, plain(EARTH, event::PACKED), 0), "thread leaves", "PACK and PACKED");
    bad(&without(&steps, (EARTH, event::PACK, FIRST), 0), "PACKED with no thread", "PACK first");
    bad(&without(&steps, (AIR, event::UNPACKED, FIRST), 0), "in the middle of a service", "UNPACKED or RX_END");
    let early = [&steps[..3], &[runs(EARTH, FIRST)]].concat();
    bad(&early, "SCHEDULE of thread earth.1.1", "UNPACKED first");
    let blocked =
        [&[runs(EARTH, FIRST)][..], &request(EARTH, false, 1), &[plain(EARTH, event::TRAP70)], &steps[1..2]].concat();
    bad(&blocked, "PACK of thread earth.1.1", "in the ready queue");
}

#[test]
fn pages_out_of_turn() {
    let steps = page(FIRST, EARTH, AIR);
    bad(&without(&steps, (EARTH, event::PAGE_READY, FIRST), 0), "SCHEDULE of thread earth.1.1", "PAGE_READY");
    bad(&without(&steps, plain(EARTH, event::PAGE_BLOCKED), 0), "PAGE_READY of thread earth.1.1", "PAGE_BLOCKED");
    bad(&without(&steps, plain(AIR, event::PAGE_END), 0), "never ends", "PAGE_END");
    bad(&without(&steps, (EARTH, event::PAGE_FAULT, 0x201), 0), "PAGE_BLOCKED ends nothing", "PAGE_FAULT");
}

/// With class `detail`: what was sent on a channel is what was received on it.
#[test]
fn both_ends_count_the_same() {
    let mut steps = remote(EARTH, AIR, 1, 1, true);
    let other = steps.iter().position(|step| step.1 == event::REQUEST && step.0 == AIR).unwrap();
    steps[other].2 = request_argument(true, false, false, 2);
    bad(&steps, "COMMR by a message on channel 1", "the channel that the thread waits for");
    let mut steps = remote(EARTH, AIR, 1, 1, true);
    let mine = steps.iter().position(|step| step.1 == event::REQUEST && step.0 == EARTH).unwrap();
    steps[mine].2 = request_argument(false, false, false, 2);
    bad(&steps, "channel 1: 0 communications sent, 1 received", "equally often");
    steps[mine].2 = request_argument(true, false, false, 1);
    bad(&steps, "COMMS of a thread that receives", "COMMR");
}

/// What the trace does not show is named, and no deviation.
#[test]
fn losses_make_nothing_a_deviation() {
    let steps = everything();
    for place in 0..steps.len() {
        for smi in [EARTH, AIR] {
            let mut lossy = steps.clone();
            // The loss takes up to three events of the processor with it.
            let gone: Vec<_> = (place..lossy.len()).filter(|at| lossy[*at].0 == smi).take(3).collect();
            for at in gone.into_iter().rev() {
                lossy.remove(at);
            }
            lossy.insert(place, (smi, GAP, 3));
            let found = conforms(&lossy);
            assert_eq!(found.deviations, vec![], "place {place}");
            assert!(found.unchecked.keys().any(|what| what.contains("lost")), "{:?}", found.unchecked);
        }
    }
}

/// A processor is told to emit nothing for a while: what it does meanwhile is missing, and no deviation.
#[test]
fn changes_of_classes_make_nothing_a_deviation() {
    let steps = everything();
    for place in 0..steps.len() {
        for smi in [EARTH, AIR] {
            let mut changed = steps.clone();
            let silent: Vec<_> = (place..changed.len()).filter(|at| changed[*at].0 == smi).take(5).collect();
            let Some(&last) = silent.last() else { continue };
            changed.insert(last + 1, (smi, event::CLASSES, event::DIAG_DEFAULT as u16));
            for at in silent.into_iter().rev() {
                changed.remove(at);
            }
            changed.insert(place, (smi, event::CLASSES, 0));
            let found = conforms(&changed);
            assert_eq!(found.deviations, vec![], "place {place}");
            assert!(found.unchecked.keys().any(|what| what.contains("classes were changed")), "{:?}", found.unchecked);
        }
    }
}

/// The master has no monitor: what it sends and gets is named, not judged.
#[test]
fn the_master_is_not_judged() {
    let steps = [rx(EARTH, 0, mpc::FOCUS, 1), plain(EARTH, event::RX_END), tx(EARTH, 0, mpc::RTR, 1)];
    let found = conforms(&steps);
    assert_eq!(found.deviations, vec![]);
    assert_eq!(found.unchecked.len(), 1);
}

fn scenario() -> impl Strategy<Value = Vec<Step>> {
    // The threads stand where the rounds leave them: the second thread on air at the beginning and end of each.
    let round = prop_oneof![
        (0u8..4, 1usize..4, any::<bool>())
            .prop_map(|(channel, fragments, first)| remote(EARTH, AIR, channel, fragments, first)),
        (0u8..4).prop_map(|channel| {
            [migration(SECOND, AIR, EARTH), local(EARTH, channel), migration(SECOND, EARTH, AIR)].concat()
        }),
        Just(page(SECOND, AIR, EARTH)),
        Just([migration(SECOND, AIR, FIRE), page(SECOND, FIRE, EARTH), migration(SECOND, FIRE, AIR)].concat()),
    ];
    prop::collection::vec(round, 1..8).prop_map(|rounds| rounds.concat())
}

/// Whether a trace without this event is no good one: all but those whose absence has another good meaning.
fn is_essential(step: &Step) -> bool {
    !matches!(step.1, SCHEDULE | event::REQUEST | event::TRAP7)
}

proptest! {
    #[test]
    fn good_traces_of_any_length_conform(steps in scenario()) {
        prop_assert_eq!(conforms(&steps).deviations, vec![]);
    }

    /// A good trace that lacks one event is none.
    #[test]
    fn a_missing_event_is_found(steps in scenario(), place in any::<prop::sample::Index>()) {
        let essential: Vec<_> = (0..steps.len()).filter(|at| is_essential(&steps[*at])).collect();
        let mut steps = steps;
        let gone = steps.remove(essential[place.index(essential.len())]);
        prop_assert!(!conforms(&steps).deviations.is_empty(), "{gone:?} is missing in {steps:?}");
    }

    /// Nor is one in which an event comes twice.
    #[test]
    fn a_double_event_is_found(steps in scenario(), place in any::<prop::sample::Index>()) {
        // A fault may be answered at once, and come again.
        let once = |step: &Step| is_essential(step) && step.1 != event::PAGE_FAULT;
        let essential: Vec<_> = (0..steps.len()).filter(|at| once(&steps[*at])).collect();
        let at = essential[place.index(essential.len())];
        let mut steps = steps;
        steps.insert(at, steps[at]);
        prop_assert!(!conforms(&steps).deviations.is_empty(), "{:?} is double in {steps:?}", steps[at]);
    }

    /// Whatever comes: no panic, and as many events as there are.
    #[test]
    fn any_events_are_survived(codes in prop::collection::vec((0u8..6, 0..event::KINDS.len() + 2, any::<u16>()), 0..200)) {
        let code = |kind: usize| event::KINDS.get(kind).map_or([SCHEDULE, GAP][kind % 2], |kind| kind.code);
        let steps: Vec<_> = codes.into_iter().map(|(smi, kind, argument)| (smi, code(kind), argument & 0x3fff)).collect();
        prop_assert_eq!(conforms(&steps).events, steps.len() as u64);
    }
}
