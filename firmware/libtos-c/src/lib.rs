//! What C programs for TOS link against: `libtos.a`, with the headers of `include/`. The report's
//! list (section 2.1.3), and what programs for other machines expect of standard C; and the calls
//! for threads and channels. `docs/programs.md` says how to build a program.
//!
//! All state (streams, heap, environment) is the process's, shared by its threads wherever they are, and guarded by
//! [`libtos::lock::Lock`]s.
#![no_std]

mod assert;
mod bsp;
mod builtins;
mod character;
mod clock;
mod complex;
mod descriptor;
mod end;
mod environment;
mod error;
mod float;
mod format;
mod heap;
mod ieee;
mod input;
mod jump;
mod line;
mod locale;
mod math;
mod nearest;
mod number;
mod opening;
mod option;
mod out;
mod print;
mod rand48;
mod random;
mod real;
mod scan;
mod shared;
mod signal;
mod sort;
mod start;
mod status;
mod stdio;
mod stream;
mod string;
mod strings;
mod table;
mod temporary;
mod tos;
mod variadic;
mod weak;
