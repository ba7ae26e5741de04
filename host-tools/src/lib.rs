//! What the commands of `testbed` have beside the crates that run a machine and read its traces.
//!
//! | module | what it does |
//! |---|---|
//! | [`attach`] | captures from a board's serial port |
//! | [`kernel_bench`] | what the kernel's services cost, from the stamps of `kernel-bench` |
//! | [`serve`] | a page about a run, from a server for this computer only |
//! | [`top`] | a run in a terminal, while it goes on or played |
//! | [`web`] | a page in which a machine runs |
//!
//! `testbed_runner` runs a machine, `testbed_trace` reads what its monitors saw, `testbed_experiments`
//! makes figures of many runs, and `testbed_synth` makes bitstreams.
#![forbid(unsafe_code)]

pub mod attach;
pub mod kernel_bench;
pub mod serve;
pub mod top;
pub mod web;
