//! `run.json` as others may have written it: what no run leaves is refused once, where it is read,
//! with file, key and remedy.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{json, Value};
use tempfile::TempDir;
use testbed_machine::Machine;
use testbed_trace::analysis::diff::diff;
use testbed_trace::analysis::{analyse, text, Options};
use testbed_trace::capture::{Capture, Claim, RunRecord, CYCLES_MAX, RUN_JSON};
use testbed_trace::ledger::StationLine;
use testbed_trace::report::collect;
use testbed_trace::synthetic::{capture, Mix};

/// A small run, and its record.
fn run() -> (TempDir, Value) {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine::testbed6();
    let mut record = capture(dir.path(), &machine, Mix::default(), 1, 200).unwrap();
    record.instructions = vec![7; machine.processors.len()];
    let station = |processor: &String| StationLine { processor: processor.clone(), ..StationLine::default() };
    record.ledger.as_mut().unwrap().stations = machine.processors.iter().map(station).collect();
    record.write(dir.path()).unwrap();
    let value = serde_json::from_str(&fs::read_to_string(dir.path().join(RUN_JSON)).unwrap()).unwrap();
    (dir, value)
}

/// What opening the folder says with `text` as its record.
fn refused(dir: &Path, text: &str) -> String {
    fs::write(dir.join(RUN_JSON), text).unwrap();
    Capture::open(dir).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn what_no_run_leaves_is_refused_with_its_key() {
    let (dir, good) = run();
    Capture::open(dir.path()).unwrap();
    let names = |count: usize| (0..count).map(|number| format!("p{number}")).collect::<Vec<_>>();
    let exit = |processor: &str, cycle: u64| json!({ "processor": processor, "cycle": cycle, "code": 0 });
    for (pointer, value, key, words) in [
        ("/machine/processors", json!(names(40)), "machine.processors: ", &["40 processors", "1 to 16"][..]),
        ("/machine/processors", json!([]), "machine.processors: ", &["0 processors"]),
        ("/machine/processors/1", json!("../../etc"), "machine.processors[1]: ", &["`../../etc` cannot be a name"]),
        ("/machine/processors/1", json!(".."), "machine.processors[1]: ", &["letters, digits"]),
        ("/machine/processors/2", json!("metadata"), "machine.processors[2]: ", &["cannot be a name"]),
        ("/machine/processors/2", json!("earth"), "machine.processors[2]: ", &["`earth` is there twice"]),
        ("/machine/processors/1", json!("\u{1b}[2J"), "machine.processors[1]: ", &["`\\u{1b}[2J` cannot be a name"]),
        ("/machine/name", json!("a/b"), "machine.name: ", &["cannot be a name"]),
        ("/machine/board", json!("../board"), "machine.board: ", &["cannot be a name"]),
        ("/machine/headless", json!(true), "machine.headless: ", &["not 5", "two processors"]),
        ("/machine/clock_hz", json!(0), "machine.clock_hz: ", &["out of range", "1 kHz to 1 GHz"]),
        ("/machine/ram_bytes", json!(3 << 20), "machine.ram_bytes: ", &["not a power of two"]),
        ("/machine/tick_cycles", json!(0), "machine.tick_cycles: ", &["out of range", "1 to 65535"]),
        ("/machine/tick_cycles", json!(1 << 20), "machine.tick_cycles: ", &["out of range"]),
        ("/machine/poll_cycles", json!(1), "machine.poll_cycles: ", &["2 to 65535"]),
        ("/machine/port_cycles", json!(0), "machine.port_cycles: ", &["out of range"]),
        ("/machine/smi_queue", json!(1000), "machine.smi_queue: ", &["1000 entries", "a power of two"]),
        ("/machine/mmi_queue", json!(1), "machine.mmi_queue: ", &["1 entries"]),
        ("/machine/port_queue", json!(65_536), "machine.port_queue: ", &["to 32768"]),
        ("/dgl", json!(3), "dgl: ", &["profile and ready"]),
        ("/cycles", json!(u64::MAX), "cycles: ", &["18446744073709551615 cycles", "9007199254740992"]),
        ("/wall_seconds", json!(-1.0), "wall_seconds: ", &["backwards"]),
        ("/program", json!("a\u{7}b"), "program: ", &["`a\\u{7}b` cannot be shown"]),
        ("/engine", json!("e".repeat(5_000)), "engine: ", &["4096 bytes"]),
        ("/files", json!(names(65)), "files: ", &["65 files", "64"]),
        ("/files", json!(["hello", "../x"]), "files[1]: ", &["no file can be called `../x`", "slashes"]),
        ("/instructions", json!([1, 2]), "instructions: ", &["2 processors", "6"]),
        ("/instructions/3", json!(u64::MAX), "instructions[3]: ", &["one instruction a cycle"]),
        ("/exits", json!([exit("mars", 0)]), "exits[0].processor: ", &["`mars`", "master, earth"]),
        ("/exits", json!([exit("air", 0), exit("air", 1)]), "exits[1].processor: ", &["second exit"]),
        ("/exits", json!([exit("air", u64::MAX)]), "exits[0].cycle: ", &["behind the end"]),
        ("/ledger/smis", json!([]), "ledger.smis: ", &["lines of 0 processors", "earth, air"]),
        ("/ledger/smis/2/processor", json!("air"), "ledger.smis[2].processor: ", &["`air`", "use fire"]),
        ("/ledger/stations/0/processor", json!("x"), "ledger.stations[0].processor: ", &["use master"]),
        ("/ledger/stations/5/processor", json!("x"), "ledger.stations[5].processor: ", &["use space"]),
    ] {
        let mut record = good.clone();
        *record.pointer_mut(pointer).unwrap() = value;
        let error = refused(dir.path(), &record.to_string());
        let start = format!("{}: {key}", dir.path().join(RUN_JSON).display());
        assert!(error.starts_with(&start) && error.contains("\n  help: "), "{pointer}: {error}");
        assert!(words.iter().all(|word| error.contains(word)), "{pointer}: {words:?} are not in {error}");
        assert!(!error.chars().any(|c| c.is_control() && c != '\n'), "{error:?}");
    }
}

#[test]
fn what_is_no_record_is_placed() {
    let (dir, good) = run();
    let text = serde_json::to_string_pretty(&good).unwrap();
    for (altered, words) in [
        (String::new(), &[":1:0: EOF"][..]),
        (text.replace("\"dgl\": ", "\"dgl\": \"\\u001b\" "), &["dgl: ", "expected u32"]),
        (text.replace("\"ram_bytes\": ", "\"ram_bytes\": -"), &["machine.ram_bytes: invalid value"]),
        (text.replace("\"delivered\"", "\"deliver\""), &["ledger.smis[0]: missing field `delivered`"]),
        (text.replace("\"seed\"", "\"sead\""), &["missing field `seed`"]),
        (format!("{text} x"), &["trailing characters"]),
        (
            text.replace("\"wall_seconds\": ", "\"wall_seconds\": 1e999, \"w\": "),
            &["wall_seconds: number out of range"],
        ),
        ("[".repeat(100_000), &["run.json:1:"]),
    ] {
        let error = refused(dir.path(), &altered);
        assert!(words.iter().all(|word| error.contains(word)), "{words:?} are not in {error}");
        assert!(error.contains("run.json:") && error.contains("\n  help: "), "{error}");
        assert!(!error.chars().any(|c| c.is_control() && c != '\n'), "{error:?}");
    }
    fs::write(dir.path().join(RUN_JSON), b"{\n\xff}").unwrap();
    let error = Capture::open(dir.path()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("byte 2, in line 2, is not UTF-8"), "{error}");
    fs::remove_file(dir.path().join(RUN_JSON)).unwrap();
    std::os::unix::fs::symlink("/dev/zero", dir.path().join(RUN_JSON)).unwrap();
    let error = Capture::open(dir.path()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("it has more than 1048576 bytes"), "{error}");
}

/// Runs `work` in a thread of its own; it must be over within a minute.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(60)).expect("it is over within a minute")
}

#[test]
fn a_run_of_any_length_that_a_record_can_say_is_analysed() {
    for cycles in [1, 25, 1_000_000, CYCLES_MAX - 1, CYCLES_MAX] {
        let (dir, mut record) = run();
        record["cycles"] = json!(cycles);
        record["instructions"] = json!([]);
        fs::write(dir.path().join(RUN_JSON), record.to_string()).unwrap();
        let capture = Capture::open(dir.path()).unwrap();
        let (report, page, diff) = in_time(move || {
            let report = analyse(&capture, &Options::default()).unwrap();
            let page = collect(&capture, &Options::default()).unwrap();
            let diff = diff(&capture, &capture).unwrap();
            drop(dir);
            (report, page, diff)
        });
        assert_eq!((report.range.to_cycle, page.range.to_cycle, diff.cycles), (cycles, cycles, (cycles, cycles)));
    }
}

/// A folder is not replaced because its record is refused, whoever made it: it may hold what a
/// board sent.
#[test]
fn a_folder_with_a_bad_record_is_kept() {
    for engine in ["attached", "emulator"] {
        let (dir, mut record) = run();
        record["engine"] = json!(engine);
        record["cycles"] = json!(u64::MAX);
        fs::write(dir.path().join(RUN_JSON), record.to_string()).unwrap();
        let error = Claim::new(dir.path()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("would be lost"), "{error}");
    }
}

#[test]
fn what_a_program_was_given_does_nothing_to_a_terminal() {
    let (dir, mut record) = run();
    record["arguments"] = json!(["\u{1b}]0;x\u{7}"]);
    fs::write(dir.path().join(RUN_JSON), record.to_string()).unwrap();
    let capture = Capture::open(dir.path()).unwrap();
    let report = text::text(&analyse(&capture, &Options::default()).unwrap(), false);
    let diff = text::diff(&diff(&capture, &capture).unwrap());
    for shown in [report, diff] {
        assert!(shown.contains("\\u{1b}]0;x\\u{7}") && !shown.contains('\u{1b}'), "{shown:?}");
    }
}

#[test]
fn what_a_run_writes_is_read_back() {
    let (dir, _) = run();
    // Without its feature `float_roundtrip` serde_json reads another number than was written.
    let record = RunRecord { wall_seconds: 0.21844674407370954, ..RunRecord::read(dir.path()).unwrap() };
    record.write(dir.path()).unwrap();
    assert_eq!(RunRecord::read(dir.path()).unwrap(), record);
}
