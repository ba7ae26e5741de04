//! Each mistake that a kernel could make is seen.

use crate::explore::{moving, moving_twice, one_way, pair, several, short, three, twice, whole};
use crate::model::{explore, GOES_ON, RIGHT};
use crate::setup::{Bug, Setup};
use crate::state::Wrong;

/// The mistake leads to this, or, for none, to where nobody goes on.
fn seen(bug: Bug, setup: Setup, as_what: Option<Wrong>) {
    let report = explore(&Setup { bug: Some(bug), ..setup });
    let wanted = if as_what.is_some() { RIGHT } else { GOES_ON };
    // The way to another one may be as short.
    let Some((wrong, trace)) = report.wrong.iter().find(|(wrong, _)| *wrong == wanted) else {
        panic!("{bug:?} is not seen as that in {} states: {:?}", report.states, report.wrong);
    };
    println!("{bug:?}: not \"{wrong}\" after {} states:\n{trace}", report.states);
    assert!(trace.ends_with(&format!("{as_what:?}")), "{bug:?} is not seen as {as_what:?}");
}

#[test]
fn every_mistake_is_seen() {
    // The copy that is left behind must be one of a round that ends early.
    seen(Bug::AnyStepIsTaken, Setup { early: 1, ..moving_twice() }, Some(Wrong::Lost));
    seen(Bug::AnswerOnlyNew, pair(), Some(Wrong::Endless));
    seen(Bug::AnswerInOneRound, pair(), Some(Wrong::Endless));
    seen(Bug::TakeAgain, pair(), Some(Wrong::Lost));
    seen(Bug::ForgetTable, one_way(), Some(Wrong::Endless));
    seen(Bug::KeepTable, pair(), Some(Wrong::Endless));
    seen(Bug::LeftIsAcknowledged, pair(), Some(Wrong::Unsent));
    seen(Bug::AnyStepAcknowledges, twice(), Some(Wrong::Unsent));
    seen(Bug::GoOnWhenLeft, one_way(), Some(Wrong::Unsent));
    seen(Bug::GoOnInRound, whole(), Some(Wrong::InRound));
    seen(Bug::GoOnWithoutReceiving, pair(), Some(Wrong::Data));
    seen(Bug::FollowMember, moving(), Some(Wrong::Lost));
    seen(Bug::FollowMemberHere, moving(), Some(Wrong::Endless));
    seen(Bug::CountBeforeRoom, short(), Some(Wrong::Endless));
    seen(Bug::CopyInEachRound, three(), Some(Wrong::Data));
    seen(Bug::OneRound, several(), None);
}
