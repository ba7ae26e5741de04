//! Each mistake that a kernel could make is seen.

use crate::explore::{all_to_all, ending, pair, short, short_of_three};
use crate::model::explore;
use crate::setup::{Bug, Setup};

fn seen(bug: Bug, setup: Setup) {
    let report = explore(&Setup { bug: Some(bug), ..setup });
    let Some((wrong, trace)) = report.wrong.first() else {
        panic!("{bug:?} is not seen in {} states", report.states);
    };
    println!("{bug:?}: not \"{wrong}\" after\n{trace}");
}

#[test]
fn every_mistake_is_seen() {
    seen(Bug::SendBeforeOpen, pair());
    seen(Bug::NotInOrder, pair());
    seen(Bug::OneByOne, pair());
    seen(Bug::MoveWhileWaiting, pair());
    seen(Bug::IgnoreClosed, short());
    seen(Bug::OnlyWhereMembersAre, pair());
    seen(Bug::ForgetSenders, short());
    seen(Bug::ResumeArrived, short_of_three());
    seen(Bug::EndUnnoticed, ending());
    seen(Bug::GoOnWithoutSending, all_to_all());
    seen(Bug::GoOnWithoutReceiving, pair());
}
