//! Commands that read the folder of a run: `trace`, `report`, `compare`.

use std::fs;
use std::process::{Command, Stdio};

use testbed_trace::capture::Claim;

use super::{fails, folder, testbed};

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

/// Its streams end at different moments, of which `conform` would take one for a fault of the machine.
#[test]
fn no_run_is_judged_while_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 3);
    let claim = Claim::new(dir.path()).unwrap();
    fails(&["conform", dir.path().to_str().unwrap()], 7, &["a run is still writing to it", "testbed top"]);
    drop(claim);
    let output = testbed(&["conform", dir.path().to_str().unwrap()]);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What others show of it they say is not all, and call nothing torn.
#[test]
fn what_is_shown_while_it_is_written_is_a_part() {
    let dir = tempfile::tempdir().unwrap();
    folder(dir.path(), 3);
    let (record, raw) = (dir.path().join("run.json"), dir.path().join("mmi.raw"));
    let text = fs::read_to_string(&record).unwrap();
    let begun = text.replace("\"complete\": true", "\"complete\": false");
    assert_ne!(begun, text);
    fs::write(&record, begun).unwrap();
    let words = fs::read(&raw).unwrap();
    fs::write(&raw, &words[..words.len() - 1]).unwrap();
    let said = || String::from_utf8(testbed(&["trace", dir.path().to_str().unwrap()]).stderr).unwrap();
    let claim = Claim::new(dir.path()).unwrap();
    let while_written = said();
    assert!(while_written.contains("a run is still writing to it"), "{while_written}");
    assert!(!while_written.contains("the run did not come to its end"), "{while_written}");
    drop(claim);
    let later = said();
    assert!(later.contains("the run did not come to its end") && !later.contains("still writing"), "{later}");
    assert!(later.lines().count() > while_written.lines().count(), "{later}");
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
