//! Ctrl-C and Ctrl-Z while the shell waits for a program.

use testbed_definitions::file::{EXECUTE, READ};
use testbed_shell::interpreter::{Outcome, Shell};
use testbed_shell::system::Awaited;

use crate::machine::Memory;

fn machine(keys: &[Awaited]) -> Memory {
    let mut memory = Memory::default();
    memory.leave("utilities", b"\x7fELF", READ | EXECUTE);
    memory.keys = keys.iter().rev().copied().collect();
    memory
}

fn said(memory: &Memory) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&memory.printed), text(&memory.complained))
}

#[test]
fn an_interrupt_ends_all_that_runs_in_one_another() {
    for script in [
        "for i in 1 2 3; do sleep 1; echo after; done; echo behind",
        "(sleep 1; echo after); echo behind",
        "f() { sleep 1; echo after; }; f; echo behind",
        "sleep 1 | cat; echo behind",
    ] {
        let mut memory = machine(&[Awaited::Interrupted]);
        let status = memory.run(script.as_bytes(), &[]);
        assert_eq!((status, said(&memory).0.as_str()), (130, ""), "{script}");
    }
}

#[test]
fn who_types_goes_on_after_an_interrupt() {
    let mut memory = machine(&[Awaited::Interrupted]);
    let mut shell = Shell::new(&mut memory, b"sh", Vec::new());
    shell.interactive = true;
    assert_eq!(shell.type_in(b"while true; do sleep 1; done\n"), Outcome::Done);
    assert_eq!(shell.type_in(b"echo $?\n"), Outcome::Done);
    assert_eq!(said(&memory).0, "130\n");
}

#[test]
fn a_program_that_was_stopped_is_still_a_job() {
    let mut memory = machine(&[Awaited::Paused]);
    let status = memory.run(b"sleep 1; echo $?; jobs; fg 1", &[]);
    let (printed, complained) = said(&memory);
    assert_eq!(printed, "148\n[1] 0x0111 stopped  sleep 1\n", "{status} {complained}");
    assert_eq!(complained, "0x0111: stopped\n");
}

/// `fg` and `bg` mean the last job that is stopped, or else the last; `%` names jobs by number.
#[test]
fn jobs_are_meant_without_a_word_and_by_number() {
    for (script, expected) in [
        (
            "sleep 1 & sleep 2 & sleep 3 &\nstop %2; bg; jobs",
            "[2] 0x0112 running  sleep 2\n[3] 0x0113 running  sleep 3\n",
        ),
        ("sleep 1 & sleep 2 &\nstop %1 %2; fg; jobs", "[1] 0x0111 stopped  sleep 1\n"),
        ("sleep 1 & sleep 2 &\nfg; jobs", "[1] 0x0111 running  sleep 1\n"),
        ("sleep 1 & sleep 2 &\nfg %1; jobs", "[2] 0x0112 running  sleep 2\n"),
        ("sleep 1 &\nstop 1; fg %%; jobs; echo done", "done\n"),
    ] {
        let mut memory = machine(&[]);
        memory.run(script.as_bytes(), &[]);
        let (printed, complained) = said(&memory);
        assert!(printed.ends_with(expected), "{script}: {printed}{complained}");
        assert_eq!(complained, "", "{script}");
    }
    let mut memory = machine(&[]);
    assert_eq!(memory.run(b"fg", &[]), 1);
    assert_eq!(memory.run(b"bg %7", &[]), 1);
    assert_eq!(said(&memory).1, "fg: %: no such process\nbg: %7: no such process\n");
}

/// One process that is not there does not keep the others from what is done to them.
#[test]
fn each_process_that_is_not_there_is_named() {
    let mut memory = machine(&[]);
    let status = memory.run(b"sleep 1 & sleep 2 &\nstop 9 %1 nobody %2", &[]);
    assert_eq!((status, &memory.stopped[..]), (1, &[0x111, 0x112][..]));
    assert_eq!(said(&memory).1, "stop: 9: no such process\nstop: nobody: no such process\n");
}

/// A line that ends with a backslash goes on, and one in a comment or in single quotes does not so.
#[test]
fn a_line_is_continued_behind_a_backslash() {
    let mut memory = machine(&[]);
    let mut shell = Shell::new(&mut memory, b"sh", Vec::new());
    shell.interactive = true;
    for (text, outcome) in [
        ("echo one \\\n", Outcome::Incomplete),
        ("echo one \\\ntwo\n", Outcome::Done),
        ("echo thr\\\nee\n", Outcome::Done),
        ("echo four\\\\\n", Outcome::Done),
        ("echo five # \\\n", Outcome::Done),
        ("\\\n", Outcome::Incomplete),
    ] {
        assert_eq!(shell.type_in(text.as_bytes()), outcome, "{text}");
    }
    assert_eq!(said(&memory).0, "one two\nthree\nfour\\\nfive\n");
}

#[test]
fn wait_says_what_is_stopped_and_waits_for_the_others() {
    for wait in ["wait", "wait 1"] {
        let mut memory = machine(&[]);
        memory.run(
            format!("sleep 1 & sleep 2 &\nstop 1; {wait}; echo $?; jobs; bg 1; wait; echo $?; jobs").as_bytes(),
            &[],
        );
        let (printed, complained) = said(&memory);
        let both = "[1] 0x0111 stopped  sleep 1\n[2] 0x0112 running  sleep 2\n";
        let left = if wait == "wait" { &both[..28] } else { both };
        assert_eq!(printed, format!("0x0111\n0x0112\n148\n{left}0\n"));
        assert_eq!(complained, "0x0111: stopped\n");
    }
}

#[test]
fn an_interrupt_ends_the_waiting_and_not_the_job() {
    let mut memory = machine(&[Awaited::Paused, Awaited::Interrupted]);
    let mut shell = Shell::new(&mut memory, b"sh", Vec::new());
    shell.interactive = true;
    for line in ["sleep 1 &\n", "wait; echo behind\n", "echo $?; jobs\n"] {
        assert_eq!(shell.type_in(line.as_bytes()), Outcome::Done);
    }
    assert_eq!(said(&memory).0, "0x0111\n130\n[1] 0x0111 running  sleep 1\n");
}

#[test]
fn the_console_is_led_to_other_shells() {
    let mut memory = machine(&[]);
    assert_eq!(memory.run(b"on fire", &[]), 0);
    assert_eq!((memory.console, &memory.shells[..]), (Some(2), &[2][..]));
    assert_eq!(memory.run(b"on earth", &[]), 0);
    assert_eq!((memory.console, &memory.shells[..]), (Some(1), &[2][..]));
    // Another shell is not started where there is one.
    assert_eq!(memory.run(b"on 2", &[]), 0);
    assert_eq!((memory.console, &memory.shells[..]), (Some(2), &[2][..]));
    assert_eq!(memory.run(b"on mars", &[]), 1);
    assert_eq!((memory.console, said(&memory).0.as_str()), (Some(2), ""));
}

#[test]
fn shells_are_started_wherever_there_is_room() {
    let mut memory = machine(&[]);
    memory.mute = Some(0);
    assert_eq!(memory.run(b"shells", &[]), 1);
    assert_eq!((memory.console, &memory.shells[..]), (Some(1), &[2][..]));
    assert_eq!(said(&memory).1, "shells: master: out of memory\n");
    memory.mute = None;
    assert_eq!(memory.run(b"shells", &[]), 0);
    assert_eq!((memory.console, &memory.shells[..]), (Some(1), &[2, 0][..]));
    assert_eq!(memory.run(b"on fire; shells more; echo $?", &[]), 0);
    assert_eq!((memory.console, said(&memory).0.as_str()), (Some(2), "2\n"));
}
