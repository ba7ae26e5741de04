//! Simulators of the Testbed: one trait, three engines that agree cycle for cycle.

pub mod engine;
