//! Machines on which what BSP processes exchange leaves as datagrams, in rounds: programs do what they
//! do without, whatever is lost, on every engine, and their traces conform.

use std::process::Command;

use testbed_definitions::event;
use testbed_runner::firmware;
use testbed_trace::capture::{verify, Capture};
use testbed_trace::order::{events, What};

use crate::common::{compiler, root};
use crate::losing::{run, same_on_all_engines, testbed, Left};

/// Programs of which each checks its result, on five slaves: one process on each, and several.
const PROGRAMS: [&str; 6] =
    ["bsp-fft 64 5", "bsp-samplesort 200 7", "bsp-lu 12 4", "bsp-bitonic 64 12", "bsp-prefix 100 9", "bsp-spmv 61 3"];
const LOSSES: [&str; 4] = [
    "--copies 1",
    "--copies 1 --loss 15%",
    "--copies 3 --loss 50% --damage 10%",
    "--copies 2 --loss 20% --whole-rounds --kernel tos94",
];

/// The numbers of packets that rounds had, in order.
fn rounds(left: &Left) -> Vec<u16> {
    let capture = Capture::open(left.folder.path()).unwrap();
    let integrity = verify(&capture).unwrap();
    let all = events(&capture, &integrity).unwrap().map(Result::unwrap);
    let packets = |what| matches!(what, What::Known(kind) if kind.code == event::PACKETS);
    all.filter(|event| packets(event.what)).map(|event| event.argument.unwrap()).collect()
}

#[test]
fn programs_do_what_they_do_without_losses() {
    for words in PROGRAMS {
        let without = run(&format!("--for 60s {words}"));
        assert!(rounds(&without).is_empty(), "{words}");
        for options in LOSSES {
            let lossy = run(&format!("{options} --for 60s {words}"));
            assert_eq!(lossy.lines, without.lines, "{options} {words}");
            assert_eq!(lossy.record.exits[0].code, 0, "{options} {words}");
            let dropped = lossy.sum(|line| line.tx_dropped);
            assert_eq!(dropped != 0, options.contains("--loss"), "{options} {words}: {dropped} dropped");
            let conform = testbed(&["conform", lossy.folder.path().to_str().unwrap()]);
            assert!(conform.status.success(), "{options} {words}: {}", String::from_utf8_lossy(&conform.stdout));
        }
    }
}

/// Without losses there is one round of each process in an exchange: no time is over too early.
#[test]
fn nothing_leaves_twice_where_nothing_is_lost() {
    for words in PROGRAMS {
        let [early, whole] = ["--copies 1", "--copies 1 --whole-rounds"].map(|options| {
            let mut rounds = rounds(&run(&format!("{options} {words}")));
            rounds.sort_unstable();
            rounds
        });
        assert_eq!(early, whole, "{words}");
        let [once, twice] = ["--copies 1", "--copies 2"].map(|options| {
            let left = run(&format!("{options} {words}"));
            left.sum(|line| line.tx_packets) - left.sum(|line| line.tx_broadcasts.unwrap())
        });
        let [all, other]: [u32; 2] = [early.iter().map(|packets| u32::from(*packets)).sum(), twice - once];
        // A packet and its acknowledgment leave once more.
        assert_eq!(other, 2 * all, "{words}");
    }
}

#[test]
fn random_programs_do_what_the_standard_says() {
    let programs = ["1 6 5 0", "100 4 8 0", "200 4 3 30", "300 2 16 0", "600009 1 12 20"];
    for (program, options) in
        programs.iter().flat_map(|program| LOSSES[1..].iter().map(move |options| (program, options)))
    {
        let numbers: Vec<u32> = program.split(' ').map(|number| number.parse().unwrap()).collect();
        let left = run(&format!("{options} --dgl user --for {}s bsp-random {program}", 2 * numbers[1] * numbers[2]));
        let line = format!("{} programs of {} processes, 0 processes saw a difference", numbers[1], numbers[2]);
        assert!(left.lines.iter().any(|said| said.contains(&line)), "{options} {program}: {:?}", left.lines);
    }
}

#[test]
#[ignore = "takes three minutes; `cargo testbed test --long` runs it"]
fn a_thousand_random_programs_do_what_the_standard_says() {
    for (seed, processes, moves, options) in [
        (810_000, 5, 0, "--copies 1 --loss 10%"),
        (820_000, 8, 0, "--copies 2 --loss 30%"),
        (830_000, 3, 30, "--copies 1 --loss 20%"),
        (840_000, 16, 0, "--copies 3 --loss 60% --damage 20%"),
        (850_000, 7, 20, "--copies 1 --loss 5% --whole-rounds"),
    ] {
        for seed in (seed..seed + 200).step_by(25) {
            let left = run(&format!("{options} --dgl user --for 600s bsp-random {seed} 25 {processes} {moves}"));
            let line = format!("25 programs of {processes} processes, 0 processes saw a difference");
            assert!(left.lines.iter().any(|said| said.contains(&line)), "{options} {seed}: {:?}", left.lines);
        }
    }
}

/// The last superstep has to be over everywhere before a process ends, or nobody is left who
/// acknowledges.
#[test]
fn what_is_put_before_the_end_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let elf = folder.path().join("last");
    let built = firmware::build(&root()).unwrap();
    compiler::build(&built, &root().join("firmware/c/last.c"), &["-Os", "-std=c11"], &elf);
    for (arguments, processes) in [("2", 2), ("5", 5), ("5 all", 5), ("12 all", 12)] {
        for options in ["", "--copies 1", "--copies 1 --loss 30%", "--copies 2 --loss 60%"] {
            let left = run(format!("{options} --for 60s {} {arguments}", elf.display()).trim_start());
            let right = left.lines.iter().filter(|line| line.ends_with(&format!("of {processes}: 0 wrong"))).count();
            assert_eq!((right, left.record.exits[0].code), (processes, 0), "{options} {arguments}: {:?}", left.lines);
        }
    }
}

#[test]
fn engines_send_and_lose_the_same_packets() {
    let words = "--loss 20% --copies 2 --dgl profile+timer+user+detail bsp-fft 64 5";
    let left = same_on_all_engines(words, 4_000_000);
    assert!(left.sum(|line| line.tx_dropped) > 10, "nothing was lost");
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, said) in [
        ("--copies 0 bsp-fft", "0 is not in 1..=8"),
        ("--copies 9 bsp-fft", "9 is not in 1..=8"),
        ("--whole-rounds bsp-fft", "--copies <K>"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
        let output = command.arg("run").args(arguments.split(' ')).current_dir(root()).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(said), "{arguments}: {error}");
    }
}
