//! Analyses, held against traces whose answers are known, and against what must hold for every trace.

mod known;
mod properties;
mod scripts;
#[path = "../common/steps.rs"]
mod steps;
mod uncertain;
mod waits;
mod watch;
