//! Simulators of the Testbed: one trait, three engines that agree cycle for cycle.

pub mod emulator;
pub mod engine;
pub mod exec;
pub mod image;
pub mod lockstep;
pub mod model;
pub mod probes;
pub mod rust_hdl;
pub mod verilator;
pub mod waves;
