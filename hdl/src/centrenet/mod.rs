//! Centrenet: stations, bus, and the window strobe of the whole machine. Cycles and registers: `docs/centrenet.md`.

pub mod bus;
pub mod linear;
pub mod node;
pub mod receiver;
pub mod station;
pub mod strobe;
pub mod transmitter;

#[cfg(test)]
mod formal;
#[cfg(test)]
mod tests;

pub use bus::{Bus, Phase};
pub use linear::{CrcStep, FaultDraws};
pub use station::Station;
pub use strobe::Strobe;
