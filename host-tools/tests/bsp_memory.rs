//! Arrays that are spread over processes: what is read is what was written, wherever processes are,
//! and requests go where the layout says.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::root;

fn run(arguments: &str, options: &[&str], into: &Path) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(["run", "bsp-hash"]).args(arguments.split_whitespace()).args(options);
    let output = command.arg("--out").arg(into).current_dir(root()).output().unwrap();
    let console = std::fs::read_to_string(into.join("console.txt"));
    let console = console.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output, console)
}

/// Runs it; how many elements were asked of a slave in a round, at most and on average.
#[track_caller]
fn asked(arguments: &str, options: &[&str]) -> (u32, u32) {
    let dir = tempfile::tempdir().unwrap();
    let (output, console) = run(arguments, options, dir.path());
    let right = output.status.success() && console.contains(": right, ");
    assert!(right && console.lines().count() == 2, "bsp-hash {arguments}: {console}");
    let numbers = console.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    let [_, most, mean] = numbers.take(3).collect::<Vec<u32>>()[..] else { panic!("{console}") };
    (most, mean)
}

const LAYOUTS: [u32; 3] = [0, 1, 2];

#[test]
fn what_is_read_is_what_was_written() {
    for layout in LAYOUTS {
        for pattern in 0..4 {
            for way in 0..3 {
                asked(&format!("331 5 {layout} {pattern} 17 2 {way}"), &[]);
            }
        }
        // Fewer elements than processes, and one process that has all.
        asked(&format!("3 7 {layout} 0 4 2"), &[]);
        asked(&format!("50 1 {layout} 0 256 2"), &[]);
    }
}

/// All of a stride go to one slave in turn, all of what is consecutive to one with blocks, and
/// neither hashed; the same one always to one, unless each process asks once.
#[test]
fn requests_go_where_the_layout_says() {
    for (arguments, most) in [
        ("1000 5 1 1 64 1", 320..=320),
        ("1000 5 0 1 64 1", 64..=80),
        ("1000 5 2 1 64 1", 64..=128),
        ("1000 5 0 2 64 1", 200..=320),
        ("1000 5 1 2 64 1", 64..=64),
        ("1000 5 2 2 64 1", 64..=128),
        ("1000 5 2 3 64 1", 320..=320),
        ("1000 5 2 3 64 1 1", 5..=5),
        // Two processes of each slave.
        ("1000 10 1 1 32 1", 320..=320),
    ] {
        let (found, mean) = asked(arguments, &[]);
        assert!(most.contains(&found), "{arguments}: {found}");
        assert_eq!(mean, if arguments.ends_with("1 1") && arguments.contains(" 3 ") { 1 } else { 64 }, "{arguments}");
    }
}

/// Also those that move between being told that they lack room and having more: what they have for
/// others has to follow them. When they move depends on when samples are taken.
#[test]
fn processes_that_move_read_the_same() {
    for sample in ["1ms", "2ms", "3ms", "5ms", "6ms", "8ms"] {
        let dir = tempfile::tempdir().unwrap();
        // A second is what they take: nobody may wait for ever.
        let options = ["--balance", "random", "--sample", sample, "--for", "5s"];
        let (output, console) = run("4000 9 2 0 256 24", &options, dir.path());
        assert!(output.status.success() && console.contains(": right, "), "{sample}: {console}");
        let log = std::fs::read_to_string(dir.path().join("balance.log")).unwrap();
        assert!(log.lines().any(|line| line.contains(" arrives at ")), "nothing has moved:\n{log}");
    }
}

#[test]
fn verilator_reads_the_same() {
    asked("20 2 2 0 3 1", &["--engine", "verilator"]);
}

/// An index that is none ends the program, with the line that has it.
#[test]
fn an_element_that_does_not_exist_is_told_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let (output, console) = run("100 3 2 4", &[], dir.path());
    let line = console.lines().find(|line| line.contains("element 100 of an array of 100"));
    assert!(!output.status.success() && line.is_some_and(|line| line.contains("bsp-hash.rs:")), "{console}");
    for arguments in ["0 3", "100 3 2 5", "100 3 2 0 257", "100 64 2 0 200", "100 20 2 0 4 64"] {
        let dir = tempfile::tempdir().unwrap();
        let (output, console) = run(arguments, &[], dir.path());
        assert!(output.status.code() == Some(1) && console.lines().count() == 1, "{arguments}: {console}");
    }
}
