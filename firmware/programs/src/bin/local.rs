//! The report's `local` (appendix A.1): two threads of one processor communicate. Arguments:
//! `[STEPS [REPETITIONS [COMPUTE_MS [CHECK]]]]`, by default 100, 10, 10 as in the report, and 1:
//! every byte is checked, which the report's program does not do (0).
#![no_std]
#![no_main]

libtos::program!(main);

fn main(arguments: libtos::Arguments) -> u32 {
    programs::exchange("local", arguments, libtos::processor())
}
