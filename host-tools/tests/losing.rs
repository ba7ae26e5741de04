//! Machines that lose and damage packets: programs do what they do without, the hardware counts what
//! it has sent again, all engines lose the same packets, and what can't be is refused.

use std::fs;
use std::process::{Command, Output};

use testbed_trace::capture::{FaultsRecord, RunRecord, CONSOLE};

use crate::common::{is_long, root};

pub fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).current_dir(root()).output().unwrap()
}

/// What a run has left.
pub struct Left {
    pub folder: tempfile::TempDir,
    /// The console's lines, without those that tell times.
    pub lines: Vec<String>,
    pub record: RunRecord,
}

impl Left {
    pub fn sum(&self, field: fn(&testbed_trace::ledger::StationLine) -> u32) -> u32 {
        self.record.ledger.as_ref().unwrap().stations.iter().map(field).sum()
    }

    /// The program's end.
    fn end(&self) -> u64 {
        self.record.exits[0].cycle
    }
}

/// Runs a program, in words. It has to succeed, which includes that the ledger balances.
#[track_caller]
pub fn run(words: &str) -> Left {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let arguments: Vec<_> = ["run", "--out", out].into_iter().chain(words.split(' ')).collect();
    let output = testbed(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}: {said}\n{}", String::from_utf8_lossy(&output.stdout));
    let console = fs::read_to_string(folder.path().join(CONSOLE)).unwrap();
    let lines = console
        .lines()
        .filter(|line| ![" us", " ms", " cycles"].iter().any(|unit| line.contains(unit)))
        .map(String::from)
        .collect();
    let record = RunRecord::read(folder.path()).unwrap();
    Left { folder, lines, record }
}

/// Programs that talk, wait for each other and share pages.
const PROGRAMS: [&str; 4] = ["remote", "chatter", "wator 20", "bsp-lu 12"];

#[test]
fn programs_do_what_they_do_without_losses() {
    for words in PROGRAMS {
        let without = run(words);
        assert_eq!((without.sum(|line| line.tx_resent), without.record.faults), (0, None), "{words}");
        for (options, loss_millionths, damage_millionths) in [
            ("--loss 10%", 100_000, 0),
            ("--damage 30%", 0, 300_000),
            ("--loss 25% --damage 25% --kernel tos94", 250_000, 250_000),
        ] {
            let lossy = run(&format!("{options} {words}"));
            assert_eq!(lossy.lines, without.lines, "{options} {words}");
            assert_eq!(
                lossy.record.faults,
                Some(FaultsRecord { loss_millionths, damage_millionths, ..FaultsRecord::default() })
            );
            check_counts(&lossy, f64::from(loss_millionths) / 1e6, f64::from(damage_millionths) / 1e6);
        }
    }
}

/// As many packets were sent again as were to be lost: the fraction lies within five of its standard
/// deviations.
#[track_caller]
fn check_counts(lossy: &Left, loss: f64, damage: f64) {
    let (sent, again) = (f64::from(lossy.sum(|line| line.tx_packets)), f64::from(lossy.sum(|line| line.tx_resent)));
    assert_eq!(lossy.sum(|line| line.tx_resent), lossy.sum(|line| line.tx_corrupted));
    assert_eq!(lossy.sum(|line| line.tx_dropped), 0);
    let (expected, all) = (1.0 - (1.0 - loss) * (1.0 - damage), sent);
    let bound = 5.0 * (expected * (1.0 - expected) / all).sqrt();
    assert!((again / sent - expected).abs() <= bound, "{again} of {sent}, expected {expected} within {bound}");
}

/// To listen for what was damaged costs next to nothing if nothing is.
#[test]
fn to_confirm_costs_less_than_three_per_cent() {
    for words in PROGRAMS.into_iter().chain(["exchange 5", "bsp-fft 256"]) {
        let (without, with) = (run(words), run(&format!("--loss 0% {words}")));
        let (before, after) = (without.end(), with.end());
        println!("{words}: {before} cycles, {after} with --loss 0%");
        assert!(after * 100 <= before * 103, "{words}: {before} cycles, {after} with --loss 0%");
        assert_eq!(with.sum(|line| line.tx_resent), 0);
    }
}

/// A second seed loses other packets, the same one the same.
#[test]
fn the_seed_decides_what_is_lost() {
    let again = |seed: u32| {
        let left = run(&format!("--loss 20% --seed {seed} remote"));
        let stations = left.record.ledger.as_ref().unwrap().stations.clone();
        (left.end(), stations.iter().map(|line| line.tx_resent).collect::<Vec<_>>())
    };
    let first = again(1);
    assert_eq!(first, again(1));
    assert_ne!(first, again(2));
}

/// Runs the words for so many cycles on every engine for which there is time: what the monitors have
/// seen, and the counters, are the same, with packets in them. Gives what the emulator has left.
#[track_caller]
pub fn same_on_all_engines(words: &str, cycles: u32) -> Left {
    if is_long() {
        // Minutes for the blocks themselves: nothing leaves a station before cycle 200,000.
        same_on("rust-hdl", words, 400_000);
    }
    same_on("verilator", words, if is_long() { 8_000_000 } else { cycles })
}

#[track_caller]
fn same_on(engine: &str, words: &str, cycles: u32) -> Left {
    let [emulated, other] =
        ["emulator", engine].map(|engine| run(&format!("--engine {engine} --cycles {cycles} {words}")));
    let [words, others] = [&emulated, &other].map(|left| fs::read(left.folder.path().join("mmi.raw")).unwrap());
    assert!(words == others, "{engine}: the words differ");
    let [ledger, others] = [&emulated, &other].map(|left| left.record.ledger.as_ref().unwrap());
    assert_eq!(ledger, others, "{engine}");
    assert!(emulated.sum(|line| line.rx_packets) > 0, "{engine}: no packet arrives in {cycles} cycles");
    emulated
}

#[test]
fn engines_lose_the_same_packets() {
    let words = "--loss 20% --damage 10% --dgl profile+timer+user+detail chatter";
    let left = same_on_all_engines(words, 1_000_000);
    assert!(left.sum(|line| line.tx_resent) > 10, "nothing was lost");
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, said) in [
        (vec!["--loss", "100%", "remote"], "--loss: `100%` is too much"),
        (vec!["--loss", "10", "remote"], "--loss: `10` is no percentage"),
        (vec!["--damage", "x%", "remote"], "--damage: `x%` is no percentage"),
        (vec!["--loss", "1%", "--machine", "hx8k-evn", "remote"], "has the small kernel, whose stations lose nothing"),
    ] {
        let output = testbed(&[&["run"], arguments.as_slice()].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {error}");
        assert!(error.contains(said) && error.contains("help: "), "{arguments:?}: {error}");
    }
}
