//! The tests of this crate, in one binary.

mod candidates;
mod log;
mod model;
mod samples;
