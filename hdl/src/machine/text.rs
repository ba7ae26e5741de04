//! The Verilog of every machine of `machines/`, held by its digest.
//!
//! A change of how blocks are written, not of what they are, leaves `verilog.expected` as it is.
//! After a change of the hardware, `TESTBED_OVERWRITE=1 cargo test --release --workspace --lib
//! verilog_of_every` writes it anew.

use std::path::{Path, PathBuf};

use testbed_machine::Machine as Description;
use xxhash_rust::xxh3::xxh3_64;

use crate::board::{self, Options};

fn expected() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/machine/verilog.expected")
}

/// The machines of `machines/`, in the order of their names.
fn machines() -> Vec<Description> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machines");
    let mut paths: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Description::load(path.to_str().unwrap()).unwrap()).collect()
}

/// A line: the machine, what of it, how many modules and lines its Verilog has, its digest.
fn line(machine: &str, part: &str, text: &str) -> String {
    let modules = text.lines().filter(|line| line.starts_with("module ")).count();
    let (lines, digest) = (text.lines().count(), xxh3_64(text.as_bytes()));
    format!("{machine:10} {part:21} {modules:3} modules {lines:6} lines {digest:016x}\n")
}

#[test]
fn verilog_of_every_machine_and_board_is_as_it_was() {
    let mut lines = String::new();
    for machine in machines() {
        lines += &line(&machine.name, "machine", &super::verilog(&machine).unwrap());
        for (part, queues_in_luts) in [("board", false), ("board, queues in LUTs", true)] {
            let options = Options { queues_in_luts, ..Options::default() };
            lines += &line(&machine.name, part, &board::verilog(&machine, &options).unwrap());
        }
    }
    if std::env::var_os("TESTBED_OVERWRITE").is_some() {
        std::fs::write(expected(), &lines).unwrap();
    }
    let before = std::fs::read_to_string(expected()).unwrap();
    let is_new = |line: &&str| !before.lines().any(|old| old == *line);
    let new: Vec<&str> = lines.lines().filter(is_new).collect();
    assert!(
        lines == before,
        "other Verilog than in verilog.expected (see hdl/src/machine/text.rs):\n{}",
        new.join("\n")
    );
}
