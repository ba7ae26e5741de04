//! The command line: errors name what is wrong and the remedy, and have the documented exit codes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{record, Scripted};
use testbed_definitions::monitor::Pair;
use testbed_machine::Machine;
use testbed_runner::drive::drive;
use testbed_runner::operator::Operator;
use testbed_trace::capture::{CaptureWriter, Claim, RunRecord};

mod folders;
mod output;

fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).output().unwrap()
}

/// Runs `testbed` and expects it to fail with `code` and all of `parts` on standard error.
#[track_caller]
fn fails(arguments: &[&str], code: i32, parts: &[&str]) {
    let output = testbed(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: `{part}` is not in:\n{error}");
    }
}

/// A folder with `pairs` pairs of TRAP7 from earth, one a tick.
fn folder(dir: &Path, pairs: u16) {
    let machine = Machine::testbed6();
    let mut engine = Scripted::new(machine.clone());
    for number in 0..pairs {
        engine.pair(25 * u64::from(number), 1, Pair { time: number, datum: 7 });
    }
    let writer = CaptureWriter::create(dir, &machine, &record(&machine)).unwrap();
    drive(&mut engine, writer, record(&machine), 25 * u64::from(pairs), &mut Operator::nobody(), |_| {}).unwrap();
}

#[test]
fn wrong_inputs_of_run() {
    fails(&["run", "remote", "--engine", "abacus"], 3, &["no engine is called `abacus`", "emulator"]);
    fails(&["run", "remote", "--machine", "testbed7"], 3, &["no machine is called `testbed7`", "testbed6, testbed2"]);
    fails(&["run", "remote", "--for", "5"], 3, &["--for", "no unit", "ms"]);
    fails(&["run", "remote", "--for", "1s", "--cycles", "5"], 2, &["cannot be used with"]);
    fails(&["run", "remote", "--dgl", "profile+ready"], 3, &["exclude each other"]);
    fails(&["run", "remote", "--dgl", "all"], 3, &["`all` is no event class", "profile, ready, timer, user"]);
    fails(&["run", "remote", "--vcd", "a.vcd"], 3, &["the emulator engine has no signals", "verilator"]);
    fails(&["run", "remote", "--engine", "rust-hdl", "--fst", "a.fst"], 3, &["cannot write FST", "--vcd"]);
    fails(&["run", "remote", "--engine", "verilator", "--fst", "a.vcd"], 3, &["--fst: the name a.vcd", ".fst"]);
    fails(&["run", "remote", "--engine", "verilator", "--vcd", "a.fst"], 3, &["--vcd: the name a.fst", ".fst"]);
    fails(&["run", "remote", "--kernel", "tos95"], 3, &["no kernel is called `tos95`", "default or tos94"]);
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/programs/small.toml");
    let only_small = ["small has 64 KiB of RAM", "without `tos94`", "at least 512 KiB"];
    fails(&["run", "hello", "--machine", small, "--kernel", "tos94"], 3, &only_small);
    fails(&["run", "sh", "--input", "/nonexistent"], 3, &["--input: cannot read /nonexistent", "- to type lines"]);
    fails(&["run", "sh", "--input", "-", "--replay", "input"], 2, &["cannot be used with"]);
    fails(&["run", "sh", "--replay", "/nonexistent"], 3, &["cannot read /nonexistent"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    fails(&["run", "sh", "--replay", script], 3, &["Cargo.toml:1: no cycle", "the file `input` of a folder"]);
    fails(&["run", "remote", "--file", "/nonexistent"], 3, &["cannot read /nonexistent", "a program"]);
    fails(&["run", "/nonexistent/program"], 3, &["cannot read /nonexistent/program"]);
    fails(&["run", "no-such-program"], 3, &["no program is called `no-such-program`", "remote"]);
    let without_master = ["hello needs the kernel", "a master, which hx8k-evn lacks", "testbed exec"];
    fails(&["run", "hello", "--machine", "hx8k-evn", "--engine", "verilator"], 3, &without_master);
}

/// So there is a kernel that leaves room for them.
#[test]
fn programs_start_whatever_the_size_of_ram() {
    let dir = tempfile::tempdir().unwrap();
    let (machine, out) = (dir.path().join("machine.toml"), dir.path().join("out"));
    for kib in [64, 128, 256, 512, 1024, 2048] {
        let small = include_str!("../../tests/programs/small.toml");
        let text = small.replace("ram = \"64 KiB\"", &format!("ram = \"{kib} KiB\""));
        assert!(text.contains(&format!("\"{kib} KiB\"")));
        fs::write(&machine, text).unwrap();
        let output = testbed(&["run", "hello", "--machine", machine.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{kib} KiB: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_verdict_that_nobody_reads_is_no_success_and_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 5);
    let command = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
        command.args(arguments);
        command
    };
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    let (out, clone) = (dir.path().to_str().unwrap(), closed.try_clone().unwrap());
    let status = command(&["compare", out, out]).stdout(clone).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(141));
    // The code of what went wrong, though nobody hears of it.
    let wrong = ["run", "no-such-program"];
    assert_eq!(command(&wrong).stderr(closed).status().unwrap().code(), Some(3));
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(command(&wrong).stderr(full).status().unwrap().code(), Some(3));
}

#[test]
fn a_name_that_is_nearly_right_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 3);
    let dir = dir.path().to_str().unwrap();
    let board = ["synth", "--board", "ulx3s-85"];
    for (arguments, meant) in [
        (&["run", "remot"][..], "remote"),
        (&["run", "multi"], "multi-phase"),
        (&["top", "--once", "remot"], "remote"),
        (&["run", "remote", "--machine", "testbed7"], "testbed6"),
        (&["run", "remote", "--engine", "emulater"], "emulator"),
        (&["run", "remote", "--kernel", "tos49"], "tos94"),
        (&["run", "remote", "--order", "tiem"], "time"),
        (&["run", "remote", "--dgl", "profil"], "profile"),
        (&["run", "remote", "--filter", "drop TIMR"], "TIMER"),
        (&["run", "remote", "--filter", "dorp TIMER"], "drop"),
        (&["exec", "corebensh"], "corebench"),
        (&["trace", dir, "--format", "jsn"], "json"),
        (&["trace", dir, "--processor", "erath"], "earth"),
        (&["analyse", dir, "latencies"], "latency"),
        (&["analyse", dir, "wait"], "waits"),
        (&["trace", dir, "--event", "trap77"], "TRAP7"),
        (&board, "ulx3s-85f"),
    ] {
        fails(arguments, 3, &[&format!("did you mean `{meant}`? ")]);
    }
    // Where nothing is near, nothing is guessed.
    let error = String::from_utf8(testbed(&["run", "no-such-program"]).stderr).unwrap();
    assert!(!error.contains("did you mean"), "{error}");
}

/// Runs `testbed` in `dir`, and gives what it says on standard error.
#[track_caller]
fn says(dir: &Path, arguments: &[&str], code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).current_dir(dir).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    error
}

#[test]
fn an_earlier_run_in_the_default_folder_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let arguments = |name: &str| RunRecord::read(&out.join(name)).unwrap().arguments;
    assert!(!says(dir.path(), &["run", "hello", "one"], 0).contains("kept"));
    fs::write(out.join("hello/notes.txt"), "mine").unwrap();
    let said = says(dir.path(), &["run", "hello", "two"], 0);
    assert!(said.contains("the earlier run is kept in out/hello.1"), "{said}");
    assert!(says(dir.path(), &["run", "hello", "three"], 0).contains("out/hello.2"));
    assert_eq!(["hello", "hello.1", "hello.2"].map(arguments), [["three"], ["one"], ["two"]]);
    assert_eq!(fs::read_to_string(out.join("hello.1/notes.txt")).unwrap(), "mine");
    assert!(!out.join("hello/notes.txt").exists());
    // A folder that was asked for is replaced, but for what others have put there.
    fs::write(out.join("hello/notes.txt"), "mine too").unwrap();
    says(dir.path(), &["run", "hello", "four", "--out", "out/hello"], 0);
    assert_eq!(arguments("hello"), ["four"]);
    assert!(out.join("hello/notes.txt").exists() && !out.join("hello.3").exists());
    // Numbers go up, also where one is free again.
    fs::remove_dir_all(out.join("hello.1")).unwrap();
    assert!(says(dir.path(), &["run", "hello"], 0).contains("out/hello.3"));
}

#[test]
fn what_no_run_has_made_is_not_removed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out/hello");
    fs::create_dir_all(out.join("trace")).unwrap();
    for (name, text) in [("run.json", "{\"my\": \"own\"}"), ("mmi.raw", "precious"), ("trace/earth", "precious")] {
        fs::write(out.join(name), text).unwrap();
    }
    for more in [&[][..], &["--out", "out/hello"]] {
        let said = says(dir.path(), &[&["run", "hello"], more].concat(), 3);
        assert!(said.contains("run.json is not what a run has left") && said.contains("--out"), "{said}");
    }
    assert_eq!(fs::read_to_string(out.join("mmi.raw")).unwrap(), "precious");
    assert_eq!(fs::read_to_string(out.join("trace/earth")).unwrap(), "precious");
    fs::remove_dir_all(&out).unwrap();
    // In the folder of a run, others' files among the streams would be lost.
    folder(&out, 3);
    fs::create_dir(out.join("trace/mine")).unwrap();
    let said = says(dir.path(), &["run", "hello", "--out", "out/hello"], 3);
    assert!(said.contains("out/hello/trace/mine is not what a run has left"), "{said}");
    assert_eq!(fs::metadata(out.join("mmi.raw")).unwrap().len(), 24);
}

/// Nothing would be said, and no file be there.
#[test]
fn waves_that_begin_behind_the_end_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let wave = dir.path().join("a.vcd");
    let run = ["run", "hello", "--engine", "rust-hdl", "--cycles", "300", "--out", "out", "--vcd", "a.vcd"];
    let said = says(dir.path(), &[&run[..], &["--wave-from", "400"]].concat(), 0);
    let expected = "a.vcd was not written: the run was over in cycle 300, before --wave-from 400";
    assert!(said.contains(expected) && !wave.exists(), "{said}");
    let said = says(dir.path(), &[&run[..], &["--wave-from", "200"]].concat(), 0);
    assert!(!said.contains("warning") && wave.is_file(), "{said}");
    let text = fs::read_to_string(&wave).unwrap();
    // 40 ns a cycle.
    assert!(text.starts_with("$timescale 1ps $end") && text.contains("#8000000\n") && text.contains("#12000000\n"));
}

/// An argument that is not looked at would be taken for one that is.
#[test]
fn programs_refuse_arguments_that_they_do_not_take() {
    let dir = tempfile::tempdir().unwrap();
    for (program, arguments) in [
        ("local", "1 1 1 1 1"),
        ("remote", "1 1 1 1 1 1 1 1 1"),
        ("migrate", "1 1 1 1"),
        ("multi-phase", "16 1 1 1 1"),
        ("overflow", "1 1 1 1"),
        ("alternative", "1 1"),
        ("asked", "1"),
        ("busy", "1 1"),
        ("chatter", "1 1 1 1 1"),
        ("control", "1"),
        ("crossing", "1 1"),
        ("contend", "1 1 1 1 1 1 1 1 1"),
        ("crowd", "1 1 1"),
        ("faults", "1"),
        ("files", "1"),
        ("fuzz", "1 1 1"),
        ("kernel-bench", "switch 1"),
        ("kernel-bench", "local 4 1"),
        ("lengths", "1 1"),
        ("limits", "1"),
        ("locks", "1 1 1"),
        ("misuse", "1"),
        ("moving", "1 1 1"),
        ("pages", "1 1 1"),
        ("peek", "0x111 0x400 4 1"),
        ("peek", "x"),
        ("philosophers", "2 1 1"),
        ("processes", "1 1"),
        ("processes", "other"),
        ("readers", "good"),
        ("readers", "bad 1"),
        ("ring", "1 8 1"),
        ("sieve", "1 1"),
        ("taken", "1 1"),
        ("threads", "1"),
    ] {
        let words = ["run", program].into_iter().chain(arguments.split(' ')).chain(["--out", "out"]);
        says(dir.path(), &words.collect::<Vec<_>>(), 1);
        let console = fs::read_to_string(dir.path().join("out/console.txt")).unwrap();
        assert!(console.contains(&format!("usage: {program}")), "{program} {arguments}: {console}");
        let record = RunRecord::read(&dir.path().join("out")).unwrap();
        assert_eq!(record.exits[0].code, 2, "{program} {arguments}");
    }
}

#[test]
fn wrong_machine_descriptions_are_placed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mine.toml");
    fs::write(&path, "name = \"mine\"\nprocessors = [\"a\", \"a\"]\nram = \"1 MiB\"\nclock = \"25 MHz\"\n").unwrap();
    let path = path.to_str().unwrap();
    fails(&["run", "remote", "--machine", path], 3, &["mine.toml:2:20: processors: `a` is there twice", "help:"]);
}

#[test]
fn folders_that_are_none() {
    fails(&["trace", "/nonexistent"], 3, &["no run.json", "testbed run"]);
    fails(&["compare", "/nonexistent", "/nonexistent"], 3, &["no run.json"]);
}

/// What is found before the machine runs leaves an earlier capture alone.
#[test]
fn a_run_that_cannot_start_keeps_the_earlier_capture() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 3);
    let before = fs::read(dir.path().join("run.json")).unwrap();
    let (out, waves) = (dir.path().to_str().unwrap(), dir.path().join("a.vcd"));
    let waves = waves.to_str().unwrap();
    let run = ["run", "hello", "--out", out, "--engine", "rust-hdl", "--vcd", waves, "--wave-scope", "top.nothing"];
    fails(&run, 5, &["top.nothing"]);
    assert_eq!(fs::read(dir.path().join("run.json")).unwrap(), before);
    let claim = Claim::new(dir.path()).unwrap();
    fails(&["run", "hello", "--out", out], 3, &["another run is writing to", "--out"]);
    drop(claim);
}

#[test]
fn wrong_inputs_of_synth() {
    fails(&["synth"], 2, &["--board"]);
    fails(&["synth", "--board", "arty"], 3, &["no board is called `arty`", "ulx3s-85f, hx8k-evn"]);
    let other = ["synth", "--board", "hx8k-evn", "--machine", "ulx3s-85f"];
    fails(&other, 3, &["is for the board ulx3s-85f, not for hx8k-evn", "--machine hx8k-evn"]);
    fails(&["synth", "--board", "ulx3s-85f", "--program", "no-such-program"], 3, &["no program is called"]);
    fails(&["synth", "--board", "ulx3s-85f", "--program", "no/such.elf"], 3, &["no/such.elf", "linked for RAM"]);
    fails(&["synth", "--board", "hx8k-evn", "--program", "demo 3"], 3, &["demo takes no arguments, but `3` is one"]);
    let small = |program| ["synth", "--board", "hx8k-evn", "--program", program];
    fails(&small("no-such-program"), 3, &["no program is called", "corebench, demo"]);
    fails(&small("hello"), 3, &["hello needs the kernel", "hx8k-evn lacks", "corebench, demo"]);
    fails(&small("hello /bin/x"), 3, &["hello needs the kernel"]);
    // The test runs in the package's folder.
    fails(&small("Cargo.toml"), 3, &["no program is called `Cargo.toml`", "write ./Cargo.toml"]);
    fails(&["synth", "--board", "hx8k-evn", "--dgl", "none+"], 3, &["is no event class"]);
    fails(&["synth", "--board", "hx8k-evn", "--seed", "2147483648"], 2, &["--seed", "2147483647"]);
    fails(&["synth", "--board", "hx8k-evn", "--seeds", "0"], 2, &["--seeds"]);
    let both = ["synth", "--board", "ulx3s-85f", "--program", "local", "--update", "local"];
    fails(&both, 2, &["cannot be used with"]);
    let dir = tempfile::tempdir().unwrap();
    let update = ["synth", "--board", "ulx3s-85f", "--update", "local", "--out", dir.path().to_str().unwrap()];
    let anew = format!("make it anew: testbed synth --board ulx3s-85f --out {}", dir.path().display());
    fails(&update, 3, &["no placed design", &anew]);
}

#[test]
fn help_documents_the_exit_codes() {
    let text = String::from_utf8(testbed(&["--help"]).stdout).unwrap();
    for (code, class) in
        [(0, "success"), (2, "the command line"), (5, "this computer"), (6, "a bitstream"), (7, "a program run")]
    {
        assert!(text.contains(&format!("{code} {class}")), "{text}");
    }
}
