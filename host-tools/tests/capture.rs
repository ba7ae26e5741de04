//! The output folder: what is written is read back, also when it was cut short or damaged.

use std::fs;
use std::process::Command;

use crate::common::record;
use tempfile::TempDir;
use testbed_machine::Machine;
use testbed_runner::drive::{DriveError, CHUNK};
use testbed_runner::operator::Operator;
use testbed_sim::engine::TraceWord;
use testbed_trace::capture::{
    sums_path, verify, Capture, CaptureError, CaptureWriter, Claim, Gift, KernelKind, RunRecord, Stop,
};
use testbed_trace::compare::compare;
use testbed_trace::order::events;

mod script;

use script::*;

#[test]
fn a_run_ends_at_the_chunk_after_exit_and_is_whole() {
    let dir = folder();
    let done = run(dir.path(), script(4_000), 10 * CHUNK).unwrap();
    assert_eq!((done.cycles, done.stopped), (2 * CHUNK, Some(Stop::Exit)));
    let capture = Capture::open(dir.path()).unwrap();
    assert_eq!(capture.record, done);
    let integrity = verify(&capture).unwrap();
    assert!(integrity.is_whole(), "{integrity:?}");
    assert_eq!(integrity.proven.iter().sum::<u64>(), (2 * CHUNK).div_ceil(40));
    assert_eq!(fs::read_to_string(dir.path().join("console.txt")).unwrap(), "earth: hello\nearth: world\n");
    let events: Vec<_> = events(&capture, &integrity).unwrap().map(|event| event.unwrap()).collect();
    assert!(events.iter().all(|event| event.is_certain()));
    assert!(events.windows(2).all(|two| (two[0].ticks(), two[0].smi) < (two[1].ticks(), two[1].smi)));
}

#[test]
fn input_is_given_between_chunks_and_recorded_so_that_it_can_be_given_again() {
    let gift = |cycle, bytes: &[u8]| Gift { cycle, bytes: bytes.to_vec() };
    let gifts = vec![gift(0, b"ls\n"), gift(CHUNK + 1, b"\xff\\"), gift(2 * CHUNK, b"\x04")];
    let given = [(0, b"ls\n".to_vec()), (2 * CHUNK, b"\xff\\\x04".to_vec())];
    let (dir, again, without) = (folder(), folder(), folder());
    let (mut first, mut second) = (script(3_000), script(3_000));
    first.exits.clear();
    second.exits.clear();
    run_with(dir.path(), &mut first, 4 * CHUNK, &mut Operator::replay(gifts)).unwrap();
    assert_eq!(first.given, given);
    let recorded = dir.path().join("input");
    assert_eq!(fs::read_to_string(&recorded).unwrap(), "0 ls\\n\n131072 \\xff\\\\\\x04\n");
    run_with(again.path(), &mut second, 4 * CHUNK, &mut Operator::replay(Gift::read(&recorded).unwrap())).unwrap();
    assert_eq!(second.given, given);
    let open = |folder: &TempDir| Capture::open(folder.path()).unwrap();
    assert_eq!(compare(&open(&dir), &open(&again)).unwrap(), Vec::<String>::new());
    // A run that has no input leaves none, also where an earlier one had some.
    let mut third = script(3_000);
    third.exits.clear();
    run(without.path(), third, 4 * CHUNK).unwrap();
    assert_eq!(compare(&open(&dir), &open(&without)).unwrap(), ["input: only the first has one"]);
    let mut fourth = script(3_000);
    fourth.exits.clear();
    run(dir.path(), fourth, 4 * CHUNK).unwrap();
    assert!(!recorded.exists());
}

#[test]
fn an_idle_machine_that_waits_for_a_person_keeps_to_real_time() {
    let dir = folder();
    // Somebody who says nothing; the script's processors look busy unless told otherwise.
    let (quiet, _typist) = std::io::pipe().unwrap();
    let mut engine = script(1);
    engine.exits.clear();
    engine.asleep = true;
    let cycles = 20 * CHUNK;
    let started = std::time::Instant::now();
    run_with(dir.path(), &mut engine, cycles, &mut Operator::live(std::io::BufReader::new(quiet))).unwrap();
    let real = cycles as f64 / f64::from(engine.machine.clock_hz);
    assert!(started.elapsed().as_secs_f64() >= 0.9 * real, "{:?} for {real} s", started.elapsed());
}

#[test]
fn babeltrace2_reads_the_folder_and_counts_the_same() {
    let dir = folder();
    run(dir.path(), script(4_000), 10 * CHUNK).unwrap();
    let capture = Capture::open(dir.path()).unwrap();
    let pairs: u64 = verify(&capture).unwrap().proven.iter().sum();
    let output = Command::new("babeltrace2")
        .arg(dir.path().join("trace"))
        .output()
        .expect("this test needs babeltrace2: apt-get install babeltrace2");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    assert_eq!(text.lines().count() as u64, pairs);
    assert!(
        text.lines().all(|line| line.contains("pair") && line.contains("container = 0x")),
        "{:?}",
        text.lines().next()
    );
}

#[test]
fn the_streams_are_what_the_mmi_delivered() {
    let dir = folder();
    run(dir.path(), script(3_000), 10 * CHUNK).unwrap();
    let raw = fs::read(dir.path().join("mmi.raw")).unwrap();
    let mut streams = vec![Vec::new(); 6];
    for pair in raw.chunks(8) {
        let smi = (pair[2] & 0xf) as usize;
        streams[smi].extend_from_slice(&[pair[0], pair[1], pair[4], pair[5]]);
    }
    for (smi, name) in ["earth", "air", "fire", "water", "space"].iter().enumerate() {
        assert_eq!(fs::read(dir.path().join("trace").join(name)).unwrap(), streams[smi + 1], "{name}");
    }
    assert!(!dir.path().join("trace/master").exists());
}

#[test]
fn a_run_that_fails_leaves_a_prefix_that_says_so() {
    let dir = folder();
    let mut engine = script(4_000);
    engine.fails_at = Some(CHUNK);
    assert!(matches!(run(dir.path(), engine, 10 * CHUNK), Err(DriveError::Engine(_))));
    let capture = Capture::open(dir.path()).unwrap();
    assert!(!capture.record.complete);
    let integrity = verify(&capture).unwrap();
    assert!(integrity.is_whole(), "{integrity:?}");
    assert_eq!(integrity.proven.iter().sum::<u64>(), CHUNK.div_ceil(40));
}

/// Whatever a kill leaves of each file, it is read as a prefix, and torn ends are reported with their place.
#[test]
fn every_cut_of_the_files_is_readable() {
    let dir = folder();
    let mut engine = script(600);
    engine.exits.clear();
    engine.fails_at = Some(CHUNK);
    let _ = run(dir.path(), engine, 10 * CHUNK);
    let mmi = fs::read(dir.path().join("mmi.raw")).unwrap();
    let fire = fs::read(dir.path().join("trace/fire")).unwrap();
    for cut in 0..40 {
        fs::write(dir.path().join("mmi.raw"), &mmi[..mmi.len() - cut]).unwrap();
        fs::write(dir.path().join("trace/fire"), &fire[..fire.len().saturating_sub(cut + 45)]).unwrap();
        let capture = Capture::open(dir.path()).unwrap();
        let integrity = verify(&capture).unwrap();
        let torn: Vec<_> = integrity.torn.iter().map(ToString::to_string).collect();
        assert_eq!(torn.iter().any(|torn| torn.contains("mmi.raw")), cut % 4 != 0, "cut {cut}: {torn:?}");
        let in_fire = torn.iter().find(|torn| torn.contains("trace/fire"));
        assert_eq!(in_fire.is_some(), (cut + 45) % 4 != 0, "cut {cut}: {torn:?}");
        if let Some(torn) = in_fire {
            let offset = (fire.len() - cut - 45) / 4 * 4;
            assert!(torn.contains(&format!("from byte {offset}")), "{torn}");
        }
        assert!(events(&capture, &integrity).unwrap().all(|event| event.is_ok()));
    }
}

/// The hardware counts a pair when its time-stamp leaves: a run that stops before the datum is whole all the same.
#[test]
fn a_run_may_stop_between_the_words_of_a_pair() {
    let dir = folder();
    let mut engine = script(51);
    engine.exits.clear();
    run(dir.path(), engine, 2_001).unwrap();
    assert_eq!(fs::metadata(dir.path().join("mmi.raw")).unwrap().len(), 404);
    let capture = Capture::open(dir.path()).unwrap();
    let integrity = verify(&capture).unwrap();
    assert!(integrity.is_whole(), "{integrity:?}");
    assert_eq!(capture.record.ledger.unwrap().smis[0].delivered, 11);
    assert_eq!(integrity.proven[1], 10);
}

#[test]
fn damage_is_found_and_placed() {
    let dir = folder();
    run(dir.path(), script(4_000), 10 * CHUNK).unwrap();
    let path = dir.path().join("trace/air");
    let mut bytes = fs::read(&path).unwrap();
    bytes[402] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let capture = Capture::open(dir.path()).unwrap();
    let integrity = verify(&capture).unwrap();
    assert_eq!(integrity.damage.len(), 1);
    assert_eq!(integrity.damage[0].offset, 400);
    // mmi.raw has it.
    assert_eq!(integrity.proven[2], (2 * CHUNK).div_ceil(40).div_ceil(5));
    // Missing pairs are found from the hardware's count even if both copies lack them.
    bytes[402] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let mmi = dir.path().join("mmi.raw");
    let raw = fs::read(&mmi).unwrap();
    fs::write(&mmi, &raw[..raw.len() - 40]).unwrap();
    for name in ["earth", "air", "fire", "water", "space"] {
        let path = dir.path().join("trace").join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 4]).unwrap();
    }
    let damage = verify(&capture).unwrap().damage;
    for name in ["earth", "air", "fire", "water", "space"] {
        let is_told =
            |what: &str| damage.iter().any(|damage| damage.path.ends_with(name) && damage.what.contains(what));
        assert!(is_told("the hardware delivered") && is_told("1 pair(s) are lost from the end"), "{name}: {damage:?}");
    }
}

#[test]
fn folders_of_others_are_left_alone() {
    let dir = folder();
    fs::write(dir.path().join("thesis.tex"), "precious").unwrap();
    let error = run(dir.path(), script(10), CHUNK).unwrap_err();
    assert!(error.to_string().contains("--out"), "{error}");
    assert!(dir.path().join("thesis.tex").exists());
    assert!(matches!(Capture::open(dir.path()), Err(CaptureError::NoRun(_))));
}

#[test]
fn a_folder_belongs_to_one_run_at_a_time() {
    let dir = folder();
    let claim = Claim::new(dir.path()).unwrap();
    let error = run(dir.path(), script(10), CHUNK).unwrap_err();
    assert!(matches!(error, DriveError::Capture(CaptureError::Busy(_))), "{error}");
    drop(claim);
    run(dir.path(), script(10), CHUNK).unwrap();
    let machine = Machine::testbed6();
    let writer = CaptureWriter::create(dir.path(), &machine, &record(&machine)).unwrap();
    assert!(matches!(Claim::new(dir.path()), Err(CaptureError::Busy(_))));
    drop(writer);
    assert!(Claim::new(dir.path()).is_ok());
}

#[test]
fn what_ran_is_compared() {
    let (a, b) = (folder(), folder());
    let dirs = [a.path(), b.path()].map(|dir| {
        run(dir, script(100), CHUNK).unwrap();
        dir
    });
    let mut other = Capture::open(dirs[1]).unwrap();
    other.record.seed = 2;
    other.record.arguments = vec!["5".into()];
    other.record.kernel = Some(KernelKind::Tos94);
    let differences = compare(&Capture::open(dirs[0]).unwrap(), &other).unwrap();
    assert_eq!(differences, ["arguments: [] and [\"5\"]", "seed: 1 and 2", "kernel: default and tos94"]);
}

#[test]
fn a_second_run_replaces_the_first() {
    let dir = folder();
    run(dir.path(), script(4_000), 10 * CHUNK).unwrap();
    let mut engine = script(50);
    engine.exits.clear();
    let done = run(dir.path(), engine, 20_000).unwrap();
    assert_eq!((done.cycles, done.stopped), (20_000, Some(Stop::Limit)));
    assert_eq!(fs::metadata(dir.path().join("mmi.raw")).unwrap().len(), 400);
}

#[test]
fn words_that_are_no_pairs_are_the_machines_fault() {
    for words in [[0x1_0000, 0x2_0000], [0x7_0000, 0x7_0000], [0x0_0000, 0x0_0000], [0x10_0000, 0]] {
        let dir = folder();
        let mut engine = script(0);
        engine.trace = words.iter().map(|&word| TraceWord { cycle: 77, word }).collect();
        let error = run(dir.path(), engine, CHUNK).unwrap_err().to_string();
        assert!(error.contains("cycle 77"), "{error}");
    }
}

#[test]
fn a_full_disk_is_named() {
    let dir = folder();
    run(dir.path(), script(10), CHUNK).unwrap();
    // /dev/full behind the name that the writer is going to open.
    fs::remove_file(dir.path().join("mmi.raw")).unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("mmi.raw")).unwrap();
    let error = run(dir.path(), script(10), CHUNK).unwrap_err().to_string();
    assert!(error.contains("mmi.raw") && error.contains("the disk is full"), "{error}");
}

/// What can't be written to `mmi.raw` is not in the streams either, nor in any sum: whenever the writer
/// is killed, the streams are a prefix of `mmi.raw`.
#[test]
fn no_stream_has_what_mmi_raw_has_not() {
    let dir = folder();
    run(dir.path(), script(10), CHUNK).unwrap();
    fs::remove_file(dir.path().join("mmi.raw")).unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("mmi.raw")).unwrap();
    let machine = Machine::testbed6();
    let mut writer = CaptureWriter::create(dir.path(), &machine, &record(&machine)).unwrap();
    let words = script(100).trace.into_iter().map(|word| (word.cycle, word.word));
    assert!(writer.words(words).unwrap_err().to_string().contains("mmi.raw"));
    let streams = fs::read_dir(dir.path().join("trace")).unwrap().map(|entry| entry.unwrap());
    let streams: Vec<_> = streams.filter(|entry| entry.file_name() != "metadata").collect();
    assert_eq!(streams.len(), 10, "five streams, each with its sums: {streams:?}");
    for path in streams.iter().map(|entry| entry.path()).chain([sums_path(&dir.path().join("mmi.raw"))]) {
        assert_eq!(fs::metadata(&path).unwrap().len(), 0, "{}", path.display());
    }
}

/// Whoever has `run.json` open, or linked, keeps the record that it was: a new one takes its name, and
/// never its place. So no reader can see a part of one, whenever it looks.
#[test]
fn the_record_is_replaced_and_never_written_over() {
    let dir = folder();
    let (path, kept) = (dir.path().join("run.json"), dir.path().join("kept"));
    let machine = Machine::testbed6();
    let mut seen = Vec::new();
    // A first run, and one that replaces it: each says that it is not complete, and then that it is.
    for seed in [1, 2] {
        let record = RunRecord { seed, ..record(&machine) };
        let writer = CaptureWriter::create(dir.path(), &machine, &record).unwrap();
        if seed > 1 {
            seen.push(fs::read_to_string(&kept).unwrap());
            fs::remove_file(&kept).unwrap();
        }
        fs::hard_link(&path, &kept).unwrap();
        writer.finish(&RunRecord { complete: true, ..record }).unwrap();
        seen.push(fs::read_to_string(&kept).unwrap());
        fs::remove_file(&kept).unwrap();
        fs::hard_link(&path, &kept).unwrap();
    }
    let said: Vec<RunRecord> = seen.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let said: Vec<_> = said.iter().map(|record| (record.seed, record.complete)).collect();
    assert_eq!(said, [(1, false), (1, true), (2, false)]);
}

/// A record that can't be written leaves the one before it whole.
#[test]
fn a_full_disk_leaves_the_old_record() {
    let dir = folder();
    let done = run(dir.path(), script(10), CHUNK).unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join(".run.json.new")).unwrap();
    let error = RunRecord { seed: 7, ..done.clone() }.write(dir.path()).unwrap_err().to_string();
    assert!(error.contains("run.json") && error.contains("the disk is full"), "{error}");
    assert_eq!(RunRecord::read(dir.path()).unwrap(), done);
}

#[test]
fn an_unreadable_record_is_placed() {
    let dir = folder();
    fs::write(dir.path().join("run.json"), "{\n  \"complete\": maybe\n}").unwrap();
    let error = Capture::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("run.json:2:"), "{error}");
}

#[test]
fn compare_finds_the_first_difference() {
    let (a, b) = (folder(), folder());
    run(a.path(), script(4_000), 10 * CHUNK).unwrap();
    run(b.path(), script(4_000), 10 * CHUNK).unwrap();
    let open = |dir: &TempDir| Capture::open(dir.path()).unwrap();
    assert_eq!(compare(&open(&a), &open(&b)).unwrap(), Vec::<String>::new());
    let mut engine = script(4_000);
    engine.trace[2_001].word ^= 1;
    engine.console[1].byte = b'a';
    run(b.path(), engine, 10 * CHUNK).unwrap();
    let differences = compare(&open(&a), &open(&b)).unwrap();
    assert_eq!(differences.len(), 4, "{differences:#?}");
    assert!(differences[0].starts_with("event ") && differences[0].contains("earth"), "{}", differences[0]);
    assert!(differences[1].starts_with("mmi.raw: byte 8004: "), "{}", differences[1]);
    assert!(differences[2].starts_with("trace/earth: byte 800: "), "{}", differences[2]);
    assert_eq!(differences[3], "console.txt: line 1: `earth: hello` and `earth: hallo`");
}

#[test]
fn an_unbalanced_ledger_is_in_the_record() {
    let dir = folder();
    let mut engine = script(100);
    engine.excess = 1;
    let done = run(dir.path(), engine, CHUNK).unwrap();
    assert_eq!(done.ledger.unwrap().imbalances().len(), 5);
}
