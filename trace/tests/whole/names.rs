//! The names of words in a CTF viewer that knows nothing of this machine.

use std::process::Command;

use testbed_definitions::event::DIAG_READY;

use crate::analysis::scripts::{Step, CLASSES, EARTH, FIRST, GAP};
use crate::report::runs::{busy, write, PERIOD};

/// What babeltrace2 shows of a run, a word a line.
fn shown(dgl: u32, steps: &[Step], end: u64) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let capture = write(dir.path(), "busy", &[], dgl, steps, end);
    let output = Command::new("babeltrace2").arg(capture.trace_path()).output();
    let output = output.expect("this test needs babeltrace2: apt-get install babeltrace2");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(Into::into).collect()
}

fn count(lines: &[String], part: &str) -> usize {
    lines.iter().filter(|line| line.contains(part)).count()
}

#[test]
fn babeltrace2_names_events() {
    let mut steps = busy(8);
    let wanted = |code| steps.iter().filter(|step| step.2 == code).count();
    use testbed_definitions::event::{COMMS, SCHEDULE, TRAP7, TX_MPC};
    let [comms, schedule, trap7, tx] = [COMMS, SCHEDULE, TRAP7, TX_MPC].map(wanted);
    assert!(comms > 0 && trap7 > comms);
    steps.push((8 * PERIOD, EARTH, GAP, 12));
    // Three wraps of the 16-bit clock.
    let lines = shown(CLASSES, &steps, 200_000);
    assert_eq!(count(&lines, r#"datum = ( "COMMS" : container = 0x8110 )"#), comms);
    assert_eq!(count(&lines, r#"datum = ( "TRAP7" : container = 0x7 )"#), trap7);
    assert_eq!(count(&lines, r#"datum = ( "TX_MPC" : container = 0x8103 )"#), tx);
    assert!(count(&lines, r#""SCHEDULE""#) >= schedule);
    assert_eq!(count(&lines, r#""GAP""#), 1);
    assert_eq!(count(&lines, r#""WRAP""#) % 3, 0);
    assert!(count(&lines, r#""WRAP""#) > 0);
    // The second words of events have no names of their own.
    assert!(count(&lines, "<unknown>") > 0);
}

#[test]
fn babeltrace2_names_joins_and_leaves() {
    let steps = [(100, EARTH, FIRST | 0x4000, 0), (200, EARTH, FIRST, 0)];
    let lines = shown(DIAG_READY, &steps, 300);
    assert_eq!((lines.len(), count(&lines, r#""JOINS""#), count(&lines, r#""LEAVES""#)), (2, 1, 1), "{lines:?}");
}
