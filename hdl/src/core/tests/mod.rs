//! The core's tests: blocks and the whole against their Verilog, programs on a behavioural memory, synthesis.

mod assembler;
mod blocks;
mod bus;
mod csrs;
mod paging;
mod pairs;
mod stream;
mod timing;
mod traps;
