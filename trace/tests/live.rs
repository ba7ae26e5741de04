//! A folder is followed while it is written: what comes out is what the finished folder says, in
//! the same order, or less.

use std::fs;
use std::path::Path;

use crate::common::{Part, Script};
use proptest::prelude::*;
use testbed_definitions::monitor::Pair;
use testbed_machine::Machine;
use testbed_trace::capture::{verify, Capture, CaptureWriter, Claim, RunRecord};
use testbed_trace::live::{Ended, Live};
use testbed_trace::order::{events, Convention, Event, Growing, Input, Ordered};
use testbed_trace::synthetic::{self, mmi_words, Mix, Mmi, Random, Smi};

fn mix() -> Mix {
    Mix { ticks: 4_000, silence_every: 200, silence_wraps: 5, loss_every: 100, long_every: 5 }
}

fn streams(seed: u64, events: u64, smis: u8) -> Vec<Vec<u32>> {
    (1..=smis).map(|smi| Smi::new(smi, mix(), seed, events).map(|delivered| delivered.pair).collect()).collect()
}

proptest! {
    /// Whatever the pieces in which words come, the order is the same, and nothing comes out too early.
    #[test]
    fn pieces_make_no_difference(seed in any::<u64>(), smis in 1..6u8, piece in 1..400u32, ready in any::<bool>()) {
        let streams = streams(seed, 300, smis);
        let convention = if ready { Convention::Ready } else { Convention::Profile };
        let input = |(place, words): (usize, &Vec<u32>)| {
            let pairs = words.iter().map(|word| Pair::unpack(*word)).collect();
            Input { smi: place as u8 + 1, pairs: Box::new(Script::new([Part::Pairs(pairs)])), guarded: true }
        };
        let inputs = streams.iter().enumerate().map(input).collect();
        let expected: Vec<Event> = Ordered::new(inputs, convention, None).map(Result::unwrap).collect();
        let mut random = Random::new(seed);
        let mut growing = Growing::new(1..=smis, convention);
        let mut taken = vec![0; streams.len()];
        let mut found = Vec::new();
        while taken.iter().zip(&streams).any(|(taken, words)| *taken < words.len()) {
            let stream = random.below(smis.into()) as usize;
            let end = (taken[stream] + 1 + random.below(piece) as usize).min(streams[stream].len());
            growing.feed(stream, &streams[stream][taken[stream]..end]);
            taken[stream] = end;
            let reached = growing.reached();
            found.extend(growing.by_ref());
            prop_assert_eq!(&found[..], &expected[..found.len()]);
            prop_assert!(growing.reached() >= reached);
        }
        growing.end();
        found.extend(growing.by_ref());
        prop_assert_eq!(growing.waiting(), 0);
        prop_assert_eq!(found, expected);
    }
}

/// A run that writes when it is told to.
struct Run {
    writer: CaptureWriter,
    record: RunRecord,
    mmi: Mmi,
}

impl Run {
    fn begin(dir: &Path, seed: u64, events: u64) -> Self {
        let machine = Machine::testbed6();
        let record = RunRecord { engine: "none".into(), ..RunRecord::new(&machine, "synthetic") };
        let writer = CaptureWriter::create(dir, &machine, &record).unwrap();
        let smis = (1..machine.processors.len()).map(|smi| Smi::new(smi as u8, mix(), seed, events));
        Run { writer, record, mmi: Mmi::new(smis.collect()) }
    }

    /// Writes so many pairs; returns whether there were as many.
    fn write(&mut self, pairs: usize) -> bool {
        let some: Vec<_> = self.mmi.by_ref().take(pairs).collect();
        let words = some.iter().flat_map(|(smi, delivered)| mmi_words(*smi, delivered.pair));
        self.writer.words(words.map(|word| (0, word))).unwrap();
        some.len() == pairs
    }

    fn finish(self) {
        let record = RunRecord { complete: true, cycles: 1 << 40, ..self.record };
        self.writer.finish(&record).unwrap();
    }
}

fn read(live: &mut Live) -> Vec<Event> {
    let mut found = Vec::new();
    loop {
        let more = live.read().unwrap();
        found.extend(std::iter::from_fn(|| live.next_event()));
        if !more {
            return found;
        }
    }
}

fn finished(dir: &Path) -> Vec<Event> {
    let capture = Capture::open(dir).unwrap();
    let integrity = verify(&capture).unwrap();
    events(&capture, &integrity).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_run_is_followed_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::begin(dir.path(), 5, 3_000);
    let mut live = Live::open(dir.path()).unwrap();
    let (mut found, mut before_the_end) = (read(&mut live), 0);
    assert!(found.is_empty() && live.ended().is_none());
    while run.write(97) {
        found.extend(read(&mut live));
        before_the_end = found.len();
        assert!(live.ended().is_none());
    }
    run.finish();
    found.extend(read(&mut live));
    assert!(matches!(live.ended(), Some(Ended::Complete(record)) if record.cycles == 1 << 40));
    assert_eq!(found, finished(dir.path()));
    assert!(found.len() > 15_000 && before_the_end > 10_000, "{before_the_end} of {} events while it ran", found.len());
    assert_eq!(live.damage(), []);
}

/// Bytes come as they like; a pair counts when both copies have it.
#[test]
fn files_that_grow_byte_by_byte_are_read_all_the_same() {
    let whole = tempfile::tempdir().unwrap();
    synthetic::capture(whole.path(), &Machine::testbed6(), mix(), 9, 400).unwrap();
    let expected = finished(whole.path());
    let dir = tempfile::tempdir().unwrap();
    let claim = Claim::new(dir.path()).unwrap();
    let record = RunRecord::read(whole.path()).unwrap();
    RunRecord { complete: false, ledger: None, ..record.clone() }.write(dir.path()).unwrap();
    fs::create_dir(dir.path().join("trace")).unwrap();
    fs::copy(whole.path().join("trace/metadata"), dir.path().join("trace/metadata")).unwrap();
    let capture = Capture::open(dir.path()).unwrap();
    let mut names = vec!["mmi.raw".to_string()];
    names.extend(record.machine.processors[1..].iter().map(|name| format!("trace/{name}")));
    let bytes: Vec<_> = names.iter().map(|name| fs::read(whole.path().join(name)).unwrap()).collect();
    let mut lengths = vec![0; names.len()];
    names.iter().for_each(|name| fs::write(dir.path().join(name), []).unwrap());
    let mut live = Live::open(dir.path()).unwrap();
    let (mut random, mut found) = (Random::new(3), Vec::new());
    while lengths.iter().zip(&bytes).any(|(length, bytes)| *length < bytes.len()) {
        for (number, name) in names.iter().enumerate() {
            lengths[number] = (lengths[number] + random.below(900) as usize).min(bytes[number].len());
            fs::write(dir.path().join(name), &bytes[number][..lengths[number]]).unwrap();
            found.extend(read(&mut live));
        }
    }
    assert!(live.ended().is_none() && live.damage().is_empty(), "{:?}", live.damage());
    record.write(&capture.dir).unwrap();
    drop(claim);
    found.extend(read(&mut live));
    assert!(matches!(live.ended(), Some(Ended::Complete(_))));
    assert_eq!(found, expected);
    assert_eq!(live.damage(), []);
}

#[test]
fn a_run_that_is_killed_ends_with_what_it_has_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::begin(dir.path(), 6, 1_000);
    run.write(2_000);
    let mut live = Live::open(dir.path()).unwrap();
    let mut found = read(&mut live);
    assert!(live.ended().is_none());
    drop(run);
    found.extend(read(&mut live));
    assert_eq!(live.ended(), Some(&Ended::Killed));
    assert_eq!(found, finished(dir.path()));
}

#[test]
fn another_run_in_the_folder_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::begin(dir.path(), 6, 1_000);
    run.write(500);
    let mut live = Live::open(dir.path()).unwrap();
    read(&mut live);
    drop(run);
    let mut next = Run::begin(dir.path(), 7, 1_000);
    next.write(5_000);
    read(&mut live);
    assert_eq!(live.ended(), Some(&Ended::Replaced));
}

/// Where the copies differ, everything behind it in that stream is doubtful, and the place is named.
#[test]
fn copies_that_differ_make_the_rest_of_a_stream_doubtful() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::begin(dir.path(), 8, 1_000);
    run.write(4_000);
    let path = dir.path().join("trace/air");
    let mut bytes = fs::read(&path).unwrap();
    bytes[401] ^= 4;
    fs::write(&path, &bytes).unwrap();
    let mut live = Live::open(dir.path()).unwrap();
    let mut found = read(&mut live);
    drop(run);
    found.extend(read(&mut live));
    assert!(found.iter().any(|event| event.smi == 2 && event.index < 99 && event.is_certain()));
    assert!(found.iter().any(|event| event.smi == 2 && event.index > 110));
    assert!(found.iter().all(|event| event.smi != 2 || event.index <= 100 || event.doubtful));
    assert!(found.iter().all(|event| event.smi == 2 || event.epoch.is_certain()));
    let damage = live.damage();
    assert_eq!(damage.len(), 1, "{damage:?}");
    assert!(damage[0].path.ends_with("trace/air") && damage[0].offset == 400, "{}", damage[0]);
}

/// Words that are no pairs: nothing behind them can be read, and that is said.
#[test]
fn words_that_are_no_pairs_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Run::begin(dir.path(), 8, 1_000);
    run.write(1_000);
    let path = dir.path().join("mmi.raw");
    let mut bytes = fs::read(&path).unwrap();
    bytes[802] = 9;
    fs::write(&path, &bytes).unwrap();
    let mut live = Live::open(dir.path()).unwrap();
    let mut found = read(&mut live);
    drop(run);
    found.extend(read(&mut live));
    assert_eq!(live.ended(), Some(&Ended::Killed));
    assert!(found.len() < 110 && !found.is_empty());
    let text: Vec<_> = live.damage().iter().map(ToString::to_string).collect();
    assert!(text.len() == 1 && text[0].contains("mmi.raw: byte 80") && text[0].contains("no pair"), "{text:?}");
}
