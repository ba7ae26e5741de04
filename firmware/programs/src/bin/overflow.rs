//! The report's `overflow` (appendix A.5): emits events at a chosen rate until the monitor refuses
//! one. Arguments: `[COMPUTE_US [MILLISECONDS [REFUSALS]]]`, the time between two events, how long
//! to go on, and at which refusal to stop; by default 885 us, about the rate that the report's
//! monitor just sustained, and 30 s and the first one as in the report.
#![no_std]
#![no_main]

use libtos::{clock, compute_us, println, try_send_event};

libtos::program!(main);

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([microseconds, duration, patience]) = arguments.numbers([885, 30_000, 1]) else {
        println!("usage: overflow [COMPUTE_US [MILLISECONDS [REFUSALS]]]");
        return 2;
    };
    let start = clock();
    let (mut events, mut refused) = (0u32, 0u32);
    while clock() - start < duration {
        match try_send_event(0) {
            Ok(true) => {
                events += 1;
                compute_us(microseconds);
            }
            Ok(false) => {
                refused += 1;
                if refused >= patience {
                    println!("send event fails: monitoring bus full");
                    break;
                }
            }
            Err(error) => {
                println!("send event fails: {}", error.meaning());
                return 1;
            }
        }
    }
    println!("overflow: {events} events in {} ms, {refused} refused", clock() - start);
    0
}
