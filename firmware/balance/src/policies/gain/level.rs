//! Levels ready queues with threads that nothing is known of yet.
//!
//! Until a sample has told what threads do, all of them stay where they were created, and the other
//! slaves stand idle: of a program that takes two seconds where its threads start by lot, a tenth
//! goes by like that. So a slave whose queue is longer than another's gives threads away that have
//! not run yet, or have only computed: whichever it has ([`Reason::New`]). That is what placing
//! threads by lot does, with queues that are level; what is known later decides the rest. Each
//! thread moves like that once at most, since one that has come from elsewhere is not new.

use crate::policy::{Ask, View};
use crate::request::{Answer, Reason, Request};
use crate::PROCESSORS;

/// What is known of where threads are.
#[derive(Clone, Debug)]
pub struct Level {
    round: u32,
    /// Threads that have come or gone since the samples of this round.
    moved: [i16; PROCESSORS],
    /// Threads that have come from elsewhere since the slave's last sample that told of threads,
    /// without those that have gone again; and when that was taken.
    come: [i16; PROCESSORS],
    told: [u64; PROCESSORS],
    /// How often a slave had no new thread, one time after the other, and the round in which it is
    /// asked again.
    without: [(u8, u32); PROCESSORS],
}

/// A slave that has no new threads is not asked for twice as many rounds each time, up to this
/// power of two.
const LONGEST: u8 = 6;

/// Whether a thread is faster by so many thousandths at least among so many threads less: it has
/// its part of a processor's time.
pub fn gains(before: i16, after: i16, least: u32) -> bool {
    before > after && i64::from(before - after) * 1000 >= i64::from(least) * i64::from(before)
}

impl Level {
    /// Of nothing.
    pub const NEW: Level = Level {
        round: 0,
        moved: [0; PROCESSORS],
        come: [0; PROCESSORS],
        told: [0; PROCESSORS],
        without: [(0, 0); PROCESSORS],
    };

    /// How many threads a slave has, as far as samples, answers and requests under way tell. Those
    /// that wait for messages count as those that are ready do: they will be ready again.
    pub fn threads(&self, view: &View<'_>, slave: u8) -> i16 {
        let at = usize::from(slave) % PROCESSORS;
        let ready = i16::from(view.summary.slave(slave).ready) + self.moved[at];
        let moving = || view.pending.iter().filter(|request| !request.is_standing());
        let come = moving().map(|request| i16::from(request.to == slave)).sum::<i16>();
        let gone = moving().map(|request| i16::from(request.from == slave)).sum::<i16>();
        let known = view.summary.threads_on(slave).count() as i16;
        ready.max(self.come[at]).max(known) + come - gone
    }

    /// Asks slaves that have more threads than others for new ones, if that gains so much of a
    /// thread's speed, in thousandths.
    pub fn ask(&mut self, view: &View<'_>, ask: &mut Ask<'_>, least: u32) {
        if self.round != view.round {
            (self.round, self.moved) = (view.round, [0; PROCESSORS]);
        }
        let slaves = || view.summary.processors();
        for slave in slaves() {
            let (at, told) = (usize::from(slave), view.summary.slave(slave).told.unwrap_or(0));
            // Of those that had come a sample has told by now, but for those that have ended.
            if core::mem::replace(&mut self.told[at], told) != told {
                self.come[at] = 0;
            }
        }
        let gives = |slave: &u8| {
            let (at, load) = (usize::from(*slave), view.summary.slave(*slave));
            self.without[at].1 <= view.round && i16::from(load.ready) + self.moved[at] > 1
        };
        if !slaves().any(|slave| gives(&slave)) {
            return;
        }
        let mut threads = [0i16; PROCESSORS];
        slaves().for_each(|slave| threads[usize::from(slave)] = self.threads(view, slave));
        while ask.left() > 0 {
            let most = slaves().filter(gives).max_by_key(|&slave| threads[usize::from(slave)]);
            let fewest = slaves().min_by_key(|&slave| threads[usize::from(slave)]);
            let (Some(from), Some(to)) = (most, fewest) else { break };
            let is_even = !gains(threads[usize::from(from)], threads[usize::from(to)] + 1, least);
            if is_even || ask.request(Reason::New, from, to).is_err() {
                break;
            }
            threads[usize::from(from)] -= 1;
            threads[usize::from(to)] += 1;
        }
    }

    /// A request has been answered.
    pub fn answered(&mut self, request: &Request, answer: Answer) {
        let from = usize::from(request.from) % PROCESSORS;
        let (times, until) = &mut self.without[from];
        match answer {
            Answer::Moved(_) => {
                let to = usize::from(request.to) % PROCESSORS;
                self.moved[from] -= 1;
                self.moved[to] += 1;
                self.come[from] = (self.come[from] - 1).max(0);
                self.come[to] += 1;
                *times = if request.reason == Reason::New { 0 } else { *times };
            }
            // Those that were on their way with it are refused too, which counts once.
            _ if request.reason == Reason::New && *until <= self.round => {
                *until = self.round + (1 << *times);
                *times = (*times + 1).min(LONGEST);
            }
            _ => {}
        }
    }
}
