//! Debian's compiler of C for the machine, with the library of C programs.
#![allow(dead_code)]

use std::path::Path;
use std::process::Command;

use testbed_runner::firmware::{self, Firmware};

/// The compiler, and the package that has it.
pub const GCC: &str = "riscv64-unknown-elf-gcc";
/// The options that `docs/programs.md` says, but for how much is optimised, and all warnings.
const FLAGS: &[&str] = &[
    "-march=rv32im_zicsr",
    "-mabi=ilp32",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffreestanding",
    "-nostdlib",
    "-Wl,--gc-sections",
];

/// Builds `source` into the ELF file `elf`, with more options, such as `-Os` and `-std=c11`.
///
/// # Panics
/// There is no compiler, or it finds a fault.
pub fn build(built: &Firmware, source: &Path, options: &[&str], elf: &Path) {
    let output = Command::new(GCC)
        .args(FLAGS)
        .args(options)
        .arg("-I")
        .arg(firmware::root().unwrap().join("firmware/libtos-c/include"))
        .arg("-I")
        .arg(firmware::root().unwrap().join("firmware/libbsp/include"))
        .arg("-T")
        .arg(built.folder.join("libtos.ld"))
        .arg("-o")
        .arg(elf)
        .arg(source)
        .arg(built.folder.join("libtos.a"))
        .output()
        .unwrap_or_else(|error| panic!("this test needs {GCC} ({error}): apt-get install gcc-riscv64-unknown-elf"));
    assert!(output.status.success(), "{}:\n{}", source.display(), String::from_utf8_lossy(&output.stderr));
}
