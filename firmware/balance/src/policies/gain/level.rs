//! Levels ready queues with threads that nothing is known of yet.
//!
//! Until a sample has told what threads do, all of them stay where they were created, and the other
//! slaves stand idle: of a program that takes two seconds where its threads start by lot, a tenth
//! goes by like that. So a slave whose queue is longer than another's gives threads away that have
//! not run yet, or have only computed: whichever it has ([`Reason::New`]). That is what placing
//! threads by lot does, with queues that are level; what is known later decides the rest. Each
//! thread moves like that once at most, since one that has come from elsewhere is not new.

use testbed_definitions::load::ONE_READY;

use super::estimate::Estimate;
use super::memory::Memory;
use crate::policy::{Ask, View};
use crate::request::{Answer, Reason, Request};
use crate::summary::ThreadLoad;
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

/// A thread that has not communicated for so many time-slices only computes.
const SURE_SLICES: u32 = 10;

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

    /// How many threads are ready on a slave, as far as its sample and the answers since tell.
    fn ready(&self, view: &View<'_>, slave: u8) -> i16 {
        i16::from(view.summary.slave(slave).ready) + self.moved[usize::from(slave) % PROCESSORS]
    }

    /// How many of those that were ready when the sample was taken are still there, at most: those
    /// that have come since are not new.
    fn still_ready(&self, view: &View<'_>, slave: u8) -> i16 {
        i16::from(view.summary.slave(slave).ready) + self.moved[usize::from(slave) % PROCESSORS].min(0)
    }

    /// How many threads a slave has, as far as samples, answers and requests under way tell. Those
    /// that wait for messages count as those that are ready do: they will be ready again.
    pub fn threads(&self, view: &View<'_>, slave: u8) -> i16 {
        let moving = || view.pending.iter().filter(|request| !request.is_standing());
        let come = moving().map(|request| i16::from(request.to == slave)).sum::<i16>();
        let gone = moving().map(|request| i16::from(request.from == slave)).sum::<i16>();
        // One that has others made for it, and did nothing lately, waits for them to end.
        let told = view.summary.slave(slave).told;
        let counts = |known: &&ThreadLoad| known.movable || Some(known.sampled) == told;
        let known = view.summary.threads_on(slave).filter(counts).count() as i16;
        self.ready(view, slave).max(self.come[usize::from(slave) % PROCESSORS]).max(known) + come - gone
    }

    /// How many threads a slave may have that are new: those that are ready beyond all that are known
    /// there, and those that are known and have neither moved nor been seen to communicate, without
    /// what it has been asked for.
    fn fresh(&self, view: &View<'_>, memory: &Memory, slave: u8) -> i16 {
        let known = || view.summary.threads_on(slave);
        let unknown = self.still_ready(view, slave) - known().count() as i16;
        let new = known().filter(|known| known.movable && known.partners.is_empty() && !memory.knows(known.thread));
        let asked = |request: &&Request| request.reason == Reason::New && request.from == slave;
        unknown.max(0) + new.count() as i16 - view.pending.iter().filter(asked).count() as i16
    }

    /// Asks slaves that have more threads than others for new ones, if that gains so much of a
    /// thread's speed, in thousandths.
    pub fn ask(&mut self, view: &View<'_>, ask: &mut Ask<'_>, memory: &Memory, least: u32) {
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
        // How many each may be asked for.
        let mut fresh = [0i16; PROCESSORS];
        for slave in slaves() {
            let at = usize::from(slave);
            if self.without[at].1 <= view.round && self.still_ready(view, slave) > 1 {
                fresh[at] = self.fresh(view, memory, slave);
            }
        }
        if fresh.iter().all(|fresh| *fresh <= 0) {
            return;
        }
        let mut threads = [0i16; PROCESSORS];
        slaves().for_each(|slave| threads[usize::from(slave)] = self.threads(view, slave));
        while ask.left() > 0 {
            let gives = slaves().filter(|&slave| fresh[usize::from(slave)] > 0);
            let most = gives.max_by_key(|&slave| threads[usize::from(slave)]);
            let fewest = slaves().min_by_key(|&slave| threads[usize::from(slave)]);
            let (Some(from), Some(to)) = (most, fewest) else { break };
            let is_even = !gains(threads[usize::from(from)], threads[usize::from(to)] + 1, least);
            if is_even || ask.request(Reason::New, from, to).is_err() {
                break;
            }
            fresh[usize::from(from)] -= 1;
            threads[usize::from(from)] -= 1;
            threads[usize::from(to)] += 1;
        }
    }

    /// Has slaves that have nothing to do given threads that only compute, by those that have more of
    /// them: what that is worth is plain, and the search would find it later. Returns whether any are
    /// asked for.
    pub fn fill(&self, view: &View<'_>, ask: &mut Ask<'_>, memory: &Memory, estimate: &Estimate, least: u32) -> bool {
        let mut has_asked = false;
        let slaves = || view.summary.processors();
        let (now, sure) = (view.milliseconds(), u64::from(SURE_SLICES * view.costs.slice));
        let mut ready = [0i16; PROCESSORS];
        for slave in slaves() {
            ready[usize::from(slave)] = self.ready(view, slave);
        }
        for to in slaves().filter(|&slave| self.is_idle(view, slave)) {
            while ask.left() > 0 {
                let Some(from) = slaves().max_by_key(|&slave| ready[usize::from(slave)]) else { break };
                if !gains(ready[usize::from(from)], ready[usize::from(to)] + 1, least) {
                    break;
                }
                let may = |known: &&ThreadLoad| {
                    let is_free = known.movable && !ask.is_asked(known.thread);
                    is_free && estimate.is_alone(known.thread, sure) && memory.barred(known.thread, now) >> to & 1 == 0
                };
                // Of the one that ran last it is most certain that it goes on.
                let last = view.summary.threads_on(from).filter(may).max_by_key(|known| known.sampled);
                if last.is_none_or(|last| ask.thread(last.thread, to).is_err()) {
                    // None there may go: it counts no more.
                    ready[usize::from(from)] = 0;
                    continue;
                }
                has_asked = true;
                ready[usize::from(from)] -= 1;
                ready[usize::from(to)] += 1;
            }
        }
        has_asked
    }

    /// Whether a slave has had nothing to do, and nothing is on its way to it.
    fn is_idle(&self, view: &View<'_>, slave: u8) -> bool {
        let load = view.summary.slave(slave);
        let nothing = load.ready == 0 && load.average < ONE_READY / 2 && self.moved[usize::from(slave)] <= 0;
        nothing && !view.pending.iter().any(|request| request.to == slave && !request.is_standing())
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
