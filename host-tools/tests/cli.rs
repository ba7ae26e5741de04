//! The command line: errors name what is wrong and the remedy, and have the documented exit codes.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{record, Scripted};
use testbed_definitions::monitor::Pair;
use testbed_host_tools::capture::{CaptureWriter, Claim};
use testbed_host_tools::drive::drive;
use testbed_host_tools::operator::Operator;
use testbed_machine::Machine;

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
    fails(&["run", "sh", "--input", "/nonexistent"], 3, &["--input: cannot read /nonexistent", "- to type lines"]);
    fails(&["run", "sh", "--input", "-", "--replay", "input"], 2, &["cannot be used with"]);
    fails(&["run", "sh", "--replay", "/nonexistent"], 3, &["cannot read /nonexistent"]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    fails(&["run", "sh", "--replay", script], 3, &["Cargo.toml:1: no cycle", "the file `input` of a folder"]);
    fails(&["run", "remote", "--file", "/nonexistent"], 3, &["cannot read /nonexistent", "a program"]);
    fails(&["run", "/nonexistent/program"], 3, &["cannot read /nonexistent/program"]);
    fails(&["run", "no-such-program"], 3, &["no program is called `no-such-program`", "remote"]);
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

#[test]
fn formats_of_trace() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 3);
    let dir = dir.path().to_str().unwrap();
    let show = |format: &str| String::from_utf8(testbed(&["trace", dir, "--format", format]).stdout).unwrap();
    assert_eq!(
        show("text"),
        "           0 us  earth    TRAP7\n           1 us  earth    TRAP7\n           2 us  earth    TRAP7\n"
    );
    let csv = show("csv");
    assert_eq!(csv.lines().nth(3), Some("2,0,0,2,earth,TRAP7,,\"\",true"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&show("json")).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 3);
    assert_eq!(json[2]["us"], "2");
    assert_eq!(json[2]["event"], "TRAP7");
    fails(
        &["trace", dir, "--format", "excel"],
        3,
        &["`excel` does not exist", "text, csv, json, jsonl, gnuplot, perfetto"],
    );
    assert_eq!(show("jsonl").lines().count(), 3);
    assert_eq!(show("gnuplot").lines().filter(|line| !line.starts_with('#')).count(), 3);
    fails(&["trace", dir, "--format", "fst"], 3, &["fst can only be written to a file", "--format fst -o FILE"]);
    let file = tempfile::NamedTempFile::new().unwrap();
    for (format, start) in [("parquet", "PAR1"), ("perfetto", "\n"), ("vcd", "$version"), ("fst", "\0")] {
        let output = testbed(&["trace", dir, "--format", format, "-o", file.path().to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{format}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(fs::read(file.path()).unwrap().starts_with(start.as_bytes()), "{format}");
    }
    fails(&["trace", dir, "-o", "/dev/full"], 5, &["disk is full"]);
    fails(&["trace", dir, "-o", "/nonexistent/x"], 5, &["cannot create /nonexistent/x", "-o"]);
}

#[test]
fn reports_are_pages() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 30);
    let page = dir.path().join("report.html");
    let name = dir.path().to_str().unwrap();
    let output = testbed(&["report", name]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("report.html: "));
    let whole = fs::read_to_string(&page).unwrap();
    assert!(whole.starts_with("<!doctype html>") && whole.contains("\"to_cycle\":750}"), "{whole}");
    let part = tempfile::NamedTempFile::new().unwrap();
    let part = part.path().to_str().unwrap();
    assert_eq!(testbed(&["report", name, "--from", "5us", "--to", "250 cycles", "-o", part]).status.code(), Some(0));
    assert!(fs::read_to_string(part).unwrap().contains("{\"from_cycle\":125,\"to_cycle\":250}"));
    let own = dir.path().join("mmi.raw");
    fails(&["report", name, "-o", own.to_str().unwrap()], 3, &["part of the output folder", "-o"]);
    fails(&["report", name, "--from", "1s"], 3, &["no time lies between", "--from and --to"]);
    fails(&["report", name, "-o", "/nonexistent/x"], 5, &["cannot write /nonexistent/x", "-o"]);
    fails(&["report", "/nonexistent"], 3, &["no run.json", "testbed run"]);
    // What is said of one run is not left beside the next.
    folder(dir.path(), 3);
    assert!(!page.exists());
}

#[test]
fn filters_of_trace() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 30);
    let dir = dir.path().to_str().unwrap();
    let count = |arguments: &[&str]| {
        let output = testbed(&[&["trace", dir], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout.iter().filter(|byte| **byte == b'\n').count()
    };
    assert_eq!(count(&["--from", "5us", "--to", "0.01ms"]), 5);
    assert_eq!(count(&["--processor", "earth", "--event", "trap7", "--certain"]), 30);
    assert_eq!(count(&["--processor", "air"]), 0);
    fails(&["trace", dir, "--processor", "mars"], 3, &["--processor mars", "earth, air, fire, water, space"]);
    fails(&["trace", dir, "--event", "TRAP8"], 3, &["--event TRAP8", "TRAP7, "]);
    fails(&["trace", dir, "--from", "5"], 3, &["--from 5", "1.5ms"]);
    fails(&["trace", dir, "--from", "-5us"], 3, &["--from -5us"]);
    fails(&["trace", dir, "--from", "5us", "--to", "5us"], 3, &["--to 5us", "later time than --from 5us"]);
    fails(&["trace", dir, "--thread", "earth"], 3, &["--thread earth", "earth.1.1"]);
    fails(&["trace", dir, "--thread", "earth.1.1"], 3, &["earth.1.1", "does not occur", "--event SCHEDULE"]);
}

/// Under whatever name: the capture would be gone before it is read.
#[test]
fn trace_does_not_write_onto_its_own_input() {
    let dir = tempfile::tempdir().unwrap();
    let capture = dir.path().join("capture");
    folder(&capture, 3);
    std::os::unix::fs::symlink(capture.join("mmi.raw"), dir.path().join("link")).unwrap();
    for own in ["capture/mmi.raw", "capture/run.json", "capture/trace/earth", "capture/trace/new", "link"] {
        let output = dir.path().join(own);
        let arguments = ["trace", capture.to_str().unwrap(), "-o", output.to_str().unwrap()];
        fails(&arguments, 3, &["is a part of the output folder itself", "-o"]);
    }
    assert_eq!(fs::metadata(capture.join("mmi.raw")).unwrap().len(), 24);
    let beside = capture.join("events.txt");
    let output = testbed(&["trace", capture.to_str().unwrap(), "-o", beside.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn trace_says_that_metadata_are_missing() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 3);
    fs::remove_file(dir.path().join("trace/metadata")).unwrap();
    let output = testbed(&["trace", dir.path().to_str().unwrap()]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("trace/metadata") && error.contains("missing"), "{error}");
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
fn a_reader_that_stops_early_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 60_000);
    let mut child = Command::new(env!("CARGO_BIN_EXE_testbed"))
        .arg("trace")
        .arg(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn compare_says_equal_or_where_not() {
    let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    folder(a.path(), 3);
    folder(b.path(), 3);
    let arguments = ["compare", a.path().to_str().unwrap(), b.path().to_str().unwrap()];
    let output = testbed(&arguments);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "equal: 3 pairs, 75 cycles\n");
    folder(b.path(), 4);
    let output = testbed(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("event 3: the trace ends; "), "{text}");
    assert!(text.contains("mmi.raw: byte 24: the end and 0x00010003"), "{text}");
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
    for (code, class) in [(0, "success"), (2, "the command line"), (5, "this computer"), (6, "a bitstream"), (7, "a run")] {
        assert!(text.contains(&format!("{code} {class}")), "{text}");
    }
}
