//! Sums of prefixes in a bulk-synchronous program: `bsp-sum [PROCESSES [ROUNDS]]`.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use libbsp::safe::Process;
use libtos::{println, Arguments};

libbsp::program!(main, |arguments| arguments.number(0, 0).unwrap_or(0));

fn main(arguments: Arguments, bsp: &mut Process) -> u32 {
    let rounds: u32 = arguments.number(1, 10).unwrap_or(10);
    struct Cells(UnsafeCell<[u32; 64]>);
    unsafe impl Sync for Cells {}
    static VALUES: Cells = Cells(UnsafeCell::new([0; 64]));
    let values = bsp.register(unsafe { &mut *VALUES.0.get() });
    bsp.sync();
    let start = bsp.time();
    for _ in 0..rounds {
        bsp.sync();
    }
    let per = (bsp.time() - start) * 25e6 / rounds as f64;
    let (me, all) = (bsp.pid(), bsp.nprocs());
    for pid in 0..all {
        bsp.put(pid, &[me as u32 + 1], values, me);
    }
    bsp.sync();
    let sum: u32 = values.of(bsp)[..=me].iter().sum();
    println!("process {me} of {all}: {sum}, {} cycles a superstep", per as u32);
    bsp.sync();
    0
}
