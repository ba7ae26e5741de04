//! What every block's tests share: generation, lint, native simulation, comparison with Icarus, synthesis.
//!
//! rust-hdl's native simulation and the Verilog that it generates can differ on ordinary expressions while all its
//! own checks pass. So every block is linted ([`lint`]), compared with its Verilog on random stimulus
//! ([`differential`]) and run through yosys ([`synthesis`]).

pub mod bench;
pub mod blocks;
pub mod differential;
#[cfg(test)]
pub mod fitting;
#[cfg(test)]
pub mod formal;
pub mod lint;
pub mod netlist;
pub mod ports;
pub mod proven;
pub mod random;
pub mod serial;
pub mod synthesis;
pub mod tools;
pub mod verilog;
