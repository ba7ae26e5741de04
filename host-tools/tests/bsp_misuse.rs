//! A program that breaks a rule of `bsp.h` ends, and says in which line of which file, and why:
//! the programs in `firmware/c/misuse` break each rule in a function of its own, with a comment in the
//! line that has to be named.

use std::fs;
use std::path::Path;
use std::process::Command;

use testbed_definitions::syscall::EXIT_HALT;
use testbed_runner::firmware;

use crate::common::{compiler, root};

/// What is behind these in a line's comment is said of the line, or printed by the program.
const SAYS: &str = "/* says: ";
const PRINTS: &str = "/* prints: ";

/// A function of the program, and what a line of the console has to contain: the place, if there is
/// one, and the reason.
struct Case<'a> {
    name: &'a str,
    place: String,
    reason: &'a str,
}

/// All functions whose comment says what has to be printed.
fn cases<'a>(source: &'a str, program: &str) -> Vec<Case<'a>> {
    let (mut name, mut cases) = ("", Vec::new());
    for (line, number) in source.lines().zip(1..) {
        let function = line.strip_prefix("static void ").and_then(|rest| rest.strip_suffix("(void)"));
        name = function.unwrap_or(name);
        let comment = |mark| line.split_once(mark).and_then(|(_, rest)| rest.strip_suffix(" */"));
        if let Some(reason) = comment(SAYS) {
            cases.push(Case { name, place: format!("{program}.c:{number}: "), reason });
        } else if let Some(reason) = comment(PRINTS) {
            cases.push(Case { name, place: String::new(), reason });
        }
    }
    cases
}

/// Runs the program; how it has ended, and what it has printed.
fn run(elf: &Path, arguments: &[&str], into: &Path) -> (Option<u64>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .arg("run")
        .arg(elf)
        .args(arguments)
        .args(["--dgl", "user", "--for", "2s", "--out"])
        .arg(into)
        .output()
        .unwrap();
    let read = |file: &str| fs::read_to_string(into.join(file));
    let (Ok(record), Ok(console)) = (read("run.json"), read("console.txt")) else {
        panic!("{arguments:?}: {}", String::from_utf8_lossy(&run.stderr))
    };
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    (record["exits"][0]["code"].as_u64(), console)
}

/// Runs each function of a program.
fn every_misuse_is_said(program: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (elf, out) = (folder.path().join(program), folder.path().join("out"));
    let path = root().join(format!("firmware/c/misuse/{program}.c"));
    compiler::build(&firmware::build(&root()).unwrap(), &path, &["-Os", "-std=c11"], &elf);
    let source = fs::read_to_string(&path).unwrap();
    let cases = cases(&source, program);

    let (_, console) = run(&elf, &[], &out);
    let listed: Vec<&str> = console.lines().filter_map(|line| Some(line.split_once(": ")?.1)).collect();
    let names: Vec<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(listed, names, "each function of the list has one comment, in the same order");

    let mut wrong = Vec::new();
    for Case { name, place, reason } in &cases {
        let (status, console) = run(&elf, &[name, "3"], &out);
        let behind = |line: &str| line.split_once(place.as_str()).map(|(_, rest)| rest.to_string());
        let is_said = console.lines().filter_map(behind).any(|rest| rest.contains(reason));
        if status != Some(u64::from(EXIT_HALT)) || !is_said {
            wrong.push(format!("{name} ended with {status:?}, and not with {place}{reason}\n{console}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn areas() {
    every_misuse_is_said("areas");
}

#[test]
fn messages_and_processes() {
    every_misuse_is_said("messages");
}
