//! What the threads need, as the last samples show it.
//!
//! Threads that communicate advance together, so a *group* is what is connected by messages. The
//! work of a group in the last period, and its messages, stand for a piece of its progress:
//! wherever its threads are, they do the same for the same piece, only the time differs.

use arrayvec::ArrayVec;
use testbed_definitions::ids::ThreadNumber;

use crate::policy::{Costs, View};
use crate::summary::Traffic;
use crate::PROCESSORS;

/// Threads that are weighed; those beyond stay where they are.
pub const NODES: usize = 128;
/// Partners of a thread that are weighed.
pub const NEIGHBOURS: usize = 12;
/// Pairs that are weighed.
pub const PAIRS: usize = 256;
/// Dispatches are counted in so many parts of one.
pub const DISPATCH: u32 = 16;

/// A thread, in cycles of the last period.
#[derive(Clone, Debug)]
pub struct Node {
    pub thread: ThreadNumber,
    pub at: u8,
    pub movable: bool,
    pub first: u64,
    /// Its own work, on average of the last samples.
    pub work: u32,
    /// How much the last sample weighs in it.
    pub(super) weight: Weight,
    /// How long it was ready, or ran.
    pub ready: u32,
    /// How long it has the processor when it gets it.
    pub burst: u32,
    /// Dispatches that its work takes, without slices that are not used up, in [`DISPATCH`] parts.
    slices: u32,
    /// Cycles for which another one waits for it at each dispatch.
    pub delay: u32,
    /// When its group was on several processors last.
    pub(super) apart: Option<Apart>,
    pub group: u8,
    /// Numbers of its pairs.
    pub pairs: ArrayVec<u16, NEIGHBOURS>,
}

/// What was seen of a thread's group while it was on several processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart {
    /// Threads that were ready at once, in 256ths.
    pub(super) parallel: u32,
    /// When that was, in cycles.
    pub(super) at: u64,
}

impl Node {
    /// Whether it is known for so many cycles, and from so many samples.
    pub fn is_known(&self, cycles: u64, samples: u8) -> bool {
        self.weight.all >= cycles && self.weight.told >= samples
    }
}

/// Messages are counted in so many parts of one, so that seldom ones are not forgotten.
pub const MESSAGE: u32 = 16;

/// Two threads that exchanged messages.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub a: u8,
    pub b: u8,
    /// In parts of a message, on average of the last samples.
    pub messages: u32,
    /// The same of their bytes.
    pub bytes: u32,
}

impl Pair {
    /// The other one of the two.
    pub fn other(&self, node: usize) -> usize {
        usize::from(self.a) + usize::from(self.b) - node
    }

    /// How long its messages are under way between two processors, in all.
    pub fn flight(&self, costs: &Costs) -> u32 {
        let bytes = u64::from(self.bytes) * u64::from(costs.flight_byte) / 256;
        saturated((u64::from(self.messages) * u64::from(costs.flight) + bytes) / u64::from(MESSAGE))
    }
}

/// All threads that did something.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub nodes: ArrayVec<Node, NODES>,
    pub pairs: ArrayVec<Pair, PAIRS>,
    pub groups: usize,
    /// For each group how many of its threads can be active at once, in 256ths.
    pub parallel: [u32; NODES],
    pub period: u32,
    pub slaves: u8,
}

/// Averages are those of so many time-slices, or of as long as a thread is known, if that is less.
const MEMORY_SLICES: u64 = 25;

/// How much a sample weighs in an average.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    /// Cycles of which the sample tells, and of the average with it.
    new: u64,
    all: u64,
    /// Samples before it.
    told: u8,
}

impl Weight {
    /// Of a thread's first sample, which tells of `span` cycles.
    fn first(span: u32) -> Weight {
        let new = u64::from(span.max(1));
        Weight { new, all: new, told: 0 }
    }

    /// Of the next one after this. The very first does not count: the thread was not there for all
    /// of it.
    fn next(self, span: u32, slice: u32) -> Weight {
        let new = u64::from(span.max(1));
        let before = if self.told == 0 { 0 } else { self.all };
        let most = MEMORY_SLICES * u64::from(slice);
        Weight { new, all: (before + new).min(most).max(new), told: self.told.saturating_add(1) }
    }

    /// The average, if it was `last` and the sample tells of `new`. A sample shows one round of a
    /// program or two, as it happens; and where a wave of work goes through many threads, what lasts
    /// is only seen by looking for long.
    pub(super) fn mean(self, last: u32, new: u32) -> u32 {
        let sum = u64::from(last) * (self.all - self.new) + u64::from(new) * self.new;
        saturated(sum / self.all)
    }
}

/// What was known of a thread before.
struct Before {
    thread: ThreadNumber,
    work: u32,
    weight: Weight,
    apart: Option<Apart>,
}

/// What fits 32 bits.
pub fn saturated(value: u64) -> u32 {
    value.min(u32::MAX.into()) as u32
}

/// Messages of so many cycles as there would be in a period, in parts of one.
fn scaled(traffic: Traffic, period: u32, span: u32) -> Traffic {
    let parts = |value: u32| value.saturating_mul(MESSAGE);
    let traffic = Traffic { sends: parts(traffic.sends), bytes: parts(traffic.bytes) };
    if span == period {
        return traffic;
    }
    let scale = |value: u32| saturated(u64::from(value) * u64::from(period) / u64::from(span.max(1)));
    Traffic { sends: scale(traffic.sends), bytes: scale(traffic.bytes) }
}

/// What a thread does for its messages, and how often it is dispatched, in [`DISPATCH`] parts.
pub fn effort(node: &Node, messages: impl Iterator<Item = (u32, bool)>, costs: &Costs) -> (u32, u32) {
    let mut service = 0u64;
    let mut dispatches = 0u64;
    for (messages, is_local) in messages {
        let (cost, parts) = if is_local { (costs.local, DISPATCH / 2) } else { (costs.remote, DISPATCH) };
        service += u64::from(messages) * u64::from(cost / 2);
        dispatches += u64::from(messages) * u64::from(parts);
    }
    let (service, dispatches) =
        (service / u64::from(MESSAGE), u64::from(node.slices) + dispatches / u64::from(MESSAGE));
    (saturated(service), saturated(dispatches.max(1)))
}

impl Estimate {
    /// An estimate from no samples.
    pub const NEW: Estimate = Estimate {
        nodes: ArrayVec::new_const(),
        pairs: ArrayVec::new_const(),
        groups: 0,
        parallel: [0; NODES],
        period: 0,
        slaves: 0,
    };

    /// Makes this the estimate from the last samples. It is large, so it stays where it is.
    pub fn renew(&mut self, view: &View<'_>) {
        let summary = view.summary;
        self.period = summary.processors().map(|slave| summary.slave(slave).span).max().unwrap_or(0).max(1);
        self.slaves = summary.slaves;
        let of = |node: &Node| Before { thread: node.thread, work: node.work, weight: node.weight, apart: node.apart };
        let before: ArrayVec<Before, NODES> = self.nodes.iter().map(of).collect();
        let old: ArrayVec<Pair, PAIRS> = core::mem::take(&mut self.pairs);
        self.nodes.clear();
        self.groups = 0;
        for known in &summary.threads {
            let work = (u64::from(known.share) * u64::from(self.period) >> 16) as u32;
            let span = summary.slave(known.processor).span;
            // One that others have kept from running is not forgotten.
            let (work, weight, apart) = match before.iter().find(|before| before.thread == known.thread) {
                Some(before) => {
                    let weight = before.weight.next(span, view.costs.slice);
                    (weight.mean(before.work, work), weight, before.apart)
                }
                None => (work, Weight::first(span), None),
            };
            if work == 0 && known.partners.is_empty() {
                continue;
            }
            let node = Node {
                thread: known.thread,
                at: known.processor,
                movable: known.movable,
                first: known.first,
                work,
                weight,
                ready: 0,
                burst: 0,
                slices: saturated(u64::from(work) * u64::from(DISPATCH) / u64::from(view.costs.slice.max(1))),
                delay: 0,
                apart,
                group: 0,
                pairs: ArrayVec::new(),
            };
            let _ = self.nodes.try_push(node);
        }
        self.find_pairs(view);
        self.remember_pairs(&before, &old);
        self.find_groups();
        self.weigh(view);
    }

    /// Whether a thread has been known for so many cycles, from several samples, and communicates with
    /// none that are known.
    pub fn is_alone(&self, thread: ThreadNumber, cycles: u64) -> bool {
        let node = self.nodes.iter().find(|node| node.thread == thread);
        node.is_some_and(|node| node.pairs.is_empty() && node.is_known(cycles, 2))
    }

    /// The pairs of a thread.
    pub fn pairs_of(&self, node: usize) -> impl Iterator<Item = &Pair> + Clone {
        self.nodes[node].pairs.iter().map(|&pair| &self.pairs[usize::from(pair)])
    }

    /// The threads of a group.
    pub fn members(&self, group: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.nodes.len()).filter(move |&node| usize::from(self.nodes[node].group) == group)
    }

    /// Both partners tell of a pair; the one that knows more is right, since the other's list may
    /// be too short, or its count damaged by a move.
    fn find_pairs(&mut self, view: &View<'_>) {
        for at in 0..self.nodes.len() {
            let Some(known) = view.summary.thread(self.nodes[at].thread) else { continue };
            for partner in &known.partners {
                let Some(other) = self.nodes.iter().position(|node| node.thread == partner.thread) else { continue };
                let (a, b) = (at.min(other) as u8, at.max(other) as u8);
                if a == b {
                    continue;
                }
                let span = view.summary.slave(known.processor).span;
                let traffic = scaled(partner.traffic, self.period, span);
                if let Some(pair) = self.pairs.iter_mut().find(|pair| (pair.a, pair.b) == (a, b)) {
                    pair.messages = pair.messages.max(traffic.sends);
                    pair.bytes = pair.bytes.max(traffic.bytes);
                    continue;
                }
                self.add_pair(Pair { a, b, messages: traffic.sends, bytes: traffic.bytes });
            }
        }
    }

    /// Brings in what earlier samples told of pairs: one sample does not show all of them where
    /// threads compute for long between two messages.
    fn remember_pairs(&mut self, before: &[Before], old: &[Pair]) {
        let place = |before: &Before| self.nodes.iter().position(|node| node.thread == before.thread);
        let places: ArrayVec<Option<usize>, NODES> = before.iter().map(place).collect();
        for pair in old {
            let (Some(a), Some(b)) = (places[usize::from(pair.a)], places[usize::from(pair.b)]) else { continue };
            let (a, b) = (a.min(b), a.max(b));
            // Both are known for the whole time of the younger one.
            let [one, other] = [a, b].map(|node| self.nodes[node].weight);
            let weight = if other.all < one.all { other } else { one };
            let (messages, bytes) = match self.pairs.iter_mut().find(|new| (new.a, new.b) == (a as u8, b as u8)) {
                Some(new) => {
                    new.messages = weight.mean(pair.messages, new.messages);
                    new.bytes = weight.mean(pair.bytes, new.bytes);
                    continue;
                }
                None => (weight.mean(pair.messages, 0), weight.mean(pair.bytes, 0)),
            };
            if messages > 0 {
                self.add_pair(Pair { a: a as u8, b: b as u8, messages, bytes });
            }
        }
    }

    /// Adds a pair, if there is room.
    fn add_pair(&mut self, pair: Pair) {
        let number = self.pairs.len() as u16;
        let (a, b) = (usize::from(pair.a), usize::from(pair.b));
        let has_room = !self.nodes[a].pairs.is_full() && !self.nodes[b].pairs.is_full();
        if has_room && self.pairs.try_push(pair).is_ok() {
            self.nodes[a].pairs.push(number);
            self.nodes[b].pairs.push(number);
        }
    }

    fn find_groups(&mut self) {
        let mut group = [u8::MAX; NODES];
        for first in 0..self.nodes.len() {
            if group[first] != u8::MAX {
                continue;
            }
            let number = self.groups as u8;
            self.groups += 1;
            let mut open: ArrayVec<u8, NODES> = ArrayVec::new();
            group[first] = number;
            open.push(first as u8);
            while let Some(at) = open.pop() {
                for &pair in &self.nodes[usize::from(at)].pairs {
                    let other = self.pairs[usize::from(pair)].other(at.into());
                    if group[other] == u8::MAX {
                        group[other] = number;
                        open.push(other as u8);
                    }
                }
            }
        }
        for (at, node) in self.nodes.iter_mut().enumerate() {
            node.group = group[at];
        }
    }

    /// How long each thread was ready: the time that a processor's threads waited together, by how
    /// often each was dispatched.
    fn weigh(&mut self, view: &View<'_>) {
        let mut busy = [0u64; PROCESSORS];
        let mut turns = [0u64; PROCESSORS];
        let efforts: ArrayVec<(u32, u32), NODES> = (0..self.nodes.len())
            .map(|at| {
                let node = &self.nodes[at];
                let messages = node.pairs.iter().map(|&pair| {
                    let pair = &self.pairs[usize::from(pair)];
                    (pair.messages, self.nodes[pair.other(at)].at == node.at)
                });
                effort(node, messages, view.costs)
            })
            .collect();
        for (node, &(service, dispatches)) in self.nodes.iter().zip(&efforts) {
            let at = usize::from(node.at) % PROCESSORS;
            busy[at] += u64::from(node.work) + u64::from(service);
            turns[at] += u64::from(dispatches);
        }
        let mut ready = [0u64; NODES];
        for (node, &(service, dispatches)) in self.nodes.iter_mut().zip(&efforts) {
            let at = usize::from(node.at) % PROCESSORS;
            let queue = u64::from(view.summary.slave(node.at).queue) * u64::from(self.period) >> 8;
            let waited = queue.saturating_sub(busy[at]);
            let own = node.work + service;
            let waits = waited * u64::from(dispatches) / turns[at].max(1);
            node.ready = saturated((u64::from(own) + waits).min(self.period.into()));
            let burst = u64::from(own) * u64::from(DISPATCH) / u64::from(dispatches);
            node.burst = saturated(burst.min(view.costs.slice.into()));
            node.delay = saturated(u64::from(node.ready) * u64::from(node.burst) / u64::from(self.period));
            ready[usize::from(node.group)] += u64::from(node.ready);
        }
        for (group, ready) in ready.into_iter().enumerate().take(self.groups) {
            let ready = saturated((ready << 8) / u64::from(self.period)).max(256);
            self.parallel[group] = self.active(group, ready, &busy, view.now);
        }
    }
}
