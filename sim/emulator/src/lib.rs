//! The emulator, and what engines have in common: what they do, and the images that they start
//! with.
//!
//! | module | what it holds |
//! |---|---|
//! | [`engine`] | what every engine can do, and what it shows |
//! | [`image`] | a program for the bare machine from its ELF file |
//! | [`load`] | kernel, programs and boot block as the image of a machine |
//! | [`emulator`] | the machine at the level of instructions, exact to the cycle |
//! | [`model`] | arithmetic models of bus, monitor and devices |
//!
//! Nothing here needs the hardware's sources or, without the feature `files`, a file system: so it
//! builds for `wasm32-unknown-unknown` and runs in a browser.
#![deny(unsafe_code)]

pub mod emulator;
pub mod engine;
mod hart;
pub mod image;
pub mod load;
pub mod model;
mod ram;
mod schedule;
mod shared;
