//! Engines by name.

use testbed_machine::Machine;
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, EngineError, Image};
use testbed_sim::waves::Waves;

/// Engines that can be opened, the default first.
pub const NAMES: &[&str] = &["emulator"];

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("no engine is called `{name}`\n  help: use one of {}", NAMES.join(", "))]
    Unknown { name: String },
    #[error("the {name} engine has no signals to write waves of\n  help: add --engine verilator or --engine rust-hdl")]
    NoWaves { name: String },
    #[error("the {name} engine cannot start: {source}")]
    Engine { name: String, source: EngineError },
}

/// Starts the engine `name` with `machine` at cycle 0, RAM filled from `image`, writing `waves` if given.
///
/// # Errors
/// No such engine; it can't write waves; or it lacks a tool, which the error names with the remedy.
pub fn open(name: &str, machine: &Machine, image: &Image, waves: Option<Waves>) -> Result<Box<dyn Engine>, OpenError> {
    let failed = |source| OpenError::Engine { name: name.into(), source };
    match name {
        "emulator" if waves.is_some() => Err(OpenError::NoWaves { name: name.into() }),
        "emulator" => Ok(Box::new(Emulator::new(machine, image).map_err(failed)?)),
        _ => Err(OpenError::Unknown { name: name.into() }),
    }
}
