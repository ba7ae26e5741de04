//! Supersteps of traces whose answers are known, and of traces with losses.

use std::collections::BTreeMap;

use proptest::prelude::*;
use testbed_definitions::ids::ProcessId;
use testbed_definitions::{event, process};
use testbed_trace::analysis::bsp::model::{Figures, Sums, Term};
use testbed_trace::analysis::bsp::superstep::Superstep;
use testbed_trace::analysis::bsp::{BspReport, GroupReport};
use testbed_trace::analysis::{text, AnalysisError, Kind, Options, Report};
use testbed_trace::order::Event;

use crate::analysis::properties::{any_event, trace};
use crate::analysis::scripts::*;

/// The processes to which the groups of these tests belong.
const OWNER: u16 = process::id(EARTH, 1, 1);
const OTHER: u16 = process::id(AIR, 3, 1);

/// The first thread of a process with this home and place.
fn thread(home: u8, place: u8) -> u16 {
    event::thread_number(home, place, 1)
}

/// SYNC and SENT.
fn sync(cycle: u64, here: u8, (owner, rank): (u16, u8), words: u16) -> [Step; 2] {
    [(cycle, here, event::SYNC, event::member_argument(owner, rank)), (cycle + 2, here, event::SENT, words)]
}

/// THROUGH and RECEIVED.
fn through(cycle: u64, here: u8, thread: u16, words: u16) -> [Step; 2] {
    [(cycle, here, event::THROUGH, thread), (cycle + 2, here, event::RECEIVED, words)]
}

fn supersteps_with(steps: &[Step], end: u64, options: Options) -> Report {
    let events: Vec<Event> = steps.iter().map(|step| event(*step)).collect();
    analysed(&events, CLASSES, &options, end).unwrap_or_else(|error| panic!("{error}"))
}

fn supersteps(steps: &[Step], end: u64) -> BspReport {
    supersteps_with(steps, end, Options::default()).bsp.unwrap()
}

fn only(report: &BspReport) -> &GroupReport {
    assert_eq!(report.groups.len(), 1, "{:?}", report.groups);
    &report.groups[0]
}

fn why(step: &Superstep) -> &str {
    step.incomplete.as_deref().unwrap_or("complete")
}

/// Three processes, of which two share `air`: two supersteps.
pub fn three() -> Vec<Step> {
    let (a, b, c) = (thread(EARTH, 1), thread(AIR, 1), thread(AIR, 2));
    let mut steps = vec![runs(100, EARTH, a), runs(110, AIR, b)];
    steps.extend(sync(500, EARTH, (OWNER, 0), 0));
    steps.extend(sync(600, AIR, (OWNER, 1), 0));
    steps.push(runs(610, AIR, c));
    steps.extend(sync(900, AIR, (OWNER, 2), 0));
    steps.extend(through(950, AIR, b, 0));
    steps.extend(through(960, AIR, c, 0));
    steps.extend(through(970, EARTH, a, 0));
    steps.extend([runs(1_000, AIR, c), runs(1_020, EARTH, a)]);
    steps.extend(sync(1_300, AIR, (OWNER, 2), 20));
    steps.push(runs(1_310, AIR, b));
    steps.extend(sync(1_520, EARTH, (OWNER, 0), 5));
    steps.extend(sync(1_810, AIR, (OWNER, 1), 10));
    steps.extend(through(1_900, AIR, b, 5));
    steps.extend(through(1_910, EARTH, a, 25));
    steps.extend(through(1_920, AIR, c, 5));
    steps
}

#[test]
fn work_and_words_of_a_processor_are_those_of_all_its_processes() {
    let report = supersteps(&three(), 2_000);
    let group = only(&report);
    assert_eq!((group.process, group.processes), (ProcessId::from_bits(OWNER).bits() & 0xff, 3));
    let [first, second] = &group.supersteps[..] else { panic!("{group:?}") };
    let sums = Sums { w_cycles: 490 + 290, cycles: 970 - 100, waited_cycles: 470, last: 2, ..Sums::default() };
    assert_eq!(first.sums, Some(sums));
    // On air 300 cycles of one process and 500 of the other.
    let sums = Sums {
        w_cycles: 800,
        hs_words: 30,
        hr_words: 25,
        cycles: 1_920 - 950,
        waited_cycles: 620,
        last: 1,
        words_untold: false,
    };
    assert_eq!(second.sums, Some(sums));
    let seen = second.members.iter().map(|member| {
        let words = (member.sent_words.unwrap(), member.received_words.unwrap());
        (member.rank, member.processor, member.w_cycles.unwrap(), words, member.waited_cycles().unwrap())
    });
    let wanted = [(0, EARTH, 500, (5, 25), 390), (1, AIR, 500, (10, 5), 90), (2, AIR, 300, (20, 5), 620)];
    assert_eq!(seen.collect::<Vec<_>>(), wanted);
    assert_eq!((group.totals.supersteps, group.totals.w_cycles, group.totals.h_words), (2, 1_580, 30));
}

#[test]
fn both_formulas_are_held_against_what_is_measured() {
    let bsp = Figures { g_cycles: Some(10.0), l_cycles: Some(100.0), l0_cycles: None };
    let report = supersteps_with(&three(), 2_000, Options { kinds: vec![Kind::Bsp], bsp, ..Options::default() });
    let found = report.bsp.as_ref().unwrap();
    let predicted = only(found).supersteps[1].predicted.unwrap();
    assert_eq!((predicted.max_cycles, predicted.rules, predicted.sum_cycles), (800.0, Term::Work, 1_200.0));
    // The first superstep, in which processes start, is in no sum.
    let sums = only(found).totals.predicted;
    assert_eq!((sums.supersteps, sums.cycles, sums.sum_cycles), (1, 970, 1_200.0));
    let shown = text::text(&report, true);
    assert!(shown.contains("g = 10.0 cycles a word (given), l = 100.0 cycles (given)"), "{shown}");
    assert!(!shown.contains("fitted"), "{shown}");
    assert!(shown.contains("+23.7%"), "{shown}");
}

#[test]
fn what_is_fitted_to_the_same_run_is_called_so() {
    let bsp = Figures { l_cycles: Some(20.0), ..Figures::default() };
    let report = supersteps_with(&three(), 2_000, Options { kinds: vec![Kind::Bsp], bsp, ..Options::default() });
    // 970 cycles without 800 of work and 20, over 30 words.
    assert_eq!(report.bsp.as_ref().unwrap().model.figures.g_cycles, Some(5.0));
    let shown = text::text(&report, true);
    assert!(shown.contains("g = 5.0 cycles a word (fitted to this run), l = 20.0 cycles (given)"), "{shown}");
    // One superstep is no line.
    let report = supersteps_with(&three(), 2_000, Options { kinds: vec![Kind::Bsp], ..Options::default() });
    let shown = text::text(&report, true);
    assert!(shown.contains("g unknown") && shown.contains("give --g and --l"), "{shown}");
}

#[test]
fn work_is_that_of_the_processor_where_it_was_done() {
    let (a, b) = (thread(EARTH, 1), thread(AIR, 1));
    let mut steps = vec![runs(50, EARTH, a), runs(60, AIR, b)];
    steps.extend(sync(80, EARTH, (OWNER, 0), 0));
    steps.extend(sync(90, AIR, (OWNER, 1), 0));
    steps.extend(through(100, AIR, b, 0));
    steps.extend(through(110, EARTH, a, 0));
    // The first one computes on earth, and goes on where the second one is.
    steps.extend([runs(200, EARTH, a), runs(210, AIR, b)]);
    steps.extend(sync(400, AIR, (OWNER, 1), 0));
    steps.extend([
        (1_200, EARTH, event::PACK, a),
        plain(1_250, EARTH, event::PACKED),
        tx(1_270, EARTH, AIR, testbed_definitions::mpc::THREAD, 0),
        rx(1_340, AIR, EARTH, testbed_definitions::mpc::THREAD, 0),
        (1_390, AIR, event::UNPACKED, a),
        runs(1_400, AIR, a),
    ]);
    steps.extend(sync(1_700, AIR, (OWNER, 0), 0));
    steps.extend(through(1_750, AIR, a, 0));
    steps.extend(through(1_760, AIR, b, 0));
    let report = supersteps(&steps, 2_000);
    let second = &only(&report).supersteps[1];
    let mover = &second.members[0];
    assert_eq!((mover.processor, mover.w_cycles), (AIR, Some(1_000 + 300)));
    assert_eq!(mover.elsewhere_cycles, BTreeMap::from([(EARTH, 1_000)]));
    // Earth 1,000; air 300 of one and 190 of the other.
    assert_eq!(second.sums.unwrap().w_cycles, 1_000);
}

/// A superstep of two processes, on earth and air, that begins in this cycle; `owner`'s group.
fn two(at: u64, owner: u16, (a, b): (u16, u16), words: (u16, u16)) -> Vec<Step> {
    let mut steps = vec![runs(at, EARTH, a), runs(at + 1, AIR, b)];
    steps.extend(sync(at + 40, EARTH, (owner, 0), words.0));
    steps.extend(sync(at + 50, AIR, (owner, 1), words.1));
    steps.extend(through(at + 100, EARTH, a, words.1));
    steps.extend(through(at + 110, AIR, b, words.0));
    steps
}

fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| step.0);
    steps
}

#[test]
fn groups_are_told_apart() {
    let (ours, theirs) = ((thread(EARTH, 1), thread(AIR, 1)), (thread(EARTH, 2), thread(AIR, 3)));
    let mut steps = Vec::new();
    for round in 0..3 {
        steps.extend(two(1_000 + 200 * round, OWNER, ours, (3, 4)));
        steps.extend(two(1_052 + 200 * round, OTHER, theirs, (7, 0)));
    }
    let report = supersteps(&in_order(steps), 3_000);
    let found = report.groups.iter().map(|group| {
        let sums = group.supersteps.iter().map(|step| step.sums.map(|sums| (sums.hs_words, sums.hr_words)));
        (group.process, group.processes, sums.collect::<Vec<_>>())
    });
    let wanted = [(0x11, 2, vec![Some((4, 4)); 3]), (0x23, 2, vec![Some((7, 7)); 3])];
    assert_eq!(found.collect::<Vec<_>>(), wanted);
}

#[test]
fn groups_of_one_process_that_begin_together_are_left_open() {
    let (ours, theirs) = ((thread(EARTH, 1), thread(AIR, 1)), (thread(EARTH, 2), thread(AIR, 3)));
    let steps = [two(1_000, OWNER, ours, (3, 4)), two(1_052, OWNER, theirs, (7, 0))].concat();
    let report = supersteps(&in_order(steps), 3_000);
    let complete = report.groups.iter().flat_map(|group| &group.supersteps).filter(|step| step.sums.is_some());
    assert_eq!(complete.count(), 0, "{report:?}");
    // A part of the processes has a group of its own, after the first exchange of all.
    let later = two(2_000, OWNER, theirs, (7, 0));
    let report = supersteps(&[two(1_000, OWNER, ours, (3, 4)), later].concat(), 3_000);
    assert_eq!(report.groups.iter().map(|group| group.totals.supersteps).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_member_that_ends_leaves_its_superstep_incomplete() {
    let threads = (thread(EARTH, 1), thread(AIR, 1));
    let mut steps = two(1_000, OWNER, threads, (3, 4));
    steps.extend([runs(1_120, EARTH, threads.0), runs(1_130, AIR, threads.1)]);
    steps.extend(sync(1_200, EARTH, (OWNER, 0), 1));
    let ends = |place: u8| (1_300, AIR, event::PROCESS_END, process::id(AIR, place, 0));
    steps.push(ends(1));
    let report = supersteps(&steps, 3_000);
    let found: Vec<_> = only(&report).supersteps.iter().map(why).collect();
    assert_eq!(found, ["complete", "a process ended before it was through"]);
    // The end of a process that is no member changes nothing.
    steps.pop();
    steps.push(ends(9));
    steps.extend(sync(1_400, AIR, (OWNER, 1), 0));
    steps.extend(through(1_500, AIR, threads.1, 1));
    steps.extend(through(1_510, EARTH, threads.0, 0));
    let report = supersteps(&steps, 3_000);
    assert_eq!(only(&report).totals.supersteps, 2, "{report:?}");
}

#[test]
fn a_trace_may_begin_and_stop_anywhere() {
    let whole = three();
    let all = supersteps(&whole, 2_000);
    let sums: Vec<Option<Sums>> = only(&all).supersteps.iter().map(|step| step.sums).collect();
    for from in 0..whole.len() {
        let report = supersteps(&whole[from..], 2_000);
        let complete = report.groups.iter().flat_map(|group| &group.supersteps).filter(|step| step.sums.is_some());
        for step in complete {
            let found = sums.iter().flatten().any(|sums| {
                let Sums { hs_words, hr_words, last, .. } = step.sums.unwrap();
                (hs_words, hr_words, last) == (sums.hs_words, sums.hr_words, sums.last)
            });
            assert!(found, "from event {from}: {step:?}");
        }
    }
    for to in 0..whole.len() {
        let end = whole.get(to).map_or(2_000, |step| step.0);
        let report = supersteps(&whole[..to], end);
        for step in report.groups.iter().flat_map(|group| &group.supersteps) {
            assert!(step.sums.is_none() || sums.contains(&step.sums), "up to event {to}: {step:?}");
        }
    }
    let report = supersteps(&whole[..whole.len() - 2], 1_915);
    let found: Vec<_> = only(&report).supersteps.iter().map(why).collect();
    assert_eq!(found, ["complete", "the trace ends before all were through"]);
}

#[test]
fn only_supersteps_within_the_part_that_was_asked_for_count() {
    let options = |from, to| Options { from_cycle: Some(from), to_cycle: Some(to), ..Options::default() };
    let report = supersteps_with(&three(), 2_000, options(940, 2_000)).bsp.unwrap();
    assert_eq!((only(&report).totals.supersteps, report.omitted.total()), (1, 1));
    // The second one is not over then.
    let report = supersteps_with(&three(), 2_000, options(0, 1_915)).bsp.unwrap();
    assert_eq!((only(&report).totals.supersteps, only(&report).incomplete.total()), (1, 1));
}

#[test]
fn words_that_an_event_can_t_tell_are_not_predicted() {
    assert_eq!(event::words_argument(0xa9ff), 0xa9ff);
    // The monitor keeps 0xaa00 to 0xabff for its markers.
    for words in [0xaa00, 0xabff, 0xffff, 70_000] {
        assert_eq!(event::words_argument(words), event::WORDS_UNTOLD);
    }
    let threads = (thread(EARTH, 1), thread(AIR, 1));
    let mut steps = two(1_000, OWNER, threads, (3, 4));
    steps.extend(two(1_200, OWNER, threads, (event::WORDS_UNTOLD, 4)));
    let bsp = Figures { g_cycles: Some(1.0), l_cycles: Some(1.0), l0_cycles: None };
    let report = supersteps_with(&steps, 3_000, Options { kinds: vec![Kind::Bsp], bsp, ..Options::default() });
    let second = &only(report.bsp.as_ref().unwrap()).supersteps[1];
    assert_eq!((second.sums.unwrap().words_untold, second.predicted), (true, None));
    assert!(text::text(&report, true).contains(">=4"));
}

#[test]
fn a_trace_without_the_events_says_which_class_tells() {
    let options = Options { kinds: vec![Kind::Bsp], ..Options::default() };
    let Err(error) = analysed(&[], event::DIAG_USER, &options, 100) else { panic!("it can't be analysed") };
    assert!(matches!(error, AnalysisError::NotRecorded { analysis: "bsp", .. }), "{error}");
    assert!(error.to_string().contains("--dgl profile"), "{error}");
    let report = supersteps_with(&local(EARTH), 600, options);
    assert!(text::text(&report, true).contains("supersteps: the trace shows none"));
}

#[test]
fn a_loss_spoils_what_is_under_way_and_nothing_else() {
    let threads = (thread(EARTH, 1), thread(AIR, 1));
    let steps: Vec<Step> = (0..4).flat_map(|round| two(1_000 + 200 * round, OWNER, threads, (3, 4))).collect();
    let mut lossy = steps.clone();
    lossy.push((1_220, AIR, GAP, 1));
    let report = supersteps(&in_order(lossy), 3_000);
    let found: Vec<_> = only(&report).supersteps.iter().map(|step| step.sums.is_some()).collect();
    assert_eq!(found, [true, false, true, true], "{report:?}");
}

/// Groups of processes at random places, which compute and exchange for some supersteps.
fn programs() -> impl Strategy<Value = Vec<Step>> {
    let group = (2..4u8, 1..5u64, prop::collection::vec((1..60u64, 0..9u16), 24));
    prop::collection::vec(group, 1..3).prop_map(|groups| {
        let mut steps = Vec::new();
        for (number, (members, rounds, random)) in groups.into_iter().enumerate() {
            let owner = process::id(EARTH, number as u8 + 1, 1);
            // A processor for each process, so that nobody waits for another's time: three and two.
            let members = members - number as u8;
            let place = |rank: u8| 1 + rank + 3 * number as u8;
            let mut random = random.into_iter().cycle();
            let mut begin = 100 + 7 * number as u64;
            for _ in 0..rounds {
                let mut open = begin;
                let sent: Vec<u16> = (0..members).map(|_| random.next().unwrap().1).collect();
                for rank in 0..members {
                    let here = place(rank);
                    let comes = begin + 10 + random.next().unwrap().0;
                    steps.push(runs(begin + 5, here, thread(here, 1)));
                    steps.extend(sync(comes, here, (owner, rank), sent[rank as usize]));
                    open = open.max(comes + 3);
                }
                for rank in 0..members {
                    let here = place(rank);
                    let words = sent[(rank as usize + 1) % sent.len()];
                    steps.extend(through(open + 4 * u64::from(rank), here, thread(here, 1), words));
                }
                begin = open + 20;
            }
        }
        in_order(steps)
    })
}

/// What tells a superstep from others, and what is said of it.
fn complete(report: &BspReport) -> BTreeMap<(u16, Vec<u64>), Sums> {
    let steps = report.groups.iter().flat_map(|group| group.supersteps.iter().map(move |step| (group, step)));
    let known = steps.filter_map(|(group, step)| {
        let syncs = step.members.iter().map(|member| member.sync_cycle).collect();
        step.sums.map(|sums| ((group.process, syncs), sums))
    });
    known.collect()
}

proptest! {
    #[test]
    fn a_loss_leaves_supersteps_out_and_never_invents(
        steps in programs(),
        losses in prop::collection::vec((any::<prop::sample::Index>(), 1..9usize), 1..4),
    ) {
        let end = steps.last().map_or(0, |step| step.0) + 10;
        let whole = supersteps(&steps, end);
        prop_assert!(whole.groups.iter().all(|group| group.incomplete.total() == 0), "{:?}", whole);
        // Some of one processor's events are lost, and marked.
        let mut lossy = steps.clone();
        for (place, lost) in losses {
            let first = place.index(lossy.len());
            let here = lossy[first].1;
            let theirs: Vec<usize> = (first..lossy.len()).filter(|at| lossy[*at].1 == here).take(lost).collect();
            let last = theirs[theirs.len() - 1];
            lossy[last] = (lossy[last].0, here, GAP, theirs.len() as u16);
            for at in theirs[..theirs.len() - 1].iter().rev() {
                lossy.remove(*at);
            }
        }
        let whole = complete(&whole);
        for (which, sums) in complete(&supersteps(&lossy, end)) {
            prop_assert_eq!(whole.get(&which), Some(&sums), "{:?}", which);
        }
    }

    #[test]
    fn what_is_said_of_nonsense_is_possible(steps in prop::collection::vec(any_event(), 0..120)) {
        let (events, end) = trace(steps);
        let report = analysed(&events, CLASSES, &Options { kinds: vec![Kind::Bsp], ..Options::default() }, end.max(1));
        let Ok(report) = report else { return Ok(()) };
        for step in report.bsp.iter().flat_map(|bsp| &bsp.groups).flat_map(|group| &group.supersteps) {
            for member in &step.members {
                let ran = member.w_cycles.unwrap_or(0) + member.untold_cycles;
                let time = member.begin_cycle.map_or(ran, |begin| member.sync_cycle.saturating_sub(begin));
                prop_assert!(ran <= time, "{:?}", member);
            }
        }
        text::text(&report, true);
    }
}
