//! Runs a Testbed, keeps what its monitors saw, and proves the order of it.
//!
//! | module | what it does |
//! |---|---|
//! | [`attach`] | captures from a board's serial port |
//! | [`drive`] | runs an engine into a capture until the program is over |
//! | [`engines`] | engines by name |
//! | [`filter`] | what the monitors are to leave out, from the command line |
//! | [`counters`] | the ledger of an engine |
//! | [`operator`] | who sits at the machine's console |
//! | [`kernel_bench`] | what the kernel's services cost, from the stamps of `kernel-bench` |
//! | [`synth`] | a board's bitstream |
//! | [`overflow`] | at which rate the monitors lose events, from runs of `logger` |
//! | [`apt`], [`python`] | packages of Debian and of PyPI that are missing |
//! | [`peers`] | other cores, and how many cycles a program takes on them |
//! | [`firmware`], [`files`], [`load`] | kernel and programs: building, choosing files for the filestore, and placing all in RAM |
//! | [`look`], [`lines`] | what every thread does, from the processors' RAM, and at which line of its source |
//! | [`names`] | names of processors for programs |
//! | [`instrumentation`] | how much of the kernel is there for its events |
//! | [`signals`] | Ctrl-C and its like |
//! | [`top`] | a run in a terminal, while it goes on or played |
//!
//! What reads a trace afterwards is the crate [`testbed_trace`], whose modules are here under the same names.
#![forbid(unsafe_code)]

pub mod apt;
pub mod attach;
pub mod counters;
pub mod drive;
pub mod engines;
pub mod files;
pub mod filter;
pub mod firmware;
pub mod instrumentation;
pub mod kernel_bench;
pub mod lines;
pub mod look;
pub mod names;
pub mod operator;
pub mod overflow;
pub mod peers;
pub mod python;
pub mod signals;
pub mod synth;
pub mod top;

pub use testbed_sim::load;
pub use testbed_trace::{analysis, capture, compare, conform, export, ledger, order, report, summary, waits};
