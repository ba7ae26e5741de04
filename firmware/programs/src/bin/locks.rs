//! Threads on all processors, several on each, add to one number in the process's data, one at a
//! time by [`libtos::lock::Lock`]; without mutual exclusion, or with pages that are not coherent,
//! additions would be lost. Arguments: `[THREADS [TIMES]]`, by default 12 threads, 20 times each.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libtos::lock::Lock;
use libtos::random::Random;
use libtos::{
    compute_us, create, exit, halt, need_large_kernel, println, processors, receive, send_block, stack_for, thread_id,
    wait, Error,
};

libtos::program!(main);

const STACK_PAGES: u32 = 2;
const FIRST: u8 = 2;
static LOCK: Lock = Lock::new();
static SUM: AtomicU32 = AtomicU32::new(0);
/// Who is inside; nobody else may be.
static INSIDE: AtomicU32 = AtomicU32::new(0);

fn main(arguments: libtos::Arguments) -> u32 {
    need_large_kernel("shared pages");
    let Some([threads @ 1..=62, times]) = arguments.numbers([12u32, 20]) else {
        println!("usage: locks [THREADS (1 to 62) [TIMES]]");
        return 2;
    };
    if let Err(error) = start(threads as u8, times) {
        println!("locks: {}", error.meaning());
        halt();
    }
    let failed = wait();
    let sum = SUM.load(Relaxed);
    let right = sum == threads * times;
    println!("locks: {threads} threads, {sum} additions: {}; {failed} failed", if right { "right" } else { "WRONG" });
    failed + !right as u32
}

fn start(threads: u8, times: u32) -> Result<(), Error> {
    for index in 0..threads {
        create(FIRST + index, STACK_PAGES, (index % processors()) as i32, work, stack_for(STACK_PAGES))?;
    }
    for index in 0..threads {
        send_block(index, &times.to_le_bytes())?;
    }
    Ok(())
}

extern "C" fn work() -> ! {
    let me = thread_id() as u32;
    let mut times = [0; 4];
    if receive(me as u8 - FIRST, &mut times) != Ok(4) {
        exit(1);
    }
    let mut random = Random::new(me);
    let mut intruders = 0;
    for _ in 0..u32::from_le_bytes(times) {
        LOCK.with(|| {
            INSIDE.store(me, Relaxed);
            let sum = SUM.load(Relaxed);
            compute_us(random.below(50));
            SUM.store(sum + 1, Relaxed);
            intruders += (INSIDE.load(Relaxed) != me) as u32;
        });
        compute_us(random.below(200));
    }
    exit((intruders != 0) as u32)
}
