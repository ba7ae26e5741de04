//! The critical path of a message, a migration, a page: which phases its time went to, and what held up its packets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::fact::{Doing, Episode, Fact, Times};
use super::measure::{Omitted, Range, Span};
use super::protocol::{Phase, Protocol};

/// Slowest ones that are shown.
pub const SLOWEST: usize = 5;

/// Collects paths.
#[derive(Debug)]
pub struct Paths {
    range: Range,
    protocols: BTreeMap<Protocol, Collected>,
}

#[derive(Debug, Default)]
struct Collected {
    count: u64,
    whole: Span,
    awaited: Span,
    phases: BTreeMap<Phase, (u64, Span, Times)>,
    slowest: Vec<Episode>,
    omitted: Omitted,
}

/// Where the time of messages, migrations and pages goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathReport {
    pub protocols: Vec<ProtocolPath>,
}

/// All paths of one protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProtocolPath {
    pub protocol: Protocol,
    pub count: u64,
    /// All together, without what partners were awaited.
    pub whole: Span,
    /// Until the partner asked: the threads' own time.
    pub awaited: Span,
    pub phases: Vec<PhaseShare>,
    /// The longest ones, longest first; what partners were awaited does not count.
    pub slowest: Vec<Path>,
    pub omitted: Omitted,
}

/// A phase's part in all paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseShare {
    pub phase: Phase,
    pub count: u64,
    pub whole: Span,
    /// What the processors that received packets did during their flights, in cycles.
    pub busy: BTreeMap<Doing, u64>,
}

/// One path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Path {
    pub channel: Option<u8>,
    /// Sender and receiver; the thread that moves or wants the page, twice.
    pub threads: (u16, u16),
    pub from_cycle: u64,
    /// Without what the partner was awaited, and that.
    pub whole: Span,
    pub awaited: Span,
    pub steps: Vec<Step>,
}

/// One phase of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub phase: Phase,
    /// Where it ends.
    pub processor: u8,
    pub from_cycle: u64,
    pub span: Span,
    /// What the processor that received the packet did during a flight.
    pub busy: BTreeMap<Doing, u64>,
}

fn by_doing(times: &Times) -> BTreeMap<Doing, u64> {
    Doing::ALL.into_iter().map(|doing| (doing, times[doing as usize])).filter(|(_, cycles)| *cycles > 0).collect()
}

/// What an episode took, and what partners were awaited in it.
fn spans(episode: &Episode) -> (Span, Span) {
    let sum = |awaits: bool| {
        episode.stages.iter().filter(|stage| stage.phase.awaits() == awaits).map(|stage| stage.span).sum()
    };
    (sum(false), sum(true))
}

impl Paths {
    pub fn new(range: Range) -> Self {
        Paths { range, protocols: BTreeMap::new() }
    }

    pub fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::Episode(episode)
                if episode.from() >= self.range.from_cycle && episode.to() <= self.range.to_cycle =>
            {
                self.episode(episode);
            }
            Fact::LeftOut { protocol, cycle, reason }
                if self.range.contains(*cycle) || *cycle == self.range.to_cycle =>
            {
                self.protocols.entry(*protocol).or_default().omitted.add(reason);
            }
            _ => {}
        }
    }

    fn episode(&mut self, episode: &Episode) {
        let collected = self.protocols.entry(episode.protocol).or_default();
        let (span, awaited) = spans(episode);
        collected.count += 1;
        (collected.whole, collected.awaited) = (collected.whole + span, collected.awaited + awaited);
        for stage in &episode.stages {
            let (count, whole, busy) = collected.phases.entry(stage.phase).or_default();
            (*count, *whole) = (*count + 1, *whole + stage.span);
            for (sum, cycles) in busy.iter_mut().zip(stage.busy.unwrap_or_default()) {
                *sum += cycles;
            }
        }
        let slowest = &mut collected.slowest;
        let place = slowest.partition_point(|other| spans(other).0.cycles >= span.cycles);
        if place < SLOWEST {
            slowest.insert(place, episode.clone());
            slowest.truncate(SLOWEST);
        }
    }

    pub fn finish(self) -> PathReport {
        let protocols = self.protocols.into_iter().map(|(protocol, collected)| ProtocolPath {
            protocol,
            count: collected.count,
            whole: collected.whole,
            awaited: collected.awaited,
            phases: collected
                .phases
                .into_iter()
                .map(|(phase, (count, whole, busy))| PhaseShare { phase, count, whole, busy: by_doing(&busy) })
                .collect(),
            slowest: collected.slowest.iter().map(path).collect(),
            omitted: collected.omitted,
        });
        PathReport { protocols: protocols.collect() }
    }
}

fn path(episode: &Episode) -> Path {
    let step = |stage: &super::fact::Stage| Step {
        phase: stage.phase,
        processor: stage.processor,
        from_cycle: stage.from.cycle,
        span: stage.span,
        busy: stage.busy.as_ref().map(by_doing).unwrap_or_default(),
    };
    Path {
        channel: episode.channel,
        threads: episode.threads,
        from_cycle: episode.from(),
        whole: spans(episode).0,
        awaited: spans(episode).1,
        steps: episode.stages.iter().map(step).collect(),
    }
}
