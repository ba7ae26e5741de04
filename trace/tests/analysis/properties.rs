//! What must hold for every trace, also for nonsense.

use std::collections::BTreeMap;

use proptest::prelude::*;
use testbed_definitions::event::{self, KINDS, SCHEDULE};
use testbed_trace::analysis::fact::{Episode, Fact};
use testbed_trace::analysis::protocol::Protocol;
use testbed_trace::analysis::Options;
use testbed_trace::order::{Epoch, Event, What};

use crate::analysis::scripts::*;

/// Any event of one of three processors and a few threads and channels, a gap, or one whose time is not proven.
pub fn any_event() -> impl Strategy<Value = (u64, u8, u16, u16, u8)> {
    let code = prop_oneof![
        4 => Just(SCHEDULE),
        12 => (0..KINDS.len()).prop_map(|at| KINDS[at].code),
        1 => Just(GAP),
    ];
    let argument = prop_oneof![
        (1..4u16).prop_map(|id| FIRST + id - 1),
        (1..4u16, 1..16u16, 0..3u16).prop_map(|(other, kind, channel)| other << 12 | kind << 8 | channel),
        (0..=0xffffu16),
    ];
    (0..300u64, 1..4u8, code, argument, 0..40u8)
}

pub fn trace(steps: Vec<(u64, u8, u16, u16, u8)>) -> (Vec<Event>, u64) {
    let mut cycle = 0;
    let events = steps.into_iter().map(|(pause, smi, code, argument, odd)| {
        cycle += pause;
        let argument = if code == SCHEDULE { FIRST + argument % 3 } else { argument };
        let mut event = event((cycle, smi, code, argument));
        match odd {
            0 => event.epoch = Epoch::Ambiguous { low: cycle >> 16, high: None },
            1 => event.doubtful = !matches!(event.what, What::Gap(_)),
            2 => event.argument = None,
            _ => {}
        }
        event
    });
    let events = events.collect();
    (events, cycle + 100)
}

/// The stages of an episode follow each other without holes.
fn tiles(episode: &Episode) -> bool {
    let joined = episode.stages.windows(2).all(|two| {
        let (before, after) = (two[0].to, two[1].from);
        (before.cycle, before.processor) == (after.cycle, after.processor)
            || two[0].phase.awaits() && before.cycle == after.cycle
    });
    let flights = episode.stages.iter().filter_map(|stage| Some((stage.span.cycles, stage.busy?)));
    joined
        && episode.span().cycles == episode.to() - episode.from()
        && flights.into_iter().all(|(cycles, busy)| cycles == busy.iter().sum::<u64>())
}

/// Everything that must hold, whatever the trace.
fn check(events: &[Event], end: u64) {
    let mut born: BTreeMap<u16, u64> = BTreeMap::new();
    let mut states: BTreeMap<u16, u64> = BTreeMap::new();
    let mut expected: BTreeMap<u16, u64> = BTreeMap::new();
    let mut processors: BTreeMap<u8, u64> = BTreeMap::new();
    for fact in facts(events, end) {
        match fact {
            Fact::Born { thread, cycle } => {
                assert_eq!(born.insert(thread, cycle), None);
            }
            Fact::Died { thread, cycle } => {
                let from = born.remove(&thread).expect("who dies has lived");
                *expected.entry(thread).or_default() += cycle - from;
            }
            Fact::Thread { thread, from, to, .. } => {
                assert!(from < to);
                *states.entry(thread).or_default() += to - from;
            }
            Fact::Processor { processor, from, to, .. } => {
                let until = processors.entry(processor).or_default();
                assert_eq!(*until, from, "what a processor does has no holes");
                *until = to;
            }
            Fact::Queue { length, untold, .. } => {
                assert!((length.unwrap_or(0) + untold) as usize <= born.len(), "only living threads are in queues");
            }
            Fact::Episode(episode) => assert!(tiles(&episode), "{episode:?}"),
            Fact::Wait(wait) => {
                assert!(wait.begun.cycle <= wait.runs.cycle);
                assert!(wait
                    .ready
                    .is_none_or(|ready| wait.begun.cycle <= ready.cycle && ready.cycle <= wait.runs.cycle));
            }
            _ => {}
        }
    }
    for (thread, from) in born {
        *expected.entry(thread).or_default() += end - from;
    }
    expected.retain(|_, cycles| *cycles > 0);
    assert_eq!(states, expected, "a thread's states add up to its life");
    assert!(processors.values().all(|until| *until == end));
}

/// A trace that is sound, of episodes one after the other, each slowed down by its own factor.
fn sound(parts: &[(usize, u64)]) -> (Vec<Event>, u64, BTreeMap<Protocol, (u64, u64)>) {
    let (mut steps, mut start) = (Vec::new(), 0);
    let mut expected: BTreeMap<Protocol, (u64, u64)> = BTreeMap::new();
    for (kind, factor) in parts {
        let (part, protocol, cycles) = match kind {
            0 => (local(EARTH), Protocol::Local, 300),
            1 => (remote_receiver_first(), Protocol::Remote, 550),
            2 => (remote_receiver_late(), Protocol::Remote, 1_230),
            _ => (page(), Protocol::Page, 300),
        };
        let last = part.last().map_or(0, |step| step.0);
        // The threads are where the next part has them: their process begins anew.
        steps.extend(part.iter().map(|(cycle, at, code, argument)| (start + cycle * factor, *at, *code, *argument)));
        start += (last + 10) * factor;
        steps.push((start, EARTH, event::PROCESS_END, 1 << 4 | 1));
        let (count, sum) = expected.entry(protocol).or_default();
        (*count, *sum) = (*count + 1, *sum + cycles * factor);
    }
    (steps.into_iter().map(event).collect(), start + 10, expected)
}

proptest! {
    #[test]
    fn sums_and_tiles_hold_for_nonsense(steps in prop::collection::vec(any_event(), 0..120)) {
        let (events, end) = trace(steps);
        check(&events, end);
        let report = analysed(&events, CLASSES, &Options::default(), end).unwrap();
        for thread in &report.threads.as_ref().unwrap().threads {
            prop_assert_eq!(thread.states.values().sum::<u64>(), thread.elapsed_cycles);
            prop_assert_eq!(thread.processors.values().sum::<u64>(), thread.elapsed_cycles);
        }
        for processor in &report.cpu.as_ref().unwrap().processors {
            prop_assert_eq!(processor.cycles.values().sum::<u64>(), end);
            prop_assert_eq!(processor.windows.iter().flatten().sum::<u64>(), end);
        }
        for queue in &report.queues.as_ref().unwrap().processors {
            prop_assert_eq!(queue.cycles_by_length.values().sum::<u64>() + queue.unknown_cycles, end);
        }
        testbed_trace::analysis::text::text(&report, true);
    }

    #[test]
    fn every_episode_of_a_sound_trace_is_found(parts in prop::collection::vec((0..4usize, 1..50u64), 1..20)) {
        let (events, end, expected) = sound(&parts);
        check(&events, end);
        let report = analysed(&events, CLASSES, &Options::default(), end).unwrap();
        let protocols = report.phases.unwrap().protocols;
        let found: BTreeMap<_, _> = protocols
            .iter()
            .map(|protocol| (protocol.protocol, protocol.whole.map_or((0, 0), |whole| (whole.count, whole.total_cycles))))
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert!(protocols.iter().all(|protocol| protocol.omitted.is_empty()));
        prop_assert_eq!(report.uncertainty.deviations, 0);
    }

    #[test]
    fn a_loss_leaves_out_and_never_invents(
        parts in prop::collection::vec((0..4usize, 1..50u64), 1..12),
        cut in any::<prop::sample::Index>(),
        lost in 1..40usize,
    ) {
        let (mut events, end, expected) = sound(&parts);
        // Some of one processor's events are lost, and marked.
        let first = cut.index(events.len());
        let smi = events[first].smi;
        let theirs: Vec<_> = (first..events.len()).filter(|at| events[*at].smi == smi).take(lost).collect();
        let gap = event((events[*theirs.last().unwrap()].ticks(), smi, GAP, theirs.len() as u16));
        events[*theirs.last().unwrap()] = gap;
        for at in theirs[..theirs.len() - 1].iter().rev() {
            events.remove(*at);
        }
        check(&events, end);
        let report = analysed(&events, CLASSES, &Options::default(), end).unwrap();
        for protocol in report.phases.unwrap().protocols {
            let (count, sum) = expected.get(&protocol.protocol).copied().unwrap_or_default();
            let whole = protocol.whole.map_or((0, 0), |whole| (whole.count, whole.total_cycles));
            prop_assert!(whole.0 <= count && whole.1 <= sum);
        }
    }
}
