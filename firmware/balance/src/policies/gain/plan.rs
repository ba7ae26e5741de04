//! How long a piece of progress would take with the threads elsewhere.
//!
//! A thread that gets the processor after waiting has waited for every other that was ready there:
//! for each of those as long as that one has the processor at a time. So a group needs on a processor
//! its own work, and for each dispatch the bursts of the others. The group as a whole takes as long
//! as its part on the processor where that is most, or as the sum of its parts divided by the number
//! of its threads that can be active at once, whichever is more, and the flight of its messages. How
//! unevenly its parts are spread counts as much as the greatest: a step that doesn't lower that may be
//! on the way to one that does.
//!
//! The value of a placement is the sum, over all threads, of the logarithm of their group's time:
//! what halves one thread's time is worth as much as what halves another's.

use arrayvec::ArrayVec;

use super::estimate::{effort, Estimate, DISPATCH, NODES};
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
pub struct Plan {
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

impl Plan {
    /// Of nothing.
    pub const NEW: Plan = Plan {
        place: [0; NODES],
        parts: [[Part { busy: 0, turns: 0, delay: 0 }; PROCESSORS]; NODES],
        delay: [0; PROCESSORS],
        flight: [0; NODES],
        idle: [0; NODES],
        members: [0; NODES],
    };

    /// With all threads where they are. It is large, so it stays where it is.
    pub fn renew(&mut self, at: &Scene<'_>) {
        let Scene { estimate, costs } = *at;
        self.delay = [0; PROCESSORS];
        for group in 0..estimate.groups {
            self.parts[group] = [Part::default(); PROCESSORS];
            (self.flight[group], self.idle[group], self.members[group]) = (0, 0, 0);
        }
        for (at, node) in estimate.nodes.iter().enumerate() {
            self.place[at] = node.at % PROCESSORS as u8;
            self.members[usize::from(node.group)] += 1;
        }
        for node in 0..estimate.nodes.len() {
            self.add(at, node);
        }
        for pair in &estimate.pairs {
            let (a, b) = (usize::from(pair.a), usize::from(pair.b));
            if self.place[a] != self.place[b] {
                self.flight[usize::from(estimate.nodes[a].group)] += u64::from(pair.flight(costs));
            }
        }
        for group in 0..estimate.groups {
            self.idle[group] = u64::from(estimate.period).saturating_sub(self.time(at, group));
        }
    }

    /// Where a thread is in this plan.
    pub fn place(&self, node: usize) -> u8 {
        self.place[node]
    }

    /// Cycles of work and services on a processor.
    pub fn busy(&self, groups: usize, processor: u8) -> u64 {
        let at = usize::from(processor);
        self.parts[..groups].iter().map(|parts| parts[at].busy).sum()
    }

    /// For how long a newcomer waits there at each dispatch.
    pub fn delay(&self, processor: u8) -> u64 {
        self.delay[usize::from(processor)]
    }

    fn part_of(&self, at: &Scene<'_>, node: usize) -> Part {
        let own = &at.estimate.nodes[node];
        let pairs = at.estimate.pairs_of(node);
        let messages = pairs.map(|pair| (pair.messages, self.place[pair.other(node)] == self.place[node]));
        let (service, turns) = effort(own, messages, at.costs);
        let delay = u64::from(own.ready) * u64::from(own.burst) / u64::from(at.estimate.period);
        Part { busy: u64::from(own.work) + u64::from(service), turns: turns.into(), delay }
    }

    fn add(&mut self, at: &Scene<'_>, node: usize) {
        let (part, place) = (self.part_of(at, node), usize::from(self.place[node]));
        let sum = &mut self.parts[usize::from(at.estimate.nodes[node].group)][place];
        sum.busy += part.busy;
        sum.turns += part.turns;
        sum.delay += part.delay;
        self.delay[place] += part.delay;
    }

    fn remove(&mut self, at: &Scene<'_>, node: usize) {
        let (part, place) = (self.part_of(at, node), usize::from(self.place[node]));
        let sum = &mut self.parts[usize::from(at.estimate.nodes[node].group)][place];
        sum.busy -= part.busy;
        sum.turns -= part.turns;
        sum.delay -= part.delay;
        self.delay[place] -= part.delay;
    }

    /// Puts a thread elsewhere.
    pub fn shift(&mut self, at: &Scene<'_>, node: usize, to: u8) {
        let pairs = at.estimate.pairs_of(node);
        let from = self.place[node];
        self.remove(at, node);
        pairs.clone().for_each(|pair| self.remove(at, pair.other(node)));
        let group = usize::from(at.estimate.nodes[node].group);
        for pair in pairs.clone() {
            let (partner, flight) = (self.place[pair.other(node)], u64::from(pair.flight(at.costs)));
            if partner != from {
                self.flight[group] -= flight;
            }
            if partner != to {
                self.flight[group] += flight;
            }
        }
        self.place[node] = to;
        self.add(at, node);
        pairs.for_each(|pair| self.add(at, pair.other(node)));
    }

    /// How long a group takes for what it did in the last period.
    fn time(&self, at: &Scene<'_>, group: usize) -> u64 {
        let Scene { estimate, .. } = *at;
        let (mut most, mut sum, mut squares) = (0u64, 0u64, 0u64);
        for at in 1..=usize::from(estimate.slaves) {
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
        let parallel = u64::from(estimate.parallel[group]);
        // Between placements with equal maxima the one that is more even is nearer to a better one.
        let uneven = squares / (sum >> 12).max(1) << 12;
        let serial = sum * 256 / parallel;
        (most / 2 + uneven / 2).max(serial) + self.flight[group] * 256 / parallel + self.idle[group]
    }

    /// The sum of all threads' logarithms of their groups' times; less is better.
    pub fn value(&self, at: &Scene<'_>, groups: &Groups) -> i64 {
        let of = |&group: &u8| log2(self.time(at, group.into())) * i64::from(self.members[usize::from(group)]);
        groups.0.iter().map(of).sum()
    }

    /// Adds the groups of which there are threads on a processor.
    pub fn touch(&self, groups: usize, processor: u8, touched: &mut Groups) {
        for group in 0..groups {
            if self.parts[group][usize::from(processor)].turns > 0 && !touched.0.contains(&(group as u8)) {
                touched.0.push(group as u8);
            }
        }
    }

    /// How many threads a group has.
    pub fn members(&self, group: u8) -> u32 {
        self.members[usize::from(group)]
    }
}

/// What a plan is made of.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub estimate: &'a Estimate,
    pub costs: &'a Costs,
}

/// Numbers of groups.
#[derive(Clone, Debug, Default)]
pub struct Groups(ArrayVec<u8, NODES>);
