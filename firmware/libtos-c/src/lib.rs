//! What C programs for TOS link against: `libtos.a`, with the headers of `include/`. The report's list (section 2.1.3): parts of `stdio`, `string`,
//! `stdlib` and `time`, and the calls for threads and channels. `docs/programs.md` says how to build a program.
//!
//! All state (streams, heap, environment) is the process's, shared by its threads wherever they are, and guarded by
//! [`libtos::lock::Lock`]s.
#![no_std]

mod assert;
mod bsp;
mod character;
mod environment;
mod error;
mod float;
mod format;
mod heap;
mod number;
mod out;
mod random;
mod shared;
mod sort;
mod start;
mod stdio;
mod stream;
mod string;
mod tos;
mod variadic;
