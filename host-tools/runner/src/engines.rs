//! Engines by name.

use testbed_machine::{suggest, Machine};
use testbed_sim::emulator::Emulator;
use testbed_sim::engine::{Engine, EngineError, Image};
use testbed_sim::rust_hdl::RustHdl;
use testbed_sim::verilator::{Compiled, Verilator};
use testbed_sim::waves::Waves;

/// Engines that can be opened, the default first.
pub const NAMES: &[&str] = &["emulator", "verilator", "rust-hdl"];

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("no engine is called `{name}`\n  help: {}use one of {}", suggest::question(.name, NAMES.iter().copied()), NAMES.join(", "))]
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
    fn boxed<E: Engine + 'static>(engine: Result<E, EngineError>) -> Result<Box<dyn Engine>, EngineError> {
        Ok(Box::new(engine?))
    }
    // A new machine's model takes a minute, without a word if nobody looks at a terminal.
    let mut tell = |what: &str| tell!("{what}");
    let engine = match (name, waves) {
        ("emulator", None) => boxed(Emulator::new(machine, image)),
        ("emulator", Some(_)) => return Err(OpenError::NoWaves { name: name.into() }),
        ("verilator", None) => {
            boxed(Compiled::new(machine, None, &mut tell).and_then(|compiled| compiled.engine(image)))
        }
        ("verilator", Some(waves)) => boxed(Verilator::with_waves(machine, image, waves, &mut tell)),
        ("rust-hdl", None) => boxed(RustHdl::new(machine, image)),
        ("rust-hdl", Some(waves)) => boxed(RustHdl::with_waves(machine, image, waves)),
        _ => return Err(OpenError::Unknown { name: name.into() }),
    };
    engine.map_err(|source| OpenError::Engine { name: name.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_without_headless_machines_name_the_one_that_has_them() {
        let machine = Machine::named("hx8k-evn").unwrap();
        for name in ["emulator", "rust-hdl"] {
            let error = open(name, &machine, &Image::default(), None).err().map(|error| error.to_string()).unwrap();
            assert!(error.contains("use the engine `verilator`") && error.contains("hx8k-evn is headless"), "{error}");
        }
    }
}
