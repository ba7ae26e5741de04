//! The shortest bulk-synchronous program that does something: each process tells all others its
//! number, and adds up those up to its own. `bsp-sum [PROCESSES [ROUNDS]]`; before that come so many
//! supersteps in which nothing is done, and each process prints how many cycles one took.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;

use libbsp::safe::Process;
use libtos::{clock_hz, println, Arguments};

libbsp::program!(main, |arguments| arguments.number(0, 0).unwrap_or(0));

/// Processes at most.
const PROCESSES: usize = 64;

struct Numbers(UnsafeCell<[u32; PROCESSES]>);
// SAFETY: the program has one thread.
unsafe impl Sync for Numbers {}
static NUMBERS: Numbers = Numbers(UnsafeCell::new([0; PROCESSES]));

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let Some([_, rounds]) = arguments.numbers([0, 10]).filter(|numbers| numbers[1] != 0) else {
        println!("usage: bsp-sum [PROCESSES [ROUNDS (at least 1)]]");
        return 2;
    };
    // SAFETY: lent once.
    let numbers = bsp.register(unsafe { &mut *NUMBERS.0.get() });
    bsp.sync();
    let start = bsp.time();
    for _ in 0..rounds {
        bsp.sync();
    }
    let cycles = (bsp.time() - start) * clock_hz() as f64 / rounds as f64;
    let (me, all) = (bsp.pid(), bsp.nprocs());
    for pid in 0..all {
        bsp.put(pid, &[me as u32 + 1], numbers, me);
    }
    bsp.sync();
    let sum: u32 = numbers.of(bsp)[..=me].iter().sum();
    println!("process {me} of {all}: {sum}, {} cycles a superstep", cycles as u32);
    0
}
