//! The tests of this crate, in one binary.

mod balancing;
mod candidates;
mod log;
mod model;
mod policies;
mod reader;
mod samples;
