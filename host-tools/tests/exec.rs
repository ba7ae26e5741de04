//! `testbed exec --machine`: a program without kernel on every processor of a machine, as on a board.

use std::path::Path;
use std::process::{Command, Output};

use testbed_trace::capture::Capture;

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
fn what_goes_wrong_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, code, part) in [
        ("exec nosuch.elf --machine testbed2", 3, "one of corebench, demo"),
        ("exec corebench --machine testbed2", 3, "it ends by its symbol `tohost`"),
        ("exec demo --machine nosuch", 3, "no machine is called `nosuch`"),
        ("exec demo --machine hx8k-evn", 5, "use the engine `verilator`"),
        ("exec demo", 2, "--machine"),
        ("exec demo --machine testbed2 --max-cycles 9000", 4, "demo: not over after 9,000 cycles"),
    ] {
        let output = testbed(arguments, dir.path());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(error.contains(part), "{arguments}: {error}");
    }
}
