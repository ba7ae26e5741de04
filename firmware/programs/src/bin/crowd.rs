//! More threads than a small processor has control blocks for, all of them on it again and again:
//! those that come while none is free wait, and none is lost. Argument: `[THREADS [ROUNDS]]`, 40
//! threads and 10 rounds by default.
#![no_std]
#![no_main]

use libtos::{
    create, exit, halt, migrate_self, println, processor, processors, stack_for, wait, yield_now, Error, Place,
};

libtos::program!(main);

const STACK_PAGES: u32 = 1;
const FIRST: u8 = 2;
/// Where all meet.
const MARKET: u8 = 2;

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([threads @ 1..=62, rounds @ 0..=15]) = arguments.numbers([40_u32, 10]) else {
        println!("usage: crowd [THREADS (1 to 62) [ROUNDS (0 to 15)]]");
        return 2;
    };
    let entry = ENTRIES[rounds as usize];
    for number in 0..threads as u8 {
        let on = 1 + number % (processors() - 1);
        start(FIRST + number, on, entry);
    }
    let failed = wait();
    println!("crowd: {threads} threads met {rounds} times, {failed} failed");
    failed
}

/// Creates a thread, as soon as its processor has a control block for it.
fn start(id: u8, on: u8, entry: extern "C" fn() -> !) {
    let stack = stack_for(STACK_PAGES);
    loop {
        match create(id, STACK_PAGES, on as i32, entry, stack) {
            Ok(_) => return,
            Err(Error::NoThread) => yield_now(),
            Err(error) => {
                println!("crowd: thread {id}: {}", error.meaning());
                halt();
            }
        }
    }
}

/// By rounds: a thread is told nothing but where it starts.
const ENTRIES: [extern "C" fn() -> !; 16] = [
    walk::<0>, walk::<1>, walk::<2>, walk::<3>, walk::<4>, walk::<5>, walk::<6>, walk::<7>, walk::<8>, walk::<9>,
    walk::<10>, walk::<11>, walk::<12>, walk::<13>, walk::<14>, walk::<15>,
];

extern "C" fn walk<const ROUNDS: u32>() -> ! {
    exit(walk_there_and_back(ROUNDS).unwrap_or(1))
}

/// Returns how often it was not where it wanted to be.
fn walk_there_and_back(rounds: u32) -> Result<u32, Error> {
    let mut wrong = 0;
    for _ in 0..rounds {
        let from = processor();
        migrate_self(Place::Processor(MARKET))?;
        wrong += (processor() != MARKET) as u32;
        yield_now();
        migrate_self(Place::Processor(from))?;
        wrong += (processor() != from) as u32;
    }
    Ok(wrong)
}
