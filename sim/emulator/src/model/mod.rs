//! Arithmetic models of the hardware around the core: advanced when someone looks, not by ticking.

pub mod centrenet;
pub mod clint;
pub mod monitor;
pub mod system;
pub mod uart;
