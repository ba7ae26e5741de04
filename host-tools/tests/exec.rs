//! `testbed exec --machine`: a program without kernel on every processor of a machine, as on a board.

use std::path::Path;
use std::process::{Command, Output};

use testbed_trace::capture::{Capture, RunRecord};

fn testbed(arguments: &str, out: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.args(arguments.split_whitespace()).arg("--out").arg(out).output().unwrap()
}

/// Runs to a good end; what the console had.
fn console(arguments: &str, out: &Path) -> String {
    let output = testbed(arguments, out);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn pairs(dir: &Path) -> Vec<(usize, u32)> {
    let mut reader = Capture::open(dir).unwrap().mmi().unwrap();
    std::iter::from_fn(|| reader.next_pair().map(|pair| pair.unwrap().unwrap()))
        .map(|(smi, pair)| (smi, pair.pack()))
        .collect()
}

#[test]
fn engines_leave_the_same_of_a_program_without_kernel() {
    let dir = tempfile::tempdir().unwrap();
    let (emulated, verilated) = (dir.path().join("emulator"), dir.path().join("verilator"));
    let one = console("exec demo --machine testbed2", &emulated);
    let other = console("exec demo --machine testbed2 --engine verilator", &verilated);
    assert_eq!(one, other);
    for processor in ["master", "earth"] {
        assert!(one.contains(&format!("{processor}: 2 3 5 7 11")), "{one}");
        assert!(one.contains(&format!("{processor}: 1993 1997 1999")), "{one}");
    }
    // Only the slave has a monitor: 303 primes, an event of two pairs each.
    let found = pairs(&emulated);
    assert_eq!(found.len(), 2 * 303);
    assert!(found.iter().all(|(smi, _)| *smi == 1));
    assert_eq!(found, pairs(&verilated));
}

/// What the board's link will say can be seen beforehand.
#[test]
fn a_machine_without_a_master_runs_its_boards_program() {
    let dir = tempfile::tempdir().unwrap();
    let printed = console("exec demo --machine hx8k-evn --engine verilator", dir.path());
    assert!(printed.contains("earth: 2 3 5 7 11"), "{printed}");
    assert_eq!(pairs(dir.path()).len(), 2 * 303);
}

#[test]
fn a_run_without_kernel_has_none_in_its_record() {
    let dir = tempfile::tempdir().unwrap();
    console("exec demo --machine testbed2", dir.path());
    let record = RunRecord::read(dir.path()).unwrap();
    assert_eq!((record.kernel, record.kernel_name()), (None, "none"));
    let text = std::fs::read_to_string(dir.path().join("run.json")).unwrap();
    assert!(text.contains("\"kernel\": null"), "{text}");
}

fn exec(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_testbed")).arg("exec").args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_a_program_took_is_told_the_same_on_every_engine() {
    let (code, said) = exec(&["corebench"]);
    assert_eq!(code, Some(0), "{said}");
    let (first, second) = said.split_once('\n').unwrap();
    assert!(first.contains(" cycles, ") && first.contains(" instructions, CPI "), "{said}");
    assert!(second.starts_with("score ") && second.contains(" it/s per MHz: 10 iterations in "), "{said}");
    assert_eq!(exec(&["corebench", "--engine", "verilator"]), (Some(0), said));
}

#[test]
fn of_a_program_that_does_not_end_it_is_told_where_it_is() {
    let arguments = ["corebench", "--max-cycles", "50000"];
    let (code, said) = exec(&arguments);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("corebench: not over after 50,000 cycles\n  pc is 0x8000"), "{said}");
    assert!(said.contains("it goes on (") || said.contains("it repeats "), "{said}");
    assert!(said.contains("+0x"), "{said}");
    assert_eq!(exec(&[&arguments[..], &["--engine", "verilator"]].concat()), (Some(4), said));
}

#[test]
fn what_goes_wrong_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, code, part) in [
        ("exec nosuch.elf --machine testbed2", 3, "one of corebench, demo"),
        ("exec corebench --machine testbed2", 3, "it ends by its symbol `tohost`"),
        ("exec demo --machine nosuch", 3, "no machine is called `nosuch`"),
        ("exec demo --machine hx8k-evn", 5, "use the engine `verilator`"),
        ("exec demo", 2, "--machine"),
        ("exec demo --machine testbed2 --max-cycles 9000", 4, "demo: not over after 9,000 cycles\n  master: pc is "),
        ("exec demo --machine testbed2 --max-cycles 9000", 4, "\n  earth: pc is "),
    ] {
        let output = testbed(arguments, dir.path());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(error.contains(part), "{arguments}: {error}");
    }
}
