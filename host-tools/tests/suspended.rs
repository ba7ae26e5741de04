//! What arrives for a process that is suspended ends its threads' communications, and none of them
//! runs before it is resumed: in the trace of `stopped`, whose second process is suspended often
//! while its two threads talk.

use crate::losing::{run, testbed};

/// Broadcasts about its first process: two times suspended and resumed, and killed.
const BEFORE: usize = 5;
/// Those that suspend and resume the second one.
const TIMES: usize = 40;

/// Where an event's processor, its name and what it tells are in a line of the trace.
fn fields(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.split_whitespace().skip(2);
    let (processor, name) = (words.next()?, words.next()?);
    Some((processor, name, line.split_once(name)?.1.trim()))
}

#[test]
fn threads_of_a_suspended_process_do_not_run() {
    let left = run("stopped");
    let trace = testbed(&["trace", left.folder.path().to_str().unwrap()]);
    assert!(trace.status.success(), "{}", String::from_utf8_lossy(&trace.stderr));
    let trace = String::from_utf8(trace.stdout).unwrap();
    // The process is at home on earth, where it is suspended and resumed as the broadcast leaves.
    let earth: Vec<_> = trace.lines().filter_map(fields).filter(|(processor, ..)| *processor == "earth").collect();
    let parts: Vec<_> = earth.split(|(_, name, told)| (*name, *told) == ("TX_MPC", "process to all")).collect();
    let (mut ended, mut resumed) = (0, 0);
    for (number, part) in parts[BEFORE + 1..=BEFORE + TIMES].iter().enumerate() {
        let of_process =
            |name: &str| part.iter().filter(|event| event.1 == name && !event.2.starts_with("earth.1.")).count();
        let communications = of_process("COMMS") + of_process("COMMR");
        if number % 2 == 0 {
            assert_eq!(of_process("SCHEDULE"), 0, "suspended for the {}th time: {part:?}", number / 2 + 1);
            ended += usize::from(communications != 0);
        } else {
            resumed += usize::from(communications != 0);
        }
    }
    // Else the trace shows nothing.
    assert!(ended >= 2, "something arrived in {ended} of {} pauses only", TIMES / 2);
    assert_eq!(resumed, TIMES / 2, "the threads did not go on each time");
}
