//! The search for moves: the best one for its number of threads, then the next best, with the first
//! one made.

use arrayvec::ArrayVec;

use super::estimate::NODES;
use super::memory::Memory;
use super::plan::{Groups, Plan, Scene, BIT};
use super::settings::Settings;
use crate::policy::{View, PENDING};

/// Threads and where they go, and what that is worth beyond its price.
pub struct Found {
    pub shifts: Shifts,
    pub gain: i64,
}

/// Sets of threads that are tried again after a move.
const LISTED: usize = 32;
/// Valuing a group takes this part of what it takes to put a thread elsewhere and back.
const SHIFT: u32 = 2;
/// A thread that is known for fewer time-slices, or from fewer samples, is not moved: they show who
/// runs just now, and not what it needs.
const RIPE_SLICES: u32 = 10;
const RIPE_SAMPLES: u8 = 2;
/// Threads of the busiest processor that are tried in exchanges.
const EXCHANGED: usize = 4;

/// A thread counts as so many time-slices old at least.
const LEAST_SLICES: u32 = 10;

/// What is known of a thread is by chance wrong by so many cycles of its age.
const UNSURE_CYCLES: i64 = 400_000;

type Shifts = ArrayVec<(u8, u8), PENDING>;

/// By what moves are judged.
pub struct Rules<'a> {
    pub memory: &'a Memory,
    pub settings: Settings,
    /// How often predictions have failed lately.
    pub doubt: u8,
}

/// Looks for moves that are worth their price.
pub struct Search<'a> {
    view: &'a View<'a>,
    scene: Scene<'a>,
    plan: &'a mut Plan,
    rules: &'a Rules<'a>,
    /// Where each thread may not move: a bit for each processor.
    barred: [u16; NODES],
    /// What its move has to gain, as far as that has been asked for.
    prices: [Option<i64>; NODES],
    /// Groups that may still be valued.
    budget: u32,
    /// The thread that is tried first where all are, and the one at which the budget was used up.
    first: usize,
    best: Option<Found>,
    /// Sets of threads that were worth moving when all were tried last, and how much for each
    /// thread.
    shortlist: Shortlist,
    /// The same of the set that is being tried.
    worth: i64,
}

type Set = ArrayVec<u8, PENDING>;
type Shortlist = ArrayVec<(i64, Set), LISTED>;

impl<'a> Search<'a> {
    pub fn new(
        view: &'a View<'a>,
        scene: Scene<'a>,
        plan: &'a mut Plan,
        rules: &'a Rules<'a>,
        (first, budget): (usize, u32),
        is_lasting: bool,
    ) -> Self {
        let now = view.milliseconds();
        let ripe = u64::from(RIPE_SLICES * view.costs.slice);
        // Which groups may move: of those that may be anywhere only what lasts matters.
        let mut movable = [true; NODES];
        for (group, movable) in movable.iter_mut().enumerate().take(scene.estimate.groups) {
            *movable = is_lasting || plan.members(group as u8) == 1 || !scene.is_loose(group);
        }
        let mut barred = [0; NODES];
        for (barred, node) in barred.iter_mut().zip(&scene.estimate.nodes) {
            let may = movable[usize::from(node.group)] && node.movable && node.is_known(ripe, RIPE_SAMPLES);
            *barred = if may { rules.memory.barred(node.thread, now) } else { u16::MAX };
        }
        Search {
            view,
            scene,
            plan,
            rules,
            barred,
            prices: [None; NODES],
            budget,
            first: first % scene.estimate.nodes.len().max(1),
            best: None,
            shortlist: Shortlist::new(),
            worth: 0,
        }
    }

    /// The best move of at most `left` threads; `None` if none is worth its price.
    ///
    /// What was worth most when all was tried is tried again first. If it is still worth more than
    /// the next was, that is not looked at (Minoux, "Accelerated greedy algorithms for maximizing
    /// submodular set functions", 1978): a move seldom makes others worth more but those of
    /// partners.
    pub fn best(&mut self, left: usize) -> Option<Found> {
        let left = left.min(PENDING);
        let mut again = core::mem::take(&mut self.shortlist);
        while let Some(at) = (0..again.len()).max_by_key(|&at| again[at].0) {
            let (was, set) = again.swap_remove(at);
            let each = self.best.as_ref().map(|best| best.gain / best.shifts.len() as i64);
            if each.is_some_and(|each| each >= was) {
                self.list((was, set));
            } else if set.len() <= left {
                self.together(&set);
            }
        }
        if self.best.is_none() {
            self.all(left);
        }
        self.best.take()
    }

    /// Tries everything, as far as the budget goes.
    fn all(&mut self, left: usize) {
        let estimate = self.scene.estimate;
        let count = estimate.nodes.len();
        for node in (self.first..count).chain(0..self.first).take_while(|_| left > 0) {
            if self.budget == 0 {
                self.first = node;
                return;
            }
            self.alone_or_with_partner(node, left);
        }
        for group in 0..estimate.groups {
            if self.budget > 0 && (2..=left as u32).contains(&self.plan.members(group as u8)) {
                let nodes: Set = estimate.members(group).map(|node| node as u8).collect();
                self.together(&nodes);
            }
        }
        if self.budget > 0 && left >= 2 && self.best.is_none() {
            self.exchanges();
        }
    }

    /// The thread with which the next search begins.
    pub fn next(&self) -> usize {
        self.first
    }

    /// Makes a move in the plan, so that others are looked for beside it.
    pub fn make(&mut self, found: &Found) {
        for &(node, to) in &found.shifts {
            self.plan.shift(&self.scene, node.into(), to);
            self.barred[usize::from(node)] = u16::MAX;
        }
        self.plan.settle(&self.scene);
        // Their partners may be worth more now: they are tried again before all others.
        let estimate = self.scene.estimate;
        for &(node, _) in &found.shifts {
            for pair in estimate.pairs_of(node.into()) {
                let set = [pair.other(node.into()) as u8].into_iter().collect();
                if !self.shortlist.iter().any(|listed| listed.0 == i64::MAX && listed.1 == set) {
                    self.list((i64::MAX, set));
                }
            }
        }
    }

    fn alone_or_with_partner(&mut self, node: usize, left: usize) {
        let estimate = self.scene.estimate;
        self.together(&[node as u8]);
        let most = estimate.pairs_of(node).max_by_key(|pair| pair.messages);
        let Some(other) = most.map(|pair| pair.other(node)) else { return };
        let is_here = self.plan.place(other) == self.plan.place(node);
        // Two that have only each other would be tried twice.
        if is_here && left >= 2 && (node < other || estimate.nodes[node].pairs.len() > 1) {
            self.together(&[node as u8, other as u8]);
        }
    }

    /// Tries to bring these threads together to each place where they may be better.
    fn together(&mut self, nodes: &[u8]) {
        self.worth = 0;
        let from = self.plan.place(nodes[0].into());
        for (to, has_partners) in self.destinations(nodes) {
            if !has_partners && !self.plan.may_help(&self.scene, nodes, from, to) {
                continue;
            }
            let elsewhere = nodes.iter().filter(|&&node| self.plan.place(node.into()) != to);
            let shifts: Shifts = elsewhere.map(|&node| (node, to)).collect();
            self.consider(shifts);
        }
        if self.worth > 0 {
            self.list((self.worth, nodes.iter().copied().collect()));
        }
    }

    /// Lists a set, if it is worth more than the least of those that are listed.
    fn list(&mut self, entry: (i64, Set)) {
        if let Err(full) = self.shortlist.try_push(entry) {
            let entry = full.element();
            let least = self.shortlist.iter_mut().min_by_key(|listed| listed.0);
            if let Some(least) = least.filter(|least| least.0 < entry.0) {
                *least = entry;
            }
        }
    }

    /// Tries to exchange the heaviest threads of the processor that is busiest with the lightest of
    /// each other.
    fn exchanges(&mut self) {
        let estimate = self.scene.estimate;
        let busiest = self.view.summary.processors().max_by_key(|&at| self.plan.busy(at));
        let Some(busiest) = busiest else { return };
        let mut heaviest: ArrayVec<usize, EXCHANGED> = ArrayVec::new();
        for _ in 0..EXCHANGED {
            let there = (0..estimate.nodes.len()).filter(|node| self.plan.place(*node) == busiest);
            let next = there.filter(|node| !heaviest.contains(node)).max_by_key(|&node| estimate.nodes[node].work);
            heaviest.extend(next);
        }
        for other in self.view.summary.processors().filter(|&other| other != busiest) {
            let there = (0..estimate.nodes.len()).filter(|&node| self.plan.place(node) == other);
            let Some(light) = there.min_by_key(|&node| estimate.nodes[node].work) else { continue };
            for &heavy in &heaviest {
                if estimate.nodes[heavy].work > estimate.nodes[light].work {
                    self.consider([(heavy as u8, other), (light as u8, busiest)].into_iter().collect());
                }
            }
        }
    }

    /// Where threads may be better: where their partners are, which is told of each place, and
    /// where there is least to do of all places to which all of them may go.
    fn destinations(&self, nodes: &[u8]) -> ArrayVec<(u8, bool), PENDING> {
        let (estimate, plan) = (self.scene.estimate, &*self.plan);
        let mut places: ArrayVec<(u8, bool), PENDING> = ArrayVec::new();
        let mut add = |place: u8, has_partners: bool| {
            if self.view.summary.is_slave(place) && !places.iter().any(|known| known.0 == place) {
                let _ = places.try_push((place, has_partners));
            }
        };
        for &node in nodes {
            add(plan.place(node.into()), true);
            for pair in estimate.pairs_of(node.into()) {
                add(plan.place(pair.other(node.into())), true);
            }
        }
        let here = plan.place(nodes[0].into());
        let may_go = |at: u8| nodes.iter().all(|&node| plan.place(node.into()) == at || self.may(node, at));
        let processors = || self.view.summary.processors().filter(|&at| at != here && may_go(at));
        let (idlest, quickest) =
            (processors().min_by_key(|&at| plan.busy(at)), processors().min_by_key(|&at| plan.delay(at)));
        idlest.into_iter().chain(quickest).for_each(|place| add(place, false));
        places
    }

    /// Whether a thread may move there.
    fn may(&self, node: u8, to: u8) -> bool {
        self.barred[usize::from(node)] >> (to % u16::BITS as u8) & 1 == 0
    }

    /// Values a move, and keeps it if it is the best so far.
    fn consider(&mut self, shifts: Shifts) {
        if shifts.is_empty() || !shifts.iter().all(|&(node, to)| self.may(node, to)) {
            return;
        }
        let back: Shifts = shifts.iter().map(|&(node, _)| (node, self.plan.place(node.into()))).collect();
        let mut touched = Groups::NONE;
        for &(_, place) in shifts.iter().chain(&back) {
            touched.extend(self.plan.present(place));
        }
        self.budget = self.budget.saturating_sub(touched.count() + shifts.len() as u32 * SHIFT);
        let before = self.plan.settled(&touched);
        for &(node, to) in &shifts {
            self.plan.shift(&self.scene, node.into(), to);
        }
        let after = self.plan.value(&self.scene, &touched);
        for &(node, from) in &back {
            self.plan.shift(&self.scene, node.into(), from);
        }
        let price: i64 = shifts.iter().map(|&(node, _)| self.price(node)).sum();
        let gain = before - after - price;
        let each = |gain: i64, shifts: &Shifts| gain / shifts.len() as i64;
        self.worth = self.worth.max(each(gain, &shifts));
        let is_better = |best: &Found| each(gain, &shifts) > each(best.gain, &best.shifts);
        if gain > 0 && self.best.as_ref().is_none_or(is_better) {
            self.best = Some(Found { shifts, gain });
        }
    }

    fn price(&mut self, node: u8) -> i64 {
        let known = self.prices[usize::from(node)];
        let price = known.unwrap_or_else(|| price(self.view, &self.scene, self.plan, self.rules, node));
        self.prices[usize::from(node)] = Some(price);
        price
    }
}

/// What the move of a thread has to gain to be made, in [`BIT`]s.
fn price(view: &View<'_>, scene: &Scene<'_>, plan: &Plan, rules: &Rules<'_>, node: u8) -> i64 {
    let (estimate, costs, settings) = (scene.estimate, scene.costs, rules.settings);
    let own = &estimate.nodes[usize::from(node)];
    let age = view.now.saturating_sub(own.first).max(u64::from(LEAST_SLICES * costs.slice));
    let horizon = age.min(u64::from(settings.horizon) * u64::from(costs.millisecond)) as i64;
    // The threads of a group wait for the one that moves.
    let cost = i64::from(costs.of_move()) * i64::from(plan.members(own.group));
    // A logarithm to the base 2 is 1.44 times the natural one.
    let repaid = i64::from(settings.factor) * cost * BIT / horizon.max(1) * 13 / 9;
    let members = i64::from(plan.members(own.group));
    let doubt = rules.doubt + rules.memory.doubt(own.thread, view.milliseconds());
    let least = (i64::from(settings.least) << doubt) + 1000 * UNSURE_CYCLES / age as i64;
    BIT * least * (members + 3) / 4000 + repaid
}
