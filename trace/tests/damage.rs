//! Captures damaged at random, against the truth: nothing panics, nothing wrong is called certain,
//! and what is whole is all there.
//!
//! A few thousand cases as a rule; a million with `TESTBED_LONG=1` (set by `testbed test --long`).
//! `TESTBED_SEED=n` starts with seed `n`, `TESTBED_CASES=n` tries so many of each kind.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::cases::cases;
use tempfile::TempDir;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_machine::Machine;
use testbed_trace::capture::{sums_path, verify, Capture, RunRecord, SUM_BLOCK};
use testbed_trace::order::{events, Epoch, Event, What};
use testbed_trace::synthetic::{capture, Mix, Random, Smi};

/// Which copies are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    Both,
    Mmi,
    Ctf,
}

/// A capture as it was written, and what it says.
struct Original {
    /// Names inside the folder with their contents.
    files: Vec<(PathBuf, Vec<u8>)>,
    /// By SMI and index of the first word.
    truth: HashMap<(u8, u64), Event>,
}

/// Seed of what is damaged, whatever the case, so that a case can be repeated alone.
const ORIGINAL: u64 = 1;

/// A folder in memory, if the system has one.
fn folder() -> TempDir {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.unwrap()
}

fn collect(dir: &Path, below: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(dir.join(below)).unwrap() {
        let name = below.join(entry.unwrap().file_name());
        if dir.join(&name).is_dir() {
            collect(dir, &name, files);
        } else {
            files.push((name.clone(), fs::read(dir.join(&name)).unwrap()));
        }
    }
    files.sort();
}

impl Original {
    fn new(seed: u64, events: u64) -> Self {
        let mix = Mix { ticks: 3_000, silence_every: 500, silence_wraps: 1_000, loss_every: 60, long_every: 4 };
        let dir = folder();
        capture(dir.path(), &Machine::testbed6(), mix, seed, events).unwrap();
        Original::of(dir.path(), mix, seed, events)
    }

    /// What a run leaves that was killed: no end of the record, and perhaps no sum of what did not fill a block.
    fn killed(seed: u64, events: u64, is_summed: bool) -> Self {
        let whole = Original::new(seed, events);
        let dir = folder();
        whole.write(dir.path(), &[]);
        let record = RunRecord::read(dir.path()).unwrap();
        RunRecord { complete: false, ledger: None, cycles: 0, ..record }.write(dir.path()).unwrap();
        for (name, contents) in &whole.files {
            let smis = if name.ends_with("mmi.raw") { 5 } else { 0 };
            let sums = sums_path(&dir.path().join(name));
            if let (Ok(bytes), false) = (fs::read(&sums), is_summed) {
                fs::write(&sums, &bytes[..contents.len() / SUM_BLOCK * 8 * (3 + smis)]).unwrap();
            }
        }
        let mut files = Vec::new();
        collect(dir.path(), Path::new(""), &mut files);
        Original { files, ..whole }
    }

    fn of(dir: &Path, mix: Mix, seed: u64, events: u64) -> Self {
        let machine = Machine::testbed6();
        let mut files = Vec::new();
        collect(dir, Path::new(""), &mut files);
        let models = (1..machine.processors.len()).map(|smi| Smi::new(smi as u8, mix, seed, events));
        let truth = models.flatten().filter_map(|pair| pair.event);
        Original { files, truth: truth.map(|event| ((event.smi, event.index), event)).collect() }
    }

    fn write(&self, dir: &Path, damaged: &[(PathBuf, Option<Vec<u8>>)]) {
        for (name, contents) in &self.files {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match damaged.iter().find(|(other, _)| other == name) {
                Some((_, None)) => drop(fs::remove_file(&path)),
                Some((_, Some(contents))) => fs::write(&path, contents).unwrap(),
                None => fs::write(&path, contents).unwrap(),
            }
        }
    }
}

/// Does one thing to a file's bytes.
fn hurt(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let from = random.below(bytes.len() as u32) as usize;
    let most = if random.once_in(4) { bytes.len() } else { 40 };
    let count = (1 + random.below(most as u32) as usize).min(bytes.len() - from);
    // Whole words as often as any bytes.
    let (from, count) = if random.once_in(2) { (from / 4 * 4, count.div_ceil(4) * 4) } else { (from, count) };
    let part = from..(from + count).min(bytes.len());
    match random.below(8) {
        0 | 1 => bytes[from] ^= 1 << random.below(8),
        2 => bytes[part].iter_mut().for_each(|byte| *byte = random.bits() as u8),
        3 => bytes[part].fill(0),
        4 => drop(bytes.drain(part)),
        5 => bytes.truncate(from),
        6 => {
            let twice = bytes[part.clone()].to_vec();
            bytes.splice(part.start..part.start, twice);
        }
        // Another SMI's number, if it is a word of the MMI.
        _ => bytes[from / 4 * 4..].iter_mut().skip(2).take(1).for_each(|byte| *byte = random.below(16) as u8),
    }
}

/// The files of `original` that are damaged in this case; `None`: gone.
fn damage(random: &mut Random, original: &Original, copies: Copies) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut damaged: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
    for _ in 0..1 + random.below(4) {
        let (name, contents) = &original.files[random.below(original.files.len() as u32) as usize];
        let is_record = name.ends_with("run.json") || name.ends_with("metadata");
        if is_record || name.ends_with("console.txt") || name.ends_with(".lock") {
            continue;
        }
        let place = damaged.iter().position(|(other, _)| other == name).unwrap_or_else(|| {
            damaged.push((name.clone(), Some(contents.clone())));
            damaged.len() - 1
        });
        match &mut damaged[place].1 {
            // The sole copy is not to be found at all: no damage but an error.
            Some(bytes) if !random.once_in(30) || (copies == Copies::Mmi && name.ends_with("mmi.raw")) => {
                hurt(random, bytes)
            }
            gone => *gone = None,
        }
    }
    damaged
}

/// Why the events of a capture are not what they should be.
fn check(original: &Original, capture: &Capture, all: bool) -> Result<(), String> {
    let integrity = verify(capture).map_err(|error| error.to_string())?;
    let mut certain = 0;
    for event in events(capture, &integrity).map_err(|error| error.to_string())? {
        let event = event.map_err(|error| error.to_string())?;
        if !event.is_certain() {
            // What is not altered is within its bounds.
            if let (Some(truth), false) = (original.truth.get(&(event.smi, event.index)), event.doubtful) {
                let epoch = truth.epoch.low();
                let Epoch::Ambiguous { low, high } = event.epoch else { continue };
                if epoch < low || high.is_some_and(|high| high < epoch) {
                    return Err(format!("{event:?} is out of bounds, the truth is {truth:?}"));
                }
            }
            continue;
        }
        certain += 1;
        let Some(truth) = original.truth.get(&(event.smi, event.index)) else {
            return Err(format!("no such event: {event:?}"));
        };
        // A second word, or a count, that was lost is said to be.
        let what = if event.what == What::Gap(None) { event.what } else { truth.what };
        let argument = event.argument.and(truth.argument);
        if event != (Event { what, argument, ..*truth }) {
            return Err(format!("{event:?} is certain, the truth is {truth:?}"));
        }
    }
    let whole = integrity.is_whole() && capture.record.complete;
    if (whole || all) && certain < original.truth.values().filter(|event| !is_behind_loss(original, event)).count() {
        return Err(format!("{certain} of {} events are certain", original.truth.len()));
    }
    Ok(())
}

/// Whether the grammar can't be known to be in step: a gap lies before, or doubtful words since one.
fn is_behind_loss(original: &Original, event: &Event) -> bool {
    let before = |back: u64| event.index.checked_sub(back).and_then(|index| original.truth.get(&(event.smi, index)));
    (1..12).any(|back| before(back).is_some_and(|event| matches!(event.what, What::Gap(_))))
}

fn open(dir: &Path, copies: Copies) -> Option<Capture> {
    match copies {
        Copies::Both => Some(Capture::open(dir).unwrap()),
        Copies::Mmi => Some(Capture::of_mmi(&dir.join("mmi.raw"), &Machine::testbed6(), DIAG_DEFAULT)),
        Copies::Ctf => Some(Capture::of_ctf(&dir.join("trace")).unwrap()),
    }
}

fn fuzz(copies: Copies) {
    let range = cases(700, 400_000);
    // From less than a block of sums to several.
    let whole = [40, 300, 2_500, 6_000].map(|events| Original::new(ORIGINAL + events, events));
    let killed = [40, 300, 2_500, 6_000].map(|events| Original::killed(ORIGINAL + events, events, true));
    let without_last_sums = [40, 300, 2_500, 6_000].map(|events| Original::killed(ORIGINAL + events, events, false));
    let dir = folder();
    for case in range {
        let mut random = Random::new(case);
        // Small ones more often, since they are quick.
        let originals = match random.below(8) {
            0 => &killed,
            1 => &without_last_sums,
            _ => &whole,
        };
        let original = &originals[(random.below(16) as usize / 4).min(random.below(4) as usize)];
        let damaged = damage(&mut random, original, copies);
        original.write(dir.path(), &damaged);
        let names: Vec<_> = damaged.iter().map(|(name, contents)| (name, contents.as_ref().map(Vec::len))).collect();
        let capture = open(dir.path(), copies).unwrap();
        if let Err(error) = check(original, &capture, false) {
            panic!("TESTBED_SEED={case}, {copies:?}, damaged {names:?}: {error}");
        }
    }
}

#[test]
fn damaged_folders() {
    fuzz(Copies::Both);
}

#[test]
fn damaged_words_of_the_mmi_alone() {
    fuzz(Copies::Mmi);
}

#[test]
fn damaged_ctf_alone() {
    fuzz(Copies::Ctf);
}

#[test]
fn each_copy_alone_gives_the_whole_trace() {
    let original = Original::new(5, 4_000);
    let dir = folder();
    original.write(dir.path(), &[]);
    for copies in [Copies::Both, Copies::Mmi, Copies::Ctf] {
        let capture = open(dir.path(), copies).unwrap();
        let integrity = verify(&capture).unwrap();
        assert!(integrity.is_whole(), "{copies:?}: {:?}", integrity.damage);
        check(&original, &capture, true).unwrap();
    }
}

/// A run that is killed has sums up to its last words, and both copies agree: all of it is proven.
/// Without the last sums the end is not, though the copies agree, since nothing tells how many
/// pairs there were; neither is damage.
#[test]
fn a_killed_run_is_proven_as_far_as_its_sums_go() {
    let dir = folder();
    let certain = |is_summed| {
        let original = Original::killed(8, 6_000, is_summed);
        original.write(dir.path(), &[]);
        let capture = open(dir.path(), Copies::Both).unwrap();
        let integrity = verify(&capture).unwrap();
        assert!(integrity.is_whole(), "{integrity:?}");
        check(&original, &capture, is_summed).unwrap();
        let events: Vec<_> = events(&capture, &integrity).unwrap().map(|event| event.unwrap()).collect();
        (events.iter().filter(|event| event.is_certain()).count(), events.len())
    };
    let (summed, all) = certain(true);
    let (without, found) = certain(false);
    assert_eq!(found, all);
    assert!(without < summed && without + 5 * SUM_BLOCK / 4 > summed, "{without}, {summed} of {all}");
}

/// Nothing proves a copy that has neither a second one nor sums: its epochs are found, but no event is certain.
#[test]
fn a_copy_without_sums_proves_nothing() {
    let original = Original::new(6, 1_000);
    let dir = folder();
    original.write(dir.path(), &[]);
    fs::remove_file(sums_path(&dir.path().join("mmi.raw"))).unwrap();
    let capture = open(dir.path(), Copies::Mmi).unwrap();
    let integrity = verify(&capture).unwrap();
    assert!(integrity.damage.iter().all(|damage| damage.what.contains("nothing proves")), "{:?}", integrity.damage);
    let events: Vec<_> = events(&capture, &integrity).unwrap().map(|event| event.unwrap()).collect();
    // Behind a loss some are misread.
    let right =
        |event: &&Event| original.truth.get(&(event.smi, event.index)).is_some_and(|truth| truth.what == event.what);
    assert!(events.iter().filter(right).count() > original.truth.len() * 9 / 10);
    assert!(events.iter().all(|event| event.doubtful && !event.is_certain()));
    assert!(events.iter().filter(|event| matches!(event.epoch, Epoch::Certain(_))).count() > events.len() / 2);
}

/// Damages the bytes of a file.
type Hurt = fn(&mut Vec<u8>);

/// What one copy lost, the other has: every event is proven all the same, and every byte that is wrong is named.
#[test]
fn what_one_copy_lost_the_other_proves() {
    let original = Original::new(7, 6_000);
    let dir = folder();
    let fire = original.files.iter().find(|(name, _)| name.ends_with("fire")).unwrap();
    let hurts: [(&str, Hurt, &[u64]); 4] = [
        ("flips", |bytes| [401, 9_000].into_iter().for_each(|at| bytes[at] ^= 4), &[400, 9_000]),
        ("missing", |bytes| drop(bytes.drain(10_000..10_013)), &[10_000]),
        ("cut", |bytes| bytes.truncate(17_000), &[17_000]),
        ("gone", |bytes| bytes.clear(), &[0]),
    ];
    for (name, hurt, places) in hurts {
        let mut bytes = fire.1.clone();
        hurt(&mut bytes);
        original.write(dir.path(), &[(fire.0.clone(), Some(bytes))]);
        let capture = open(dir.path(), Copies::Both).unwrap();
        let integrity = verify(&capture).unwrap();
        check(&original, &capture, true).unwrap_or_else(|error| panic!("{name}: {error}"));
        let blamed: Vec<_> = integrity.damage.iter().filter(|damage| damage.path.ends_with("fire")).collect();
        for place in places {
            assert!(blamed.iter().any(|damage| damage.offset == *place), "{name}: {place} in {blamed:?}");
        }
    }
}

/// Whole files of one stream under the name of another, with their sums, are proven by nothing.
#[test]
fn files_of_two_streams_that_changed_places_prove_nothing() {
    let original = Original::new(ORIGINAL, 300);
    for copies in [Copies::Both, Copies::Ctf] {
        let dir = folder();
        for (name, content) in &original.files {
            let text = name.to_str().unwrap();
            let other = match (text.contains("earth"), text.contains("air")) {
                (true, _) => text.replace("earth", "air"),
                (_, true) => text.replace("air", "earth"),
                _ => text.into(),
            };
            let path = dir.path().join(other);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let capture = match copies {
            Copies::Ctf => Capture::of_ctf(&dir.path().join("trace")).unwrap(),
            _ => Capture::open(dir.path()).unwrap(),
        };
        let integrity = verify(&capture).unwrap();
        assert!(!integrity.is_whole());
        let mut certain = 0;
        for event in events(&capture, &integrity).unwrap().map(|event| event.unwrap()).filter(Event::is_certain) {
            assert_eq!(original.truth.get(&(event.smi, event.index)), Some(&event), "{copies:?}");
            certain += usize::from(event.smi <= 2);
        }
        // The MMI's words prove what the streams' files don't.
        assert_eq!(certain > 0, copies == Copies::Both, "{copies:?}: {certain}");
    }
}
