//! `gain`: moves threads if the time that this is predicted to save exceeds what it costs.
//!
//! It knows from the samples what each thread computes and with whom it communicates
//! ([`estimate`]), predicts how long the same progress would take with threads elsewhere ([`plan`]),
//! and looks for moves of single threads, of threads with a partner, and of whole groups.
//!
//! Its rules, and where they come from:
//! * A move has to repay what it costs, twice: Amir, Awerbuch, Barak, Borgstrom and Keren, "An
//!   opportunity cost approach for job assignment in a scalable computing cluster", IEEE
//!   Transactions on Parallel and Distributed Systems 11 (2000).
//! * The time in which it can do so is as long as the thread has run already: Harchol-Balter and
//!   Downey, "Exploiting process lifetime distributions for dynamic load balancing", ACM
//!   Transactions on Computer Systems 15 (1997).
//! * A thread that has moved stays for a while, as Linux' scheduler does it for its caches, and does
//!   not return to where it was for long, each time four times as long ([`memory`]).
//! * If what was predicted does not come, more has to be predicted the next time.

pub mod estimate;
pub mod memory;
pub mod plan;

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;

use self::estimate::{Estimate, NODES};
use self::memory::Memory;
use self::plan::{log2, Plan, BIT};
use crate::policy::{Ask, Pace, Policy, View, PENDING};
use crate::request::{Answer, Reason, Request};

/// The parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// A move has to repay so many times what it costs.
    pub factor: u32,
    /// Thousandths of a thread's speed that a move has to gain, whatever it costs.
    pub least: u32,
    /// Milliseconds over which a move may repay itself, at most.
    pub horizon: u32,
    /// Milliseconds after which a thread may return for the first time to where it was.
    pub bar: u32,
    /// Threads that move together, at most.
    pub together: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { factor: 2, least: 40, horizon: 10_000, bar: 2_000, together: 6 }
    }
}

/// What was predicted of a group's threads.
#[derive(Clone, Debug)]
struct Promise {
    threads: ArrayVec<ThreadNumber, NODES>,
    /// The sum of their logarithms of speed before, and what was to be gained.
    before: i64,
    gain: i64,
}

/// Threads that move together, and what that is worth.
struct Move {
    nodes: ArrayVec<u8, PENDING>,
    to: u8,
    gain: i64,
}

/// The Testbed's own policy.
#[derive(Clone, Debug, Default)]
pub struct Gain {
    settings: Settings,
    memory: Memory,
    promise: Option<Promise>,
    /// How often predictions have failed lately.
    doubt: u32,
    /// When the last answer came: samples that began before show two placements.
    settled: u64,
    /// A millisecond in cycles.
    millisecond: u32,
}

/// Doubt doubles what has to be predicted, at most so often.
const MOST_DOUBT: u32 = 4;

impl Gain {
    pub fn new(settings: Settings) -> Self {
        Gain { settings, ..Gain::default() }
    }

    /// Whether all samples tell of the placement as it is.
    fn is_settled(&self, view: &View<'_>) -> bool {
        view.pending.is_empty()
            && view
                .summary
                .processors()
                .map(|slave| view.summary.slave(slave))
                .all(|slave| slave.sampled.is_some_and(|sampled| sampled >= self.settled + u64::from(slave.period)))
    }

    /// Looks whether what was promised has come.
    fn judge(&mut self, view: &View<'_>) {
        let Some(promise) = self.promise.take() else { return };
        let now = speed(view, &promise.threads);
        let came = now - promise.before;
        if came < promise.gain / 4 {
            self.doubt = (self.doubt + 1).min(MOST_DOUBT);
        } else {
            self.doubt = self.doubt.saturating_sub(1);
        }
    }

    /// What a move has to gain to be made, in [`BIT`]s.
    fn price(&self, view: &View<'_>, estimate: &Estimate, nodes: &[u8], members: u32) -> i64 {
        let moved = nodes.len() as i64;
        let first = nodes.iter().map(|&node| estimate.nodes[usize::from(node)].first).max().unwrap_or(view.now);
        let age = view.now.saturating_sub(first).max(u64::from(estimate.period));
        let horizon = age.min(u64::from(self.settings.horizon) * u64::from(view.costs.millisecond)) as i64;
        // The threads of a group wait for the one that moves.
        let cost = moved * i64::from(view.costs.of_move()) * i64::from(members);
        let least = moved * BIT * i64::from(self.settings.least << self.doubt) / 1000;
        // A logarithm to the base 2 is 1.44 times the natural one.
        least + i64::from(self.settings.factor) * cost * BIT / horizon.max(1) * 13 / 9
    }

    /// The best move of these threads to one of the processors.
    fn best_of(
        &self,
        view: &View<'_>,
        estimate: &Estimate,
        plan: &mut Plan<'_>,
        nodes: &[u8],
        best: &mut Option<Move>,
    ) {
        let first = usize::from(nodes[0]);
        let (from, group) = (plan.place(first), estimate.nodes[first].group);
        let members = plan.members(group);
        let price = self.price(view, estimate, nodes, members);
        let now = (view.now / u64::from(view.costs.millisecond)) as u32;
        for to in destinations(view, estimate, plan, nodes) {
            let allowed = |&node: &u8| {
                let node = &estimate.nodes[usize::from(node)];
                node.movable && self.memory.allows(node.thread, to, now)
            };
            let nodes: ArrayVec<u8, PENDING> =
                nodes.iter().copied().filter(|&node| plan.place(node.into()) != to).collect();
            if nodes.is_empty() || !nodes.iter().all(allowed) {
                continue;
            }
            let sources: ArrayVec<u8, PENDING> = nodes.iter().map(|&node| plan.place(node.into())).collect();
            let mut touched = plan.touched(group, from, to);
            for &source in &sources {
                touched.join(plan.touched(group, source, to));
            }
            let before = plan.value(&touched);
            for &node in &nodes {
                plan.shift(node.into(), to);
            }
            let gain = before - plan.value(&touched) - price;
            for (&node, &source) in nodes.iter().zip(&sources) {
                plan.shift(node.into(), source);
            }
            let each = |gain: i64, count: usize| gain / count as i64;
            let better = best.as_ref().is_none_or(|best| each(gain, nodes.len()) > each(best.gain, best.nodes.len()));
            if gain > 0 && better {
                *best = Some(Move { nodes, to, gain });
            }
        }
    }

    /// The best move of all.
    fn best(
        &self,
        view: &View<'_>,
        estimate: &Estimate,
        plan: &mut Plan<'_>,
        left: usize,
        moved: &[u8],
    ) -> Option<Move> {
        let mut best = None;
        for node in 0..estimate.nodes.len() {
            if moved.contains(&(node as u8)) {
                continue;
            }
            let own = &estimate.nodes[node];
            self.best_of(view, estimate, plan, &[node as u8], &mut best);
            // With the partner with which it communicates most, if that is here too.
            let pair =
                own.pairs.iter().map(|&pair| &estimate.pairs[usize::from(pair)]).max_by_key(|pair| pair.messages);
            if let Some(pair) = pair {
                let other = pair.other(node);
                let is_here = plan.place(other) == plan.place(node) && !moved.contains(&(other as u8));
                if is_here && left >= 2 && (node < other || own.pairs.len() > 1) {
                    self.best_of(view, estimate, plan, &[node as u8, other as u8], &mut best);
                }
            }
        }
        for group in 0..estimate.groups {
            let members = || (0..estimate.nodes.len()).filter(|&node| usize::from(estimate.nodes[node].group) == group);
            let count = members().count();
            if (2..=left.min(PENDING)).contains(&count) && !members().any(|node| moved.contains(&(node as u8))) {
                let nodes: ArrayVec<u8, PENDING> = members().map(|node| node as u8).collect();
                self.best_of(view, estimate, plan, &nodes, &mut best);
            }
        }
        best
    }
}

/// Where threads may be better: where their partners are, and where there is least to do.
fn destinations(view: &View<'_>, estimate: &Estimate, plan: &Plan<'_>, nodes: &[u8]) -> ArrayVec<u8, 16> {
    let mut places: ArrayVec<u8, 16> = ArrayVec::new();
    let mut add = |place: u8| {
        if view.summary.is_slave(place) && !places.contains(&place) {
            let _ = places.try_push(place);
        }
    };
    for &node in nodes {
        add(plan.place(node.into()));
        for &pair in &estimate.nodes[usize::from(node)].pairs {
            add(plan.place(estimate.pairs[usize::from(pair)].other(node.into())));
        }
    }
    let processors = || view.summary.processors();
    processors().min_by_key(|&at| plan.busy(at)).map(&mut add);
    processors().min_by_key(|&at| plan.delay(at)).map(&mut add);
    let here = plan.place(nodes[0].into());
    processors().filter(|&at| at != here).min_by_key(|&at| plan.busy(at)).map(&mut add);
    places
}

/// The sum of the logarithms of what threads did in their last samples.
fn speed(view: &View<'_>, threads: &[ThreadNumber]) -> i64 {
    let of = |&thread: &ThreadNumber| {
        let known = view.summary.thread(thread)?;
        let period = u64::from(view.summary.slave(known.processor).period).max(1);
        let work = u64::from(known.share) << 4;
        let messages = (u64::from(known.messages()) * u64::from(view.costs.local) << 20) / period;
        Some(log2(work + messages))
    };
    threads.iter().filter_map(of).sum()
}

impl Policy for Gain {
    fn name(&self) -> &'static str {
        "gain"
    }

    fn pace(&self) -> Pace {
        Pace { pending: PENDING, at_once: PENDING, on_answers: false }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        self.millisecond = view.costs.millisecond;
        if !self.is_settled(view) {
            return;
        }
        self.judge(view);
        let estimate = Estimate::new(view);
        let mut plan = Plan::new(&estimate, view.costs);
        let mut moved: ArrayVec<u8, NODES> = ArrayVec::new();
        let mut gain = 0;
        while ask.left() > 0 {
            let Some(best) = self.best(view, &estimate, &mut plan, ask.left(), &moved) else { break };
            for &node in &best.nodes {
                if ask.thread(estimate.nodes[usize::from(node)].thread, best.to).is_ok() {
                    moved.push(node);
                }
                plan.shift(node.into(), best.to);
            }
            gain += best.gain;
        }
        if !moved.is_empty() {
            let is_moved = |group: u8| moved.iter().any(|&node| estimate.nodes[usize::from(node)].group == group);
            let threads: ArrayVec<_, NODES> =
                estimate.nodes.iter().filter(|node| is_moved(node.group)).map(|node| node.thread).collect();
            let before = speed(view, &threads);
            self.promise = Some(Promise { threads, before, gain });
        }
    }

    fn answered(&mut self, now: u64, request: &Request, answer: Answer) {
        self.settled = self.settled.max(now);
        if let (Reason::Thread(thread), Answer::Moved(_)) = (request.reason, answer) {
            let now = (now / u64::from(self.millisecond.max(1))) as u32;
            self.memory.left(thread, request.from, now, self.settings.bar);
        }
    }
}
