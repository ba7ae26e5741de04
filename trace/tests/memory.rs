//! A folder in memory is the folder on the disk: the same bytes, the same proof, the same trace and pages.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use testbed_definitions::event::DIAG_DEFAULT;
use testbed_machine::Machine;
use testbed_trace::analysis::{analyse, Options};
use testbed_trace::capture::{verify, Capture, CaptureWriter, Files, Gift, RunRecord, MMI_RAW};
use testbed_trace::compare::compare;
use testbed_trace::order::events;
use testbed_trace::report::collect;
use testbed_trace::synthetic::{self, mmi_words, Mix};

/// The files below `dir` by their paths from there, but for the lock.
fn on_disk(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push((path.strip_prefix(dir).unwrap().into(), fs::read(&path).unwrap())),
            }
        }
    }
    found.retain(|(path, _)| path != Path::new(".lock"));
    found.sort();
    found
}

/// A folder on a disk, and the same files in memory.
fn both(events: u64) -> (tempfile::TempDir, Files) {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine { processors: ["m", "a", "b"].map(String::from).into(), ..Machine::testbed6() };
    synthetic::capture(dir.path(), &machine, Mix::default(), 7, events).unwrap();
    let files = on_disk(dir.path()).into_iter().collect();
    (dir, files)
}

/// What there is to know of a capture: its account, and every event.
fn all(capture: &Capture) -> String {
    let integrity = verify(capture).unwrap();
    let events: Vec<_> = events(capture, &integrity).unwrap().map(Result::unwrap).collect();
    let account: Vec<_> = integrity.damage.iter().map(|damage| (damage.offset, &damage.what)).collect();
    format!("{:?} {account:?} {events:?}", integrity.proven)
}

#[test]
fn what_is_read_from_memory_is_what_is_read_from_the_disk() {
    let (dir, files) = both(5_000);
    let (disk, memory) = (Capture::open(dir.path()).unwrap(), Capture::open_in(&files, Path::new("")).unwrap());
    assert!(verify(&memory).unwrap().is_whole());
    assert_eq!(all(&disk), all(&memory));
    assert_eq!(compare(&disk, &memory).unwrap(), Vec::<String>::new());
    let options = Options::default();
    assert_eq!(analyse(&disk, &options).unwrap(), analyse(&memory, &options).unwrap());
    assert_eq!(collect(&disk, &options).unwrap().html(), collect(&memory, &options).unwrap().html());
}

#[test]
fn a_missing_file_in_memory_is_damage_as_on_the_disk() {
    let (dir, files) = both(500);
    fs::remove_file(dir.path().join(MMI_RAW)).unwrap();
    let files: Files = files.contents().into_iter().filter(|(path, _)| path != Path::new(MMI_RAW)).collect();
    let memory = Capture::open_in(&files, Path::new("")).unwrap();
    assert!(!verify(&memory).unwrap().is_whole());
    assert_eq!(all(&Capture::open(dir.path()).unwrap()), all(&memory));
    let error = Capture::open_in(&Files::memory(), Path::new("run")).unwrap_err().to_string();
    assert!(error.starts_with("run is no output folder"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever is damaged or cut, both places tell the same of it.
    #[test]
    fn damage_in_memory_is_told_as_on_the_disk(file: prop::sample::Index, at: prop::sample::Index, cut: bool) {
        let (dir, files) = both(1_000);
        // Without a record there is no capture, and no bytes can't be damaged.
        let is_chosen = |(path, bytes): &(PathBuf, Vec<u8>)| path != Path::new("run.json") && !bytes.is_empty();
        let (mut contents, rest): (Vec<_>, Vec<_>) = files.contents().into_iter().partition(is_chosen);
        let chosen = file.index(contents.len());
        let (path, bytes) = &mut contents[chosen];
        let place = at.index(bytes.len());
        match cut {
            true => bytes.truncate(place),
            false => bytes[place] ^= 0x10,
        }
        fs::write(dir.path().join(&*path), &*bytes).unwrap();
        let files: Files = contents.into_iter().chain(rest).collect();
        prop_assert_eq!(
            all(&Capture::open(dir.path()).unwrap()),
            all(&Capture::open_in(&files, Path::new("")).unwrap())
        );
    }
}

#[test]
fn what_is_written_to_memory_is_what_is_written_to_the_disk() {
    let machine = Machine::testbed6();
    let record = RunRecord { dgl: DIAG_DEFAULT, ..RunRecord::new(&machine, "written") };
    let dir = tempfile::tempdir().unwrap();
    let (files, place) = (Files::memory(), Path::new("run"));
    // An earlier run in the same place leaves nothing.
    let mut earlier = CaptureWriter::in_memory(&files, place, &machine, &record).unwrap();
    earlier.input(&Gift { cycle: 0, bytes: b"ls".to_vec() }).unwrap();
    let writers = [
        CaptureWriter::create(dir.path(), &machine, &record).unwrap(),
        CaptureWriter::in_memory(&files, place, &machine, &record).unwrap(),
    ];
    for mut writer in writers {
        for round in 0..5_000u64 {
            let smi = (round % 5 + 1) as u8;
            writer.words(mmi_words(smi, round as u32 & 0xffff | 7 << 16).map(|word| (round, word))).unwrap();
            writer.console([(smi, b'a'), (smi, b'\n')]).unwrap();
        }
        writer.hole(2).unwrap();
        writer.words(mmi_words(2, 0x0007_ffff).map(|word| (6_000, word))).unwrap();
        writer.finish(&RunRecord { complete: true, cycles: 6_000, ..record.clone() }).unwrap();
    }
    let memory = files.contents().into_iter().map(|(path, bytes)| (path.strip_prefix(place).unwrap().into(), bytes));
    let memory: Vec<(PathBuf, Vec<u8>)> = memory.collect();
    let disk = on_disk(dir.path());
    assert_eq!(
        disk.iter().map(|file| &file.0).collect::<Vec<_>>(),
        memory.iter().map(|file| &file.0).collect::<Vec<_>>()
    );
    assert!(disk == memory, "a file differs");
}
