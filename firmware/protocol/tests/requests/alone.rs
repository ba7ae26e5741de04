//! The requests alone: whatever comes, leaves and ends, in whatever order, each is answered once.

use proptest::prelude::*;
use testbed_definitions::ids::ProcessId;
use testbed_definitions::processors::Processors;
use testbed_definitions::request::{Wanted, KEPT};
use testbed_protocol::requests::{Asker, Choice, Output, Request, Requests, RequestsIn};
use testbed_protocol::{Processor, ThreadNumber};

use crate::setup::{processor, thread};

const PLACES: usize = 3;
const PROCESS: ProcessId = ProcessId::from_bits(7);
const THREADS: u16 = 4;

#[derive(Clone, Copy, Debug)]
enum Step {
    Come(Wanted, u64),
    Choose(usize, Choice, u64),
    /// A thread is created at this time.
    Birth(u64),
    Gone(ThreadNumber),
    Ended(ThreadNumber),
}

fn any_thread() -> impl Strategy<Value = ThreadNumber> {
    (1..=THREADS).prop_map(ThreadNumber::from_bits)
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let link = (0..4u8).prop_map(|number| Wanted::Link(processor(number)));
    let created = (0..16u16).prop_map(|places| Wanted::Created(Processors::from_bits(places)));
    let named = any_thread().prop_map(Wanted::Thread);
    let wanted = prop_oneof![Just(Wanted::Compute), Just(Wanted::New), link, named, created];
    let choice = prop_oneof![
        3 => any_thread().prop_map(Choice::Thread),
        2 => Just(Choice::Later),
        1 => Just(Choice::Never)
    ];
    let step = prop_oneof![
        (wanted, 0..100u64).prop_map(|(wanted, deadline)| Step::Come(wanted, deadline)),
        (0..PLACES, choice, 0..100u64).prop_map(|(place, choice, now)| Step::Choose(place, choice, now)),
        (0..100u64).prop_map(Step::Birth),
        any_thread().prop_map(Step::Gone),
        any_thread().prop_map(Step::Ended),
    ];
    prop::collection::vec(step, 0..60)
}

/// A request, and what a list of them would say of it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Entry {
    request: Request,
    deadline: u64,
    leaving: Option<ThreadNumber>,
    is_lost: bool,
}

fn request(wanted: Wanted, who: u32) -> Request {
    Request { wanted, to: processor(2), asker: Asker { who, process: PROCESS } }
}

/// The place at which a request waits.
fn place_of(requests: &RequestsIn<PLACES>, asker: Asker) -> Option<usize> {
    let waits = |&place: &usize| {
        let never = requests.clone().choose(place, Choice::Never, 0);
        never == Output::Refuse { asker, expired: false }
    };
    RequestsIn::<PLACES>::places().find(waits)
}

/// What a list says that a thread's leaving, or its end, leads to.
fn release(list: &mut Vec<Entry>, thread: ThreadNumber) -> Option<Entry> {
    for entry in &mut *list {
        entry.is_lost |= entry.leaving.is_none() && entry.request.wanted == Wanted::Thread(thread);
    }
    let index = list.iter().position(|entry| entry.leaving == Some(thread))?;
    Some(list.remove(index))
}

/// What a list says to a choice for the request at an index.
fn choose(list: &mut Vec<Entry>, index: usize, choice: Choice, now: u64) -> Output {
    let Entry { request, deadline, is_lost, .. } = list[index];
    match choice {
        Choice::Thread(thread) if !is_lost => {
            list[index].leaving = Some(thread);
            Output::Send { thread, to: request.to }
        }
        Choice::Later if !is_lost && now < deadline => Output::Nothing,
        _ => {
            list.remove(index);
            Output::Refuse { asker: request.asker, expired: choice == Choice::Later && !is_lost }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A list that is only ever searched says the same.
    #[test]
    fn requests_are_kept_as_in_a_list(steps in steps()) {
        let (mut requests, mut list) = (RequestsIn::<PLACES>::NONE, Vec::<Entry>::new());
        let (mut made, mut answered) = (0u32, 0);
        let mut standing = Vec::<(Processor, u64)>::new();
        for step in steps {
            let (output, expected) = match step {
                Step::Come(wanted, deadline) => {
                    made += 1;
                    let request = request(wanted, made);
                    let output = requests.come(request, deadline);
                    if let Wanted::Created(places) = wanted {
                        // The turn, written out: it goes on behind the first one.
                        let turn = places.iter().map(|place| place.number());
                        let (before, behind): (Vec<_>, Vec<_>) = turn.partition(|&place| place <= 2);
                        let first = (!places.is_empty()).then_some(2);
                        let ahead = first.filter(|_| !places.has(processor(2)));
                        let round = behind.into_iter().chain(before).cycle().take(if places.is_empty() { 0 } else { 60 });
                        let all = ahead.into_iter().chain(first.filter(|_| ahead.is_none())).chain(round);
                        standing = all.map(|place| (processor(place), deadline)).collect();
                        standing.reverse();
                        (output, Output::Accept { asker: request.asker })
                    } else if list.len() < PLACES {
                        list.push(Entry { request, deadline, leaving: None, is_lost: false });
                        (output, Output::Nothing)
                    } else {
                        (output, Output::Refuse { asker: request.asker, expired: false })
                    }
                }
                Step::Choose(place, choice, now) => {
                    let at = |entry: &Entry| place_of(&requests, entry.request.asker) == Some(place);
                    let index = list.iter().position(at);
                    let busy = matches!(choice, Choice::Thread(thread)
                        if list.iter().any(|entry| entry.leaving == Some(thread)));
                    if busy {
                        continue; // The kernel does not choose a thread that leaves.
                    }
                    prop_assert_eq!(requests.wanted(place), index.map(|index| list[index].request.wanted));
                    let expected = index.map_or(Output::Nothing, |index| choose(&mut list, index, choice, now));
                    (requests.choose(place, choice, now), expected)
                }
                Step::Birth(now) => {
                    let place = standing.pop().filter(|&(_, until)| now < until);
                    if place.is_none() {
                        standing.clear();
                    }
                    prop_assert_eq!(requests.birthplace(|| now), place.map(|(place, _)| place));
                    (Output::Nothing, Output::Nothing)
                }
                Step::Gone(thread) => {
                    let follow = |entry: Entry| {
                        let Request { to, asker, .. } = entry.request;
                        Output::Follow { thread, to, asker }
                    };
                    (requests.gone(thread), release(&mut list, thread).map_or(Output::Nothing, follow))
                }
                Step::Ended(thread) => {
                    let refuse = |entry: Entry| Output::Refuse { asker: entry.request.asker, expired: false };
                    (requests.ended(thread), release(&mut list, thread).map_or(Output::Nothing, refuse))
                }
            };
            prop_assert_eq!(output, expected);
            let answers = matches!(output, Output::Refuse { .. } | Output::Follow { .. } | Output::Accept { .. });
            answered += answers as usize;
            prop_assert_eq!(made as usize, answered + list.len());
            prop_assert_eq!(requests.is_empty(), list.is_empty());
            let waiting = list.iter().filter(|entry| entry.leaving.is_none());
            let due = waiting.map(|entry| if entry.is_lost { 0 } else { entry.deadline }).min();
            prop_assert_eq!(requests.due(), due);
        }
    }
}

#[test]
fn there_are_as_many_places_as_the_definitions_say() {
    let mut requests = Requests::NONE;
    for who in 0..KEPT as u32 {
        assert_eq!(requests.come(request(Wanted::Compute, who), 1), Output::Nothing);
    }
    let refused = requests.come(request(Wanted::Compute, 99), 1);
    assert_eq!(refused, Output::Refuse { asker: Asker { who: 99, process: PROCESS }, expired: false });
    assert_eq!(Requests::places(), 0..KEPT);
}

#[test]
fn a_request_expires_at_its_deadline() {
    let mut requests = Requests::default();
    let asker = Asker { who: 1, process: PROCESS };
    requests.come(request(Wanted::Compute, 1), 10);
    assert_eq!(requests.due(), Some(10));
    assert_eq!(requests.choose(0, Choice::Later, 9), Output::Nothing);
    assert_eq!(requests.choose(0, Choice::Later, 10), Output::Refuse { asker, expired: true });
    assert!(requests.is_empty());
    assert_eq!(requests.due(), None);
}

#[test]
fn a_thread_that_is_there_is_sent_however_late() {
    let mut requests = Requests::NONE;
    requests.come(request(Wanted::Compute, 1), 10);
    assert_eq!(requests.choose(0, Choice::Thread(thread(5)), 11), Output::Send { thread: thread(5), to: processor(2) });
    assert_eq!(requests.wanted(0), None);
    assert_eq!(requests.due(), None);
    let asker = Asker { who: 1, process: PROCESS };
    assert_eq!(requests.gone(thread(6)), Output::Nothing);
    assert_eq!(requests.gone(thread(5)), Output::Follow { thread: thread(5), to: processor(2), asker });
    assert_eq!(requests.gone(thread(5)), Output::Nothing);
}

#[test]
fn another_thread_of_the_same_number_is_not_the_one_that_was_named() {
    let asker = Asker { who: 1, process: PROCESS };
    for leaves in [Requests::gone, Requests::ended] {
        let mut requests = Requests::NONE;
        requests.come(request(Wanted::Thread(thread(5)), 1), 10);
        assert_eq!(leaves(&mut requests, thread(5)), Output::Nothing);
        assert_eq!(requests.due(), Some(0));
        assert_eq!(requests.choose(0, Choice::Thread(thread(5)), 1), Output::Refuse { asker, expired: false });
        assert!(requests.is_empty());
    }
}
