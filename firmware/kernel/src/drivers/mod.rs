//! Devices: the station of Centrenet, the UART, the monitor.

pub mod centrenet;
pub mod console;
pub mod events;
#[cfg_attr(feature = "small", path = "absent/mod.rs")]
pub mod extended;
pub mod packet;
mod place;
