//! All tests of this crate that can share a process, in one binary: it is linked once, and what
//! several of them need is compiled once.

mod ahead;
mod centrenet;
mod common;
mod console;
mod emulator;
mod equality;
mod image;
mod lockstep;
mod monitor;
mod sprints;
mod translator;
mod user_events;
mod verilator;
mod waves;
