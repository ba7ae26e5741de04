//! A program in C, built by Debian's compiler as `docs/programs.md` says, runs on the emulator: it
//! checks the library itself, and what it prints is known.

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

/// Runs a program with this input; its status and console.
fn run_with(elf: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let (out, file) = (folder.path().join("out"), folder.path().join("input"));
    std::fs::write(&file, input).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_testbed"));
    command.arg("run").arg("--out").arg(&out).arg("--input").arg(&file).arg(elf).arg("--").args(arguments);
    let run = command.output().unwrap();
    let console = std::fs::read_to_string(out.join("console.txt"));
    (run.status.code(), console.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr))))
}

/// The program that uses most of standard C finds what it expects.
#[test]
fn standard() {
    let folder = tempfile::tempdir().unwrap();
    let elf = build("firmware/c/standard.c", folder.path());
    let right = "\
earth: your name? Ada: 12.1861 rest, 1
earth: the last words
earth: the program has ended, 1 child before it
";
    let (status, console) = run_with(&elf, &["-n", "3", "-q", "rest"], "Ada\n1 2 3.5\n1e1\n");
    assert_eq!((status, console.as_str()), (Some(0), right));
    for (arguments, said) in [
        (&["-z"][..], "earth: invalid option -- z\n"),
        (&["-n"], "earth: option requires an argument -- n\n"),
        // A signal ends it without its last words.
        (&["-x"], ""),
    ] {
        let (status, console) = run_with(&elf, arguments, "Ada\n");
        assert_eq!((status, console.as_str()), (Some(1), said), "{arguments:?}");
    }
}

/// The first thread has the stack that the linker script asks for, or its user, and others begin
/// below it.
#[test]
fn stacks() {
    let folder = tempfile::tempdir().unwrap();
    let source = "firmware/c/deep.c";
    let usual = build(source, folder.path());
    let (status, console) = run_with(&usual, &["60"], "");
    assert_eq!((status, console.as_str()), (Some(0), "earth: 61 calls of 61\n"));
    let (status, console) = run_with(&usual, &["70"], "");
    assert!(status != Some(0) && console.contains("stack overflow"), "{console}");

    let root = firmware::root().unwrap();
    let large = folder.path().join("large");
    let options = ["-Os", "-std=c11", "-Wl,--defsym=tos_stack_bytes=200000"];
    let built = firmware::build(&root).unwrap();
    crate::common::compiler::build(&built, &root.join(source), &options, &large);
    let (status, console) = run_with(&large, &["185"], "");
    assert_eq!((status, console.as_str()), (Some(0), "earth: 186 calls of 186\n"));

    // Its stack would lie where the heap is.
    let options = ["-Os", "-std=c11", "-Wl,--defsym=tos_stack_bytes=500000"];
    crate::common::compiler::build(&built, &root.join(source), &options, &large);
    let (status, console) = run_with(&large, &["1"], "");
    assert!(status != Some(0) && !console.contains("calls"), "{console}");
}

/// A program may have functions of its own with names that are POSIX's and not C's, and gets its own;
/// what the library needs of them it has.
#[test]
fn names_of_its_own() {
    let text = "\
#include <stdio.h>
int read(int value) { return value + 1; }
int write(int value) { return value + 2; }
int open(int value) { return value + 3; }
int close(int value) { return value + 4; }
int stat(int value) { return value + 5; }
int getline(int value) { return value + 6; }
int unlink(int value) { return value + 7; }
int main(void)
{
    FILE *file = tmpfile();
    int sum = read(0) + write(0) + open(0) + close(0) + stat(0) + getline(0) + unlink(0);
    fprintf(file, \"%d\", sum);
    rewind(file);
    int is_right = fscanf(file, \"%d\", &sum) == 1 && fclose(file) == 0 && remove(\"none\") != 0;
    printf(\"%d %d\\n\", sum, is_right);
    return 0;
}
";
    let folder = tempfile::tempdir().unwrap();
    let (source, elf) = (folder.path().join("own.c"), folder.path().join("own"));
    std::fs::write(&source, text).unwrap();
    let built = firmware::build(&firmware::root().unwrap()).unwrap();
    crate::common::compiler::build(&built, &source, &["-Os", "-std=c11", "-fno-builtin"], &elf);
    assert_eq!(run_with(&elf, &[], ""), (Some(0), "earth: 28 1\n".into()));
}

/// The headers of the table in `docs/programs.md`.
fn headers_of(page: &str) -> Vec<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    let names = rows.flat_map(|(names, _)| names.split(", ")).map(|name| name.trim_matches('`'));
    names.filter(|name| name.ends_with(".h")).collect()
}

/// Every header is in the table, and each of the table can be included twice and ahead of all
/// others.
#[test]
fn headers() {
    let (root, folder) = (firmware::root().unwrap(), tempfile::tempdir().unwrap());
    let page = std::fs::read_to_string(root.join("docs/programs.md")).unwrap();
    let names = headers_of(&page);
    for (include, prefix) in
        [("firmware/libtos-c/include", ""), ("firmware/libtos-c/include/sys", "sys/"), ("firmware/libbsp/include", "")]
    {
        for entry in std::fs::read_dir(root.join(include)).unwrap() {
            let name = prefix.to_string() + &entry.unwrap().file_name().into_string().unwrap();
            let is_header = name.ends_with(".h");
            assert!(!is_header || names.contains(&name.as_str()), "docs/programs.md does not have {name}");
        }
    }
    let all: String = names.iter().map(|name| format!("#include <{name}>\n")).collect();
    let built = firmware::build(&root).unwrap();
    for name in &names {
        let source = folder.path().join("header.c");
        let text = format!("#include <{name}>\n#include <{name}>\n{all}int main(void)\n{{\n    return 0;\n}}\n");
        std::fs::write(&source, text).unwrap();
        crate::common::compiler::build(&built, &source, &["-Os", "-std=c11"], &folder.path().join("header"));
    }
    assert!(names.len() > 20, "{names:?}");
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

/// What the header knows of the monitor is what the definitions say.
#[test]
fn events_of_the_header() {
    use testbed_definitions::{map, monitor};
    let header = std::fs::read_to_string(firmware::root().unwrap().join("firmware/libtos-c/include/tos.h")).unwrap();
    assert!(header.contains(&format!("#define _TOS_EVENT_PAGE {:#x}\n", map::EVENT_PAGE)));
    let markers = 0x55;
    assert!(header.contains(&format!("#define _TOS_MARKERS {markers:#x}\n")));
    assert!((0..=u16::MAX).all(|datum| monitor::is_reserved(datum) == (datum >> 9 == markers)));
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
