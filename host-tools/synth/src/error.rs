//! Why there is no bitstream.

use std::path::PathBuf;

use testbed_hdl::machine::MachineError as HardwareError;
use testbed_hdl::support::verilog::VerilogError;
use testbed_machine::{units, MachineError};

use crate::peers::PeerError;

fn hertz(value: &u32) -> String {
    units::print(u128::from(*value), units::HERTZ)
}

/// Why there is no bitstream.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    #[error("no board is called `{name}`\n  help: {meant}use one of {known}")]
    Board { name: String, meant: String, known: String },
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error("machine {machine} is for the board {board}, not for {wanted}\n  help: use --machine {meant}, or --board {board}")]
    OtherBoard { machine: String, board: String, wanted: String, meant: String },
    #[error("no PLL makes {} of {}; the nearest is {}\n  help: change `clock` in the machine's description", hertz(.wanted), hertz(.oscillator), hertz(.nearest))]
    Clock { oscillator: u32, wanted: u32, nearest: u32 },
    #[error("the machine has no hardware: {0}\n  help: change its description")]
    Hardware(#[from] HardwareError),
    #[error("{program} is missing, and installing {package} failed: {why}")]
    Missing { program: &'static str, package: &'static str, why: String },
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error(transparent)]
    Verilog(#[from] VerilogError),
    #[error("{}: {source}\n  help: give another folder with --out, or free some space", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{name} failed ({status}):\n  {said}\n  help: its whole output is in {}", log.display())]
    Failed { name: String, status: String, said: String, log: PathBuf },
    #[error("stopped in {0}")]
    Stopped(String),
    #[error("{machine} does not fit on {board}: {}\n  help: {remedy}", lacks.join(", "))]
    TooLarge { machine: String, board: String, lacks: Vec<String>, remedy: String },
    #[error("{machine} on {board} reaches {achieved:.2} MHz, {wanted:.2} MHz are wanted; the longest path is\n{path}\n  help: try other seeds (--seeds 5), or a lower `clock` in the machine's description")]
    Slow { machine: String, board: String, achieved: f64, wanted: f64, path: String },
    #[error("{}: {what}\n  help: make it anew: {command}", path.display())]
    Stale { path: PathBuf, what: String, command: String },
    #[error("{}: another run is writing to it\n  help: wait for it, or give another folder (--out)", .0.display())]
    Busy(PathBuf),
    #[error("{}: it holds files of others\n  help: give a new or empty folder (--out), or one that `synth` made", .0.display())]
    NotOurs(PathBuf),
    #[error("the program has {bytes} bytes up to its end in RAM, {machine} has {ram} a processor\n  help: choose a smaller program, or a machine with more (`ram` in its description)")]
    Program { bytes: u64, machine: String, ram: String },
    #[error("the program starts at {entry:#010x}, processors at {start:#010x}\n  help: link it for RAM, with its entry first")]
    Entry { entry: u32, start: u32 },
    #[error("{0} can't be read: {1}\n  help: is the tool's version another? Logs lie beside the bitstream")]
    Report(String, String),
}
