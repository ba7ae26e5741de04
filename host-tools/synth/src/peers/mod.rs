//! Other RISC-V cores of the field, for comparison: their Verilog comes from PyPI when it is asked
//! for, and runs under Verilator with a memory that answers as fast as each core can take it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testbed_definitions::map::RAM_BASE;
use testbed_sim::image::Program;

use testbed_runner::python::{self, Package, PythonError};

/// RAM bytes in the wrappers beside this file.
const RAM_BYTES: usize = 64 * 1024;
const MAIN: &str = include_str!("main.cpp");

/// A core, as its authors publish it, in one choice of its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// PicoRV32 with barrel shifter, fast multiplier and divider.
    PicoRv32Fast,
    /// PicoRV32 with serial shifter, multiplier and divider.
    PicoRv32Small,
    /// LiteX's VexRiscv "lite": five stages, 2 KiB instruction cache, serial shifter and multiplier.
    VexRiscvLite,
    /// LiteX's VexRiscv "standard": five stages, 4 KiB caches for instructions and data, shifter
    /// and multiplier of one cycle.
    VexRiscv,
}

/// Why a peer could not be had or did not run.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    #[error(transparent)]
    Python(#[from] PythonError),
    #[error("{path}: {error}")]
    File { path: PathBuf, error: std::io::Error },
    #[error("{path} is not in the package {package}: another version? remove target/python and run it again")]
    Absent { path: PathBuf, package: &'static str },
    #[error("cannot start {program}: {error}\n  help: apt-get install {package}")]
    Start { program: String, package: &'static str, error: std::io::Error },
    #[error("{program} failed: {output}")]
    Failed { program: String, output: String },
    #[error("the program does not fit the peers' RAM: {start:#010x} to {end:#010x}, of {RAM_BASE:#010x} and {RAM_BYTES} bytes")]
    Outside { start: u32, end: u64 },
    #[error("the program has no symbol {0}")]
    Symbol(&'static str),
    #[error("the program left {0} in tohost on {1}: not the right result")]
    Wrong(u32, &'static str),
}

impl Peer {
    pub const ALL: [Peer; 4] = [Peer::PicoRv32Fast, Peer::PicoRv32Small, Peer::VexRiscvLite, Peer::VexRiscv];

    /// Name with the options that matter.
    pub const fn name(self) -> &'static str {
        match self {
            Peer::PicoRv32Fast => "PicoRV32, fast",
            Peer::PicoRv32Small => "PicoRV32, serial",
            Peer::VexRiscvLite => "VexRiscv, lite",
            Peer::VexRiscv => "VexRiscv, caches",
        }
    }

    /// The options, in words.
    pub const fn options(self) -> &'static str {
        match self {
            Peer::PicoRv32Fast => "barrel shifter, fast multiplier, divider; look-ahead to synchronous RAM",
            Peer::PicoRv32Small => "serial shifter, multiplier and divider; look-ahead to synchronous RAM",
            Peer::VexRiscvLite => "5 stages, 2 KiB cache of instructions, serial multiplier; Wishbone",
            Peer::VexRiscv => "5 stages, caches of 4 KiB twice, multiplier of one cycle; Wishbone",
        }
    }

    /// The package of PyPI that has its Verilog (both licences allow any use: ISC, MIT).
    pub const fn package(self) -> Package {
        match self {
            Peer::PicoRv32Fast | Peer::PicoRv32Small => {
                Package { name: "pythondata-cpu-picorv32==1.0.post218", module: "pythondata_cpu_picorv32" }
            }
            Peer::VexRiscvLite | Peer::VexRiscv => {
                Package { name: "pythondata-cpu-vexriscv==1.0.1.post407", module: "pythondata_cpu_vexriscv" }
            }
        }
    }

    const fn file(self) -> &'static str {
        match self {
            Peer::PicoRv32Fast | Peer::PicoRv32Small => "picorv32.v",
            Peer::VexRiscvLite => "VexRiscv_Lite.v",
            Peer::VexRiscv => "VexRiscv.v",
        }
    }

    const fn wrapper(self) -> &'static str {
        match self {
            Peer::PicoRv32Fast | Peer::PicoRv32Small => include_str!("picorv32.v"),
            Peer::VexRiscvLite | Peer::VexRiscv => include_str!("vexriscv.v"),
        }
    }

    /// Parameters of the wrapper, for Verilator.
    const fn parameters(self) -> &'static [&'static str] {
        match self {
            Peer::PicoRv32Fast => &["-GFAST=1"],
            Peer::PicoRv32Small => &["-GFAST=0"],
            Peer::VexRiscvLite | Peer::VexRiscv => &[],
        }
    }
}

/// The core's Verilog in the environment of the workspace at `root`, installed if it is not there.
///
/// # Errors
/// It can't be had.
pub fn source(root: &Path, peer: Peer) -> Result<PathBuf, PeerError> {
    let package = peer.package();
    let folder = python::install(root, &[package])?;
    let folder = python::module(root, package.module).unwrap_or(folder);
    let path = folder.join("verilog").join(peer.file());
    match path.is_file() {
        true => Ok(path),
        false => Err(PeerError::Absent { path, package: package.name }),
    }
}

/// A peer, compiled.
pub struct Simulator {
    peer: Peer,
    folder: tempfile::TempDir,
}

impl Simulator {
    /// Compiles the peer with its wrapper: some ten seconds.
    ///
    /// # Errors
    /// Its Verilog can't be had, or Verilator is not there or fails.
    pub fn build(root: &Path, peer: Peer) -> Result<Self, PeerError> {
        let path = source(root, peer)?;
        let text = fs::read_to_string(&path).map_err(|error| PeerError::File { path: path.clone(), error })?;
        // VexRiscv does not cache what has address bit 31 set, where our RAM is; so that bit becomes another.
        let text = text.replace("_rsp_physicalAddress[31]", "_rsp_physicalAddress[30]");
        let folder = tempfile::tempdir().map_err(|error| PeerError::File { path: std::env::temp_dir(), error })?;
        for (name, text) in [("core.v", text.as_str()), ("peer.v", peer.wrapper()), ("main.cpp", MAIN)] {
            let path = folder.path().join(name);
            fs::write(&path, text).map_err(|error| PeerError::File { path, error })?;
        }
        let mut verilator = Command::new("verilator");
        verilator.current_dir(folder.path()).args(["--cc", "--exe", "--build", "-O3", "--top-module", "peer"]);
        // Their warnings are not ours to mend.
        verilator.args(["-Wno-fatal", "-Wno-lint", "-Wno-style", "-MAKEFLAGS", "OPT_FAST=-O2"]);
        verilator.args(peer.parameters()).args(["peer.v", "core.v", "main.cpp"]);
        output(verilator, "verilator")?;
        Ok(Self { peer, folder })
    }

    /// Cycles from reset until `program`, whose `symbol` is made `value` before the start, stores 1 to `tohost`.
    ///
    /// # Errors
    /// It stores something else, or nothing within `max_cycles`.
    pub fn run(&self, program: &Program, symbol: &'static str, value: u32, max_cycles: u64) -> Result<u64, PeerError> {
        let tohost = program.tohost().ok_or(PeerError::Symbol("tohost"))?;
        let at = program.symbol(symbol).ok_or(PeerError::Symbol(symbol))?;
        let mut memory = memory(program)?;
        let index = at.wrapping_sub(RAM_BASE) as usize;
        let end = u64::from(at) + 4;
        memory
            .get_mut(index..index + 4)
            .ok_or(PeerError::Outside { start: at, end })?
            .copy_from_slice(&value.to_le_bytes());
        let words = memory.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let path = self.folder.path().join("image.hex");
        let text: String = words.map(|word| format!("{word:08x}\n")).collect();
        fs::write(&path, text).map_err(|error| PeerError::File { path, error })?;
        let mut peer = Command::new(self.folder.path().join("obj_dir/Vpeer"));
        peer.current_dir(self.folder.path()).args([tohost.to_string(), max_cycles.to_string()]).arg("+image=image.hex");
        let said = output(peer, "g++")?;
        let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [cycles, 1] => Ok(cycles),
            [_, value] => Err(PeerError::Wrong(value as u32, self.peer.name())),
            _ => Err(PeerError::Failed { program: self.peer.name().into(), output: said }),
        }
    }
}

/// The wrappers' RAM with the program in it.
fn memory(program: &Program) -> Result<Vec<u8>, PeerError> {
    let mut memory = vec![0; RAM_BYTES];
    for (start, bytes) in &program.image.segments {
        let outside = || PeerError::Outside { start: *start, end: u64::from(*start) + bytes.len() as u64 };
        let index = start.checked_sub(RAM_BASE).ok_or_else(outside)? as usize;
        memory.get_mut(index..index + bytes.len()).ok_or_else(outside)?.copy_from_slice(bytes);
    }
    Ok(memory)
}

/// What a command says, if it succeeds; else the end of it.
fn output(mut command: Command, package: &'static str) -> Result<String, PeerError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| PeerError::Start { program: program.clone(), package, error })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<_> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(5)..].join("\n");
    Err(PeerError::Failed { program, output: last })
}
