//! `run --get`: files come out of the machine as programs have left them there, and an error says
//! which can't.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use testbed_balance::policies::DESCRIBED;
use testbed_trace::capture::{BALANCE, CONSOLE, RUN_JSON};

use crate::common::root;

fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).current_dir(root()).output().unwrap()
}

/// Runs into `out` and gives what is printed and what is said on standard error.
#[track_caller]
fn run(arguments: &[&str], out: &Path, code: i32) -> [String; 2] {
    let output = testbed(&[&["run"], arguments, &["--out", out.to_str().unwrap()]].concat());
    let [printed, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}\n{printed}");
    [printed, said]
}

/// Bytes of which no page is like another.
fn content(bytes: u32) -> Vec<u8> {
    (0..bytes).map(|byte| (byte.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect()
}

/// Files that a program has written: it copies, and renames, and takes away what was there.
#[test]
fn files_that_a_program_writes_come_out() {
    let folder = tempfile::tempdir().unwrap();
    let (data, empty, out) = (folder.path().join("data"), folder.path().join("empty"), folder.path().join("run"));
    let bytes = content(10_000);
    fs::write(&data, &bytes).unwrap();
    fs::write(&empty, []).unwrap();
    let elsewhere = folder.path().join("elsewhere");
    let [data, empty, get] = [data, empty, elsewhere.clone()].map(|path| path.display().to_string());
    let script = "cp data copy; cp empty nothing; cp copy other; mv other a:b";
    let get = format!("copy={get}");
    let options = ["--get", &get, "--get", "copy", "--get", "earth:nothing", "--get", "a:b"];
    let arguments = [&["sh", script, "--file", &data, "--file", &empty][..], &options].concat();
    let [_, said] = run(&arguments, &out, 0);
    assert_eq!(said, "");
    for path in [elsewhere, out.join("copy"), out.join("a:b")] {
        assert!(fs::read(&path).unwrap() == bytes, "{}", path.display());
    }
    assert!(fs::read(out.join("nothing")).unwrap().is_empty());
}

/// The run is reported as always, the files that are there are taken, and then it is said which are not.
#[test]
fn files_that_are_not_there_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data"), folder.path().join("run"));
    fs::write(&data, "text").unwrap();
    let data = data.display().to_string();
    let get = ["--get", "gone", "--get", "master:other", "--get", "copy"];
    let [printed, said] = run(
        &[&["sh", "cp data copy; cp data kept; mv kept gone; mv gone kept", "--file", &data][..], &get].concat(),
        &out,
        3,
    );
    assert!(printed.contains("the program is over") && printed.contains("left in "), "{printed}");
    for part in ["no file `gone` on earth", "no file `other` on master", "\n  help: "] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(fs::read(out.join("copy")).unwrap(), b"text");
    assert!(!out.join("gone").exists());
}

/// A run that is stopped before its program has ended leaves files too, also compiled Verilog.
#[test]
fn files_come_out_of_other_engines_too() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let bytes = content(3_000);
    fs::write(&data, &bytes).unwrap();
    let data = data.display().to_string();
    for engine in ["emulator", "verilator"] {
        let out = folder.path().join(engine);
        let options = ["--file", &data, "--get", "data", "--engine", engine, "--cycles", "200000"];
        run(&[&["hello"], &options[..]].concat(), &out, 0);
        assert!(fs::read(out.join("data")).unwrap() == bytes, "{engine}");
    }
}

/// The balancer's log, in the folder and taken by name, are one and the same, also where the run is cut.
#[test]
fn the_balancers_log_is_on_the_master() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let taken = folder.path().join("log");
    let get = format!("master:{BALANCE}={}", taken.display());
    let arguments = ["synthetic", "4", "compute", "60", "--balance", "report", "--sample", "20ms", "--get", &get];
    run(&arguments, &out, 0);
    let log = fs::read_to_string(out.join(BALANCE)).unwrap();
    assert!(log.starts_with("TIM: ") && log.contains(" arrives at "), "{log}");
    assert_eq!(fs::read_to_string(taken).unwrap(), log);
    // An earlier run's log does not stay.
    run(&["hello"], &out, 0);
    assert!(out.join(CONSOLE).exists() && !out.join(BALANCE).exists());
    // Before the balancer has begun there is none.
    let [_, said] = run(&["hello", "--balance", "report", "--cycles", "1000"], &out, 0);
    assert!(said.contains("warning: the balancer has left no log") && !out.join(BALANCE).exists(), "{said}");
}

#[test]
fn wishes_are_checked_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let fails = |options: &[&str], parts: &[&str]| {
        let [_, said] = run(&[&["hello"], options].concat(), &out, 3);
        for part in parts.iter().chain(&["\n  help: "]) {
            assert!(said.contains(part), "{options:?}: no `{part}` in {said}");
        }
        assert!(!out.exists(), "{options:?}: it has run");
    };
    fails(&["--get", ""], &["no file can be called ``"]);
    fails(&["--get", "a/b"], &["no file can be called `a/b`", "NAME=PATH"]);
    fails(&["--get", "earth:"], &["no file can be called ``"]);
    for own in [RUN_JSON, BALANCE, "mmi.raw", ".mmi.raw.sums", "trace", "console.log", "files"] {
        fails(&["--get", own], &[own, "a part of the output folder itself"]);
    }
    let stream = format!("data={}", out.join("trace/earth").display());
    fails(&["--get", &stream], &["trace/earth is a part of the output folder"]);
    fails(&["--get", "data", "--get", "air:data"], &["two files would become", "another path"]);
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/programs/small.toml");
    fails(&["--get", "data", "--machine", small], &["--get: small has 64 KiB of RAM", "at least 512 KiB"]);
}

/// Whatever a run has left, in whatever store, is there; what the host has put there is not, and of
/// an earlier run nothing stays.
#[test]
fn every_file_that_is_left_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data"), folder.path().join("run"));
    fs::write(&data, "text").unwrap();
    let data = data.display().to_string();
    let script = "cp data one; cp data ..; cp data ONE; cp data 'a\\b'; cp data gone; chmod rw gone; rm gone";
    let [printed, said] = run(&["sh", script, "--file", &data, "--files"], &out, 0);
    assert!(said.is_empty() && printed.contains(" files\n"), "{said}{printed}");
    let index = "earth/%2E%2E 4 ..\nearth/%4F%4E%45 4 ONE\nearth/a%5Cb 4 a\\b\nearth/one 4 one\n";
    assert_eq!(fs::read_to_string(out.join("files/index.txt")).unwrap(), index);
    for line in index.lines() {
        let path = out.join("files").join(line.split(' ').next().unwrap());
        assert_eq!(fs::read(path).unwrap(), b"text", "{line}");
    }
    // Another's file stays, and what the run has made goes.
    fs::write(out.join("files/earth/mine"), "mine").unwrap();
    let [printed, _] = run(&["sh", "cp data two", "--file", &data], &out, 0);
    assert!(printed.contains(" files\n"), "{printed}");
    let left: Vec<_> = fs::read_dir(out.join("files/earth")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine"]);
    fs::remove_dir_all(out.join("files")).unwrap();
    let [printed, _] = run(&["hello", "--files"], &out, 0);
    assert!(!printed.contains(" files") && !out.join("files").exists(), "{printed}");
}

/// A path that can't be written is an error that names it.
#[test]
fn a_path_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("no/such/folder"), folder.path().join("run"));
    let get = format!("hello={}", path.display());
    let [_, said] = run(&["hello", "--get", &get], &out, 5);
    assert!(said.contains(&format!("cannot write {}", path.display())) && said.contains("\n  help: "), "{said}");
}

/// The command's help has each policy with what it does.
#[test]
fn help_lists_the_policies() {
    let help = String::from_utf8(testbed(&["run", "--help"]).stdout).unwrap();
    let group = help.split_once("Balancing the load:").unwrap().1;
    for (name, what) in DESCRIBED {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let line = [vec![name.to_owned()], words(what)].concat();
        assert!(group.lines().any(|found| words(found) == line), "{name}: {group}");
    }
    assert!(!group.contains("--get") && help.contains("--get <[PROCESSOR:]NAME[=PATH]>"), "{help}");
}
