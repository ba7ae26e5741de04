//! Analyses, held against traces whose answers are known, and against what must hold for every trace.

mod known;
mod properties;
pub mod scripts;
pub mod supersteps;
mod uncertain;
mod waits;
mod watch;
