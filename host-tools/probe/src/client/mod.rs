//! The client as a state machine: a session with one server for one part of a measurement.

pub mod machine;
pub mod seen;
pub mod settings;
