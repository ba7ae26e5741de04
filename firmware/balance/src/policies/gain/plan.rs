//! How long a piece of progress would take with the threads elsewhere.
//!
//! A thread that gets the processor after waiting has waited for every other that was ready there:
//! for each of those as long as that one has the processor at a time. So a group needs on a
//! processor its own work, and for each dispatch the bursts of the others. The group as a whole
//! takes as long as its part on the processor where that is most, or as the sum of its parts
//! divided by the number of its threads that can be active at once, whichever is more, and the
//! flight of its messages. To that quotient comes what threads that share a processor keep each
//! other waiting, though it is not full: the more, the more of the group are active at once. How
//! unevenly its parts are spread counts as much as the greatest: a step that doesn't lower that may
//! be on the way to one that does.
//!
//! The value of a placement is the sum, over all threads, of the logarithm of their group's time:
//! what halves one thread's time is worth as much as what halves another's.

use super::estimate::{effort, saturated, Estimate, DISPATCH, MESSAGE, NODES};
use crate::policy::Costs;
use crate::PROCESSORS;

/// Bits of a number of which as many as there are processors can be squared and added up.
const SQUARED_BITS: u32 = 14;
/// One bit of a logarithm to the base 2.
pub const BIT: i64 = 1 << 16;

/// The logarithm of `value` to the base 2, in parts of [`BIT`]; within a hundredth.
pub fn log2(value: u64) -> i64 {
    let beyond = u64::from(u32::BITS).saturating_sub(u64::from(value.leading_zeros())) as u32;
    // What is cut off is less than the error.
    short_log2((value >> beyond) as u32) + i64::from(beyond) * BIT
}

/// The same of 32 bits, which is quicker on a processor of so many.
fn short_log2(value: u32) -> i64 {
    const ONE: u32 = 1 << 16;
    let value = value.max(1);
    let whole = value.ilog2();
    let mantissa = if whole > 16 { value >> (whole - 16) } else { value << (16 - whole) } - ONE;
    // The line between powers of two, and a parabola that is 0 at both.
    let parabola = (u64::from(mantissa) * u64::from(ONE - mantissa) >> 16) as u32;
    let above = (u64::from(parabola) * 22_545 >> 16) as u32;
    i64::from((whole << 16) + mantissa + above)
}

/// `value * 256 / parts`, within 256, for at least one part.
fn by_parallel(value: u32, parts: u32) -> u32 {
    let quotient = u64::from(value / parts) << 8 | u64::from(((value % parts) << 8).checked_div(parts).unwrap_or(0));
    u32::try_from(quotient).unwrap_or(u32::MAX)
}

/// A group's part on a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    /// Cycles of work and services.
    busy: u32,
    /// Dispatches, in parts of one.
    turns: u32,
    /// Cycles for which others wait at each dispatch.
    delay: u32,
    threads: u32,
}

impl Part {
    /// Cycles for which its threads keep each other waiting, if all want to run at once: all but one
    /// of them as long as one works.
    fn crowd(&self) -> u32 {
        self.busy - self.busy / self.threads.max(1)
    }

    fn add(&mut self, other: Part) {
        self.busy = self.busy.wrapping_add(other.busy);
        self.turns = self.turns.wrapping_add(other.turns);
        self.delay = self.delay.wrapping_add(other.delay);
        self.threads = self.threads.wrapping_add(other.threads);
    }

    fn remove(&mut self, other: Part) {
        self.busy = self.busy.wrapping_sub(other.busy);
        self.turns = self.turns.wrapping_sub(other.turns);
        self.delay = self.delay.wrapping_sub(other.delay);
        self.threads = self.threads.wrapping_sub(other.threads);
    }
}

/// A placement that can be changed, and its value. Cycles are those of a period, which is short
/// enough that sums over all threads fit 32 bits: a minute of 25 MHz on three processors, ten
/// seconds on fifteen.
#[derive(Clone, Debug)]
pub struct Plan {
    place: [u8; NODES],
    parts: [[Part; PROCESSORS]; NODES],
    /// Cycles for which a newcomer waits at each dispatch.
    delay: [u32; PROCESSORS],
    /// Cycles of work and services there, and below the groups that have threads there.
    busy: [u32; PROCESSORS],
    /// Dispatches there, in parts of one.
    turns: [u32; PROCESSORS],
    present: [Groups; PROCESSORS],
    /// Cycles for which the group's messages are under way.
    flight: [u32; NODES],
    /// Cycles of the period that this model does not explain: the threads wait for something else.
    idle: [u32; NODES],
    members: [u32; NODES],
    /// How likely it is that a thread of the group is active while another one is, in 256ths.
    overlap: [u32; NODES],
    /// What each group is worth as the threads are, [`Plan::settle`] renews it.
    worth: [i64; NODES],
}

impl Plan {
    /// A plan without threads.
    pub const NEW: Plan = Plan {
        place: [0; NODES],
        parts: [[Part { busy: 0, turns: 0, delay: 0, threads: 0 }; PROCESSORS]; NODES],
        delay: [0; PROCESSORS],
        busy: [0; PROCESSORS],
        turns: [0; PROCESSORS],
        present: [Groups::NONE; PROCESSORS],
        flight: [0; NODES],
        idle: [0; NODES],
        members: [0; NODES],
        overlap: [0; NODES],
        worth: [0; NODES],
    };

    /// With all threads where they are. It is large, so it stays where it is.
    pub fn renew(&mut self, at: &Scene<'_>) {
        let Scene { estimate, costs } = *at;
        (self.delay, self.busy, self.turns) = ([0; PROCESSORS], [0; PROCESSORS], [0; PROCESSORS]);
        self.present = [Groups::NONE; PROCESSORS];
        for group in 0..estimate.groups {
            self.parts[group] = [Part::default(); PROCESSORS];
            (self.flight[group], self.idle[group], self.members[group]) = (0, 0, 0);
        }
        for (at, node) in estimate.nodes.iter().enumerate() {
            self.place[at] = node.at % PROCESSORS as u8;
            self.members[usize::from(node.group)] += 1;
        }
        for group in 0..estimate.groups {
            self.overlap[group] = overlap(estimate.parallel[group], self.members[group]);
        }
        for node in 0..estimate.nodes.len() {
            self.add(at, node);
        }
        for pair in &estimate.pairs {
            let (a, b) = (usize::from(pair.a), usize::from(pair.b));
            if self.place[a] != self.place[b] {
                let flight = &mut self.flight[usize::from(estimate.nodes[a].group)];
                *flight = flight.saturating_add(pair.flight(costs));
            }
        }
        for group in 0..estimate.groups {
            self.idle[group] = saturated(u64::from(estimate.period).saturating_sub(self.time(at, group)));
        }
        self.settle(at);
    }

    /// Where a thread is in this plan.
    pub fn place(&self, node: usize) -> u8 {
        self.place[node]
    }

    /// Cycles of work and services on a processor.
    pub fn busy(&self, processor: u8) -> u32 {
        self.busy[usize::from(processor) % PROCESSORS]
    }

    /// For how long a newcomer waits there at each dispatch.
    pub fn delay(&self, processor: u8) -> u32 {
        self.delay[usize::from(processor) % PROCESSORS]
    }

    fn part_of(&self, at: &Scene<'_>, node: usize) -> Part {
        let own = &at.estimate.nodes[node];
        let pairs = at.estimate.pairs_of(node);
        let messages = pairs.map(|pair| (pair.messages, self.place[pair.other(node)] == self.place[node]));
        let (service, turns) = effort(own, messages, at.costs);
        Part { busy: own.work.saturating_add(service), turns, delay: own.delay, threads: 1 }
    }

    fn add(&mut self, at: &Scene<'_>, node: usize) {
        let (part, place) = (self.part_of(at, node), usize::from(self.place[node]));
        let group = usize::from(at.estimate.nodes[node].group);
        self.parts[group][place].add(part);
        self.present[place].insert(group);
        self.busy[place] = self.busy[place].wrapping_add(part.busy);
        self.turns[place] = self.turns[place].wrapping_add(part.turns);
        self.delay[place] = self.delay[place].wrapping_add(part.delay);
    }

    fn remove(&mut self, at: &Scene<'_>, node: usize) {
        let (part, place) = (self.part_of(at, node), usize::from(self.place[node]));
        let group = usize::from(at.estimate.nodes[node].group);
        self.parts[group][place].remove(part);
        if self.parts[group][place].turns == 0 {
            self.present[place].remove(group);
        }
        self.busy[place] = self.busy[place].wrapping_sub(part.busy);
        self.turns[place] = self.turns[place].wrapping_sub(part.turns);
        self.delay[place] = self.delay[place].wrapping_sub(part.delay);
    }

    /// Puts a thread elsewhere.
    pub fn shift(&mut self, at: &Scene<'_>, node: usize, to: u8) {
        let pairs = at.estimate.pairs_of(node);
        let from = self.place[node];
        self.remove(at, node);
        pairs.clone().for_each(|pair| self.remove(at, pair.other(node)));
        let group = usize::from(at.estimate.nodes[node].group);
        for pair in pairs.clone() {
            let (partner, flight) = (self.place[pair.other(node)], pair.flight(at.costs));
            if partner != from {
                self.flight[group] = self.flight[group].wrapping_sub(flight);
            }
            if partner != to {
                self.flight[group] = self.flight[group].wrapping_add(flight);
            }
        }
        self.place[node] = to;
        self.add(at, node);
        pairs.for_each(|pair| self.add(at, pair.other(node)));
    }

    /// How long a group takes for what it did in the last period.
    fn time(&self, at: &Scene<'_>, group: usize) -> u64 {
        let Scene { estimate, .. } = *at;
        let (mut most, mut sum, mut crowd) = (0u32, 0u32, 0u32);
        let mut all = [0; PROCESSORS];
        for (at, needs) in (1..=usize::from(estimate.slaves)).zip(&mut all) {
            let part = &self.parts[group][at];
            if part.turns == 0 {
                continue;
            }
            let others = u64::from(self.delay[at].wrapping_sub(part.delay));
            let wait = saturated(others * u64::from(part.turns) / u64::from(DISPATCH));
            *needs = part.busy.saturating_add(wait);
            most = most.max(*needs);
            sum = sum.saturating_add(*needs);
            crowd = crowd.max(part.crowd());
        }
        // Of so few bits that the sum of their squares fits.
        let shift = (u32::BITS - most.leading_zeros()).saturating_sub(SQUARED_BITS);
        let squares: u32 = all.iter().map(|&needs| (needs >> shift).pow(2)).sum();
        // Between placements with equal maxima the one that is more even is nearer to a better one.
        let uneven = squares.checked_div(sum >> shift).unwrap_or(0) << shift;
        let parallel = estimate.parallel[group].max(1);
        let crowd = (u64::from(crowd) * u64::from(self.overlap[group]) >> 8) as u32;
        let longest = (most / 2 + uneven / 2).max(by_parallel(sum, parallel).saturating_add(crowd));
        u64::from(longest) + u64::from(by_parallel(self.flight[group], parallel)) + u64::from(self.idle[group])
    }

    fn worth_of(&self, at: &Scene<'_>, group: u8) -> i64 {
        log2(self.time(at, group.into())) * i64::from(self.members[usize::from(group)])
    }

    /// The sum of all threads' logarithms of their groups' times; less is better.
    pub fn value(&self, at: &Scene<'_>, groups: &Groups) -> i64 {
        groups.iter().map(|group| self.worth_of(at, group)).sum()
    }

    /// [`Plan::value`] as it was when the plan was last settled.
    pub fn settled(&self, groups: &Groups) -> i64 {
        groups.iter().map(|group| self.worth[usize::from(group)]).sum()
    }

    /// The threads stay where they are now: what others are compared with.
    pub fn settle(&mut self, at: &Scene<'_>) {
        for group in 0..at.estimate.groups {
            self.worth[group] = self.worth_of(at, group as u8);
        }
    }

    /// Whether it may be worth something to bring these threads from a processor to another one:
    /// there they wait less, or fewer have to wait for them, or their group is more even then.
    /// Threads that communicate with others there may be worth more there too.
    pub fn may_help(&self, at: &Scene<'_>, nodes: &[u8], from: u8, to: u8) -> bool {
        let own = nodes.iter().map(|&node| &at.estimate.nodes[usize::from(node)]);
        let (from, to) = (usize::from(from) % PROCESSORS, usize::from(to) % PROCESSORS);
        let group = usize::from(at.estimate.nodes[usize::from(nodes[0])].group);
        let parts = &self.parts[group];
        let delay: u32 = own.map(|own| own.delay).sum();
        let others = self.turns[from].saturating_sub(parts[from].turns);
        self.delay[to].saturating_add(delay) < self.delay[from]
            || self.turns[to] < others
            || parts[to].busy < parts[from].busy && self.members[group] > nodes.len() as u32
    }

    /// The groups of which there are threads on a processor.
    pub fn present(&self, processor: u8) -> Groups {
        self.present[usize::from(processor) % PROCESSORS]
    }

    /// How many threads a group has.
    pub fn members(&self, group: u8) -> u32 {
        self.members[usize::from(group)]
    }
}

/// How likely it is that one of so many threads is active while another one is, in 256ths, if
/// `parallel` 256ths of them are active at once.
fn overlap(parallel: u32, members: u32) -> u32 {
    let others = members.saturating_sub(1).max(1);
    (parallel.saturating_sub(1 << 8) / others).min(1 << 8)
}

/// What a plan is made of.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub estimate: &'a Estimate,
    pub costs: &'a Costs,
}

/// Threads of a group are dealt out one by one if its work is so many times what its messages cost
/// between processors; and need not be near each other at all if it is so many times.
const WORK_A_MESSAGE: u64 = 2;
const MUCH_WORK_A_MESSAGE: u64 = 8;
/// A group may be cut if so many of its threads are ready at once on average, in 256ths.
const PARALLEL: u32 = 2 << 8;

impl Scene<'_> {
    /// Whether a group's messages cost it little against its work.
    pub fn is_scattered(&self, group: usize) -> bool {
        self.work_a_message(group) >= WORK_A_MESSAGE
    }

    /// Whether a group may gain from being on several slaves, cut between neighbours.
    pub fn may_be_cut(&self, group: usize) -> bool {
        self.work_a_message(group) >= 1 && self.estimate.parallel[group] >= PARALLEL
    }

    /// Whether they cost it next to nothing, so that its threads may be anywhere.
    pub fn is_loose(&self, group: usize) -> bool {
        self.work_a_message(group) >= MUCH_WORK_A_MESSAGE
    }

    /// How many times what its messages cost between processors a group works.
    fn work_a_message(&self, group: usize) -> u64 {
        let members = || self.estimate.members(group);
        let work: u64 = members().map(|node| u64::from(self.estimate.nodes[node].work)).sum();
        let messages = members().flat_map(|node| self.estimate.pairs_of(node)).map(|pair| u64::from(pair.messages));
        // Each pair has been counted at both ends.
        work / (messages.sum::<u64>() * u64::from(self.costs.remote) / u64::from(2 * MESSAGE)).max(1)
    }
}

/// Numbers of groups.
#[derive(Clone, Copy, Debug)]
pub struct Groups([u32; NODES / 32]);

impl Groups {
    pub const NONE: Groups = Groups([0; NODES / 32]);

    fn insert(&mut self, group: usize) {
        self.0[group / 32 % (NODES / 32)] |= 1 << (group % 32);
    }

    fn remove(&mut self, group: usize) {
        self.0[group / 32 % (NODES / 32)] &= !(1 << (group % 32));
    }

    /// Adds those of another set.
    pub fn extend(&mut self, other: Groups) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().zip((0u8..).step_by(32)).flat_map(|(&word, first)| {
            let mut left = word;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(first + bit as u8)
            })
        })
    }
}
