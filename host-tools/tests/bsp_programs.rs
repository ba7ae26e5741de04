//! The bulk-synchronous programs, in Rust and in C, compute what a sequential program computes: on
//! any number of processes, with sizes that these do not divide or that are smaller, and while their
//! processes move. Each program compares all of its result itself; what is looked for here is its
//! one line, `NAME SIZE on PROCESSES: right, …`, and its status.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testbed_runner::firmware;

use crate::common::{compiler, root};

/// A program, with sizes: one that no number of processes below divides, one that is less than most
/// of these, one for which it takes long enough to be moved; and further arguments to try.
struct Program {
    name: &'static str,
    sizes: [u32; 3],
    variants: &'static [&'static str],
}

const fn program(name: &'static str, sizes: [u32; 3], variants: &'static [&'static str]) -> Program {
    Program { name, sizes, variants }
}

const RUST: [Program; 7] = [
    program("bsp-bitonic", [331, 3, 3_000], &[""]),
    program("bsp-fft", [128, 2, 256], &[""]),
    program("bsp-inner", [331, 3, 4_000], &[""]),
    program("bsp-lu", [17, 1, 32], &[""]),
    program("bsp-prefix", [331, 3, 8_000], &["1", "2"]),
    program("bsp-samplesort", [331, 3, 3_000], &[""]),
    program("bsp-spmv", [61, 3, 500], &["", "8", "0"]),
];
const C: [Program; 7] = [
    program("broadcast", [331, 3, 2_000], &["1", "2"]),
    program("inner", [331, 3, 3_000], &[""]),
    program("jacobi", [17, 3, 32], &["", "1"]),
    program("matmul", [17, 3, 32], &[""]),
    program("prefix", [331, 3, 8_000], &[""]),
    program("queens", [7, 1, 8], &["", "1000"]),
    program("samplesort", [331, 3, 3_000], &[""]),
];
/// Programs that are no algorithm with a result: they measure and test the library.
const OTHERS: [&str; 4] = ["bsp-hash", "bsp-probe", "bsp-random", "bsp-sum"];

/// Where the programs in C are built.
struct Built {
    folder: tempfile::TempDir,
}

impl Built {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let firmware = firmware::build(&root()).unwrap();
        for Program { name, .. } in &C {
            let source = root().join(format!("firmware/c/bsp/{name}.c"));
            compiler::build(&firmware, &source, &["-Os", "-std=c11"], &folder.path().join(name));
        }
        Built { folder }
    }

    /// What `testbed run` takes for a program: its name, or its file.
    fn path(&self, name: &str) -> PathBuf {
        if C.iter().any(|program| program.name == name) {
            self.folder.path().join(name)
        } else {
            name.into()
        }
    }

    /// Runs a program; its status, if it has ended, and what has been printed.
    fn run(&self, name: &str, arguments: &str, options: &[&str], into: &Path) -> (Option<u64>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
        command.arg("run").arg(self.path(name)).args(arguments.split_whitespace()).args(options);
        let run = command.arg("--out").arg(into).current_dir(root()).output().unwrap();
        let read = |file: &str| fs::read_to_string(into.join(file));
        let (Ok(record), Ok(console)) = (read("run.json"), read("console.txt")) else {
            panic!("{name} {arguments}: {}", String::from_utf8_lossy(&run.stderr))
        };
        let record: serde_json::Value = serde_json::from_str(&record).unwrap();
        (record["exits"][0]["code"].as_u64(), console)
    }
}

/// All that a program prints, behind the name of a processor, is that its result is right.
fn assert_right(name: &str, (size, processes): (u32, u32), (status, console): &(Option<u64>, String)) {
    let line = console.split_once(": ").map_or("", |(_, line)| line);
    let cycles = line.strip_prefix(&format!("{name} {size} on {processes}: right, "));
    let cycles = cycles.and_then(|rest| rest.strip_suffix(" cycles\n"));
    let is_right = cycles.is_some_and(|number| number.parse::<u64>().is_ok_and(|number| number > 0));
    assert!(*status == Some(0) && is_right, "{name} {size} {processes} ended with {status:?} and printed\n{console}");
}

fn every_size_and_number_of_processes(programs: &[Program]) {
    let (built, out) = (Built::new(), tempfile::tempdir().unwrap());
    for Program { name, sizes: [odd, less, _], variants } in programs {
        for (size, processes) in [(odd, 1), (odd, 2), (odd, 5), (odd, 15), (less, 1), (less, 7)] {
            for variant in *variants {
                let run = built.run(name, &format!("{size} {processes} {variant}"), &[], out.path());
                assert_right(name, (*size, processes), &run);
            }
        }
    }
}

#[test]
fn rust_is_right_for_every_size_and_number_of_processes() {
    every_size_and_number_of_processes(&RUST);
}

#[test]
fn c_is_right_for_every_size_and_number_of_processes() {
    every_size_and_number_of_processes(&C);
}

/// A balancer moves processes to slaves that are drawn by lot.
#[test]
fn moves_change_nothing() {
    let (built, out) = (Built::new(), tempfile::tempdir().unwrap());
    let mut moves = 0;
    for (program, seed) in RUST.iter().chain(&C).zip(1..) {
        let Program { name, sizes: [_, _, long], variants } = program;
        let options = ["--balance", "random", "--sample", "2ms", "--seed", &seed.to_string()];
        let run = built.run(name, &format!("{long} 7 {}", variants[0]), &options, out.path());
        assert_right(name, (*long, 7), &run);
        let log = fs::read_to_string(out.path().join("balance.log")).unwrap();
        moves += log.lines().filter(|line| line.contains(" arrives at ")).count();
    }
    assert!(moves >= 30, "{moves} processes have moved");
}

/// What makes no sense is refused with status 2, and how the program is called.
#[test]
fn arguments_that_make_no_sense_are_refused() {
    let (built, out) = (Built::new(), tempfile::tempdir().unwrap());
    for Program { name, .. } in RUST.iter().chain(&C) {
        for arguments in ["0 2", "1000000 2", "x 2", "4 2 1 1"] {
            let (status, console) = built.run(name, arguments, &[], out.path());
            let usage = format!(": usage: {name} [N (");
            assert!(status == Some(2) && console.lines().count() == 1, "{name} {arguments}: {status:?}\n{console}");
            assert!(console.contains(&usage), "{name} {arguments} printed\n{console}");
        }
    }
    let (status, console) = built.run("bsp-fft", "6 2", &[], out.path());
    assert!(status == Some(2) && console.contains("a power of two"), "{console}");
}

/// Names of the files of a folder that begin and end so, without the end.
fn files(folder: &str, start: &str, end: &str) -> BTreeSet<String> {
    let names = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap()).filter(|name| name.starts_with(start));
    names.filter_map(|name| name.strip_suffix(end).map(String::from)).collect()
}

/// Every program is tried here, and is in the documents' table.
#[test]
fn none_is_left_out() {
    let names = |programs: &[Program]| programs.iter().map(|program| program.name.to_string()).collect();
    let others: BTreeSet<_> = OTHERS.map(String::from).into();
    let rust: BTreeSet<_> = &files("firmware/programs/src/bin", "bsp-", ".rs") - &others;
    let c = files("firmware/c/bsp", "", ".c");
    assert_eq!((&rust, &c), (&names(&RUST), &names(&C)));
    let page = fs::read_to_string(root().join("docs/bsp-programs.md")).unwrap();
    for name in rust.iter().chain(&c) {
        assert!(page.contains(&format!("`{name}`")), "docs/bsp-programs.md does not have {name}");
    }
}
