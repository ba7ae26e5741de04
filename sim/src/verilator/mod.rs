//! The `verilator` engine: the Verilog that rust-hdl generates for a machine, compiled.

pub mod compile;
pub mod model;
pub mod verilog;
