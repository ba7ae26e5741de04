//! Whatever is typed, or stands in a file: nothing panics, everything comes to an end, no temporary
//! file stays, and nobody's files change that are not named.
//!
//! Lines are drawn from a seed: pieces of the language and of the editor's, control characters,
//! truncated escape sequences, bytes. `TESTBED_LONG=1` draws ten times as many.

use testbed_definitions::file::{READ, WRITE};
use testbed_shell::interpreter::{Outcome, Shell, Typed};
use testbed_shell::regex::Regex;
use testbed_shell::syntax::Parser;
use testbed_shell::tools;

use crate::machine::Memory;
use crate::pieces::{Draw, EDITOR, SHELL};

/// Bytes that a machine shows of what its fifty lines print, at most.
const PATIENCE: usize = 1 << 20;

/// Lines of each test.
fn lines() -> u32 {
    if std::env::var_os("TESTBED_LONG").is_some() {
        1_000_000
    } else {
        100_000
    }
}

fn machine() -> Memory {
    let mut memory = Memory::default();
    // A line can ask for numbers up to 99999999999.
    memory.patience = Some(PATIENCE);
    memory.leave("f", b"hello a\nb\nab\n", READ | WRITE);
    memory.leave("kept", b"what nobody names\n", READ);
    memory
}

#[test]
fn parsers_bear_anything() {
    let mut draw = Draw::new(1);
    for _ in 0..lines() {
        let text = draw.line(SHELL);
        let mut parser = Parser::new(&text);
        let mut before = 0;
        while let Ok(Some(_)) = parser.next_item() {
            assert!(parser.position() > before, "{}", text.escape_ascii());
            before = parser.position();
        }
    }
}

#[test]
fn a_shell_bears_whatever_is_typed() {
    let mut draw = Draw::new(2);
    for _ in 0..lines() / 50 {
        let mut memory = machine();
        memory.left = Some(400);
        let mut typed = Vec::new();
        for _ in 0..50 {
            typed.extend(draw.line(SHELL));
            typed.push(b'\n');
        }
        memory.typed = typed.clone();
        let mut shell = Shell::new(&mut memory, b"sh", Vec::new());
        shell.interactive = true;
        let mut text = Vec::new();
        loop {
            match shell.typed(1024) {
                Typed::Line(line) => text.extend([&line[..], b"\n"].concat()),
                Typed::TooLong => continue,
                Typed::End => break,
            }
            match shell.type_in(&text) {
                Outcome::Incomplete if text.len() < 8192 => {}
                Outcome::Exit => break,
                _ => text.clear(),
            }
        }
        let names = memory.names(1);
        let left: Vec<&String> = names.iter().filter(|name| name.starts_with(".~")).collect();
        assert!(left.is_empty(), "{left:?} of {}", typed.escape_ascii());
        assert_eq!(memory.file(1, "kept").as_deref(), Some(&b"what nobody names\n"[..]), "{}", typed.escape_ascii());
    }
}

#[test]
fn an_editor_bears_whatever_is_typed() {
    let mut draw = Draw::new(3);
    for _ in 0..lines() / 50 {
        let mut memory = machine();
        for _ in 0..50 {
            memory.typed.extend(draw.line(EDITOR));
            memory.typed.push(b'\n');
        }
        memory.utility(&["ed", "f"]);
    }
}

#[test]
fn expressions_bear_anything() {
    let mut draw = Draw::new(4);
    for _ in 0..lines() {
        let text = draw.line(&[
            "a",
            "b",
            "*",
            "\\{2,3\\}",
            "{2}",
            "[",
            "]",
            "^",
            "$",
            "\\(",
            "\\)",
            "(",
            ")",
            "|",
            "\\|",
            ".",
            "+",
            "?",
            "\\",
            "[:digit:]",
        ]);
        for extended in [false, true] {
            if let Ok(regex) = Regex::new(&text, extended, false) {
                for line in [&b""[..], b"ab", b"aababab1", &text] {
                    if let Some(slots) = regex.find(line, 0) {
                        let (start, end) = (slots[0].unwrap(), slots[1].unwrap());
                        assert!(start <= end && end <= line.len(), "{}", text.escape_ascii());
                    }
                }
            }
        }
    }
}

#[test]
fn what_is_packed_comes_back_and_anything_else_is_borne() {
    let mut draw = Draw::new(5);
    for round in 0..lines() / 500 {
        let spread = 1 + draw.below(256);
        let length = draw.below(if round % 20 == 0 { 100_000 } else { 3_000 });
        let text: Vec<u8> = (0..length).map(|_| draw.below(spread) as u8).collect();
        let mut packed = tools::pack(&text);
        assert!(tools::unpack(&packed).as_ref() == Ok(&text), "{length} bytes of {spread}");
        for _ in 0..1 + draw.below(4) {
            let at = draw.below(packed.len());
            packed[at] = draw.below(256) as u8;
        }
        packed.truncate(1 + draw.below(packed.len()));
        let _ = tools::unpack(&packed);
    }
}
