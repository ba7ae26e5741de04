//! What goes wrong during a run: killed, disk full, a folder that can't be written, RAM too small.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use testbed_trace::capture::{verify, Capture};
use testbed_trace::order::events;

fn command(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.arg("run").args(arguments).arg("--out").arg(out).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until the run has written some trace.
fn wait_for_trace(child: &mut Child, out: &Path) {
    let started = Instant::now();
    while fs::metadata(out.join("mmi.raw")).map_or(0, |metadata| metadata.len()) < 4096 {
        assert!(started.elapsed() < Duration::from_secs(300), "no trace after five minutes");
        assert!(child.try_wait().unwrap().is_none(), "the run ended too early");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_is_killed_leaves_a_prefix() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..10 {
        let out = dir.path().join(round.to_string());
        let mut child = command(&["overflow", "1", "60000", "--for", "60s"], &out).spawn().unwrap();
        wait_for_trace(&mut child, &out);
        std::thread::sleep(Duration::from_millis(7 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let capture = Capture::open(&out).unwrap();
        assert!(!capture.record.complete);
        let integrity = verify(&capture).unwrap();
        assert!(integrity.damage.is_empty(), "{:?}", integrity.damage);
        let found = events(&capture, &integrity).unwrap().map(|event| event.unwrap());
        assert!(found.filter(|event| event.is_certain()).count() > 100);
        let shown = Command::new(env!("CARGO_BIN_EXE_testbed")).arg("trace").arg(&out).output().unwrap();
        assert_eq!(shown.status.code(), Some(0));
        assert!(error(&shown).contains("this is a prefix of it"), "{}", error(&shown));
    }
}

#[test]
fn a_full_disk_ends_the_run_with_a_clear_error() {
    let dir = tempfile::tempdir().unwrap();
    let first = command(&["hello"], dir.path()).output().unwrap();
    assert!(first.status.success(), "{}", error(&first));
    fs::remove_file(dir.path().join("mmi.raw")).unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("mmi.raw")).unwrap();
    let second = command(&["hello"], dir.path()).output().unwrap();
    assert_eq!(second.status.code(), Some(5), "{}", error(&second));
    assert!(error(&second).contains("the disk is full; free some space"), "{}", error(&second));
    assert!(!Capture::open(dir.path()).unwrap().record.complete);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let output = command(&["hello"], Path::new("/proc/testbed")).output().unwrap();
    assert!(matches!(output.status.code(), Some(3 | 5)), "{}", error(&output));
    assert!(error(&output).contains("/proc/testbed"), "{}", error(&output));
}

#[test]
fn ram_too_small_for_the_firmware_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let machine = dir.path().join("small.toml");
    let text = "name = \"small\"\nprocessors = [\"master\", \"earth\"]\nram = \"16 KiB\"\nclock = \"25 MHz\"\n";
    fs::write(&machine, text).unwrap();
    let out = dir.path().join("out");
    let output = command(&["hello", "--machine", machine.to_str().unwrap()], &out).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", error(&output));
    assert!(error(&output).contains("`ram` in its description"), "{}", error(&output));
    assert!(!out.exists(), "nothing is written for a run that can't begin");
}
