//! The Testbed's hardware, all in rust-hdl.

pub mod board;
pub mod byte_fifo;
pub mod centrenet;
pub mod clint;
pub mod core;
pub mod machine;
pub mod monitor;
pub mod pipeline;
pub mod processor;
pub mod ram;
pub mod support;
pub mod system;
pub mod uart;
