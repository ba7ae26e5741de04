//! Engines by name.

use testbed_machine::Machine;
use testbed_sim::engine::{Engine, EngineError, Image};

/// Engines that can be opened, the default first.
pub const NAMES: &[&str] = &[];

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("no engine is called `{name}`\n  help: use one of {}", NAMES.join(", "))]
    Unknown { name: String },
    #[error("the {name} engine cannot start: {source}")]
    Engine { name: String, source: EngineError },
}

/// Starts the engine `name` with `machine` at cycle 0, RAM filled from `image`.
///
/// # Errors
/// No such engine; or it lacks a tool, which the error names with the remedy.
pub fn open(name: &str, _machine: &Machine, _image: &Image) -> Result<Box<dyn Engine>, OpenError> {
    Err(OpenError::Unknown { name: name.into() })
}
