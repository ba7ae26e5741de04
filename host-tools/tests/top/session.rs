//! The whole program in a pseudo-terminal: keys, signals, ends, and the terminal given back.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use testbed_host_tools::top::terminal::Taken;
use testbed_machine::Machine;
use testbed_trace::capture::{CaptureWriter, RunRecord};
use testbed_trace::synthetic::{self, mmi_words, Mix, Mmi, Smi};

use crate::common::session::{Session, BUILT, SOON, TESTBED};

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mix = Mix { silence_every: 0, loss_every: 0, ..Mix::default() };
    synthetic::capture(dir.path(), &Machine::testbed6(), mix, 1, 2_000).unwrap();
    dir
}

fn path(dir: &tempfile::TempDir) -> &str {
    dir.path().to_str().unwrap()
}

#[test]
fn a_folder_is_played_stopped_and_left() {
    let dir = folder();
    let mut session = Session::top(&[path(&dir), "--speed", "0.001"]);
    session.wait_for("PLAYING", SOON);
    session.wait_for("earth", SOON);
    session.press(" ");
    session.wait_for("PAUSED", SOON);
    session.press(".");
    session.wait_for(" us  ", SOON);
    session.press("?");
    session.wait_for("this help", SOON);
    session.press("x");
    session.press("G");
    session.wait_for("ENDED", SOON);
    session.press("g");
    session.wait_for("PLAYING", SOON);
    session.press("q");
    assert_eq!(session.end(SOON).0, 0);
}

#[test]
fn control_c_and_signals_give_the_terminal_back() {
    let dir = folder();
    let mut session = Session::top(&[path(&dir)]);
    session.wait_for("earth", SOON);
    session.press("\x03");
    assert_eq!(session.end(SOON).0, 0);
    for signal in ["-TERM", "-INT", "-HUP"] {
        let session = Session::top(&[path(&dir)]);
        session.wait_for("earth", SOON);
        let id = session.child.process_id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(session.end(SOON).0, 0, "{signal}");
    }
}

#[test]
fn a_folder_that_goes_away_is_an_error_on_the_first_screen() {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine::testbed6();
    let record = RunRecord { engine: "none".into(), ..RunRecord::new(&machine, "synthetic") };
    let mut writer = CaptureWriter::create(dir.path(), &machine, &record).unwrap();
    let mmi = Mmi::new((1..6).map(|smi| Smi::new(smi, Mix::default(), 3, 4_000)).collect());
    let words = mmi.take(8_000).flat_map(|(smi, pair)| mmi_words(smi, pair.pair));
    writer.words(words.map(|word| (0, word))).unwrap();
    let session = Session::top(&[path(&dir)]);
    session.wait_for("LIVE", SOON);
    fs::remove_dir_all(dir.path()).unwrap();
    let (code, text) = session.end(SOON);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("no run.json"), "{text}");
}

/// The run is a process of its own: firmware is built, the run is followed to its end, and its
/// summary is left on the screen.
#[test]
fn a_program_is_run_and_followed() {
    let dir = tempfile::tempdir().unwrap();
    let mut session = Session::top(&["remote", "5", "2", "1", "--out", path(&dir)]);
    session.wait_for("ENDED", BUILT);
    session.wait_for("exit code 0", SOON);
    // Its console is read now and then.
    session.wait_for("earth: remote: sent", SOON);
    let text = session.text();
    assert!(text.contains("remote 5 2 1") && text.contains("earth>air"), "{text}");
    assert!(text.contains("Losses: none"), "{text}");
    session.press("q");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("left in"), "{text}");
}

/// The terminal shows what is typed, the shell repeats it, and the reader sees it once; and all of what is printed.
#[test]
fn a_shell_in_a_terminal_is_read_and_typed_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut session = Session::of(TESTBED, &["run", "sh", "--input", "-", "--out", path(&dir)]);
    session.wait_for("earth: $", BUILT);
    session.press("echo echo e ee\n");
    session.wait_for("earth: echo e ee", SOON);
    session.press("no-such-program\n");
    session.wait_for("earth: no-such-program: not found", SOON);
    let text = session.text();
    let lines: Vec<_> = text.lines().map(str::trim_end).filter(|line| line.starts_with("earth: ")).collect();
    let expected = ["earth: $ echo echo e ee", "earth: echo e ee", "earth: $ no-such-program"];
    assert_eq!(lines[..3], expected, "{text}");
    session.press("\x04");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn quitting_ends_a_run_that_was_started() {
    let dir = tempfile::tempdir().unwrap();
    let mut session = Session::top(&["chatter", "--out", path(&dir), "--engine", "rust-hdl"]);
    session.wait_for("LIVE", BUILT);
    session.press("q");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("the run was ended"), "{text}");
    assert!(!RunRecord::read(dir.path()).unwrap().complete);
}

#[test]
fn a_run_that_can_t_begin_says_why() {
    let session = Session::top(&["remote", "--engine", "abacus"]);
    let (code, text) = session.end(BUILT);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("no engine is called `abacus`"), "{text}");
}

/// Set where the test below runs itself in a terminal.
const PANICS: &str = "TESTBED_TEST_PANICS";

#[test]
fn a_panic_gives_the_terminal_back() {
    if std::env::var_os(PANICS).is_some() {
        let _taken = Taken::take().unwrap();
        thread::sleep(Duration::from_millis(300));
        panic!("as it was told to");
    }
    let (program, setting) = (std::env::current_exe().unwrap(), format!("{PANICS}=1"));
    let name = "top::session::a_panic_gives_the_terminal_back";
    let arguments = [&setting, program.to_str().unwrap(), name, "--exact", "--nocapture", "--test-threads=1"];
    let session = Session::of("env", &arguments);
    let (code, text) = session.end(SOON);
    assert_ne!(code, 0);
    assert!(text.contains("as it was told to"), "{text}");
}

fn once(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(TESTBED).arg("top").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn without_a_terminal_there_is_one_frame_or_an_error() {
    let dir = folder();
    let (code, _, error) = once(&[path(&dir)]);
    assert!(code == 5 && error.contains("no terminal") && error.contains("--once"), "{code} {error}");
    let (code, frame, error) = once(&[path(&dir), "--once"]);
    assert!(code == 0 && error.is_empty(), "{error}");
    assert_eq!(frame.lines().count(), 24);
    assert!(frame.contains("ENDED") && frame.contains(" 10,000 events") && !frame.contains('\x1b'), "{frame}");
    let (_, frame, _) = once(&[path(&dir), "--once", "--from", "5ms", "--size", "140x30"]);
    assert!(frame.lines().count() == 30 && frame.contains(" 5000.00 us  window"), "{frame}");
}

#[test]
fn wrong_inputs() {
    let dir = folder();
    let fails = |arguments: &[&str], code: i32, part: &str| {
        let (found, _, error) = once(arguments);
        assert!(found == code && error.contains(part), "{arguments:?}: {found} {error}");
    };
    fails(&["--once", "/nonexistent/folder"], 3, "there is no /nonexistent/folder");
    fails(&["--once", "no-such-program"], 3, "no program is called `no-such-program`");
    fails(&[path(&dir), "--once", "--engine", "verilator"], 3, "`--engine=verilator` belongs to a program");
    fails(&["--once", "sh", "--input", "-"], 3, "keys are for the view");
    fails(&[path(&dir), "--once", "5"], 3, "`5` belongs to a program");
    fails(&[path(&dir), "--once", "--speed", "fast"], 2, "no speed");
    fails(&[path(&dir), "--once", "--from", "5 miles"], 3, "--from");
    fails(&[path(&dir), "--once", "--window", "0us"], 3, "--window");
    fails(&[path(&dir), "--once", "--size", "80"], 2, "80x24");
    let empty = tempfile::tempdir().unwrap();
    fails(&[path(&empty), "--once"], 3, "no run.json");
    fs::write(Path::new(path(&dir)).join("run.json"), "{").unwrap();
    fails(&[path(&dir), "--once"], 3, "run.json:1:");
}
