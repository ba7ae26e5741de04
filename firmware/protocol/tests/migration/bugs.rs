//! Seeded bugs: the checker finds each, and its shortest trace is printed.

use crate::misuse::greedy;
use crate::model::{explore_from, placements};
use crate::program::{Bug, Op, Setup};
use crate::world::Wrong;
use testbed_definitions::mpc::FRAGMENT_BYTES;

const LONG: u32 = FRAGMENT_BYTES as u32 + 4;

/// Two channels from two threads to a third, which chooses between them first.
fn setup() -> Setup {
    let a = [Op::Send(0, 4), Op::Send(0, LONG)];
    let b = [Op::Send(1, 4)];
    let c = [Op::Each(3, 4), Op::Receive(0, LONG)];
    Setup::new(3, &[&a, &b, &c], 3)
}

fn found(bug: Bug, expected: Wrong) {
    let moves = if bug == Bug::CopyKeepsReceiver { 0 } else { 3 };
    let setup = match bug {
        Bug::BelieveLength => greedy(),
        _ => setup(),
    };
    let setup = Setup { bug: Some(bug), moves, ..setup };
    let starts = placements(setup.scripts.len(), setup.processors, false);
    let report = explore_from(setup, starts, false);
    let (wrong, trace) = report.wrong.unwrap_or_else(|| panic!("{bug:?} is not found in {} states", report.states));
    println!("{bug:?}, after {} states: {wrong:?}\n{trace}\n", report.states);
    assert_eq!(wrong, expected, "{bug:?}");
}

macro_rules! seeded {
    ($($name:ident: $bug:ident breaks $wrong:ident;)*) => {
        $(#[test]
        fn $name() {
            found(Bug::$bug, Wrong::$wrong);
        })*
    };
}

seeded! {
    a_receiver_that_leaves_carries_no_token: DropCarriedToken breaks Belief;
    tokens_are_passed_on_whatever_their_epoch: ForwardWithoutEpoch breaks Circle;
    moves_are_not_counted: DontCountMoves breaks Belief;
    late_tokens_are_used: ForgetSequence breaks Refused;
    ends_stay_behind: KeepEnds breaks Copies;
    threads_stay_behind: KeepThread breaks Copies;
    tokens_are_answered_twice: AnswerTwice breaks Refused;
    alternatives_stay_enabled: DontDisable breaks Copies;
    an_advert_misses_a_processor: AdvertMissesOne breaks Belief;
    a_fragment_overtakes_another: OvertakeFragment breaks Refused;
    fragments_go_to_the_start: ForgetOffset breaks Content;
    fragments_are_read_late: ReadLate breaks Lost;
    fragments_leave_early: TransmitEarly breaks Duplicated;
    a_copied_receiver_still_waits: CopyKeepsReceiver breaks Release;
    a_receiver_is_not_made_ready: ForgetReady breaks Deadlock;
    ends_forget_their_count: ForgetCount breaks Counts;
    tokens_are_kept_and_passed_on: KeepForwarded breaks Doubled;
    tokens_are_passed_on_twice: ForwardTwice breaks Doubled;
    senders_believe_any_length: BelieveLength breaks Overrun;
}
