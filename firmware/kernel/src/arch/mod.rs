//! The processor: its control registers and device registers, and copying by words and pages.
//! `trap.s` is start-up, and the passage between kernel and user threads.

#[cfg_attr(feature = "small", path = "absent/mod.rs")]
pub mod extended;
pub mod hw;
pub mod memory;
pub mod words;
