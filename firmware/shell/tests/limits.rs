//! Limits: every one is said by its name, and nothing that was there is lost.

use testbed_definitions::file::{EXECUTE, READ, WRITE};

use crate::machine::Memory;

/// Runs a script, and gives what it printed and what it complained of.
fn run(memory: &mut Memory, script: &str) -> (u32, String, String) {
    let status = memory.run(script.as_bytes(), &[]);
    let text = |bytes: &mut Vec<u8>| String::from_utf8(std::mem::take(bytes)).unwrap();
    (status, text(&mut memory.printed), text(&mut memory.complained))
}

#[track_caller]
fn says(script: &str, what: &str) {
    let mut memory = Memory::default();
    memory.left = Some(100_000);
    let (status, printed, said) = run(&mut memory, script);
    assert!(said.contains(what), "{status}: {printed}\n{said}");
    assert_ne!(status, 0);
}

#[test]
fn limits_are_named() {
    says(&("(".repeat(30) + "true" + &")".repeat(30)), "more than 24 commands in one another");
    says(&format!("echo {}", "x ".repeat(2500)), "more than 2000 commands and words");
    says("f() { f; }; f", "more than 40 functions");
    let eight = "x=aaaaaaaaaaaaaaaa; for i in 1 2 3 4 5 6 7 8 9; do x=$x$x; done; ";
    says(&format!("{eight} a=$x b=$x c=$x d=$x; exit 1"), "variables have more than 32 KiB");
    says(&format!("{eight} echo $x$x$x; exit 1"), "a command's words have more than 16 KiB");
    says("seq 3000 > f; x=$(cat f); exit 1", "more than 8 KiB of `$(\u{2026})`");
    says("echo $((((((((((((((((((1))))))))))))))))))", "more than 16 brackets");
    says("printf %9999d 1", "a width above 1000");
    says("echo a | grep 'a\\{999\\}'", "numbers in `{\u{2026}}` go up to 255");
    says("seq 9000 | sort", "more than 128 KiB or 8192 lines cannot be sorted");
    says("head -c 3 < none", "no such file");
    says("if", "line 1: a command is missing");
    says("echo 'a", "`'` without another");
    says("true\necho \"a\nb\n", "line 2: `\"` without another");
    says("true\necho 'a\nb\n", "line 2: `'` without another");
    says("true\necho ${x:-\n\"a\nb}\n", "line 3: `\"` without another");
    says("true\nfi", "line 2: ");
}

#[test]
fn a_full_filestore_says_so_and_loses_nothing() {
    let mut memory = Memory::default();
    memory.leave("f", &[b'x'; 3000], READ | WRITE);
    memory.leave("g", b"g\n", READ | WRITE);
    memory.room = Some(4000);
    for (script, what) in [
        ("cp f h", "cp: f: out of memory"),
        ("cat f > h", "out of memory"),
        ("cat f f | wc", "out of memory"),
        ("compress -c f > h; cat f >> h; exit 1", "out of memory"),
    ] {
        let (_, _, said) = run(&mut memory, script);
        assert!(said.contains(what), "{script}: {said}");
        assert_eq!(memory.file(1, "f").as_deref(), Some(&[b'x'; 3000][..]), "{script}");
        assert_eq!(memory.file(1, "g").as_deref(), Some(&b"g\n"[..]), "{script}");
        run(&mut memory, "rm -f h");
        assert_eq!(memory.names(1), ["f", "g"], "{script}");
    }
    // What the editor can't write leaves the file as it was.
    memory.typed = b"1t1\nw\nq\nq\n".to_vec();
    memory.utility(&["ed", "f"]);
    assert_eq!(memory.file(1, "f").as_deref(), Some(&[b'x'; 3000][..]));
    assert_eq!(memory.names(1), ["f", "g"]);
    // No place is left for a file.
    let mut memory = Memory::default();
    for number in 0..64 {
        memory.leave(&format!("f{number}"), b"x", READ);
    }
    for script in ["> new", "cp f1 new", "echo a | cat", "x=$(echo a); exit 1", "cat <<E\na\nE"] {
        let (status, printed, said) = run(&mut memory, script);
        assert!(said.contains("filestore is full") && status != 0, "{script}: {status} {printed} {said}");
        assert_eq!(memory.names(1).len(), 64);
    }
}

#[test]
fn files_of_other_processors() {
    let mut memory = Memory::default();
    let script = "echo one > f; cp f fire:; cp f fire:g; cat fire:f fire:g; echo two >> fire:f; cp fire:f .; cat f; \
                  mv f fire:h; ls; ls fire:; rm fire:g; echo fire:*; wc -c < fire:h; sort fire:f > fire:s; cat fire:s";
    let (status, printed, said) = run(&mut memory, script);
    assert_eq!(said, "");
    assert_eq!((status, &printed[..]), (0, "one\none\none\ntwo\nf\ng\nh\nfire:f fire:h\n8\none\ntwo\n"));
    assert_eq!(memory.names(2), ["f", "h", "s"]);
    assert!(memory.names(1).is_empty());
}

#[test]
fn programs_on_other_processors_read_and_write_pipes() {
    let mut memory = Memory::default();
    memory.leave("counter", b"\x7fELF", READ | EXECUTE);
    let script = "seq 100 | on fire counter > f; cat f; on fire counter < f | sort; on fire no-such; echo $?";
    let (_, printed, said) = run(&mut memory, script);
    assert_eq!(printed, "292 bytes\n10 bytes\n127\n", "{said}");
    assert_eq!(memory.names(1), ["counter", "f"]);
    assert!(memory.names(2).is_empty());
}

#[test]
fn more_arguments_than_a_program_can_be_given() {
    let mut memory = Memory::default();
    let names: Vec<String> = (0..40).map(|number| format!("a-file-with-a-name-{number:02}")).collect();
    for name in &names {
        memory.leave(name, b"x\n", READ | WRITE);
    }
    let (status, printed, said) = run(&mut memory, "cat a-* | wc -l; ls a-* | tail -n 1; rm a-*; ls");
    assert_eq!((status, &printed[..], &said[..]), (0, "40\na-file-with-a-name-39\n", ""));
}

#[test]
fn scripts_are_files_that_can_be_run() {
    let mut memory = Memory::default();
    memory.leave("twice", b"echo $1$1; X=9; exit 4\n", READ | EXECUTE);
    memory.leave("data", b"echo no\n", READ);
    let (_, printed, said) = run(&mut memory, "X=1; twice a; echo $? $X; data; echo $?; . twice b");
    assert_eq!(printed, "aa\n4 1\n126\nbb\n");
    assert_eq!(said, "data: permission denied\n");
}
