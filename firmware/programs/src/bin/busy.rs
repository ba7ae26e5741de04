//! Keeps every processor busy, for measuring the speed of an engine. Argument: `[MILLISECONDS]`, 1,000 by default.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};
use libtos::{create, exit, halt, println, processor, processors, receive, send_block, stack_for, wait};

libtos::program!(main);

const STACK_PAGES: u32 = 4;

fn main(arguments: libtos::Arguments) -> u32 {
    let Some([milliseconds]) = arguments.numbers([1000u32]) else {
        println!("usage: busy [MILLISECONDS]");
        return 2;
    };
    let others = (0..processors()).filter(|&other| other != processor());
    for other in others.clone() {
        if let Err(error) = create(2 + other, STACK_PAGES, other as i32, worker, stack_for(STACK_PAGES)) {
            println!("busy: cannot create a thread on processor {other}: {}", error.meaning());
            halt();
        }
    }
    for other in others {
        if let Err(error) = send_block(other, &milliseconds.to_le_bytes()) {
            println!("busy: send: {}", error.meaning());
            halt();
        }
    }
    work(milliseconds);
    let failed = wait();
    println!("busy: {} processors for {milliseconds} ms, {failed} failed", processors());
    failed
}

extern "C" fn worker() -> ! {
    let mut message = [0; 4];
    match receive(processor(), &mut message) {
        Ok(4) => work(u32::from_le_bytes(message)),
        _ => exit(1),
    }
    exit(0)
}

/// Half a loop of counting, half loads, stores and multiplications, so that an engine sees all kinds.
fn work(milliseconds: u32) {
    for _ in 0..milliseconds {
        compute_half_ms();
        churn();
    }
}

fn compute_half_ms() {
    libtos::compute_us(500);
}

/// About half a millisecond at 25 MHz of mixed instructions.
fn churn() {
    static TABLE: [AtomicU32; 64] = [const { AtomicU32::new(1) }; 64];
    for turn in 0..500 {
        let (here, there) = (&TABLE[turn % 64], &TABLE[(turn * 7 + 1) % 64]);
        let value = here.load(Ordering::Relaxed).wrapping_mul(0x9e37_79b1) ^ there.load(Ordering::Relaxed) >> 3;
        here.store(value.wrapping_add(turn as u32), Ordering::Relaxed);
    }
}
