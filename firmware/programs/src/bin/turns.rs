//! Several threads of each processor write to words of one page, one word each, and yield after
//! each write, until one of them has written often enough. All of them must have had their turns,
//! on whatever processor, however many others of it wait. Arguments: `[WRITES]` of the first one to
//! be ready, by default 100, and `[THREADS]` of a processor, at most 8, by default 6.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use libtos::{create, exit, halt, println, processors, stack_for, thread_id, wait, yield_now, Error};

libtos::program!(main);

/// The first of the threads.
const FIRST: u8 = 2;
const MOST: u8 = 8;
const STACK_PAGES: u32 = 2;
/// How often a thread may have written for each write of another one of its processor, and of one
/// of another processor.
const NEAR: u32 = 2;
const FAR: u32 = 8;

/// The page that all want.
#[repr(C, align(1024))]
struct Page {
    written: [AtomicU32; 64],
    is_over: AtomicU32,
}
static PAGE: Page = Page { written: [const { AtomicU32::new(0) }; 64], is_over: AtomicU32::new(0) };

/// What the threads only read, in another page.
#[repr(C, align(1024))]
struct Order {
    writes: AtomicU32,
}
static ORDER: Order = Order { writes: AtomicU32::new(0) };

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([writes, threads]) = arguments.numbers([100u32, 6]) else {
        println!("usage: turns [WRITES [THREADS]]");
        return 2;
    };
    if threads == 0 || threads > u32::from(MOST) || threads * u32::from(processors()) > 60 {
        println!("turns: 1 to {MOST} threads of a processor, and 60 in all");
        return 2;
    }
    run(writes, threads as u8).unwrap_or_else(|error| {
        println!("turns: {}", error.meaning());
        halt();
    })
}

fn run(writes: u32, threads: u8) -> Result<u32, Error> {
    ORDER.writes.store(writes, Relaxed);
    let all = threads * processors();
    for index in 0..all {
        create(FIRST + index, STACK_PAGES, i32::from(index / threads), write, stack_for(STACK_PAGES))?;
    }
    let failed = wait();
    let mut left_out = 0;
    for (at, row) in PAGE.written[..usize::from(all)].chunks(usize::from(threads)).enumerate() {
        let written = || row.iter().map(|word| word.load(Relaxed));
        let fair = (written().max().unwrap_or(0) / NEAR).max(writes / FAR);
        for few in written().filter(|&written| written < fair) {
            println!("a thread on processor {at} has written {few} times, and should have {fair} times");
            left_out += 1;
        }
    }
    println!("{all} threads that write to one page: {left_out} left out");
    Ok(failed + left_out)
}

extern "C" fn write() -> ! {
    let mine = &PAGE.written[usize::from(thread_id() - FIRST)];
    let writes = ORDER.writes.load(Relaxed);
    while PAGE.is_over.load(Relaxed) == 0 {
        let written = mine.load(Relaxed) + 1;
        mine.store(written, Relaxed);
        if written == writes {
            PAGE.is_over.store(1, Relaxed);
        }
        yield_now();
    }
    exit(0)
}
