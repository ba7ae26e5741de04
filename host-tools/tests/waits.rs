//! What `run` says of programs that do not end: who waits for whom, who can never go on, and with which exit code.
//!
//! `tests/waits/CASE.expected` is what is said of `stuck CASE`, with `N` for every cycle, time,
//! number of an event and count of faults, on both kernels; `TESTBED_OVERWRITE=1` writes it
//! instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use testbed_trace::capture::{verify, Capture, RunRecord, Stop};
use testbed_trace::order::{events, Event, What};
use testbed_trace::waits::{Mark, Verdict, WaitsReport};

/// Cases with the exit code of a run that asks for a part of them.
const CASES: &[(&str, i32)] = &[
    ("two", 7),
    ("two-here", 7),
    ("three", 7),
    ("half", 0),
    ("leak", 0),
    ("orphan", 7),
    ("alone", 7),
    ("alternative", 7),
    ("strangers", 7),
    ("process", 7),
    ("page", 0),
    ("delay", 0),
    ("timeout", 0),
    ("input", 0),
];
/// Long enough for every case, on the report's kernel too.
const CYCLES: &str = "6000000";
/// For the compiled Verilog: the threads wait by then.
const VERILATOR_CYCLES: &str = "500000";

fn testbed(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_testbed")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a case into `dir` and expects `code`; what is said of those who wait.
#[track_caller]
fn run(case: &str, options: &[&str], dir: &Path, code: i32) -> String {
    let out = dir.to_str().unwrap();
    let output = testbed(&[&["run", "stuck", case, "--out", out], options].concat());
    assert_eq!(
        output.status.code(),
        Some(code),
        "{case} {options:?}: {}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    let waits = testbed(&["analyse", out, "waits"]);
    assert_eq!(waits.status.code(), Some(0), "{}", text(&waits.stderr));
    let waits = text(&waits.stdout);
    assert!(text(&output.stdout).contains(&waits), "{case}: not what `run` says:\n{waits}");
    waits
}

fn report(dir: &Path) -> WaitsReport {
    let output = testbed(&["analyse", dir.to_str().unwrap(), "waits", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Numbers that depend on the kernel's timing, as `N`.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let words = ["cycle ", "event ", "(", "has come "];
    while let Some((at, word)) =
        words.iter().filter_map(|word| Some((rest.find(word)?, *word))).min_by_key(|(at, _)| *at)
    {
        let (before, behind) = rest.split_at(at + word.len());
        out.push_str(before);
        rest = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',');
        // A comma behind the number is not the number's.
        if behind[..behind.len() - rest.len()].ends_with(',') {
            rest = &behind[behind.len() - rest.len() - 1..];
        }
        if rest.len() != behind.len() {
            out.push('N');
        }
    }
    out + rest
}

#[test]
fn numbers_are_masked() {
    let line = "since cycle 1,234,567 (49 us, event 12, TRAP70), on channel 3; page 0x200 has come 1,000 times";
    assert_eq!(masked(line), "since cycle N (N us, event N, TRAP70), on channel 3; page 0x200 has come N times");
}

/// What of the case `page` does not depend on who has the page in the last cycle, which is as it happens.
fn whoever_has_the_page(text: &str, kernel: &str) -> String {
    // Of the report's kernel that is the verdict.
    let lines = if kernel == "default" { usize::MAX } else { 3 };
    let states = [", waits for page 0x200", ", runs, or is ready to"];
    let marks = ["since cycle", "last seen in cycle"];
    text.lines()
        .take(lines)
        .filter(|line| !marks.iter().any(|mark| line.trim_start().starts_with(mark)))
        .map(|line| states.iter().find_map(|state| line.strip_suffix(state)).unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn each_case_is_told_on_both_kernels() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/waits");
    for (case, code) in CASES {
        let path = root.join(case).with_extension("expected");
        for kernel in ["default", "tos94"] {
            let dir = tempfile::tempdir().unwrap();
            // There every fault takes a time-slice or two, and a live-lock is one after 64 of them.
            let cycles = if (*case, kernel) == ("page", "tos94") { "150000000" } else { CYCLES };
            let said = masked(&run(case, &["--cycles", cycles, "--kernel", kernel], dir.path(), *code));
            if std::env::var_os("TESTBED_OVERWRITE").is_some() && kernel == "default" {
                fs::write(&path, &said).unwrap();
            }
            let expected = fs::read_to_string(&path).unwrap_or_default();
            // The report's kernel sends its messages at the ends of time-slices, so other events of
            // the same kind may be the last.
            let same = |text: &str| match kernel {
                _ if *case == "page" => whoever_has_the_page(text, kernel),
                "default" => text.to_string(),
                _ => text.lines().filter(|line| !line.contains("event N")).collect::<Vec<_>>().join("\n"),
            };
            assert_eq!(same(&said), same(&expected), "{case}, kernel {kernel}: {}", path.display());
        }
    }
}

/// The event that a claim names.
fn event(all: &[Event], mark: &Mark, tick_cycles: u64) -> Event {
    let event = all[mark.event as usize];
    assert_eq!((event.what.name(), event.ticks() * tick_cycles), (&*mark.name, mark.cycle));
    event
}

#[test]
fn each_claim_is_in_the_trace() {
    for (case, code) in CASES {
        let dir = tempfile::tempdir().unwrap();
        run(case, &["--cycles", CYCLES, "--dgl", "profile+timer+user+detail"], dir.path(), *code);
        let capture = Capture::open(dir.path()).unwrap();
        let integrity = verify(&capture).unwrap();
        let all: Vec<Event> = events(&capture, &integrity).unwrap().map(|event| event.unwrap()).collect();
        let tick_cycles = u64::from(capture.record.machine.tick_cycles);
        let report = report(dir.path());
        let mut proven = 0;
        for waiting in &report.threads {
            if let Some(since) = &waiting.since {
                let blocked = event(&all, since, tick_cycles);
                assert!(
                    ["TRAP70", "WAIT", "BLOCKED", "PAGE_BLOCKED"].contains(&blocked.what.name()),
                    "{case}: {since:?}"
                );
                // The thread that ran there last, and nobody since then.
                let here = || all.iter().enumerate().filter(|(_, other)| other.smi == blocked.smi);
                let runs = here().filter_map(|(at, other)| match other.what {
                    What::Schedule(number) => Some((at as u64, number)),
                    _ => None,
                });
                let ran = runs.clone().rfind(|(at, _)| *at < since.event);
                assert_eq!(ran.map(|(_, number)| number), Some(waiting.number), "{case}: {waiting:?}");
                assert!(!runs.clone().any(|(at, number)| at > since.event && number == waiting.number), "{case}");
                proven += 1;
            }
            if let (Some((mark, Some(_))), Some(since)) = (&waiting.communication, &waiting.since) {
                assert!(["TRAP72", "COMMS", "COMMR"].contains(&event(&all, mark, tick_cycles).what.name()), "{mark:?}");
                assert!(mark.event < since.event, "{case}: {waiting:?}");
            }
            waiting.ended.iter().for_each(|(number, mark)| {
                assert_eq!(event(&all, mark, tick_cycles).value(), Some(u32::from(*number)), "{case}");
            });
        }
        assert!(proven > 0 || report.verdict == Verdict::GoesOn, "{case}: no claim has an event");
    }
}

#[test]
fn engines_see_the_same_threads() {
    for (case, _) in CASES {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (engine, dir) in [("emulator", &one), ("verilator", &other)] {
            let out = dir.path().to_str().unwrap();
            let output =
                testbed(&["run", "stuck", case, "--cycles", VERILATOR_CYCLES, "--engine", engine, "--out", out]);
            assert!(matches!(output.status.code(), Some(0 | 7)), "{case}: {}", text(&output.stderr));
        }
        let threads = |dir: &tempfile::TempDir| fs::read_to_string(dir.path().join("threads.json")).unwrap();
        assert_eq!(threads(&one), threads(&other), "{case}");
        assert!(threads(&one).contains("\"number\""), "{case}: nobody is there");
        assert_eq!(report(one.path()), report(other.path()), "{case}");
    }
}

#[test]
fn without_events_it_is_told_who_waits_and_not_since_when() {
    let dir = tempfile::tempdir().unwrap();
    let said = run("two", &["--cycles", CYCLES, "--dgl", "user"], dir.path(), 7);
    assert!(said.starts_with("deadlock in cycle 6,000,000: none of the 2 threads"), "{said}");
    assert!(said.contains("not known: since when threads wait: the run did not record class `profile`"), "{said}");
    assert!(!said.contains("since cycle"), "{said}");
}

#[test]
fn without_a_look_at_the_threads_nobody_is_in_a_deadlock() {
    let dir = tempfile::tempdir().unwrap();
    run("two", &["--cycles", CYCLES, "--dgl", "profile+detail"], dir.path(), 7);
    fs::remove_file(dir.path().join("threads.json")).unwrap();
    let report = report(dir.path());
    assert_eq!((report.verdict, report.threads.len()), (Verdict::Untold, 2));
    let said = text(&testbed(&["analyse", dir.path().to_str().unwrap(), "waits"]).stdout);
    assert!(said.contains("was not looked at") && !said.contains("deadlock"), "{said}");
    assert!(said.contains("blocked when the trace ended") && said.contains("TRAP70"), "{said}");
}

#[test]
fn a_folder_that_is_used_again_forgets_the_threads() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    run("two", &["--cycles", CYCLES], dir.path(), 7);
    assert!(dir.path().join("threads.json").is_file());
    assert_eq!(testbed(&["run", "hello", "--out", out]).status.code(), Some(0));
    assert!(!dir.path().join("threads.json").exists());
    assert_eq!(text(&testbed(&["analyse", out, "waits"]).stdout), "the program is over: nobody waits\n");
}

/// A machine on which the 120 seconds of a run without limit are soon over.
#[test]
fn a_program_that_has_not_ended_in_time_is_no_success() {
    let dir = tempfile::tempdir().unwrap();
    let machine = dir.path().join("slow.toml");
    let description = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../machines/testbed6.toml"));
    let slow: Vec<String> = description
        .unwrap()
        .lines()
        .map(|line| if line.starts_with("clock") { "clock = \"1 MHz\"".into() } else { line.into() })
        .collect();
    fs::write(&machine, slow.join("\n")).unwrap();
    let machine = machine.to_str().unwrap();
    let said = run("input", &["--machine", machine], &dir.path().join("out"), 7);
    assert!(said.starts_with("no deadlock") && said.contains("hint: nobody gave console input"), "{said}");
    run("input", &["--machine", machine, "--for", "1s"], &dir.path().join("out"), 0);
    run("two", &["--machine", machine, "--for", "10s"], &dir.path().join("out"), 7);
}

#[test]
fn ctrl_c_ends_a_run_in_good_order() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = Command::new(env!("CARGO_BIN_EXE_testbed"));
    // On an engine on which it does not end by itself soon.
    run.args(["run", "stuck", "page", "--for", "10000s", "--out"]).arg(dir.path());
    let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let goes = || fs::metadata(dir.path().join("mmi.raw")).is_ok_and(|file| file.len() > 80_000);
    while !goes() && begun.elapsed() < Duration::from_secs(300) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(goes(), "the run has not begun");
    let process = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{said}{}", text(&output.stderr));
    assert!(said.contains("ended by its user: "), "{said}");
    assert!(said.contains("live-lock in cycle") && said.contains("stuck.rs:"), "{said}");
    let record = RunRecord::read(dir.path()).unwrap();
    assert!(record.complete && record.stopped == Some(Stop::User) && record.cycles > 0, "{record:?}");
}
