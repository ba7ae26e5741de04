//! How long each phase of the protocols takes: the report's Figures 5 to 8, 9 to 17.

use std::collections::BTreeMap;

use itertools::Itertools;
use serde::{Deserialize, Serialize};

use super::fact::{Episode, Fact};
use super::measure::{Distribution, Omitted, Range, Spans};
use super::protocol::{Phase, Protocol};

/// Collects phases.
#[derive(Debug)]
pub struct Phases {
    range: Range,
    protocols: BTreeMap<Protocol, Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    whole: Spans,
    /// By whether the phase passes beside others.
    phases: BTreeMap<(bool, Phase), Spans>,
    omitted: Omitted,
}

/// The phases of all protocols that the trace shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhasesReport {
    pub protocols: Vec<ProtocolReport>,
}

/// The phases of one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProtocolReport {
    pub protocol: Protocol,
    /// From the first event to the last one; `None` if none was followed to its end.
    pub whole: Option<Distribution>,
    /// In the order in which they pass. Those that are not `beside` add up to the whole.
    pub phases: Vec<PhaseReport>,
    pub omitted: Omitted,
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseReport {
    pub phase: Phase,
    /// It passes beside others: the request of a receiver that was there first.
    pub beside: bool,
    pub figures: Distribution,
}

impl Phases {
    pub fn new(range: Range) -> Self {
        Phases { range, protocols: BTreeMap::new() }
    }

    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Episode(episode) => self.episode(episode),
            Fact::LeftOut { protocol, cycle, reason }
                if self.range.contains(*cycle) || *cycle == self.range.to_cycle =>
            {
                self.protocols.entry(*protocol).or_default().omitted.add(reason);
            }
            _ => {}
        }
    }

    fn episode(&mut self, episode: &Episode) {
        if episode.to() < self.range.from_cycle || episode.from() >= self.range.to_cycle {
            return;
        }
        let collected = self.protocols.entry(episode.protocol).or_default();
        if episode.from() < self.range.from_cycle || episode.to() > self.range.to_cycle {
            return collected.omitted.add("begun before or ended after the part of the run that was asked for");
        }
        collected.whole.add(episode.span());
        let stages = episode.stages.iter().map(|stage| (false, stage));
        for (beside, stage) in stages.chain(episode.beside.iter().map(|stage| (true, stage))) {
            collected.phases.entry((beside, stage.phase)).or_default().add(stage.span);
        }
    }

    pub fn finish(self) -> PhasesReport {
        let protocols = self.protocols.into_iter().map(|(protocol, collected)| {
            let phases = collected.phases.into_iter();
            let phases = phases
                .filter_map(|((beside, phase), spans)| Some(PhaseReport { phase, beside, figures: spans.summary()? }));
            let phases = phases.sorted_by_key(|row| (row.phase, row.beside)).collect();
            ProtocolReport { protocol, whole: collected.whole.summary(), phases, omitted: collected.omitted }
        });
        PhasesReport { protocols: protocols.collect() }
    }
}
