//! A program in C, built by Debian's compiler as `docs/programs.md` says, runs on the emulator: it checks the library itself, and what it
//! prints is known.

use std::path::{Path, PathBuf};
use std::process::Command;

use testbed_runner::firmware;

/// Builds `source` with the library into an ELF file in `folder`.
fn build(source: &str, folder: &Path) -> PathBuf {
    let root = firmware::root().unwrap();
    let elf = folder.join(Path::new(source).file_stem().unwrap());
    crate::common::compiler::build(&firmware::build(&root).unwrap(), &root.join(source), &["-Os", "-std=c11"], &elf);
    elf
}

#[test]
fn wordcount() {
    let folder = tempfile::tempdir().unwrap();
    let elf = build("firmware/c/wordcount.c", folder.path());
    let out = folder.path().join("out");
    let run = Command::new(env!("CARGO_BIN_EXE_testbed")).arg("run").arg(&elf).arg("4").arg("--out").arg(&out).output();
    let run = run.unwrap();
    let console = std::fs::read_to_string(out.join("console.txt")).unwrap_or_default();
    assert!(run.status.success(), "{console}\n{}", String::from_utf8_lossy(&run.stderr));
    // The words that the text, which is there four times, has more than once; the last one first.
    let expected = "\
earth: threads      8
earth: blocked      8
earth: children     8
earth: of           8
earth: a            8
earth: A            8
earth: 132 words, 27 different, 0 wrong
";
    assert_eq!(console, expected);
}

/// Errors are told, and an assertion that does not hold ends the program.
#[test]
fn errors() {
    let folder = tempfile::tempdir().unwrap();
    let elf = build("firmware/c/errors.c", folder.path());
    let out = folder.path().join("out");
    let run = Command::new(env!("CARGO_BIN_EXE_testbed")).arg("run").arg(&elf).arg("--out").arg(&out).output().unwrap();
    let console = std::fs::read_to_string(out.join("console.txt")).unwrap_or_default();
    let wrong = String::from_utf8_lossy(&run.stderr);
    let (_, place) = console.rsplit_once("errors.c:").unwrap_or_else(|| panic!("{console}\n{wrong}"));
    let source = std::fs::read_to_string(firmware::root().unwrap().join("firmware/c/errors.c")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("as it should not be")).unwrap();
    let assertion = "main: assertion `errno == 0 && \"as it should not be\"' failed";
    assert_eq!(place, format!("{line}: {assertion}\n"));
    let expected = "\
earth: nothing: no such file
earth: out of memory
earth: no error, result out of range, channel in use by other threads
earth: not ended by a newline
earth: the next does not hold
";
    assert!(console.starts_with(expected), "{console}");
    assert_eq!(run.status.code(), Some(1), "{wrong}");
}

/// The header's error codes are those of the definitions.
#[test]
fn errors_of_the_header() {
    let header = std::fs::read_to_string(firmware::root().unwrap().join("firmware/libtos-c/include/tos.h")).unwrap();
    let found: Vec<&str> = header.lines().filter(|line| line.starts_with("#define TOS_")).collect();
    // `BadPointer = 2` is called TOS_BAD_POINTER there.
    let name = |error: &testbed_definitions::syscall::Error| {
        let camel = format!("{error:?}");
        let mut name = String::new();
        for letter in camel.chars() {
            if letter.is_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_uppercase());
        }
        format!("#define TOS{name} {} /* {} */", -error.code(), error.meaning())
    };
    let expected: Vec<String> = testbed_definitions::syscall::Error::ALL.iter().map(name).collect();
    assert_eq!(found, expected);
}
