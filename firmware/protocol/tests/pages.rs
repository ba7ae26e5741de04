//! The page protocol in every order of events, as far as the model checker goes, and mistakes that it must find.

mod page_model;

use page_model::{Bug, World};
use stateright::{Checker, Model};

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
        owners: owners.into(),
        threads: touches.iter().enumerate().map(|(at, &touches)| (at as u8, touches, true)).collect(),
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
    world.threads.extend([(1, 1, true), (2, 1, true)]);
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
        let world = World { ends_at: Some(ends_at), ..world(&[1], &often) };
        explore("a page ends", world.clone());
        explore("a page ends and begins again", World { begins_at: Some(2), at_once: false, ..world });
    }
}

#[test]
fn answers_may_come_twice() {
    let doubles = if is_long() { 3 } else { 2 };
    let world = World { doubles, ..world(&[1], &[1, 2, 2]) };
    explore("answers that come twice", world.clone());
    explore("answers that come twice, and an end", World { ends_at: Some(1), at_once: false, ..world });
}

/// The checker must find the mistake, by a violation of this property. The way there is printed.
fn finds(bug: Bug, property: &'static str) {
    let ends_at = matches!(bug, Bug::SilentEnd | Bug::LeakPage).then_some(1);
    let world = World { bug: Some(bug), ends_at, ..world(&[1], &[2, 2, 2]) };
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
}
