//! Bulk-synchronous programs: random ones against a sequential reference, also while their
//! processes move and while the machine balances its load. `testbed bsp` and `experiment bsp` are
//! in `bsp_model.rs`.

use std::path::Path;
use std::process::{Command, Output};

use testbed_machine::Machine;

fn testbed(arguments: &[&str], out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(arguments).arg("--out").arg(out).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Programs from a seed on, as many; of so many processes, which begin so many per cent of their
/// supersteps on another slave; and what else `testbed run` is told.
struct Programs<'a> {
    seed: u32,
    count: u32,
    processes: u32,
    moves: u32,
    options: &'a [&'a str],
}

/// Runs random programs, of which each process compares its memory with the reference's.
fn random(programs: Programs) {
    let Programs { seed, count, processes, moves, options } = programs;
    let dir = tempfile::tempdir().unwrap();
    let arguments = [seed, count, processes, moves].map(|number| number.to_string());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = testbed(&[&["run", "bsp-random"], &arguments[..], options].concat(), dir.path());
    let text = text(&output);
    println!("bsp-random {} {}", arguments.join(" "), options.join(" "));
    let line = format!("bsp-random: {count} programs of {processes} processes, 0 processes saw a difference");
    assert!(output.status.success() && text.contains(&line), "{text}");
}

/// Random programs stand still if one of their processes waits for ever: 400 ms of machine time a
/// program and process are ten times what they take.
fn watched(programs: Programs) {
    let longest = format!("{}ms", 1_000 + 400 * programs.count * programs.processes);
    let options = [programs.options, &["--dgl", "user", "--for", &longest]].concat();
    random(Programs { options: &options, ..programs });
}

#[test]
fn random_programs_do_what_the_standard_says() {
    for (seed, count, processes, moves) in [(1, 12, 5, 0), (100, 6, 8, 0), (200, 8, 3, 30), (300, 3, 16, 0)] {
        watched(Programs { seed, count, processes, moves, options: &[] });
    }
}

/// A member once sent too early when another one had made room, seen with many processes only.
#[test]
fn programs_that_once_failed_do_what_the_standard_says() {
    for (seed, processes, moves) in [(400_020, 16, 0), (400_060, 16, 0), (600_009, 12, 20)] {
        watched(Programs { seed, count: 2, processes, moves, options: &[] });
    }
}

#[test]
fn random_programs_do_the_same_on_verilator() {
    watched(Programs { seed: 7, count: 1, processes: 3, moves: 0, options: &["--engine", "verilator"] });
}

/// With the policy that moves most, and a sample a hundred times a second. Who waits for others is
/// not moved, so there are few moves.
#[test]
fn random_programs_do_the_same_while_the_load_is_balanced() {
    let log = tempfile::tempdir().unwrap();
    let out = log.path().join("out");
    let arguments = ["run", "bsp-random", "50", "12", "9", "--balance", "random", "--sample", "10ms", "--for", "60s"];
    let output = testbed(&arguments, &out);
    let text = text(&output);
    let line = "bsp-random: 12 programs of 9 processes, 0 processes saw a difference";
    assert!(output.status.success() && text.contains(line), "{text}");
    let log = std::fs::read_to_string(out.join("balance.log")).unwrap();
    let moves = log.lines().filter(|line| line.starts_with("move work")).count();
    assert!(moves >= 3, "{moves} moves: {log}");
}

/// The first process of a program is killed before it has let the others run, or while they exchange:
/// none of them stays. At the end one may still be ending.
#[test]
fn killed_programs_leave_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = ["run", "killing", "30", "bsp-sum", "5", "2000", "--for", "20s"];
    let output = testbed(&arguments, dir.path());
    let console = std::fs::read_to_string(dir.path().join("console.txt")).unwrap();
    assert!(console.contains("killing: 30 of 30 killed"), "{console}{}", text(&output));
    for line in console.lines().filter(|line| line.contains("processes were")) {
        let numbers: Vec<u32> =
            line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
        assert!(numbers[2] <= numbers[1] + 1, "{console}");
    }
}

/// 10,000 programs, on one slave and on fifteen, with several processes a slave and with processes
/// that move.
#[test]
#[ignore = "takes an hour"]
fn ten_thousand_random_programs_do_what_the_standard_says() {
    let dir = tempfile::tempdir().unwrap();
    let wide = dir.path().join("wide.toml");
    let processors = std::iter::once("master".to_string()).chain((1..16).map(|number| format!("s{number}"))).collect();
    let machine = Machine { name: "wide".into(), processors, ..Machine::testbed6() };
    std::fs::write(&wide, machine.to_toml()).unwrap();
    let wide = ["--machine", wide.to_str().unwrap()];
    let all: [(u32, u32, u32, u32, &[&str]); 8] = [
        (100_000, 3_700, 5, 0, &[]),
        (200_000, 1_500, 8, 0, &[]),
        (300_000, 1_500, 3, 0, &[]),
        (400_000, 500, 16, 0, &[]),
        (500_000, 1_000, 5, 30, &[]),
        // All of them have room on one slave, if moves by lot bring them together there.
        (600_000, 500, 7, 20, &[]),
        (700_000, 800, 2, 10, &[]),
        (800_000, 500, 15, 0, &wide),
    ];
    assert_eq!(all.iter().map(|all| all.1).sum::<u32>(), 10_000);
    // A run keeps what it has printed: not all in one.
    const AT_ONCE: u32 = 50;
    for (first, count, processes, moves, options) in all {
        for seed in (first..first + count).step_by(AT_ONCE as usize) {
            let count = AT_ONCE.min(first + count - seed);
            watched(Programs { seed, count, processes, moves, options });
        }
    }
}
