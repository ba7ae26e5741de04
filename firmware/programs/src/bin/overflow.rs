//! The report's `overflow` (appendix A.5): emits events at a chosen rate until the monitor refuses one.
//! Arguments: `[COMPUTE_US [MILLISECONDS]]`, the time between two events and how long to go on; by default 885 us, about
//! the rate that the report's monitor just sustained, and 30 s as in the report.
#![no_std]
#![no_main]

use libtos::{clock, compute_us, println, send_event};

libtos::program!(main);

fn main(arguments: libtos::Arguments) -> u32 {
    let (Some(microseconds), Some(duration)) = (arguments.number(0, 885), arguments.number(1, 30_000)) else {
        println!("usage: overflow [COMPUTE_US [MILLISECONDS]]");
        return 2;
    };
    let start = clock();
    let (mut events, mut full) = (0u32, false);
    while clock() - start < duration {
        match send_event(0) {
            Ok(true) => {
                events += 1;
                compute_us(microseconds);
            }
            Ok(false) => {
                println!("send event fails: monitoring bus full");
                full = true;
                break;
            }
            Err(error) => {
                println!("send event fails: {}", error.meaning());
                return 1;
            }
        }
    }
    println!(
        "overflow: {events} events in {} ms, {}",
        clock() - start,
        if full { "then refused" } else { "none refused" }
    );
    0
}
