//! A shell: `sh FILE ARGUMENTS` runs a script, `sh COMMANDS` what its arguments say, and `sh` alone
//! what is typed at the console until that ends; `sh -i COMMANDS` does both, and `sh -c COMMANDS
//! [NAME [ARGUMENTS]]` what POSIX says: its first argument without showing it. The language and the
//! commands are in the crate `testbed-shell`, and `docs/shell.md` is the manual.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;

use libtos::Arguments;
use shell_programs::heap::Heap;
use shell_programs::tos::Tos;
use testbed_definitions::syscall::{open, INTERRUPT, PAUSE};
use testbed_shell::interpreter::{Outcome, Shell, Typed};
use testbed_shell::system::System;

libtos::program!(main);

#[global_allocator]
static HEAP: Heap = Heap::new();

/// Bytes of a line, and of lines that make one command.
const LINE_BYTES: usize = 1024;
const COMMAND_BYTES: usize = 8 * 1024;
/// Bytes that are no text: Ctrl-C and Ctrl-Z.
const KEYS: [u8; 2] = [INTERRUPT, PAUSE];

fn main(arguments: Arguments) -> u32 {
    let mut tos = Tos::new();
    let words: Vec<Vec<u8>> = arguments.iter().map(|word| word.as_bytes().to_vec()).collect();
    let Some((first, rest)) = words.split_first() else { return converse(&mut tos, b"") };
    if first == b"-i" {
        return converse(&mut tos, &rest.join(&b' '));
    }
    if first == b"-c" {
        let Some((text, named)) = rest.split_first() else {
            tos.complain(b"sh: -c: a command is missing\n");
            return 2;
        };
        let (name, arguments) = named.split_first().map_or((&b"sh"[..], &[][..]), |(name, rest)| (&name[..], rest));
        let mut shell = Shell::new(&mut tos, name, arguments.to_vec());
        shell.run_text(text, name, None);
        return shell.status();
    }
    if is_script(&mut tos, first) {
        let mut shell = Shell::new(&mut tos, first, rest.to_vec());
        return match shell.script(first) {
            Ok(text) => {
                shell.run_text(&text, first, None);
                shell.status()
            }
            Err(error) => {
                libtos::console::Line::new().text("sh: ").text(error.meaning()).end();
                2
            }
        };
    }
    let mut shell = Shell::new(&mut tos, b"sh", Vec::new());
    shell.run_text(&words.join(&b' '), b"sh", Some(b"$ "));
    shell.status()
}

/// Whether a word names a file that can be read and is no program.
fn is_script(tos: &mut Tos, name: &[u8]) -> bool {
    let Ok(file) = tos.open(tos.home(), name, open::READ) else { return false };
    let mut start = [0; 4];
    tos.read_at(file, 0, &mut start).is_ok() && start != *b"\x7fELF"
}

/// Runs commands, and then what is typed at the console. The shell repeats it, so that what has been
/// printed says what was done.
fn converse(tos: &mut Tos, first: &[u8]) -> u32 {
    let mut shell = Shell::new(tos, b"sh", Vec::new());
    shell.interactive = true;
    shell.sit_down();
    if shell.run_text(first, b"sh", Some(b"$ ")) == Outcome::Exit {
        return shell.status();
    }
    let mut text: Vec<u8> = Vec::new();
    loop {
        shell.say(if text.is_empty() { b"$ " } else { b"> " });
        match shell.typed(LINE_BYTES) {
            Typed::Line(line) if core::str::from_utf8(&line).is_err() => shell.say(b"sh: this is no text\n"),
            Typed::Line(mut line) => {
                // A key that no program had takes back what was typed ahead of it.
                if let Some(key) = line.iter().rposition(|byte| KEYS.contains(byte)) {
                    text.clear();
                    line.drain(..=key);
                }
                if shell.repeats {
                    shell.say(&line);
                    shell.say(b"\n");
                }
                text.extend_from_slice(&line);
                text.push(b'\n');
                if text.len() > COMMAND_BYTES {
                    shell.say(b"sh: a command has at most 8 KiB\n");
                    text.clear();
                    continue;
                }
                match shell.type_in(&text) {
                    Outcome::Incomplete => {}
                    Outcome::Done => text.clear(),
                    Outcome::Exit => return shell.status(),
                }
            }
            Typed::TooLong => shell.say(b"sh: a line has at most 1024 bytes\n"),
            Typed::End => {
                // What was not whole is wrong now.
                shell.run_text(&text, b"sh", None);
                break;
            }
        }
    }
    shell.say(b"end of input\n");
    0
}
