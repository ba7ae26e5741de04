//! What can't be written, and what is asked for in vain.

use std::fs::File;
use std::process::{Command, Stdio};

use super::{fails, testbed};

/// The folder of a run of `hello`.
fn hello(dir: &tempfile::TempDir) -> String {
    let out = dir.path().join("run").to_str().unwrap().to_string();
    let output = testbed(&["run", "hello", "--out", &out]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

#[test]
fn output_that_finds_no_room_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let out = hello(&dir);
    let wanted: [(&[&str], &str); 5] = [
        (&["console", &out], "the disk is full"),
        (&["console", &out, "--processor", "earth"], "the disk is full"),
        (&["trace", &out], "the disk is full"),
        (&["top", &out, "--once"], "cannot write the frame"),
        (&["report", &out, "-o", "/dev/full"], "free some space"),
    ];
    for (arguments, said) in wanted {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
        let output = command.args(arguments).stdin(Stdio::null()).stdout(full).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{arguments:?}: {error}");
        assert!(error.contains(said) && !error.contains("--once"), "{arguments:?}: {error}");
    }
}

#[test]
fn a_window_has_a_length_and_words_a_machine() {
    let dir = tempfile::tempdir().unwrap();
    let out = hello(&dir);
    fails(&["analyse", &out, "cpu", "--window", "0s"], 3, &["--window: a window has a length", "as in 100ms"]);
    fails(&["analyse", &out, "cpu", "--window", "1 cycles"], 3, &[&out, "windows", "at most 100000"]);
    let other = testbed(&["trace", "--raw", &format!("{out}/mmi.raw"), "--machine", "testbed2"]);
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(said.contains("nothing is as it was written, or testbed2 is another machine"), "{said}");
    let same = testbed(&["trace", "--raw", &format!("{out}/mmi.raw"), "--machine", "testbed6"]);
    assert_eq!(String::from_utf8_lossy(&same.stderr), "");
}
