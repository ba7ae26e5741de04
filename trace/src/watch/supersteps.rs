//! Supersteps of the groups that a run shows, as [`crate::analysis::bsp`] finds them.

use std::collections::BTreeMap;

use itertools::Itertools;

use super::recent::{Recent, Scale};
use crate::analysis::bsp::group::Finding;
use crate::analysis::bsp::groups::Groups;
use crate::analysis::bsp::model::Sums;
use crate::analysis::bsp::superstep::Superstep;
use crate::analysis::fact::Fact;

/// Groups that are remembered: those of which something was found last.
const KEPT: usize = 8;

/// A group of processes that exchange at the ends of their supersteps.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupView {
    /// Home and place of the process that it belongs to.
    pub process: u16,
    /// Its processes that the trace has shown.
    pub processes: usize,
    /// Complete supersteps so far, and per second.
    pub supersteps: u64,
    pub rate: f64,
    /// Those of which the trace does not tell all.
    pub incomplete: u64,
    /// Part of the window's complete supersteps that was work, on the processor with most of it in each.
    pub work_share: Option<f64>,
    /// The last complete one.
    pub last: Option<Sums>,
}

/// Counts of a piece of time: complete supersteps, their work and their cycles.
type Counts = [u64; 3];

#[derive(Default)]
struct Seen {
    process: u16,
    processes: usize,
    supersteps: u64,
    incomplete: u64,
    last: Option<Sums>,
    recent: Recent<Counts>,
    /// Cycle at which something was found last.
    at: u64,
}

/// All groups.
#[derive(Default)]
pub(super) struct Supersteps {
    groups: Groups,
    seen: BTreeMap<usize, Seen>,
}

impl Supersteps {
    pub fn take(&mut self, fact: &Fact, scale: Scale) {
        let seen = &mut self.seen;
        self.groups.take(fact, &mut |finding| match finding {
            Finding::Superstep(group, step) => {
                let found = seen.entry(group.place).or_default();
                (found.process, found.processes) = (group.owner.into(), group.members());
                found.add(&step, scale);
            }
            Finding::Revoked { place } => seen.get_mut(&place).into_iter().for_each(Seen::revoke),
        });
        while seen.len() > KEPT {
            let oldest = seen.iter().min_by_key(|(_, seen)| seen.at).map(|(place, _)| *place);
            oldest.and_then(|place| seen.remove(&place));
        }
    }

    /// Pieces of time are twice as long from now on.
    pub fn double(&mut self) {
        self.seen.values_mut().for_each(|seen| seen.recent.double());
    }

    /// The groups, that of which something was found last in front; `rate` makes rates of counts.
    pub fn view(&self, first_piece: u64, rate: impl Fn(u64) -> f64) -> Vec<GroupView> {
        let all = self.seen.values().sorted_by_key(|seen| std::cmp::Reverse(seen.at));
        let view = |seen: &Seen| {
            let [count, work, cycles] = seen.recent.sum_from(first_piece);
            GroupView {
                process: seen.process,
                processes: seen.processes,
                supersteps: seen.supersteps,
                rate: rate(count),
                incomplete: seen.incomplete,
                work_share: (cycles > 0).then(|| work as f64 / cycles as f64),
                last: seen.last,
            }
        };
        all.into_iter().map(view).collect()
    }
}

impl Seen {
    fn add(&mut self, step: &Superstep, scale: Scale) {
        let Some(end) = step.end_cycle() else { return };
        self.at = self.at.max(end);
        let Some(sums) = step.sums else {
            self.incomplete += 1;
            return;
        };
        self.supersteps += 1;
        self.last = Some(sums);
        if let Some(counts) = self.recent.at(scale.number(end)) {
            let more = [1, sums.w_cycles, sums.cycles];
            counts.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }

    /// A loss may have hidden a process of it from the beginning.
    fn revoke(&mut self) {
        self.incomplete += std::mem::take(&mut self.supersteps);
        self.last = None;
        self.recent = Recent::default();
    }
}
