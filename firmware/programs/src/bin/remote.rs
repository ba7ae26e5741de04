//! The report's `remote` (appendix A.2): two threads on different processors communicate.
//! Arguments: `[STEPS [REPETITIONS [COMPUTE_MS [CHECK]]]]`, by default 100, 10, 10 as in the
//! report, and 1: every byte is checked, which the report's program does not do (0).
//!
//! The receiver runs on the next slave; if there is only one slave, on the master (which has no
//! monitoring interface, so that the trace shows the sender's side only).
#![no_std]
#![no_main]

libtos::program!(main);

fn main(arguments: libtos::Arguments) -> u32 {
    let next = libtos::processor() + 1;
    programs::exchange("remote", arguments, if next < libtos::processors() { next } else { 0 })
}
