//! The composition as Verilog, in Verilator, on a recorded run.

use super::scenario::{Cycle, INPUTS, OUTPUTS};
use std::path::Path;
use std::process::Command;
use testbed_hdl::monitor::composition::MonitorBench;
use testbed_hdl::support::tools::{scratch, write, Tool};
use testbed_hdl::support::verilog::{connected_verilog, TOP};

/// The bench compiled, to be run on as many recordings as one likes.
pub struct Verilated {
    folder: tempfile::TempDir,
}

impl Verilated {
    pub fn build(bench: MonitorBench) -> Self {
        let ports = bench.ports();
        assert_eq!((ports.inputs.len(), ports.outputs.len()), (INPUTS, OUTPUTS));
        let inputs: Vec<&str> = ports.inputs.iter().map(|p| p.name).collect();
        let outputs: Vec<&str> = ports.outputs.iter().map(|p| p.name).collect();
        let folder = scratch().unwrap();
        write(&folder.path().join("block.v"), &connected_verilog(bench).unwrap()).unwrap();
        write(&folder.path().join("main.cpp"), &driver(&inputs, &outputs)).unwrap();
        let arguments = ["--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "--top-module", TOP];
        let arguments = [&arguments[..], &["-MAKEFLAGS", "OPT_FAST=-O1", "block.v", "main.cpp"]].concat();
        Tool::Verilator.run(folder.path(), &arguments).unwrap_or_else(|error| panic!("{error}"));
        Verilated { folder }
    }

    /// Runs from cycle 0 and compares every output in every cycle.
    pub fn check(&self, cycles: &[Cycle], what: &str) {
        let path = |name: &str| self.folder.path().join(name);
        let inputs: Vec<u8> = cycles.iter().flat_map(|c| c.inputs).flat_map(u32::to_le_bytes).collect();
        std::fs::write(path("inputs.bin"), inputs).unwrap();
        run(&path("obj_dir").join(format!("V{TOP}")), self.folder.path());
        let outputs = std::fs::read(path("outputs.bin")).unwrap();
        assert_eq!(outputs.len(), cycles.len() * OUTPUTS * 4, "{what}: the simulation is too short");
        for (number, (cycle, bytes)) in cycles.iter().zip(outputs.chunks(OUTPUTS * 4)).enumerate() {
            let word = |i: usize| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap());
            let got: [u32; OUTPUTS] = std::array::from_fn(word);
            super::compare(number, cycle, got, what);
        }
    }
}

fn run(program: &Path, folder: &Path) {
    let status = Command::new(program).current_dir(folder).status().unwrap();
    assert!(status.success(), "{}: {status}", program.display());
}

/// Verilator writes `$` as `__024`.
fn driver(inputs: &[&str], outputs: &[&str]) -> String {
    let field = |name: &&str| format!("top.{}", name.replace('$', "__024"));
    let set: String = inputs.iter().enumerate().map(|(i, n)| format!("    {} = in[{i}];\n", field(n))).collect();
    let get: String = outputs.iter().enumerate().map(|(i, n)| format!("    out[{i}] = {};\n", field(n))).collect();
    format!(
        r#"#include <cstdint>
#include <cstdio>
#include "V{TOP}.h"
int main() {{
  V{TOP} top;
  FILE *from = fopen("inputs.bin", "rb"), *to = fopen("outputs.bin", "wb");
  if (!from || !to) return 1;
  uint32_t in[{inputs}], out[{outputs}];
  top.clock = 0;
  top.eval();
  while (fread(in, sizeof in, 1, from) == 1) {{
{set}    top.eval();
{get}    if (fwrite(out, sizeof out, 1, to) != 1) return 1;
    top.clock = 1;
    top.eval();
    top.clock = 0;
    top.eval();
  }}
  top.final();
  return fclose(to);
}}
"#,
        inputs = inputs.len(),
        outputs = outputs.len(),
    )
}
