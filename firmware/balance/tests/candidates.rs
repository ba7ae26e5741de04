//! The slave's choice of a thread, as the report describes it and as it prints it.

use proptest::prelude::*;
use testbed_balance::candidate::{select, Candidate, Choice};
use testbed_balance::request::Link;
use testbed_definitions::ids::{Processor, ThreadNumber};

fn between(a: u8, b: u8) -> Link {
    Link::between(Processor::new(a), Processor::new(b))
}

fn candidate(id: u16, last: Option<(u8, u8)>) -> Candidate {
    let last = last.map(|(a, b)| between(a, b));
    Candidate { thread: ThreadNumber::from_bits(id), has_children: false, is_ready: true, last }
}

fn chosen(choice: Choice, threads: &[Candidate], link: Option<(u8, u8)>) -> Option<u16> {
    select(choice, threads.iter().copied(), link.map(|(a, b)| between(a, b))).map(ThreadNumber::bits)
}

#[test]
fn the_printed_loop_misses_the_last_thread() {
    let threads = [candidate(1, None), candidate(2, Some((1, 2)))];
    assert_eq!(chosen(Choice::Described, &threads, Some((1, 2))), Some(2));
    assert_eq!(chosen(Choice::Printed, &threads, Some((1, 2))), Some(1));
    assert_eq!(chosen(Choice::Described, &threads[..1], None), Some(1));
    assert_eq!(chosen(Choice::Printed, &threads[..1], None), None);
}

#[test]
fn the_printed_loop_returns_a_thread_whose_last_communication_was_local() {
    let threads = [candidate(1, None), candidate(2, None), candidate(3, None)];
    assert_eq!(chosen(Choice::Described, &threads, Some((1, 2))), None);
    assert_eq!(chosen(Choice::Printed, &threads, Some((1, 2))), Some(2));
}

fn threads() -> impl Strategy<Value = Vec<Candidate>> {
    let last = prop::option::of((1..5u8, 1..5u8).prop_filter("two", |(a, b)| a != b));
    let one = (any::<bool>(), any::<bool>(), last);
    prop::collection::vec(one, 0..8).prop_map(|all| {
        let each = all.into_iter().enumerate();
        each.map(|(at, (has_children, is_ready, last))| Candidate {
            has_children,
            is_ready,
            ..candidate(at as u16 + 1, last)
        })
        .collect()
    })
}

proptest! {
    #[test]
    fn the_described_choice_is_the_best_there_is(threads in threads(), link in prop::option::of(Just(between(1, 2)))) {
        let rank = |thread: &Candidate| match (thread.has_children || !thread.is_ready, link) {
            (true, _) => 0,
            (false, None) => 3,
            (false, Some(link)) if thread.last == Some(link) => 3,
            (false, Some(_)) => 1 + u32::from(thread.last.is_some()),
        };
        let best = threads.iter().map(rank).max().filter(|&rank| rank >= 2);
        let first = best.and_then(|best| threads.iter().find(|thread| rank(thread) == best));
        prop_assert_eq!(select(Choice::Described, threads.iter().copied(), link), first.map(|thread| thread.thread));
    }

    #[test]
    fn the_printed_choice_can_move_too(threads in threads(), link in prop::option::of(Just(between(1, 2)))) {
        if let Some(chosen) = select(Choice::Printed, threads.iter().copied(), link) {
            let chosen = threads.iter().find(|thread| thread.thread == chosen).unwrap();
            prop_assert!(chosen.is_ready && !chosen.has_children);
        }
    }
}
