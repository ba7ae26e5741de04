//! Seeded bugs: the checker finds each, and its shortest trace is printed.

use crate::explore::{balancer_killed, crossed, crowd, exits, killed, standing, suspended};
use crate::ledger::ALL_WRONG;
use crate::model::{explore, ANSWERED, SERVED};
use crate::setup::{Bug, Setup};
use crate::state::Wrong;

/// The checker must find the mistake, by a violation of this property.
fn finds(bug: Bug, property: &str) {
    let setup = match bug {
        Bug::AnyGeneration => balancer_killed(),
        Bug::ChooseParent | Bug::ChooseLeaving | Bug::ForgetGoneAtOnce => suspended(),
        Bug::ForgetEnded | Bug::EndedIsGone => killed(),
        Bug::ForgetOthersEnded | Bug::ForgetOthersGone => exits(),
        Bug::SilentlyFull => crowd(),
        Bug::StandOn | Bug::KeepStanding | Bug::StandSilently | Bug::StandElsewhere => standing(),
        _ => crossed(),
    };
    let report = explore(&Setup { bug: Some(bug), ..setup });
    let found: Vec<_> = report.wrong.iter().map(|(name, _)| *name).collect();
    let (_, trace) = report.wrong.iter().find(|(name, _)| *name == property).unwrap_or_else(|| {
        panic!("{bug:?} violates only {found:?}, in {} states", report.states);
    });
    println!("{bug:?} violates \"{property}\", found in {} states:\n{trace}\n", report.states);
}

fn wrong(wrong: Wrong) -> &'static str {
    ALL_WRONG.iter().find(|(other, _)| *other == wrong).expect("it is in the list").1
}

macro_rules! bugs {
    ($($test:ident: $bug:ident, $property:expr;)*) => {
        $(#[test]
        fn $test() {
            finds(Bug::$bug, $property);
        })*
    };
}

bugs! {
    finds_that_the_destination_is_told_too_early: FollowEarly, wrong(Wrong::NotArrived);
    finds_that_the_destination_is_told_by_another_way: FollowOvertakes, wrong(Wrong::NotArrived);
    finds_that_the_source_answers: AnswerAtSource, wrong(Wrong::NotArrived);
    finds_that_an_answer_is_given_twice: AnswerTwice, wrong(Wrong::Twice);
    finds_that_leaving_at_once_is_not_noted: ForgetGoneAtOnce, ANSWERED;
    finds_that_the_end_of_a_leaving_thread_is_not_noted: ForgetEnded, ANSWERED;
    finds_that_an_end_counts_as_a_move: EndedIsGone, wrong(Wrong::NotArrived);
    finds_that_the_end_of_a_wanted_thread_is_not_noted: ForgetOthersEnded, wrong(Wrong::Namesake);
    finds_that_leaving_by_itself_is_not_noted: ForgetOthersGone, wrong(Wrong::Namesake);
    finds_that_ready_threads_are_not_looked_at: NotOnReady, SERVED;
    finds_that_a_request_that_comes_looks_at_nobody: NotOnArrival, SERVED;
    finds_that_nothing_expires: NotOnTime, ANSWERED;
    finds_that_requests_expire_early: TooEarly, wrong(Wrong::Early);
    finds_that_too_many_are_dropped_in_silence: SilentlyFull, ANSWERED;
    finds_that_a_thread_is_sent_that_leaves: ChooseLeaving, wrong(Wrong::MayNotLeave);
    finds_that_a_parent_is_sent: ChooseParent, wrong(Wrong::MayNotLeave);
    finds_that_nobody_is_waited_for: WaitForever, wrong(Wrong::Namesake);
    finds_that_a_request_waits_on: KeepWaiting, wrong(Wrong::TwoThreads);
    finds_that_a_request_is_forgotten: ForgetSent, ANSWERED;
    finds_that_anyone_answers: GoneIsAnyone, wrong(Wrong::NotArrived);
    finds_that_a_request_expires_while_its_thread_leaves: ExpireLeaving, wrong(Wrong::MovedAfterAll);
    finds_that_a_stranger_gets_the_answer: AnyGeneration, wrong(Wrong::Stranger);
    finds_that_a_standing_request_never_ends: StandOn, wrong(Wrong::Misplaced);
    finds_that_an_older_request_stands: KeepStanding, wrong(Wrong::Misplaced);
    finds_that_a_standing_request_is_not_answered: StandSilently, ANSWERED;
    finds_that_another_slaves_request_stands: StandElsewhere, wrong(Wrong::Misplaced);
}
