//! The same trace from the folder, from either copy alone, and from waves of the MMI.

use std::path::Path;
use std::process::{Command, Output};

fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(arguments)
        .output()
        .unwrap()
}

/// Events as CSV.
fn trace(arguments: &[&str]) -> String {
    let output = testbed(&[&["trace", "--format", "csv"], arguments].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn path(dir: &Path, name: &str) -> String {
    dir.join(name).to_str().unwrap().into()
}

#[test]
fn every_part_of_a_run_gives_its_trace() {
    let dir = tempfile::tempdir().unwrap();
    let (out, waves) = (path(dir.path(), "out"), path(dir.path(), "mmi.vcd"));
    let run = ["run", "hello", "--engine", "verilator", "--out", &out, "--vcd", &waves, "--wave-scope", "top.mmi"];
    let output = testbed(&[&run[..], &["--wave-cycles", "1000000"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let whole = trace(&[&out]);
    assert!(whole.lines().count() > 5 && whole.lines().skip(1).all(|line| line.ends_with(",true")), "{whole}");
    assert_eq!(trace(&["--ctf", &path(Path::new(&out), "trace")]), whole);
    assert_eq!(trace(&["--raw", &path(Path::new(&out), "mmi.raw")]), whole);
    assert_eq!(trace(&["--wave", &waves]), whole);
    assert_eq!(trace(&["--wave", &waves, "--machine", "testbed6", "--dgl", "profile+timer+user"]), whole);
}

#[test]
fn a_trace_comes_from_one_place() {
    let refused = |arguments: &[&str], what: &str| {
        let output = testbed(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(what), "{arguments:?}: {errors}");
    };
    refused(&["trace"], "required");
    refused(&["trace", "out/x", "--raw", "y"], "cannot be used with");
    refused(&["trace", "--ctf", "x", "--machine", "testbed6"], "help: leave them out");
    refused(&["trace", "--raw", "/nowhere/mmi.raw"], "check the path");
    refused(&["trace", "--ctf", "/nowhere"], "check the path");
    refused(&["trace", "--wave", "/nowhere.vcd"], "check the path");
}
