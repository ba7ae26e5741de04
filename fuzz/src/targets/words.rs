//! Words of monitors, whatever they are, to one order of events.

use std::io::Cursor;
use std::path::Path;

use testbed_definitions::event::DIAG_DEFAULT;
use testbed_machine::Machine;
use testbed_trace::analysis::probe::Probe;
use testbed_trace::analysis::{analyse_events, AnalysisError, Options};
use testbed_trace::capture::{CaptureError, RunRecord, Words};
use testbed_trace::conform::Checker;
use testbed_trace::order::{Convention, Event, Growing, Input, Ordered};
use testbed_trace::synthetic::{Mix, Mmi, Smi};

use super::target::{hold, Target};

/// Streams of the target.
const SMIS: u8 = 3;

/// Streams in memory: how they are read in the first byte, then four bytes a pair, of each SMI in turn.
pub const STREAMS: Target = Target {
    name: "streams",
    what: "pairs of CTF streams and of the MMI, put in order, analysed and held against the protocols",
    words: &["\0\0\u{1}\u{2a}", "\0\0\0\u{2a}", "\0\0\u{7f}\u{7f}", "\u{1}\0\u{7}\0", "\0\0\u{1}@"],
    seeds: || {
        let mix = Mix { ticks: 3_000, silence_every: 40, silence_wraps: 600, loss_every: 20, long_every: 4 };
        let bytes = |flags: u8| {
            let mmi = Mmi::new((1..=SMIS).map(|smi| Smi::new(smi, mix, u64::from(flags) + 1, 30)).collect());
            let pairs: Vec<(u8, u32)> = mmi.map(|(smi, pair)| (smi, pair.pair)).collect();
            let mut streams: Vec<Vec<u32>> = vec![Vec::new(); usize::from(SMIS)];
            pairs.into_iter().for_each(|(smi, pair)| streams[usize::from(smi) - 1].push(pair));
            let most = streams.iter().map(Vec::len).min().unwrap_or(0);
            let turns = (0..most).flat_map(|place| streams.iter().map(move |stream| stream[place]));
            std::iter::once(flags).chain(turns.flat_map(u32::to_le_bytes)).collect()
        };
        [0, 1, 2, 4, 9, 0xf3].map(bytes).to_vec()
    },
    check: |input| {
        let (flags, bytes) = input.split_first().map_or((0, &[][..]), |(flags, bytes)| (*flags, bytes));
        let guarded = flags & 1 == 0;
        let convention = if flags & 2 == 0 { Convention::Profile } else { Convention::Ready };
        let last_epoch = (flags & 4 != 0).then(|| u64::from(flags >> 3) << (flags >> 5));
        let mut streams: Vec<Vec<u8>> = vec![Vec::new(); usize::from(SMIS)];
        for (turn, pair) in bytes.chunks(4).enumerate() {
            streams[turn % usize::from(SMIS)].extend_from_slice(pair);
        }
        let input = |(place, bytes): (usize, &Vec<u8>)| Input {
            smi: place as u8 + 1,
            pairs: Box::new(Words::new(Cursor::new(bytes.clone()), Path::new("stream"), 0)),
            guarded,
        };
        let ordered = Ordered::new(streams.iter().enumerate().map(input).collect(), convention, last_epoch);
        let events: Vec<Event> = ordered.collect::<Result<_, CaptureError>>().map_err(|error| error.to_string())?;
        let pairs: usize = streams.iter().map(|stream| stream.len() / 4).sum();
        hold(events.len() <= pairs, || format!("{} events of {pairs} pairs", events.len()))?;
        sound(&events, guarded)?;
        if guarded && last_epoch.is_none() {
            grown(&streams, convention, &events)?;
        }
        told(&events, flags, bytes.len())
    },
};

/// What holds of events of streams in which no place is known to be damaged.
pub(super) fn sound(events: &[Event], guarded: bool) -> Result<(), String> {
    let mut last = [(0u64, 0u64); 16];
    for event in events {
        let (ticks, index) = &mut last[usize::from(event.smi)];
        hold(guarded || !event.is_certain(), || format!("certain without proof: {event:?}"))?;
        hold(event.index >= *index, || format!("behind pair {index}: {event:?}"))?;
        *index = event.index;
        if event.epoch.is_certain() && guarded && event.ticks() >= *ticks {
            *ticks = event.ticks();
        }
    }
    Ok(())
}

/// The same words, as they come while a run goes on, are the same events.
fn grown(streams: &[Vec<u8>], convention: Convention, events: &[Event]) -> Result<(), String> {
    let mut growing = Growing::new(1..=SMIS, convention);
    let mut found = Vec::new();
    for part in 0.. {
        let mut any = false;
        for (number, stream) in streams.iter().enumerate() {
            // Parts of different lengths.
            let (from, to) = (28 * part + 4 * number, 28 * (part + 1) + 4 * number);
            let from = if part == 0 { 0 } else { from };
            let whole = stream.len() & !3;
            let words: Vec<u32> = stream[from.min(whole)..to.min(whole)]
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect();
            any |= !words.is_empty();
            growing.feed(number, &words);
        }
        found.extend(growing.by_ref());
        if !any {
            break;
        }
    }
    growing.end();
    found.extend(growing);
    let differs = found.iter().zip(events).position(|(found, event)| found != event);
    let same = differs.is_none() && found.len() == events.len();
    hold(same, || format!("while it grows event {differs:?} is another, of {} and {}", found.len(), events.len()))
}

/// What all analyses and the protocols' machines say of the events is over in time. They take
/// longer than all else, so only inputs of some lengths are shown to them: one in sixteen.
pub(super) fn told(events: &[Event], flags: u8, length: usize) -> Result<(), String> {
    if length % 64 >= 4 {
        return Ok(());
    }
    let machine = Machine { processors: ["m", "a", "b", "c"].map(String::from).into(), ..Machine::testbed6() };
    let dgl = if flags & 2 == 0 { DIAG_DEFAULT } else { testbed_definitions::event::DIAG_READY };
    let record = RunRecord { dgl, ..RunRecord::new(&machine, "x") };
    let end = events.iter().filter(|event| event.epoch.is_certain()).map(|event| event.ticks() + 1).max();
    let end = end.unwrap_or(1).saturating_mul(u64::from(machine.tick_cycles));
    let given = events.iter().copied().map(Ok::<_, AnalysisError>);
    let report = analyse_events(&record, Probe::of(record.machine.core), &Options::default(), end, given, "x");
    let report = report.map_err(|error| format!("no analysis: {error}"))?;
    for cpu in report.cpu.iter().flat_map(|cpu| &cpu.processors) {
        let all: u64 = cpu.cycles.values().sum();
        hold(all <= report.range.cycles(), || format!("{all} cycles of {:?} in {:?}", cpu.cycles, report.range))?;
    }
    let mut checker = Checker::new(&machine.processors, flags & 8 != 0);
    events.iter().for_each(|event| checker.add(event));
    let found = checker.finish(Some(end));
    hold(found.deviations.len() <= 100, || format!("{} deviations are kept", found.deviations.len()))
}
