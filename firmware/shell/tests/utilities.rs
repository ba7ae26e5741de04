//! Utilities where the host's own do something else, or nothing that could be compared.

use testbed_definitions::file::{EXECUTE, READ, WRITE};

use crate::machine::Memory;

/// `chmod` takes permissions as `ls -l` shows them, as POSIX writes them, and as numbers.
#[test]
fn permissions_are_set_added_and_taken() {
    let mut memory = Memory::default();
    memory.leave("f", b"echo hello\n", READ);
    for (mode, expected) in [
        ("+x", READ | EXECUTE),
        ("u-x", READ),
        ("a+wx", READ | WRITE | EXECUTE),
        ("-rw", EXECUTE),
        ("=r", READ),
        ("755", READ | WRITE | EXECUTE),
        ("400", READ),
        ("--x-", EXECUTE),
        ("r-x", READ | EXECUTE),
        ("-wx", READ),
        ("rw--", READ | WRITE),
        ("rx", READ | EXECUTE),
        ("-", 0),
        ("go+r", READ),
    ] {
        assert_eq!(memory.utility(&["chmod", mode, "f"]), 0, "{mode}");
        assert_eq!(memory.permissions(1, "f"), expected, "{mode}");
    }
    for wrong in ["", "y", "+y", "rr", "0o7", "88", "u", "+-x"] {
        assert_eq!(memory.utility(&["chmod", wrong, "f"]), 2, "{wrong}");
        assert_eq!(memory.permissions(1, "f"), READ, "{wrong}");
    }
    assert_eq!(memory.utility(&["chmod", "+x", "none"]), 1);
    // A script that may be run is, by its name.
    assert_eq!(memory.run(b"f; echo $?; chmod +x f; f", &[]), 0);
    assert_eq!(String::from_utf8_lossy(&memory.printed), "126\nhello\n");
}

/// A page of `more` has the terminal's lines, if the environment says how many these are.
#[test]
fn pages_have_the_lines_of_the_terminal() {
    for (lines, shown) in
        [("", 22), ("LINES=12\n", 10), ("A=1\nLINES=40\nB=2\n", 38), ("LINES=many\n", 22), ("LINES=2\n", 22)]
    {
        let mut memory = Memory::default();
        memory.leave("environment", lines.as_bytes(), READ);
        let text: String = (1..=50).map(|line| format!("{line}\n")).collect();
        memory.leave("f", text.as_bytes(), READ);
        memory.typed = b"q\n".to_vec();
        assert_eq!(memory.utility(&["more", "f"]), 0);
        let printed = String::from_utf8_lossy(&memory.printed).into_owned();
        assert_eq!(printed.lines().position(|line| line.starts_with("--More--")), Some(shown), "{lines}");
    }
}
