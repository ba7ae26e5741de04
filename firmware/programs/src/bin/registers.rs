//! Threads that keep a value in every register while others move them: `registers [MOVES]`. A
//! thread makes no call meanwhile, so it is moved wherever it happens to be, and all of its
//! registers must come with it.
#![no_std]
#![no_main]

use core::arch::global_asm;
use core::sync::atomic::{AtomicBool, Ordering};

use libtos::random::Random;
use libtos::{
    create, delay_us, exit, halt, migrate, println, processor, processors, stack_for, thread_id, wait, Error, Place,
};

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Ids of the threads that are moved: one more than are moved at a time, so that time-slices end as well.
const WORKERS: core::ops::Range<u8> = 2..5;
const REGISTERS: usize = 32;
/// The register that counts rounds up to 0.
const COUNTER: usize = 5;
const SP: usize = 2;
/// Some 2 ms.
const ROUNDS: u32 = 800;

/// All moves are done. Written once, so that every processor reads its own copy of the page until then.
static OVER: AtomicBool = AtomicBool::new(false);

global_asm!(
    // Keeps what the caller needs, takes all registers but sp from the words at a0, adds 1 to each
    // until x5 is 0, and leaves them where they came from. The frame: x1 to x31 as they were, then
    // as they have become.
    ".global turn",
    "turn:",
    "addi sp, sp, -256",
    ".irp n, 1, 3, 4, 8, 9, 10, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27",
    "sw x\\n, 4*\\n(sp)",
    ".endr",
    ".irp n, 1, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 10",
    "lw x\\n, 4*\\n(a0)",
    ".endr",
    "1:",
    ".irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "addi x\\n, x\\n, 1",
    ".endr",
    "bnez x5, 1b",
    ".irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "sw x\\n, 128 + 4*\\n(sp)",
    ".endr",
    "lw a0, 40(sp)",
    ".irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "lw t0, 128 + 4*\\n(sp)",
    "sw t0, 4*\\n(a0)",
    ".endr",
    ".irp n, 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27",
    "lw x\\n, 4*\\n(sp)",
    ".endr",
    "addi sp, sp, 256",
    "ret",
);

extern "C" {
    fn turn(values: *mut [u32; REGISTERS]);
}

fn main(arguments: libtos::Arguments) -> u32 {
    let Some(moves) = arguments.number(0, 60u32) else {
        println!("usage: registers [MOVES]");
        return 2;
    };
    let moved = move_all(moves);
    OVER.store(true, Ordering::Relaxed);
    if let Err(error) = moved {
        println!("registers: {}", error.meaning());
        halt();
    }
    let failed = wait();
    println!("registers: {moves} moves, {failed} threads with wrong registers");
    failed
}

/// Starts the threads, and moves all but the last one so often, from wherever they are to any processor.
fn move_all(moves: u32) -> Result<(), Error> {
    // Elsewhere at first, so that the moves begin at once.
    let mut places: [_; (WORKERS.end - WORKERS.start) as usize] =
        core::array::from_fn(|index| (0, (processor() + 1 + index as u8) % processors()));
    for (id, place) in WORKERS.zip(&mut places) {
        place.0 = create(id, STACK_PAGES, place.1.into(), worker, stack_for(STACK_PAGES))?;
    }
    let mut random = Random::new(1);
    let movable = places.len() - 1;
    for turn in 0..moves as usize {
        let (thread, at) = &mut places[turn % movable];
        let to = random.below(processors().into()) as u8;
        let from = if *at == processor() { Place::Here } else { Place::Processor(*at) };
        // A thread that waits for a page is not ready.
        while let Err(error) = migrate(*thread, from, Place::Processor(to)) {
            if error != Error::NotReady && error != Error::NotHere {
                return Err(error);
            }
            delay_us(100);
        }
        *at = to;
        delay_us(random.below(1500));
    }
    Ok(())
}

extern "C" fn worker() -> ! {
    let mut random = Random::new(thread_id().into());
    let mut wrong = 0;
    while !OVER.load(Ordering::Relaxed) {
        let mut values: [u32; REGISTERS] = core::array::from_fn(|_| random.word());
        values[COUNTER] = ROUNDS.wrapping_neg();
        let before = values;
        // SAFETY: it changes these words only, and keeps what the caller needs.
        unsafe { turn(&raw mut values) };
        for register in (1..REGISTERS).filter(|&register| register != SP) {
            if values[register] != before[register].wrapping_add(ROUNDS) {
                println!("x{register} is {:#x}, {:#x} before {ROUNDS} rounds", values[register], before[register]);
                wrong += 1;
            }
        }
    }
    exit(u32::from(wrong != 0))
}
