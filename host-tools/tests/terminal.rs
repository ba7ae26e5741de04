//! `testbed run` in a terminal: the machine's console is there, and what was typed can be given
//! again to the byte. `testbed console` shows a console again.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use testbed_runner::operator::commands;
use testbed_trace::capture::{Gift, RunRecord, Stop, CONSOLE, CONSOLE_LOG, INPUT};

use crate::common::root;
use crate::common::session::{Session, BUILT, SOON, TESTBED};

/// How long a command that was typed may take until its program runs.
const RUNS: Duration = Duration::from_millis(1_500);

/// A run in a terminal whose user has a home of their own.
struct Sitting {
    folder: tempfile::TempDir,
}

impl Sitting {
    fn new() -> Self {
        Sitting { folder: tempfile::tempdir().unwrap() }
    }

    fn out(&self) -> String {
        self.folder.path().join("out").display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Session {
        let state = self.folder.path().join("state").display().to_string();
        let out = self.out();
        let all = [&["run"], arguments, &["--out", &out]].concat();
        Session::with(TESTBED, &all, &[("XDG_STATE_HOME", &state)])
    }

    fn console(&self) -> String {
        fs::read_to_string(Path::new(&self.out()).join(CONSOLE)).unwrap()
    }

    fn input(&self) -> Vec<u8> {
        let gifts = Gift::read(&Path::new(&self.out()).join(INPUT)).unwrap();
        gifts.into_iter().flat_map(|gift| gift.bytes).collect()
    }

    /// What of that is keys.
    fn keys(&self) -> Vec<u8> {
        self.input().into_iter().filter(|byte| byte.is_ascii_control() && *byte != b'\n').collect()
    }
}

fn testbed(arguments: &[&str]) -> Output {
    Command::new(TESTBED).args(arguments).current_dir(root()).output().unwrap()
}

#[test]
fn lines_are_edited_kept_and_given_again() {
    let sitting = Sitting::new();
    let mut session = sitting.run(&["sh"]);
    session.wait_for("earth: $", BUILT);
    // The first letters of `echo` and of a file, completed; and a word that is changed.
    session.press("ec\thelo\x1b[Dl\x05 on\r");
    session.wait_for("earth: hello on", SOON);
    session.wait_for("earth: $", SOON);
    // The line before, from the history.
    session.press("\x1b[A more\r");
    session.wait_for("earth: hello on more", SOON);
    // Other programs print while a line is edited: above it, and it stays.
    session.press("sieve 12 &\r");
    session.press("echo par");
    session.wait_for("primes", SOON);
    session.wait_for("$ echo par", SOON);
    session.press("t\r");
    session.wait_for("earth: part", SOON);
    session.press("\x04");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
    let console = sitting.console();
    for line in ["$ echo hello on\n", "$ echo hello on more\n", "echo part\n"] {
        assert!(console.contains(line), "{line}: {console}");
    }
    assert_eq!(sitting.input(), b"echo hello on\necho hello on more\nsieve 12 &\necho part\n\x04");
    let history = fs::read_to_string(sitting.folder.path().join("state/testbed/history")).unwrap();
    assert!(history.ends_with("echo hello on\necho hello on more\nsieve 12 &\necho part\n"), "{history}");

    let (out, again) = (sitting.out(), sitting.folder.path().join("again").display().to_string());
    let input = format!("{out}/{INPUT}");
    assert!(testbed(&["run", "sh", "--replay", &input, "--out", &again]).status.success());
    let compared = testbed(&["compare", &out, &again]);
    assert!(compared.status.success(), "{}", String::from_utf8_lossy(&compared.stdout));
    for name in [CONSOLE_LOG, CONSOLE, INPUT] {
        let read = |dir: &str| fs::read(Path::new(dir).join(name)).unwrap();
        assert!(read(&out) == read(&again), "{name}");
    }
}

#[test]
fn keys_are_for_the_foreground_process() {
    let sitting = Sitting::new();
    let mut session = sitting.run(&["sh", "--file", "stuck"]);
    session.wait_for("earth: $", BUILT);
    // A line that is given up.
    session.press("no such command");
    session.wait_for("$ no such command", SOON);
    session.press("\x03");
    std::thread::sleep(RUNS);
    // A command that is not whole is given up, too: the shell asks for a new one.
    session.press("if true\r");
    session.wait_for("earth: > ", SOON);
    session.press("\x03");
    std::thread::sleep(RUNS);
    session.press("echo [whole]\r");
    session.wait_for("[whole]", SOON);
    session.press("stuck two\r");
    session.wait_for("$ stuck two", SOON);
    std::thread::sleep(RUNS);
    session.press("\x03");
    session.press("echo [$?]\r");
    session.wait_for("[130]", SOON);
    session.press("stuck two \r");
    std::thread::sleep(RUNS);
    session.press("\x1a");
    session.wait_for("stopped", SOON);
    session.press("ps\r");
    session.wait_for("stuck (foreground, suspended)", SOON);
    session.press("fg 2\r");
    session.wait_for("$ fg 2", SOON);
    std::thread::sleep(RUNS);
    session.press("\x03");
    std::thread::sleep(RUNS);
    session.press("echo still here\r");
    session.wait_for("earth: still here", SOON);
    session.press("ps\r\x04");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
    let console = sitting.console();
    assert!(!console.contains("no such command"), "{console}");
    let last = console.rsplit("$ ps\n").next().unwrap();
    assert!(last.contains("sh (foreground)") && !last.contains("stuck"), "{console}");
    assert_eq!(sitting.keys(), b"\x03\x03\x03\x1a\x03\x04");
}

#[test]
fn the_console_goes_to_other_shells_and_comes_back() {
    let sitting = Sitting::new();
    let mut session = sitting.run(&["sh", "--file", "stuck"]);
    session.wait_for("earth: $", BUILT);
    session.press("on fire\r");
    session.wait_for("fire: $", SOON);
    session.press("echo here\r");
    session.wait_for("fire: here", SOON);
    // A line that is given up, and one for the other shell.
    session.press("echo never given");
    session.wait_for("$ echo never given", SOON);
    session.press("\x1d1");
    session.press("echo [back]\r");
    session.wait_for("earth: [back]", SOON);
    session.press("\x1d5");
    session.wait_for("no shell sits on processor 5", SOON);
    // While a program runs and nobody reads; what follows is typed ahead, for the other shell.
    session.press("stuck two\r");
    session.wait_for("$ stuck two", SOON);
    std::thread::sleep(RUNS);
    session.press("\x1d3echo [fire again]\recho half");
    session.wait_for("fire: [fire again]", SOON);
    session.wait_for("fire: $ echo half", SOON);
    session.press(" whole\r");
    session.wait_for("fire: half whole", SOON);
    session.press("\x1d1");
    std::thread::sleep(RUNS);
    session.press("\x03");
    session.press("echo [$?]\r");
    session.wait_for("earth: [130]", SOON);
    session.press("on fire\r");
    session.wait_for("earth: $ on fire", SOON);
    session.press("exit\r");
    session.wait_for("back to processor 1", SOON);
    session.press("exit\r");
    let (code, text) = session.end(SOON);
    assert_eq!(code, 0, "{text}");
    let console = sitting.console();
    assert!(!console.contains("never given"), "{console}");
    assert_eq!(sitting.keys(), b"\x1d\x1d\x1d\x1d\x03");
}

#[test]
fn a_program_that_reads_nothing_runs_as_ever() {
    let sitting = Sitting::new();
    let session = sitting.run(&["hello"]);
    let (code, text) = session.end(BUILT);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("left in ") && !text.contains("the machine's console"), "{text}");
    assert!(!sitting.folder.path().join("state").exists() && !Path::new(&sitting.out()).join(INPUT).exists());
}

/// While a program runs, and while the shell waits for a line.
#[test]
fn the_run_can_be_ended_whatever_the_machine_does() {
    for interrupted in [false, true] {
        let sitting = Sitting::new();
        let mut session = sitting.run(&["sh", "--file", "stuck"]);
        session.wait_for("earth: $", BUILT);
        session.press("on air stuck two\r");
        session.wait_for("$ on air stuck two", SOON);
        std::thread::sleep(RUNS);
        if interrupted {
            session.press("\x03");
            session.press("echo [$?]\r");
            session.wait_for("[130]", SOON);
        }
        session.press("\x1c");
        let (code, text) = session.end(SOON);
        assert_eq!(code, 130, "{text}");
        let record = RunRecord::read(Path::new(&sitting.out())).unwrap();
        assert!(record.complete && record.stopped == Some(Stop::User), "{text}");
    }
}

/// What Tab completes as a command of the shell is one.
#[test]
fn commands_that_are_completed_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    assert!(testbed(&["run", "sh", "help", "--out", &out]).status.success());
    let console = fs::read_to_string(folder.path().join("out").join(CONSOLE)).unwrap();
    let listed: Vec<_> = console.split_whitespace().collect();
    for command in commands() {
        assert!(listed.contains(&command), "{command}: {console}");
    }
}

#[test]
fn a_console_is_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    assert!(testbed(&["run", "sh", "on air hello; echo done", "--out", &out]).status.success());
    let show = |more: &[&str]| {
        let output = testbed(&[&["console", &out], more].concat());
        let [printed, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code().unwrap(), printed, said)
    };
    let console = fs::read_to_string(folder.path().join("out").join(CONSOLE)).unwrap();
    let of = |name: &str| -> String {
        let start = format!("{name}: ");
        let lines = console.lines().filter_map(|line| line.strip_prefix(&start));
        lines.map(|line| format!("{line}\n")).collect()
    };
    // Each processor's bytes, with and without its name.
    let (code, all, said) = show(&[]);
    assert_eq!((code, said.as_str()), (0, ""));
    for name in ["earth", "air"] {
        let (code, only, said) = show(&["--processor", name]);
        assert_eq!((code, only.as_str(), said.as_str()), (0, of(name).as_str(), ""));
        for line in of(name).lines() {
            assert!(all.contains(&format!("{name}: {line}\n")), "{line}: {all}");
        }
    }
    // In time: all of it in a tenth of what the machine took between the first byte and the last.
    let log = fs::read_to_string(folder.path().join("out").join(CONSOLE_LOG)).unwrap();
    let cycles: Vec<f64> = log.lines().map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect();
    let seconds = (cycles[cycles.len() - 1] - cycles[0]) / 25e6;
    let begun = Instant::now();
    assert_eq!(show(&["--speed", "0.1", "--from", &format!("{} cycles", cycles[0])]).1, all);
    assert!(begun.elapsed() >= Duration::from_secs_f64(10.0 * seconds), "{seconds}");
    assert_eq!(show(&["--to", &format!("{} cycles", cycles[0])]).1, "");
    for (options, parts) in [
        (&["--processor", "mars"][..], &["--processor mars", "earth, air"][..]),
        (&["--from", "2s", "--to", "1s"], &["--to", "later"]),
        (&["--from", "soon"], &["--from"]),
        (&["--longest", "5"], &["--longest", "as in 2s"]),
    ] {
        let (code, _, said) = show(options);
        assert!(code == 3 && parts.iter().all(|part| said.contains(part)), "{options:?}: {code} {said}");
    }
    // A folder of an earlier version.
    fs::remove_file(folder.path().join("out").join(CONSOLE_LOG)).unwrap();
    let (code, _, said) = show(&[]);
    assert!(code == 3 && said.contains("no console.log") && said.contains("help: run the program again"), "{said}");
}
