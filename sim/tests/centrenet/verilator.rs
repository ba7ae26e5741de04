//! Recordings on the generated Verilog, compiled by Verilator.

use super::traffic::{Access, Recording};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use testbed_hdl::centrenet::node::Node;
use testbed_hdl::support::verilog::connected_verilog;

/// Words of stimulus a station and cycle: kind, address, data.
const INPUT_WORDS: usize = 3;
/// Words of response a station and cycle: rdata, ram_rdata, irq.
const OUTPUT_WORDS: usize = 3;

/// Replays all `recordings` on `N` stations, each from power-up; panics at the first difference.
pub fn replay<const N: usize>(recordings: &[Recording]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = build::<N>(folder.path());
    for recording in recordings {
        let (input, output) = (folder.path().join("input"), folder.path().join("output"));
        std::fs::write(&input, stimulus(recording)).expect("room for the stimulus");
        run(Command::new(&program).arg(&input).arg(&output));
        let bytes = std::fs::read(&output).expect("the simulation's output");
        let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert_eq!(words.len(), recording.cycles.len() * N * OUTPUT_WORDS, "{}", recording.name);
        for (index, word) in words.chunks_exact(OUTPUT_WORDS).enumerate() {
            recording.check(index / N, index % N, word[0], word[1], word[2] != 0);
        }
        println!("{}: {} cycles agree", recording.name, recording.cycles.len());
    }
}

fn stimulus(recording: &Recording) -> Vec<u8> {
    let words = recording.cycles.iter().flatten().flat_map(|cycle| match cycle.access {
        Access::Idle => [0; INPUT_WORDS],
        Access::Load { offset } => [1, offset, 0],
        Access::Store { offset, value } => [2, offset, value],
        Access::RamRead { word } => [3, word, 0],
        Access::RamWrite { word, value } => [4, word, value],
    });
    words.flat_map(u32::to_le_bytes).collect()
}

fn run(command: &mut Command) {
    let shown = format!("{command:?}");
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{shown}: {error}; install it: apt-get install verilator g++ make"));
    assert!(output.status.success(), "{shown}:\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiles the Verilog of a node of `N` stations; the path of the program.
fn build<const N: usize>(folder: &Path) -> std::path::PathBuf {
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("room for the sources");
    write("node.v", connected_verilog(Node::new(N)).expect("Verilog"));
    write("harness.v", harness(N));
    write("main.cpp", main_cpp(N));
    run(Command::new("verilator").current_dir(folder).args([
        "--cc",
        "--exe",
        "--build",
        "-O3",
        "--x-assign",
        "fast",
        "-Wno-fatal",
        "-Wno-lint",
        "-Wno-style",
        "--top-module",
        "harness",
        "-MAKEFLAGS",
        "OPT_FAST=-O1 OPT_SLOW=-O0",
        "--output-split",
        "20000",
        "-CFLAGS",
        "-O1",
        "harness.v",
        "node.v",
        "main.cpp",
    ]));
    folder.join("obj_dir/Vharness")
}

/// Gives the node's ports names that C++ can say: vectors over all stations, 32 bits each.
fn harness(stations: usize) -> String {
    let mut connections = String::new();
    for i in 0..stations {
        let word = |bus: &str, bits: u32| format!("{bus}[{}+:{bits}]", 32 * i);
        write!(
            connections,
            ",\n .select${i}(kind{i} == 1 || kind{i} == 2), .read${i}(kind{i} == 1), .write${i}(kind{i} == 2), .address${i}({}), .wdata${i}({}), \
             .rdata${i}({}), .irq${i}(irq[{i}]), .ram_address${i}({}), .ram_write${i}(kind{i} == 4), .ram_wdata${i}({}), .ram_rdata${i}({})",
            word("address", 16),
            word("data", 32),
            word("rdata", 32),
            word("address", 10),
            word("data", 32),
            word("ram_rdata", 32),
        )
        .expect("strings take all");
    }
    let kinds: String = (0..stations).map(|i| format!("  wire [2:0] kind{i} = kind[{}+:3];\n", 32 * i)).collect();
    let last = 32 * stations - 1;
    format!(
        "module harness(input clock, input [{last}:0] kind, input [{last}:0] address, input [{last}:0] data,\n\
         output [{last}:0] rdata, output [{last}:0] ram_rdata, output [{}:0] irq);\n{kinds}  top node(.clock(clock){connections});\nendmodule\n",
        stations - 1
    )
}

fn main_cpp(stations: usize) -> String {
    format!(
        r#"#include "Vharness.h"
#include <cstdio>
#include <vector>
int main(int, char **arguments) {{
    const int N = {stations};
    std::FILE *input = std::fopen(arguments[1], "rb"), *output = std::fopen(arguments[2], "wb");
    if (!input || !output) return 1;
    Vharness node;
    node.clock = 0;
    node.eval();
    std::vector<uint32_t> in(N * {INPUT_WORDS}), out(N * {OUTPUT_WORDS});
    while (std::fread(in.data(), 4, in.size(), input) == in.size()) {{
        for (int i = 0; i < N; i++) {{
            node.kind[i] = in[i * 3];
            node.address[i] = in[i * 3 + 1];
            node.data[i] = in[i * 3 + 2];
        }}
        node.clock = 0;
        node.eval();
        for (int i = 0; i < N; i++) {{
            out[i * 3] = node.rdata[i];
            out[i * 3 + 1] = node.ram_rdata[i];
            out[i * 3 + 2] = node.irq >> i & 1;
        }}
        if (std::fwrite(out.data(), 4, out.size(), output) != out.size()) return 1;
        node.clock = 1;
        node.eval();
    }}
    return std::fclose(output) != 0;
}}
"#
    )
}
