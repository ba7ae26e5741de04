//! How long a piece of progress would take with the threads elsewhere.
//!
//! A thread that gets the processor after waiting has waited for every other that was ready there:
//! for each of those as long as that one has the processor at a time. So a group needs on a processor
//! its own work, and for each dispatch the bursts of the others. The group as a whole takes as long
//! as its part on the processor where that is most, or as the sum of its parts divided by the number
//! of its threads that can be active at once, whichever is more, and the flight of its messages.
//!
//! The value of a placement is the sum, over all threads, of the logarithm of their group's time:
//! what halves one thread's time is worth as much as what halves another's.

use arrayvec::ArrayVec;

use super::estimate::{effort, saturated, Estimate, DISPATCH, NODES};
use crate::policy::Costs;
use crate::PROCESSORS;

/// One bit of a logarithm to the base 2.
pub const BIT: i64 = 1 << 16;

/// The logarithm of `value` to the base 2, in parts of [`BIT`]; within a hundredth.
pub fn log2(value: u64) -> i64 {
    let value = value.max(1);
    let whole = value.ilog2();
    let mantissa = if whole > 16 { value >> (whole - 16) } else { value << (16 - whole) } as i64 - BIT;
    // The line between powers of two, and a parabola that is 0 at both.
    let above = mantissa * (BIT - mantissa) / BIT * 22_545 / BIT;
    i64::from(whole) * BIT + mantissa + above
}

/// A group's part on a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Cycles of work and services.
    busy: u64,
    /// Dispatches, in parts of one.
    turns: u64,
    /// Cycles for which others wait at each dispatch.
    delay: u64,
}

/// A placement that can be changed, and its value.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    estimate: &'a Estimate,
    costs: &'a Costs,
    place: [u8; NODES],
    parts: [[Part; PROCESSORS]; NODES],
    /// Cycles for which a newcomer waits at each dispatch.
    delay: [u64; PROCESSORS],
    /// Cycles for which the group's messages are under way.
    flight: [u64; NODES],
    /// Cycles of the period that this model does not explain: the threads wait for something else.
    idle: [u64; NODES],
    members: [u32; NODES],
}

impl<'a> Plan<'a> {
    /// With all threads where they are.
    pub fn new(estimate: &'a Estimate, costs: &'a Costs) -> Self {
        let mut plan = Plan {
            estimate,
            costs,
            place: [0; NODES],
            parts: [[Part::default(); PROCESSORS]; NODES],
            delay: [0; PROCESSORS],
            flight: [0; NODES],
            idle: [0; NODES],
            members: [0; NODES],
        };
        for (at, node) in estimate.nodes.iter().enumerate() {
            plan.place[at] = node.at % PROCESSORS as u8;
            plan.members[usize::from(node.group)] += 1;
        }
        for node in 0..estimate.nodes.len() {
            plan.add(node);
        }
        for pair in &estimate.pairs {
            let (a, b) = (usize::from(pair.a), usize::from(pair.b));
            if plan.place[a] != plan.place[b] {
                plan.flight[usize::from(estimate.nodes[a].group)] += u64::from(pair.flight(costs));
            }
        }
        for group in 0..estimate.groups {
            plan.idle[group] = u64::from(estimate.period).saturating_sub(plan.time(group));
        }
        plan
    }

    /// Where a thread is in this plan.
    pub fn place(&self, node: usize) -> u8 {
        self.place[node]
    }

    /// Cycles of work and services on a processor.
    pub fn busy(&self, processor: u8) -> u64 {
        let at = usize::from(processor);
        self.parts[..self.estimate.groups].iter().map(|parts| parts[at].busy).sum()
    }

    /// For how long a newcomer waits there at each dispatch.
    pub fn delay(&self, processor: u8) -> u64 {
        self.delay[usize::from(processor)]
    }

    fn part_of(&self, node: usize) -> Part {
        let own = &self.estimate.nodes[node];
        let messages = own.pairs.iter().map(|&pair| {
            let pair = &self.estimate.pairs[usize::from(pair)];
            (pair.messages, self.place[pair.other(node)] == self.place[node])
        });
        let (service, turns) = effort(own, messages, self.costs);
        let delay = u64::from(own.ready) * u64::from(own.burst) / u64::from(self.estimate.period);
        Part { busy: u64::from(own.work) + u64::from(service), turns: turns.into(), delay }
    }

    fn add(&mut self, node: usize) {
        let (part, at) = (self.part_of(node), usize::from(self.place[node]));
        let sum = &mut self.parts[usize::from(self.estimate.nodes[node].group)][at];
        sum.busy += part.busy;
        sum.turns += part.turns;
        sum.delay += part.delay;
        self.delay[at] += part.delay;
    }

    fn remove(&mut self, node: usize) {
        let (part, at) = (self.part_of(node), usize::from(self.place[node]));
        let sum = &mut self.parts[usize::from(self.estimate.nodes[node].group)][at];
        sum.busy -= part.busy;
        sum.turns -= part.turns;
        sum.delay -= part.delay;
        self.delay[at] -= part.delay;
    }

    /// Puts a thread elsewhere.
    pub fn shift(&mut self, node: usize, to: u8) {
        let estimate = self.estimate;
        let pairs = || estimate.nodes[node].pairs.iter().map(|&pair| &estimate.pairs[usize::from(pair)]);
        let from = self.place[node];
        self.remove(node);
        pairs().for_each(|pair| self.remove(pair.other(node)));
        let group = usize::from(estimate.nodes[node].group);
        for pair in pairs() {
            let (partner, flight) = (self.place[pair.other(node)], u64::from(pair.flight(self.costs)));
            if partner != from {
                self.flight[group] -= flight;
            }
            if partner != to {
                self.flight[group] += flight;
            }
        }
        self.place[node] = to;
        self.add(node);
        pairs().for_each(|pair| self.add(pair.other(node)));
    }

    /// How long a group takes for what it did in the last period.
    fn time(&self, group: usize) -> u64 {
        let (mut most, mut sum, mut squares) = (0u64, 0u64, 0u64);
        for at in 1..=usize::from(self.estimate.slaves) {
            let part = &self.parts[group][at];
            if part.turns == 0 {
                continue;
            }
            let wait = (self.delay[at] - part.delay) * part.turns / u64::from(DISPATCH);
            let needs = part.busy + wait;
            most = most.max(needs);
            sum += needs;
            // Of 64ths of a time-slice, so that the squares fit.
            let scaled = needs >> 12;
            squares = squares.saturating_add(scaled.saturating_mul(scaled));
        }
        let parallel = u64::from(self.estimate.parallel[group]);
        // Between placements with equal maxima the one that is more even is nearer to a better one.
        let uneven = squares / (sum >> 12).max(1) << 12;
        let serial = sum * 256 / parallel;
        most.max(serial) + uneven / 16 + self.flight[group] * 256 / parallel + self.idle[group]
    }

    /// The sum of all threads' logarithms of their groups' times; less is better.
    pub fn value(&self, groups: &Groups) -> i64 {
        groups.0.iter().map(|&group| log2(self.time(group.into())) * i64::from(self.members[usize::from(group)])).sum()
    }

    /// The groups whose times change when threads of `group` move between these processors.
    pub fn touched(&self, group: u8, from: u8, to: u8) -> Groups {
        let mut groups = Groups(ArrayVec::new());
        for other in 0..self.estimate.groups {
            let is_there = |at: u8| self.parts[other][usize::from(at)].turns > 0;
            if other == usize::from(group) || is_there(from) || is_there(to) {
                groups.0.push(other as u8);
            }
        }
        groups
    }

    /// How many threads a group has.
    pub fn members(&self, group: u8) -> u32 {
        self.members[usize::from(group)]
    }

    /// The predicted time of a group.
    pub fn time_of(&self, group: u8) -> u32 {
        saturated(self.time(group.into()))
    }
}

/// Numbers of groups.
#[derive(Clone, Debug)]
pub struct Groups(ArrayVec<u8, NODES>);

impl Groups {
    /// With those of `others`.
    pub fn join(&mut self, others: Groups) {
        for group in others.0 {
            if !self.0.contains(&group) {
                let _ = self.0.try_push(group);
            }
        }
    }
}
