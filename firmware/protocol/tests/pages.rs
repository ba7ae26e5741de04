//! The page protocol in every order of events, as far as the model checker goes, and mistakes that it must find.

mod page_model;

use page_model::{Bug, World};
use stateright::{Checker, Model};
use testbed_protocol::Processor;

/// Explores all that the world can do; with a violation it fails and prints the way there.
fn explore(name: &str, world: World) {
    let checker = world.checker().threads(2).spawn_bfs().join();
    checker.assert_properties();
    println!("{name}: {} states", checker.unique_state_count());
}

/// Bounds that take minutes rather than seconds.
fn is_long() -> bool {
    std::env::var_os("TESTBED_LONG").is_some()
}

/// A page for each owner, and for each number a processor whose thread reads or writes so often.
fn world(owners: &[u8], touches: &[u8]) -> World {
    World {
        processors: touches.len() as u8,
        owners: owners.iter().copied().map(Processor::new).collect(),
        threads: touches.iter().enumerate().map(|(at, &touches)| (Processor::new(at as u8), touches, true)).collect(),
        at_once: true,
        ..World::default()
    }
}

#[test]
fn processors_share_a_page() {
    let often = if is_long() { [3, 3, 3] } else { [2, 2, 2] };
    explore("three processors, owned by the home", world(&[0], &often));
    explore("three processors", world(&[1], &often));
    explore("the same, pages taken away before use", World { at_once: false, ..world(&[1], &often) });
    explore("four processors", world(&[1], if is_long() { &[2, 2, 2, 2] } else { &[1, 2, 1, 1] }));
}

#[test]
fn two_threads_of_a_processor_share_its_pages() {
    let mut world = world(&[1], &[1, 2, 2]);
    world.threads.extend([1, 2].map(|at| (Processor::new(at), 1, true)));
    explore("five threads on three processors", World { at_once: false, ..world.clone() });
    explore("the same at once", world);
}

#[test]
fn processors_share_two_pages() {
    let often = if is_long() { [2, 2, 2] } else { [1, 2, 1] };
    explore("two pages", world(&[1, 2], &often));
    explore("two pages, both at one owner", world(&[1, 1], &often));
}

#[test]
fn a_page_ends_and_begins_again() {
    let often = if is_long() { [2, 3, 2] } else { [1, 2, 2] };
    for ends_at in 0..2 {
        let world = World { ends_at: Some(Processor::new(ends_at)), ..world(&[1], &often) };
        explore("a page ends", world.clone());
        explore("a page ends and begins again", World { begins_at: Some(Processor::new(2)), at_once: false, ..world });
    }
}

#[test]
fn answers_may_come_twice() {
    let doubles = if is_long() { 3 } else { 2 };
    let world = World { doubles, ..world(&[1], &[1, 2, 2]) };
    explore("answers that come twice", world.clone());
    explore("answers that come twice, and an end", World { ends_at: Some(Processor::new(1)), at_once: false, ..world });
}

/// Threads that make calls: of each its processor, how often, and its first page and the one after its last.
fn callers(owners: &[u8], calls: &[(u8, u8, (u8, u8))]) -> World {
    World {
        processors: 1 + calls.iter().map(|&(at, ..)| at).max().unwrap_or(0),
        owners: owners.iter().copied().map(Processor::new).collect(),
        threads: calls.iter().map(|&(at, times, _)| (Processor::new(at), times, true)).collect(),
        calls: calls.iter().map(|&(_, _, row)| row).collect(),
        ..World::default()
    }
}

/// Calls of the home and of others need several pages, which others write to one by one.
fn contended() -> World {
    callers(&[0, 0], &[(0, 1, (0, 2)), (1, 4, (1, 2)), (1, 1, (0, 1))])
}

/// Two calls, at two processors, of the same pages, each of which has some at first.
fn crossed() -> World {
    callers(&[1, 2], &[(1, 2, (0, 2)), (2, 2, (0, 2)), (0, 1, (0, 1))])
}

/// A call of three pages, each of which is taken away as often as it takes to make it wait for more
/// than twice their number.
fn robbed() -> World {
    callers(&[1, 1, 0], &[(1, 1, (0, 3)), (0, 4, (2, 3)), (0, 2, (1, 2)), (0, 1, (0, 1))])
}

/// Three threads of one processor write to one page, and one of them to another too; another
/// processor writes to both.
fn crowd() -> World {
    callers(&[0, 0], &[(1, 2, (0, 1)), (1, 1, (0, 1)), (1, 1, (0, 2)), (0, 2, (0, 2))])
}

#[test]
fn calls_that_need_several_pages_get_on() {
    explore("a call at home, writers of each page", contended());
    explore("two calls of the same pages", crossed());
    explore("a call of three pages, robbed of each", robbed());
    let two = callers(&[0, 0, 0], &[(1, 1, (0, 2)), (1, 1, (1, 3)), (0, 2, (1, 2)), (2, 1, (0, 3))]);
    explore("two calls at one processor, one elsewhere", two);
    explore("three threads of a processor, one elsewhere", crowd());
    if is_long() {
        explore("three calls", callers(&[0, 1, 2], &[(0, 2, (0, 3)), (1, 1, (0, 2)), (2, 2, (1, 3))]));
    }
}

/// The checker must find the mistake, by a violation of this property. The way there is printed.
fn finds(bug: Bug, property: &'static str) {
    let ends_at = matches!(bug, Bug::SilentEnd | Bug::LeakPage).then_some(Processor::new(1));
    let right = match bug {
        Bug::KeepTooFew => contended(),
        Bug::KeepAll => crossed(),
        Bug::Careless => robbed(),
        Bug::KeepForOne => crowd(),
        _ => world(&[1], &[2, 2, 2]),
    };
    let world = World { bug: Some(bug), ends_at, ..right };
    let checker = world.clone().checker().spawn_bfs().join();
    let discoveries = checker.discoveries();
    let path = discoveries.get(property);
    let path = path.unwrap_or_else(|| panic!("{bug:?} violates only {:?}", discoveries.keys()));
    println!("{bug:?} violates \"{property}\":");
    for (step, (state, action)) in path.clone().into_vec().into_iter().enumerate() {
        let action = action.map_or_else(|| format!("{state:?}"), |action| world.describe(&state, action));
        println!("{:4} {action}", step + 1);
    }
}

const READ: &str = "what is read was written last";
const WRITERS: &str = "one can write";
const BESIDE: &str = "nobody reads beside one who can write";
const OWNERS: &str = "one owner";
const ANSWERED: &str = "every request is answered";
const FRAME: &str = "a frame wherever a page is or is wanted";
const WAITS: &str = "a call waits at most twice for each page";
const USED: &str = "what has come stays until all have used it who waited";
const AGREE: &str = "directory and holders agree when all is quiet";

macro_rules! bugs {
    ($($test:ident: $bug:ident, $property:expr;)*) => {
        $(#[test]
        fn $test() {
            finds(Bug::$bug, $property);
        })*
    };
}

bugs! {
    finds_that_the_home_does_not_wait_for_invalidated: SkipInvalidated, READ;
    finds_that_the_home_grants_nothing: GrantNothing, ANSWERED;
    finds_that_the_owner_goes_on_writing: KeepWriting, BESIDE;
    finds_that_a_waiter_is_forgotten: ForgetWaiter, ANSWERED;
    finds_that_a_copy_is_kept: KeepCopy, READ;
    finds_that_the_home_does_not_wait_for_done: SkipDone, READ;
    finds_that_a_copy_is_not_noted: UnknownCopy, AGREE;
    finds_that_a_page_is_kept: KeepPage, WRITERS;
    finds_that_an_end_is_not_told: SilentEnd, ANSWERED;
    finds_that_a_page_leaks: LeakPage, AGREE;
    finds_that_two_own: GrantBoth, OWNERS;
    finds_that_a_wanted_frame_is_freed: FreeWanted, FRAME;
    finds_that_calls_keep_too_few: KeepTooFew, WAITS;
    finds_that_calls_keep_too_many: KeepAll, ANSWERED;
    finds_that_a_page_is_kept_for_one: KeepForOne, USED;
    finds_that_calls_are_careless: Careless, WAITS;
}
