//! Bulk-synchronous programs by superstep: work, words, what was waited for, and what the cost model says.

pub(crate) mod group;
pub(crate) mod groups;
pub mod model;
pub mod superstep;

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use super::measure::{Omitted, Range};
use group::{Finding, Group};
use groups::Groups;
use model::{Figures, Model};
use superstep::{Superstep, LOST};

/// Processes by superstep that a report keeps one by one; of the supersteps behind them only sums.
pub const KEPT_MAX: usize = 100_000;

/// Collects supersteps.
#[derive(Debug)]
pub struct Bsp {
    groups: Groups,
    collected: Collected,
}

#[derive(Debug)]
struct Collected {
    range: Range,
    given: Figures,
    kept: usize,
    groups: Vec<GroupReport>,
    omitted: Omitted,
}

/// The supersteps of all groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BspReport {
    /// In the order in which they were first seen.
    pub groups: Vec<GroupReport>,
    pub model: Model,
    pub omitted: Omitted,
}

/// A group's supersteps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupReport {
    /// Home and place of the process that it belongs to: the first one of its program.
    pub process: u16,
    /// Its processes that the trace shows.
    pub processes: usize,
    pub supersteps: Vec<Superstep>,
    /// Supersteps that are not kept one by one.
    pub beyond: u64,
    pub totals: Totals,
    /// Why supersteps are incomplete, and how many.
    pub incomplete: Omitted,
}

/// Sums over complete supersteps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub supersteps: u64,
    /// From the first beginning to the last THROUGH of all.
    pub from_cycle: u64,
    pub to_cycle: u64,
    pub w_cycles: u64,
    pub hs_words: u64,
    pub hr_words: u64,
    pub h_words: u64,
    pub cycles: u64,
    pub waited_cycles: u64,
    /// The totals of those that are predicted, without each group's first.
    pub predicted: PredictedTotals,
}

/// Sums over supersteps of which the cost model says something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PredictedTotals {
    pub supersteps: u64,
    /// As measured.
    pub cycles: u64,
    pub max_cycles: f64,
    pub sum_cycles: f64,
}

impl Bsp {
    /// With the figures that are given for the cost model.
    pub fn new(range: Range, given: Figures) -> Self {
        let collected = Collected { range, given, kept: 0, groups: Vec::new(), omitted: Omitted::default() };
        Bsp { groups: Groups::default(), collected }
    }

    pub fn take(&mut self, fact: &Fact) {
        let collected = &mut self.collected;
        self.groups.take(fact, &mut |finding| collected.take(finding));
    }

    pub fn finish(mut self) -> BspReport {
        let collected = &mut self.collected;
        self.groups.finish(&mut |finding| collected.take(finding));
        let Collected { given, mut groups, omitted, .. } = self.collected;
        let sums = groups.iter().flat_map(|group| &group.supersteps).filter(|step| is_typical(step));
        let model = Model::new(given, sums.filter_map(|step| step.sums));
        groups.iter_mut().for_each(|group| group.predict(&model));
        groups.retain(|group| !group.supersteps.is_empty() || group.beyond > 0);
        BspReport { groups, model, omitted }
    }
}

/// Whether the cost model is held against it: in a group's first superstep its processes are started.
fn is_typical(step: &Superstep) -> bool {
    step.exchange > 0
}

impl Collected {
    fn take(&mut self, finding: Finding) {
        match finding {
            Finding::Superstep(group, step) => self.add(group, step),
            Finding::Revoked { place } => self.groups.get_mut(place).into_iter().for_each(GroupReport::revoke),
        }
    }

    fn add(&mut self, group: &Group, step: Superstep) {
        if self.groups.len() <= group.place {
            self.groups.resize_with(group.place + 1, GroupReport::default);
        }
        let report = &mut self.groups[group.place];
        report.process = group.owner.into();
        report.processes = group.members();
        let (Some(begin), Some(end)) = (step.begin_cycle(), step.end_cycle()) else { return };
        if end < self.range.from_cycle || begin >= self.range.to_cycle {
            return;
        }
        if begin < self.range.from_cycle || end > self.range.to_cycle {
            return self.omitted.add("begun before or ended after the part of the run that was asked for");
        }
        if let Some(why) = &step.incomplete {
            report.incomplete.add(why);
        }
        report.totals.add(&step, (begin, end));
        if self.kept < KEPT_MAX {
            self.kept += step.members.len();
            report.supersteps.push(step);
        } else {
            report.beyond += 1;
        }
    }
}

impl Totals {
    fn add(&mut self, step: &Superstep, (begin, end): (u64, u64)) {
        let Some(sums) = step.sums else { return };
        self.from_cycle = if self.supersteps == 0 { begin } else { self.from_cycle.min(begin) };
        self.to_cycle = self.to_cycle.max(end);
        self.supersteps += 1;
        self.w_cycles += sums.w_cycles;
        self.hs_words += u64::from(sums.hs_words);
        self.hr_words += u64::from(sums.hr_words);
        self.h_words += u64::from(sums.h_words());
        self.cycles += sums.cycles;
        self.waited_cycles += sums.waited_cycles;
    }
}

impl GroupReport {
    /// Events were lost: there may be processes that no event has shown.
    fn revoke(&mut self) {
        self.totals = Totals::default();
        for step in self.supersteps.iter_mut().filter(|step| step.sums.is_some()) {
            step.revoke();
            self.incomplete.add(LOST);
        }
    }

    fn predict(&mut self, model: &Model) {
        let totals = &mut self.totals.predicted;
        for step in &mut self.supersteps {
            let (Some(sums), typical) = (step.sums, is_typical(step)) else { continue };
            step.predicted = model.predict(&sums);
            if let Some(predicted) = step.predicted.filter(|_| typical) {
                totals.supersteps += 1;
                totals.cycles += sums.cycles;
                totals.max_cycles += predicted.max_cycles;
                totals.sum_cycles += predicted.sum_cycles;
            }
        }
    }
}
