//! A time that no placement is below, also if threads move whenever they like and at no cost: what a
//! balancer could achieve at best that knows all that comes.
//!
//! # What is bounded
//!
//! A program is a sequence of [`Meeting`]s: two threads, each of which has done some work since its
//! last one, exchange a message, and go on: whoever comes first asks and waits, which takes the kernel
//! `asking` cycles, and when both are there it takes `cost` cycles more. [`bound`] is a lower
//! bound of the time of *every* execution of the same meetings, in which a thread does its work
//! between two meetings on any processors, one at a time, with any interruptions.
//!
//! # Why it is one
//!
//! Let `P` be the number of processors. For each piece of work and each message `j` there is a time
//! `start(j)` before which it can't begin, by induction over the meetings in their order:
//!
//! 1. *Path.* A meeting can't be before either thread has done its work since its last meeting, and
//!    that work can't begin before that meeting is over. A meeting is synchronous: its threads go on
//!    no sooner than it is over. So it is no earlier than the later of `start + work` of both.
//! 2. *Area.* Let `A` be everything that has to be over before this meeting: all pieces of both
//!    threads, of those whom they met, of those whom these had met until then, and so on. Take any
//!    time `a`. The pieces `j` of `A` with `start(j) >= a` are all done after `a` and before the
//!    meeting, and of a piece with `start(j) < a` all but at most `a - start(j)` cycles, since a thread
//!    does one cycle at a time. No more than `P` cycles are done in a cycle. So the meeting is no
//!    earlier than `a` plus the sum of these cycles divided by `P`. This holds for every `a`; some are
//!    tried (`area`), and the greatest result is taken: trying fewer only makes it less.
//!
//! The asking is a piece that is over before its meeting and can't begin before one of both threads
//! has done its work; who comes first is not known, so no path has it.
//!
//! The end is like a meeting of all threads. Both steps hold for pieces whose `start` came from
//! either, so bounds add up along a run: threads that advance in step, each time as slowly as the one
//! that has most to do, are not bounded as if all their work could be shared out evenly over the
//! whole run.
//!
//! # What is left out, all of which takes time
//!
//! Moves, and the pages that follow; flights, and that a message between processors takes both of
//! them; dispatching; interrupts; messages whose receiver is not known; that a parent waits for its
//! children. Asking takes what the shortest request took within a processor, and a message what the
//! shortest of its channel took there, which is less than any takes between two.
//!
//! # What is taken for granted
//!
//! That each thread does the same work and has the same meetings in the same order as in the run that
//! was traced. Where a thread takes whichever message is there (ALT) another order may be possible.
//! Work is what was seen of it, less what a switch and the events around it may have taken.

use serde::{Deserialize, Serialize};

/// The spans of time before a meeting, in cycles, that `area` tries: this, twice this, and so on.
const SHORTEST: f64 = 50_000.0;
const SPANS: u32 = 18;

/// Two threads exchange a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Their places, from 0.
    pub ends: (usize, usize),
    /// Cycles that each has worked since its last meeting.
    pub works: (f64, f64),
    /// Cycles that the message takes at least.
    pub cost: f64,
}

/// What threads do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// In an order in which they can be.
    pub meetings: Vec<Meeting>,
    /// Cycles that whoever comes first to a meeting takes at least to ask.
    pub asking: f64,
    /// What each thread does behind its last one.
    pub rest: Vec<f64>,
    /// Messages that are left out, since no trace tells their receiver.
    pub untold: u64,
}

/// The bound, and what it would be by less: in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    pub cycles: f64,
    /// The longest chain of work and messages: what no number of processors is below.
    pub path: f64,
    /// All work and messages, shared out evenly.
    pub even: f64,
}

/// Pieces of a thread, in order: the times before which each can't begin, and the sums of all before.
#[derive(Clone, Debug)]
struct Done {
    starts: Vec<f64>,
    sums: Vec<f64>,
}

impl Done {
    fn push(&mut self, start: f64, work: f64) {
        if work > 0.0 {
            self.starts.push(start);
            self.sums.push(self.sums[self.sums.len() - 1] + work);
        }
    }

    /// Cycles of the first `count` pieces that have to be done after `a`.
    fn after(&self, count: usize, a: f64) -> f64 {
        let first = self.starts[..count].partition_point(|start| *start < a);
        let whole = self.sums[count] - self.sums[first];
        let begun = first.checked_sub(1).map_or(0.0, |last| {
            let work = self.sums[first] - self.sums[last];
            (work - (a - self.starts[last])).max(0.0)
        });
        whole + begun
    }

    /// The beginnings of some pieces, from the last of `count` on back, ever farther apart: there
    /// may be beginnings of steps among them.
    fn beginnings(&self, count: usize) -> impl Iterator<Item = f64> + '_ {
        let farther = |&(one, other): &(usize, usize)| Some((other, one + other));
        let places = std::iter::successors(Some((1, 2)), farther).map_while(move |(back, _)| count.checked_sub(back));
        places.map(|place| self.starts[place])
    }
}

/// The time before which the first `counts` pieces of all threads can't be over, if they can't be
/// before `until`. `one` is a thread whose beginnings are tried.
fn area(all: &[Done], counts: &[usize], (one, until): (usize, f64), processors: usize) -> f64 {
    let at = |a: f64| {
        let work: f64 = all.iter().zip(counts).map(|(done, &count)| done.after(count, a)).sum();
        a + work / processors as f64
    };
    let spans = (0..SPANS).map(|power| until - SHORTEST * f64::from(1 << power)).take_while(|a| *a > 0.0);
    spans.chain(all[one].beginnings(counts[one])).chain([0.0]).map(at).fold(until, f64::max)
}

/// The least time that the program can take on so many processors.
pub fn bound(program: &Program, processors: usize) -> Bound {
    let threads = program.rest.len();
    let mut all = vec![Done { starts: Vec::new(), sums: vec![0.0] }; threads];
    // How many pieces of each thread have to be over before each thread goes on.
    let mut before = vec![vec![0; threads]; threads];
    let mut paths = vec![0.0f64; threads];
    let mut times = vec![0.0f64; threads];
    for Meeting { ends: (one, other), works, cost } in &program.meetings {
        let (one, other) = (*one, *other);
        for (thread, work) in [(one, works.0), (other, works.1)] {
            all[thread].push(times[thread], work);
            before[thread][thread] = all[thread].starts.len();
        }
        // Whoever comes first asks.
        let (arrived, its) = (times[one] + works.0, times[other] + works.1);
        let (first, at) = if arrived <= its { (one, arrived) } else { (other, its) };
        all[first].push(at, program.asking);
        before[first][first] = all[first].starts.len();
        let both: Vec<usize> = before[one].iter().zip(&before[other]).map(|(one, other)| *one.max(other)).collect();
        let met = area(&all, &both, (one, arrived.max(its)), processors);
        all[one].push(met, *cost);
        before[one] = both;
        before[one][one] = all[one].starts.len();
        before[other] = before[one].clone();
        let path = (paths[one] + works.0).max(paths[other] + works.1) + cost;
        (paths[one], paths[other]) = (path, path);
        (times[one], times[other]) = (met + cost, met + cost);
    }
    let mut last = (0, 0.0f64);
    for (thread, rest) in program.rest.iter().enumerate() {
        all[thread].push(times[thread], *rest);
        if times[thread] + rest > last.1 {
            last = (thread, times[thread] + rest);
        }
    }
    if threads == 0 {
        return Bound { cycles: 0.0, path: 0.0, even: 0.0 };
    }
    let counts: Vec<usize> = all.iter().map(|done| done.starts.len()).collect();
    let whole: f64 = all.iter().map(|done| done.sums[done.sums.len() - 1]).sum();
    let path = paths.iter().zip(&program.rest).map(|(path, rest)| path + rest).fold(0.0, f64::max);
    Bound { cycles: area(&all, &counts, last, processors), path, even: whole / processors as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What of a program can go on: of each thread its next meeting, and what it has yet to do before.
    struct Running<'a> {
        program: &'a Program,
        /// Meetings of each thread, by their places in the program.
        own: Vec<Vec<usize>>,
        next: Vec<usize>,
        left: Vec<f64>,
        /// What is left of each message, once both of its threads have come.
        messages: Vec<f64>,
        /// What is left of asking: of each meeting, once one of its threads has come.
        asking: Vec<f64>,
    }

    impl Running<'_> {
        fn new(program: &Program) -> Running<'_> {
            let of = |thread: usize| {
                let own = program.meetings.iter().enumerate();
                own.filter(|(_, one)| one.ends.0 == thread || one.ends.1 == thread).map(|(place, _)| place).collect()
            };
            let threads = program.rest.len();
            let mut running = Running {
                program,
                own: (0..threads).map(of).collect(),
                next: vec![0; threads],
                left: vec![0.0; threads],
                messages: program.meetings.iter().map(|meeting| meeting.cost).collect(),
                asking: vec![program.asking; program.meetings.len()],
            };
            (0..threads).for_each(|thread| running.left[thread] = running.work(thread));
            running
        }

        /// What a thread has to do before its next meeting, or behind the last one.
        fn work(&self, thread: usize) -> f64 {
            let Some(&place) = self.own[thread].get(self.next[thread]) else { return self.program.rest[thread] };
            let Meeting { ends, works, .. } = self.program.meetings[place];
            if ends.0 == thread {
                works.0
            } else {
                works.1
            }
        }

        /// Ends the meetings whose messages are through, as long as there are any.
        fn settle(&mut self) {
            while let Some(place) =
                (0..self.messages.len()).find(|&place| self.waits(place) && self.messages[place] <= 0.0)
            {
                let (one, other) = self.program.meetings[place].ends;
                for thread in [one, other] {
                    self.next[thread] += 1;
                    self.left[thread] = self.work(thread);
                }
            }
        }

        /// How many threads of a meeting have come to it.
        fn come(&self, place: usize) -> usize {
            let (one, other) = self.program.meetings[place].ends;
            let is_there =
                |thread: usize| self.left[thread] <= 0.0 && self.own[thread].get(self.next[thread]) == Some(&place);
            usize::from(is_there(one)) + usize::from(is_there(other))
        }

        /// Whether both threads of a meeting have come to it, and one has asked.
        fn waits(&self, place: usize) -> bool {
            self.come(place) == 2 && self.asking[place] <= 0.0
        }

        /// Threads that can work, behind them messages that can be sent, and behind these requests.
        fn ready(&self) -> Vec<usize> {
            let threads = (0..self.left.len()).filter(|&thread| self.left[thread] > 0.0);
            let messages = (0..self.messages.len()).filter(|&place| self.waits(place));
            let (count, all) = (self.left.len(), self.messages.len());
            let asking = (0..all).filter(|&place| self.asking[place] > 0.0 && self.come(place) > 0);
            threads.chain(messages.map(|place| place + count)).chain(asking.map(|place| place + count + all)).collect()
        }
    }

    /// The time of an execution in which, a cycle at a time, as many as there are processors go on of
    /// those that can, by lot.
    fn executed(program: &Program, processors: usize, seed: u64) -> f64 {
        let mut running = Running::new(program);
        let mut random = testbed_trace::synthetic::Random::new(seed);
        let mut time = 0.0;
        loop {
            running.settle();
            let mut ready = running.ready();
            if ready.is_empty() {
                return time;
            }
            for _ in 0..processors.min(ready.len()) {
                let chosen = ready.swap_remove(random.below(ready.len() as u32) as usize);
                match chosen.checked_sub(running.left.len()) {
                    Some(place) if place >= running.messages.len() => {
                        let meeting = place - running.messages.len();
                        running.asking[meeting] -= 1.0;
                    }
                    Some(place) => running.messages[place] -= 1.0,
                    None => running.left[chosen] -= 1.0,
                }
            }
            time += 1.0;
        }
    }

    fn programs() -> impl Strategy<Value = Program> {
        (2usize..7).prop_flat_map(|threads| {
            let work = || (0..9u32).prop_map(f64::from);
            let meeting = (0..threads, 0..threads, work(), work(), (0..3u32).prop_map(f64::from));
            let meeting = meeting.prop_map(|(one, other, work, its, cost)| {
                (one != other).then_some(Meeting { ends: (one, other), works: (work, its), cost })
            });
            let meetings = prop::collection::vec(meeting, 0..14).prop_map(|all| all.into_iter().flatten().collect());
            (meetings, prop::collection::vec(work(), threads), (0..3u32).prop_map(f64::from))
                .prop_map(|(meetings, rest, asking)| Program { meetings, asking, rest, untold: 0 })
        })
    }

    /// The same program with all times so many times as long, so that the spans that are tried matter.
    fn longer(program: &Program, times: f64) -> Program {
        let meeting = |one: &Meeting| Meeting {
            works: (one.works.0 * times, one.works.1 * times),
            cost: one.cost * times,
            ..*one
        };
        Program {
            meetings: program.meetings.iter().map(meeting).collect(),
            asking: program.asking * times,
            rest: program.rest.iter().map(|rest| rest * times).collect(),
            untold: 0,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn no_execution_is_below_the_bound(program in programs(), processors in 1usize..5, seed: u64) {
            // A cycle of the execution is as long as the shortest span that is tried.
            let found = bound(&longer(&program, SHORTEST), processors).cycles / SHORTEST;
            for seed in [seed, seed.wrapping_add(1), seed.wrapping_add(2)] {
                let took = executed(&program, processors, seed);
                prop_assert!(found <= took + 1e-6, "{found} and it took {took}");
            }
        }

        #[test]
        fn it_is_at_least_what_is_plain(program in programs(), processors in 1usize..5) {
            let Bound { cycles, path, even } = bound(&program, processors);
            prop_assert!(cycles + 1e-6 >= path && cycles + 1e-6 >= even);
            let alone = bound(&program, 1);
            prop_assert!((alone.cycles - alone.even).abs() < 1e-6, "one processor does it all: {alone:?}");
        }
    }

    /// In each of two steps one thread of ten works ten times as long as the others, by turns; behind
    /// each step all meet.
    #[test]
    fn steps_that_wait_for_the_slowest_add_up() {
        const UNIT: f64 = 1e6;
        let mut program = Program { rest: vec![0.0; 10], ..Program::default() };
        for step in 0..20 {
            let work = |thread: usize| if thread == step % 10 { 10.0 * UNIT } else { UNIT };
            // All tell the first one, and it tells them.
            for thread in 1..10 {
                let works = (if thread == 1 { work(0) } else { 0.0 }, work(thread));
                program.meetings.push(Meeting { ends: (0, thread), works, cost: 0.0 });
            }
            program.meetings.extend((1..10).map(|thread| Meeting { ends: (0, thread), works: (0.0, 0.0), cost: 0.0 }));
        }
        let Bound { cycles, path, even } = bound(&program, 5);
        assert_eq!((path, even), (200.0 * UNIT, 20.0 * 19.0 / 5.0 * UNIT));
        assert_eq!(cycles, path);
        // Where one does half and the others the rest, the area counts in every step too.
        let half = |thread: usize| if thread == 0 { 3.0 * UNIT } else { 2.0 * UNIT };
        let mut program = Program { rest: vec![0.0; 10], ..Program::default() };
        for _ in 0..4 {
            for thread in 1..10 {
                let works = (if thread == 1 { half(0) } else { 0.0 }, half(thread));
                program.meetings.push(Meeting { ends: (0, thread), works, cost: 0.0 });
            }
            program.meetings.extend((1..10).map(|thread| Meeting { ends: (0, thread), works: (0.0, 0.0), cost: 0.0 }));
            // Then the first one alone.
            program.meetings.push(Meeting { ends: (0, 1), works: (2.0 * UNIT, 0.0), cost: 0.0 });
            program.meetings.extend((2..10).map(|thread| Meeting { ends: (0, thread), works: (0.0, 0.0), cost: 0.0 }));
        }
        let Bound { cycles, path, even } = bound(&program, 5);
        assert_eq!((path, even), (4.0 * 5.0 * UNIT, 4.0 * 23.0 / 5.0 * UNIT));
        assert!((cycles - 4.0 * (21.0 / 5.0 + 2.0) * UNIT).abs() < 1.0, "{cycles}");
    }
}
