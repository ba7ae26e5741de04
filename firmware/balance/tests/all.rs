//! The tests of this crate, in one binary.

mod balancing;
mod candidates;
mod described;
mod gain;
mod log;
mod model;
mod parts;
mod policies;
mod reader;
mod samples;
mod settings;
