//! What `gain` does at first, and with threads of which little is known.

use testbed_balance::assess::Assessor;
use testbed_balance::balancer::{Balancer, Sent};
use testbed_balance::policies::gain::estimate::Estimate;
use testbed_balance::policies::gain::memory::Memory;
use testbed_balance::policies::gain::plan::{Plan, Scene};
use testbed_balance::policies::Gain;
use testbed_balance::policy::{Costs, View};
use testbed_balance::request::{Answer, Reason};
use testbed_definitions::ids::ThreadNumber;
use testbed_definitions::load::Part;

use crate::model::machine::number;
use crate::parts::{tell, Did, Load};

const SLAVES: u8 = 5;
/// Cycles from sample to sample: a tenth of a second.
const PERIOD: u64 = 2_500_000;
const WHOLE: u16 = u16::MAX;

/// A slave's sample, in which so many 256ths of threads were ready on average.
fn sample(take: impl FnMut(Part) -> bool, sequence: u8, ready: u16, threads: &[Did<'_>]) {
    let share = threads.iter().map(|did| did.1).sum();
    let load = Load { ready: (ready / 256) as u8, cycles: PERIOD as u32, average: ready, share };
    tell(take, sequence, &load, [], threads);
}

/// A balancer that has begun, and its first requests. Slaves have sent `round` samples.
struct Played {
    balancer: Balancer<Gain>,
    first: Vec<Sent>,
    round: u8,
}

impl Played {
    fn new(costs: Costs) -> Played {
        let mut balancer = Balancer::new(SLAVES, Gain::default());
        balancer.costs = costs;
        let first: Vec<Sent> = balancer.step(0).into_iter().collect();
        for sent in &first {
            balancer.answer(100, sent.number, Answer::Stands);
        }
        balancer.step(200);
        Played { balancer, first, round: 0 }
    }

    /// All slaves send a sample; what is asked for then, without standing requests, which are granted.
    fn round(&mut self, slaves: [(u16, &[Did<'_>]); SLAVES as usize]) -> Vec<Sent> {
        self.round += 1;
        let now = u64::from(self.round) * PERIOD;
        for (slave, (ready, threads)) in (1..).zip(slaves) {
            sample(|part| self.balancer.take(slave, now, part), self.round, ready, threads);
        }
        let sent = self.balancer.step(now + 100);
        let (standing, moves): (Vec<Sent>, Vec<Sent>) = sent.into_iter().partition(|sent| sent.request.is_standing());
        standing.iter().for_each(|sent| {
            self.balancer.answer(now + 200, sent.number, Answer::Stands);
        });
        moves
    }
}

#[test]
fn threads_are_dealt_out_before_there_is_a_sample() {
    let slow = Costs { slice: 20_000, ..Costs::DEFAULT };
    for (costs, keeps) in [(Costs::DEFAULT, false), (slow, true)] {
        let first = Played::new(costs).first;
        let slaves: Vec<u8> = first.iter().map(|sent| sent.request.from).collect();
        assert_eq!(slaves, [1, 2, 3, 4, 5]);
        for sent in first {
            let Reason::Created(places) = sent.request.reason else { panic!("{:?}", sent.request) };
            let has = |slave: u8| places.iter().any(|place| place.number() == slave);
            assert_eq!(has(sent.request.from), keeps, "slaves keep new threads where moves are dear");
            assert!((1..=SLAVES).all(|slave| has(slave) || slave == sent.request.from));
        }
    }
}

#[test]
fn threads_that_have_come_from_elsewhere_are_not_asked_for_as_new_ones() {
    let computing = |threads: std::ops::Range<usize>| threads.map(|thread| (number(thread), 3_000, &[][..])).collect();
    let threads: Vec<Did<'_>> = computing(1..21);
    let mut played = Played::new(Costs::DEFAULT);
    let asked = played.round([(0, &[]), (20 * 256, &threads), (0, &[]), (0, &[]), (0, &[])]);
    let mut come: Vec<Did<'_>> = Vec::new();
    for (sent, other) in asked.iter().zip(30..) {
        let thread = thread_of(sent, other);
        played.balancer.answer(PERIOD + 300, sent.number, Answer::Moved(thread));
        if sent.request.to == 3 {
            come.push((thread, 12_000, &[]));
        }
    }
    assert!(come.len() >= 3, "{asked:?}");
    // The others have ended; on slave 3 all have come from slave 2.
    let mut others = 0;
    for _ in 0..20 {
        for sent in played.round([(0, &[]), (0, &[]), (256 * come.len() as u16, &come), (0, &[]), (0, &[])]) {
            assert_ne!(sent.request.reason, Reason::New, "{sent:?}");
            others += 1;
            played.balancer.answer(u64::from(played.round) * PERIOD + 300, sent.number, Answer::Expired);
        }
    }
    assert!(others > 0, "but they are asked for by their names");
}

#[test]
fn idle_slaves_get_threads_that_only_compute() {
    let all: Vec<Did<'_>> = (1..11).map(|thread| (number(thread), WHOLE / 2, &[][..])).collect();
    let on = |slave: usize| &all[2 * slave..2 * slave + 2];
    let mut played = Played::new(Costs::DEFAULT);
    for _ in 0..10 {
        let asked = played.round([(512, on(0)), (512, on(1)), (512, on(2)), (512, on(3)), (512, on(4))]);
        assert!(asked.is_empty(), "{asked:?}");
    }
    // The threads of two slaves have ended, and the others have as many as before.
    let asked = played.round([(0, &[]), (0, &[]), (512, on(2)), (512, on(3)), (512, on(4))]);
    let ways: Vec<(u8, u8)> = asked.iter().map(|sent| (sent.request.from, sent.request.to)).collect();
    assert_eq!(ways.len(), 2, "{asked:?}");
    assert!(ways.iter().all(|way| way.0 > 2) && ways[0].0 != ways[1].0, "{ways:?}");
    assert_eq!([ways[0].1, ways[1].1], [1, 2]);
    assert!(asked.iter().all(|sent| matches!(sent.request.reason, Reason::Thread(_))));
}

/// Two pairs that have come to slave 1 may not go back at once to slave 2, which idles; but the others
/// have hardly more to do.
#[test]
fn a_slave_to_which_a_thread_may_not_go_is_not_the_only_one_that_idles() {
    let partners: Vec<[(u8, u32); 1]> = (0..20u8).map(|at| [(2 + (at ^ 1), 600)]).collect();
    let did = |at: usize, share: u16| -> Did<'_> { (number(1 + at), share, &partners[at]) };
    let all: Vec<Did<'_>> = (0..20).map(|at| did(at, WHOLE / 20)).collect();
    let mut played = Played::new(Costs::DEFAULT);
    let mut come: Vec<usize> = Vec::new();
    for sent in played.round([(0, &[]), (20 * 256, &all), (0, &[]), (0, &[]), (0, &[])]) {
        let moved = (0..20).find(|&at| sent.request.reason == Reason::Thread(number(1 + at)) && sent.request.to == 1);
        come.extend(moved);
        let answer = moved.map_or(Answer::Refused, |at| Answer::Moved(number(1 + at)));
        played.balancer.answer(PERIOD + 300, sent.number, answer);
    }
    assert!(come.len() >= 4 && come.iter().all(|at| come.contains(&(at ^ 1))), "whole pairs: {come:?}");
    let here: Vec<Did<'_>> = come[..4].iter().map(|&at| did(at, WHOLE / 5)).collect();
    let others: [&[(u8, u32)]; 3] = [&[(42, 100)], &[(41, 100), (43, 100)], &[(42, 100)]];
    let light = [0, 1, 2].map(|at| (number(40 + at), 1_000, others[at]));
    let on = |at: usize| std::slice::from_ref(&light[at]);
    // For two seconds they may not.
    let asked = (0..15).flat_map(|_| played.round([(1024, &here), (0, &[]), (9, on(0)), (9, on(1)), (9, on(2))]));
    let to: Vec<u8> = asked.filter(|sent| sent.request.from == 1).map(|sent| sent.request.to).collect();
    assert!(!to.is_empty() && to.iter().all(|to| *to > 2), "{to:?}");
}

/// The thread that is asked for, or this one where any will do.
fn thread_of(sent: &Sent, any: usize) -> ThreadNumber {
    match sent.request.reason {
        Reason::Thread(thread) => thread,
        _ => number(any),
    }
}

/// What is estimated of a single group's threads.
struct Estimated {
    assessor: Assessor,
    estimate: Estimate,
}

impl Estimated {
    fn new() -> Estimated {
        Estimated { assessor: Assessor::new(SLAVES), estimate: Estimate::NEW }
    }

    /// Each slave sends a sample, as `of` says. How many threads of the group can be active at once
    /// then, in 256ths.
    fn parallel<'a>(&mut self, round: u8, of: impl Fn(u8) -> (u16, Vec<Did<'a>>)) -> u32 {
        let now = u64::from(round) * PERIOD;
        for slave in 1..=SLAVES {
            let (ready, here) = of(slave);
            sample(|part| self.assessor.take(slave, now, part), round, ready, &here);
        }
        let summary = self.assessor.summary();
        let view = View { now, summary, costs: &Costs::DEFAULT, round: round.into(), pending: &[] };
        self.estimate.renew(&view);
        assert_eq!(self.estimate.groups, 1);
        self.estimate.parallel[0]
    }
}

#[test]
fn what_can_be_active_at_once_is_seen_where_threads_are_apart() {
    let partners: [&[(u8, u32)]; 3] = [&[(3, 500)], &[(2, 500), (4, 500)], &[(3, 500)]];
    let all: [Did<'_>; 3] = [0, 1, 2].map(|at| (number(1 + at), 9_000, partners[at]));
    let mut estimated = Estimated::new();
    let mut parallel = |round: u8, ready: [u16; 2], places: [u8; 3]| {
        estimated.parallel(round, |slave| {
            let here = (0..3).filter(|&at| places[at] == slave).map(|at| all[at]).collect();
            (ready.get(usize::from(slave) - 1).copied().unwrap_or(0), here)
        })
    };
    // On one slave three are ready, since only one can run.
    assert!(parallel(1, [3 * 256, 0], [1, 1, 1]) > 2 * 256);
    for round in 2..10 {
        parallel(round, [3 * 256, 0], [1, 1, 1]);
    }
    // On two slaves it shows that only a little more than one can be active.
    let apart = (10..14).map(|round| parallel(round, [200, 130], [1, 2, 1])).last().unwrap();
    assert!((256..400).contains(&apart), "{apart}");
    // That counts where they have come together again,
    assert!(parallel(14, [3 * 256, 0], [1, 1, 1]) <= apart + 40);
    // until it is as old as they were then.
    let later: Vec<u32> = (15..30).map(|round| parallel(round, [3 * 256, 0], [1, 1, 1])).collect();
    assert!(later[0] < 2 * 256 && *later.last().unwrap() > 2 * 256, "{later:?}");
}

/// The partners of threads 2 to 6, each of which exchanges so many messages with its neighbours.
fn chain(messages: u32) -> [Vec<(u8, u32)>; 5] {
    [2, 3, 4, 5, 6]
        .map(|id: u8| [id - 1, id + 1].into_iter().filter(|id| (2..=6).contains(id)).map(|id| (id, messages)).collect())
}

/// Five threads in a chain, two of them on one slave: the others wait for those, and so fewer are ready
/// at once than could be active.
#[test]
fn a_full_slave_does_not_show_how_many_could_be_active() {
    let partners = chain(9);
    let mut estimated = Estimated::new();
    let mut parallel = |round: u8, share: u16| {
        estimated.parallel(round, |slave| {
            let here = (0..5usize).filter(|&at| at.max(1) == usize::from(slave));
            let here: Vec<Did<'_>> = here.map(|at| (number(1 + at), share, &partners[at][..])).collect();
            let ready = here.iter().map(|did| (did.1 >> 8) * if slave == 1 { 3 } else { 2 } / 2).sum();
            (ready, here)
        })
    };
    let full = (1..5).map(|round| parallel(round, WHOLE / 2)).last().unwrap();
    assert!(full > 9 * 256 / 2, "{full}: all five do the same");
    // Where no slave is full it is as it seems.
    let idle = (5..12).map(|round| parallel(round, WHOLE / 4)).last().unwrap();
    assert!(idle < 3 * 256, "{idle}");
}

/// Five threads in a chain, each on its own slave, none of which is full. Where two of five are active
/// at once it is a loss to bring two to one slave, though that would not be full either; where one
/// after the other is, it saves the time of their messages.
#[test]
fn threads_that_are_active_at_once_are_in_each_others_way() {
    let partners = chain(40);
    let change = |share: u16| {
        let mut estimated = Estimated::new();
        for round in 1..9 {
            estimated.parallel(round, |slave| {
                let at = usize::from(slave) - 1;
                (share >> 8, vec![(number(1 + at), share, &partners[at][..])])
            });
        }
        let scene = Scene { estimate: &estimated.estimate, costs: &Costs::DEFAULT };
        let mut plan = Box::new(Plan::NEW);
        plan.renew(&scene);
        let group = plan.present(1);
        plan.shift(&scene, 1, 1);
        plan.value(&scene, &group) - plan.settled(&group)
    };
    let (two, one) = (change(WHOLE / 5 * 2), change(WHOLE / 5));
    assert!(two > 0, "two are active: {two}");
    assert!(one < 0, "one is active: {one}");
}

#[test]
fn doubt_of_a_thread_lasts_longer_each_time_and_ends() {
    let (mut memory, thread, bar) = (Memory::NEW, number(1), 2_000);
    memory.judged(thread, false, 0, bar);
    assert_eq!(memory.doubt(thread, 0), 0, "nothing is known of threads that have not moved");
    memory.left(thread, 1, 0, bar);
    let mut now = 0;
    for (times, lasts) in [(1, 2_000), (2, 8_000), (3, 32_000), (4, 128_000)] {
        memory.judged(thread, false, now, bar);
        assert_eq!(memory.doubt(thread, now + lasts - 1), times);
        assert_eq!(memory.doubt(thread, now + lasts), 0, "it is given another chance");
        now += lasts;
    }
    memory.judged(thread, false, now, bar);
    assert_eq!(memory.doubt(thread, now - 1), 4, "it grows no more");
    memory.judged(thread, true, now, bar);
    assert_eq!(memory.doubt(thread, now), 0, "what has come as promised is trusted");
}

/// Two threads that have been dealt to two slaves exchange so many messages a sample. In which samples
/// they are to be brought together, which nobody does.
fn asked_in_vain(messages: u32) -> Vec<u8> {
    let mut played = Played::new(Costs::DEFAULT);
    let new: Vec<Did<'_>> = (1..11).map(|thread| (number(thread), WHOLE / 10, &[][..])).collect();
    let mut dealt: [Option<ThreadNumber>; 2] = [None; 2];
    for sent in played.round([(10 * 256, &new), (0, &[]), (0, &[]), (0, &[]), (0, &[])]) {
        let here = usize::from(sent.request.to).checked_sub(4).filter(|&here| dealt[here].is_none());
        let answer =
            here.map_or(Answer::Refused, |here| Answer::Moved(*dealt[here].insert(thread_of(&sent, 20 + here))));
        played.balancer.answer(PERIOD + 300, sent.number, answer);
    }
    let dealt = dealt.map(|thread| thread.expect("idle slaves get some"));
    let partners = [1, 0].map(|other: usize| [(dealt[other].id() as u8, messages)]);
    let did = [0, 1].map(|at| [(dealt[at], WHOLE / 4, &partners[at][..])]);
    let mut asked = Vec::new();
    for round in 0..100 {
        for sent in played.round([(0, &[]), (0, &[]), (0, &[]), (64, &did[0]), (64, &did[1])]) {
            asked.push(round);
            played.balancer.answer(u64::from(played.round) * PERIOD + 300, sent.number, Answer::Refused);
        }
    }
    asked
}

#[test]
fn what_has_not_helped_is_tried_less_and_less() {
    // If what was promised only counted for all threads, it would be every other sample.
    let asked = asked_in_vain(400);
    assert!((2..10).contains(&asked.len()), "{asked:?}");
}
