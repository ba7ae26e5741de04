//! A program in C, built by Debian's compiler as `docs/programs.md` says, runs on the emulator: it checks the library itself, and what it
//! prints is known.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testbed_host_tools::firmware;

/// The compiler, and the package that has it.
const GCC: &str = "riscv64-unknown-elf-gcc";
const FLAGS: &[&str] = &[
    "-march=rv32im_zicsr",
    "-mabi=ilp32",
    "-Os",
    "-std=c11",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffreestanding",
    "-nostdlib",
    "-Wl,--gc-sections",
];

fn output(command: &mut Command) -> Output {
    let what = format!("{command:?}");
    command.output().unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Builds `source` with the library into an ELF file in `folder`.
fn build(source: &str, folder: &Path) -> PathBuf {
    let root = firmware::root().unwrap();
    let library = firmware::build(&root).unwrap().folder;
    let elf = folder.join(Path::new(source).file_stem().unwrap());
    let found = Command::new(GCC).arg("--version").output();
    assert!(found.is_ok(), "this test needs {GCC}: apt-get install gcc-riscv64-unknown-elf");
    let built = output(
        Command::new(GCC)
            .args(FLAGS)
            .arg("-I")
            .arg(root.join("firmware/libtos-c/include"))
            .arg("-T")
            .arg(library.join("libtos.ld"))
            .arg("-o")
            .arg(&elf)
            .arg(root.join(source))
            .arg(library.join("libtos.a")),
    );
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    elf
}

#[test]
fn wordcount() {
    let folder = tempfile::tempdir().unwrap();
    let elf = build("firmware/c/wordcount.c", folder.path());
    let out = folder.path().join("out");
    let run = output(Command::new(env!("CARGO_BIN_EXE_testbed")).arg("run").arg(&elf).arg("4").arg("--out").arg(&out));
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
