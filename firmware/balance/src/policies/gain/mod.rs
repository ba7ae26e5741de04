//! `gain`: moves threads if the time that this is predicted to save exceeds what it costs.
//!
//! It knows from the samples what each thread computes and with whom it communicates
//! ([`estimate`]), predicts how long the same progress would take with threads elsewhere
//! ([`plan`]), and looks for moves of single threads, of threads with a partner, and of whole
//! groups.
//!
//! Its rules, and where they come from:
//! * A move has to repay what it costs several times. Twice is what the theory of opportunity cost
//!   asks for, if the gain is known: Amir, Awerbuch, Barak, Borgstrom and Keren, "An opportunity
//!   cost approach for job assignment in a scalable computing cluster", IEEE Transactions on
//!   Parallel and Distributed Systems 11 (2000). Here it is predicted from samples, and in part it
//!   does not come: `docs/experiments.md` has the factors that were tried.
//! * The time in which it can do so is as long as the thread has run already: Harchol-Balter and
//!   Downey, "Exploiting process lifetime distributions for dynamic load balancing", ACM
//!   Transactions on Computer Systems 15 (1997).
//! * A thread that has moved stays for a while, as Linux' scheduler does it for its caches, and
//!   does not return to where it was for long, each time four times as long ([`memory`]).
//! * New threads start on all slaves in turn ([`births`]), and are moved on only if that gains more
//!   than what chance makes of short samples.
//! * If what was predicted does not come, more has to be predicted the next time.

mod apart;
mod births;
pub mod estimate;
mod hurry;
mod lasting;
mod level;
pub mod memory;
pub mod plan;
mod search;
mod settings;
mod spread;

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;

use self::births::Births;
use self::estimate::{saturated, Estimate, NODES};
use self::hurry::Hurry;
use self::lasting::Lasting;
use self::level::Level;
use self::memory::{Memory, MOST_DOUBT};
use self::plan::{log2, Plan, Scene};
use self::search::{Rules, Search};
pub use self::settings::Settings;
use self::spread::Spread;
use crate::policy::{Ask, Costs, Pace, Policy, View, PENDING};
use crate::request::{Answer, Reason, Request};
use crate::PROCESSORS;

/// What was predicted of a group's threads.
#[derive(Clone, Debug)]
struct Promise {
    threads: ArrayVec<ThreadNumber, NODES>,
    /// The sum of their logarithms of speed before, and what was to be gained.
    before: i64,
    gain: i64,
}

/// The Testbed's own policy. It is large: it belongs into static memory.
#[derive(Clone, Debug)]
pub struct Gain {
    settings: Settings,
    memory: Memory,
    promise: Option<Promise>,
    /// How often predictions have failed lately.
    doubt: u8,
    births: Births,
    level: Level,
    lasting: Lasting,
    /// The round of samples that was looked at last, and when the last decision was made.
    round: u32,
    decided: u64,
    /// The thread with which the next search begins.
    first: usize,
    hurry: Hurry,
    /// When the last answer came.
    settled: u64,
    /// Threads of a first placement that have not been asked for yet, and where they go.
    dealt: ArrayVec<(ThreadNumber, u8), NODES>,
    /// What moves cost, as the policy was told last.
    costs: Costs,
    estimate: Estimate,
    plan: Plan,
}

/// Slaves that tell of their threads are not waited for longer than so many times what they last
/// told of.
const LATE_SPANS: u64 = 2;
/// Time-slices from sample to sample while it hurries, and cycles at least, of which a sample takes
/// a slave half a hundredth.
const HURRY_SLICES: u32 = 1;
const HURRY_CYCLES: u32 = 250_000;

/// A thread of which little is known is expected to go on for so many time-slices.
const NEW_SLICES: u32 = 4;

/// A search takes this part of the time from one to the next at most, if to value a group takes so
/// many cycles.
const SEARCH_PART: u32 = 4;
const VALUE_CYCLES: u32 = 2_400;

impl Default for Gain {
    fn default() -> Self {
        Gain::new(Settings::DEFAULT)
    }
}

impl Gain {
    /// One that has seen nothing and has to be [`Gain::set`]. Its bytes are 0, so that a program
    /// that has it as a static does not have to be loaded with it.
    pub const UNSET: Gain = Gain {
        settings: Settings::UNSET,
        memory: Memory::NEW,
        promise: None,
        doubt: 0,
        births: Births::NEW,
        level: Level::NEW,
        lasting: Lasting::NEW,
        round: 0,
        decided: 0,
        first: 0,
        hurry: Hurry::NEW,
        settled: 0,
        dealt: ArrayVec::new_const(),
        costs: Costs::UNKNOWN,
        estimate: Estimate::NEW,
        plan: Plan::NEW,
    };

    pub fn new(settings: Settings) -> Self {
        Gain { settings, ..Gain::UNSET }
    }

    /// Whether nothing is on its way, and samples have come since something was. They may tell of
    /// the time before too, in part: to wait for a whole period costs more than it helps.
    fn is_settled(&self, view: &View<'_>) -> bool {
        let told = |slave: u8| {
            let load = view.summary.slave(slave);
            load.told.is_some_and(|told| told >= self.settled + u64::from(load.span / 8))
        };
        view.pending.iter().all(Request::is_standing) && view.summary.processors().all(told)
    }

    /// Whether all slaves have told of their threads since the last decision, or some are late.
    fn is_told(&self, view: &View<'_>) -> bool {
        let told = |slave: u8| view.summary.slave(slave).told.filter(|&told| told > self.decided);
        let span = |slave: u8| u64::from(view.summary.slave(slave).span);
        let slaves = || view.summary.processors();
        let late = || self.decided + LATE_SPANS * slaves().map(span).max().unwrap_or(0);
        slaves().all(|slave| told(slave).is_some())
            || slaves().any(|slave| told(slave).is_some_and(|told| told > late()))
    }

    /// Thousandths of its speed that a thread of which little is known has to gain: what its move
    /// costs is repaid in time.
    fn least_of_new(&self, view: &View<'_>) -> u32 {
        let Costs { slice, .. } = *view.costs;
        let cost = u64::from(self.settings.factor) * u64::from(view.costs.of_move()) * 1000;
        self.settings.least.max(saturated(cost / u64::from(NEW_SLICES * slice.max(1))))
    }

    /// Deals out groups that have not moved yet. Returns whether any are to move.
    fn deal(&mut self, view: &View<'_>) -> bool {
        let scene = Scene { estimate: &self.estimate, costs: view.costs };
        let mut threads = [0; PROCESSORS];
        view.summary.processors().for_each(|slave| threads[usize::from(slave)] = self.level.threads(view, slave));
        let moves = Spread::new(scene, &self.plan, &self.memory, threads, self.least_of_new(view)).moves();
        let nodes = &self.estimate.nodes;
        self.dealt = moves.iter().map(|&(node, to)| (nodes[usize::from(node)].thread, to)).collect();
        !self.dealt.is_empty()
    }

    /// Asks for as many of the threads that were dealt out as may be asked for now.
    fn ask_dealt(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        let now = self.dealt.len().min(ask.left());
        for (thread, to) in self.dealt.drain(..now) {
            // One that has ended or moved meanwhile, or is there, or on its way, needs no request.
            let is_elsewhere =
                !self.memory.knows(thread) && view.summary.thread(thread).is_some_and(|known| known.processor != to);
            if is_elsewhere && !ask.is_asked(thread) {
                let _ = ask.thread(thread, to);
            }
        }
    }

    /// Looks whether what was promised has come.
    fn judge(&mut self, view: &View<'_>) {
        let Some(promise) = self.promise.take() else {
            self.doubt = self.doubt.saturating_sub(1);
            return;
        };
        let has_come = speed(view, &promise.threads) - promise.before >= promise.gain / 4;
        self.doubt = if has_come { self.doubt.saturating_sub(1) } else { (self.doubt + 1).min(MOST_DOUBT) };
        for &thread in &promise.threads {
            self.memory.judged(thread, has_come, view.milliseconds(), self.settings.bar);
        }
    }
}

/// Whether a slave has nothing to do, and another one two threads or more that are ready.
fn is_uneven(view: &View<'_>) -> bool {
    let ready = || view.summary.processors().map(|slave| view.summary.slave(slave).ready);
    ready().any(|ready| ready == 0) && ready().any(|ready| ready > 1)
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

impl Gain {
    /// Goes by other settings from now on. The policy is too large to be made anew on a stack.
    pub fn set(&mut self, settings: Settings) {
        self.settings = settings;
    }
}

impl Policy for Gain {
    fn name(&self) -> &'static str {
        "gain"
    }

    fn pace(&self) -> Pace {
        Pace { pending: PENDING, at_once: PENDING, on_answers: true }
    }

    fn hurry(&self) -> Option<u32> {
        self.hurry.is_on().then_some((HURRY_SLICES * self.costs.slice).max(HURRY_CYCLES))
    }

    fn begin(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        self.hurry.begin();
        if self.settings.births == 0 {
            self.births.tell(view, ask, |_| true);
        }
    }

    fn decide(&mut self, view: &View<'_>, ask: &mut Ask<'_>) {
        self.costs = *view.costs;
        if self.settings.births == 0 {
            self.births.tell(view, ask, |slave| births::may_create(view.summary, slave));
        }
        if !self.dealt.is_empty() {
            return self.ask_dealt(view, ask);
        }
        let is_new_round = core::mem::replace(&mut self.round, view.round) != view.round;
        self.lasting.note(view);
        if is_new_round {
            self.hurry.round(is_uneven(view));
        }
        let is_told = is_new_round && self.is_told(view);
        if is_told {
            self.decided = view.now;
            self.estimate.renew(view);
            self.plan.renew(&Scene { estimate: &self.estimate, costs: view.costs });
            // Threads that have never moved need not wait for what comes of the moves of others.
            if self.deal(view) {
                return self.ask_dealt(view, ask);
            }
        }
        let least = self.least_of_new(view);
        self.level.ask(view, ask, &self.memory, least);
        if is_new_round && self.level.fill(view, ask, &self.memory, &self.estimate, least) {
            return;
        }
        if !is_told || !self.is_settled(view) {
            return;
        }
        self.judge(view);
        let span = view.summary.processors().map(|slave| view.summary.slave(slave).span).max().unwrap_or(0);
        let scene = Scene { estimate: &self.estimate, costs: view.costs };
        let rules = Rules { memory: &self.memory, settings: self.settings, doubt: self.doubt };
        let budget = span / SEARCH_PART / VALUE_CYCLES;
        let is_lasting = self.lasting.is_uneven(view);
        let mut search = Search::new(view, scene, &mut self.plan, &rules, (self.first, budget), is_lasting);
        let nodes = &self.estimate.nodes;
        let mut gain = 0;
        let mut moved: ArrayVec<u8, PENDING> = ArrayVec::new();
        while let Some(found) = search.best(ask.left()) {
            for &(node, to) in &found.shifts {
                if ask.thread(nodes[usize::from(node)].thread, to).is_ok() {
                    let _ = moved.try_push(nodes[usize::from(node)].group);
                }
            }
            gain += found.gain;
            search.make(&found);
        }
        self.first = search.next();
        if !moved.is_empty() {
            let threads: ArrayVec<_, NODES> =
                nodes.iter().filter(|node| moved.contains(&node.group)).map(|node| node.thread).collect();
            let before = speed(view, &threads);
            self.promise = Some(Promise { threads, before, gain });
        }
    }

    fn answered(&mut self, now: u64, request: &Request, answer: Answer) {
        self.level.answered(request, answer);
        if let Answer::Moved(_) = answer {
            self.settled = self.settled.max(now);
            self.hurry.moved();
        }
        if let (Reason::Thread(thread), Answer::Moved(_)) | (Reason::New, Answer::Moved(thread)) =
            (request.reason, answer)
        {
            self.memory.left(thread, request.from, self.costs.milliseconds(now), self.settings.bar);
        }
    }
}
