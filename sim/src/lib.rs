//! Simulators of the Testbed: one trait, three engines that agree cycle for cycle.

pub mod exec;
pub mod lockstep;
pub mod probes;
pub mod rust_hdl;
pub mod verilator;
pub mod waves;

pub use testbed_emulator::{emulator, engine, image, load, model};
