//! Threads that keep values in registers. Some of one processor yield to each other, which keeps
//! few; then others keep a value in every register while they are moved: `registers [MOVES]`. These
//! make no call meanwhile, so they are moved wherever they happen to be, and all of their registers
//! must come with them.
#![no_std]
#![no_main]

use core::arch::global_asm;
use core::sync::atomic::{AtomicBool, Ordering};

use libtos::random::Random;
use libtos::{
    create, delay_us, exit, halt, migrate, need_large_kernel, println, processor, processors, send_event, stack_for,
    thread_id, wait, Error, Place,
};
use testbed_definitions::syscall::YIELD;

libtos::program!(main);

const STACK_PAGES: u32 = 4;
/// Ids of the threads that are moved: one more than are moved at a time, so that time-slices end as well.
const WORKERS: core::ops::Range<u8> = 2..5;
/// Ids of the threads that yield to each other.
const YIELDERS: core::ops::Range<u8> = 5..8;
const YIELD_ROUNDS: u16 = 10;
/// Yields of a round.
const YIELDS: u32 = 100;
const REGISTERS: usize = 32;
/// The register that counts rounds up to 0.
const COUNTER: usize = 5;
const SP: usize = 2;
/// Those that a yield keeps, besides `sp`.
const KEPT: [usize; 5] = [1, 3, 4, 8, 9];
/// The same as a number that has a bit for each of them, for the assembler.
const fn kept_bits() -> u32 {
    let (mut bits, mut index) = (0, 0);
    while index < KEPT.len() {
        bits |= 1 << KEPT[index];
        index += 1;
    }
    bits
}
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
    // Keeps what the caller needs, takes the registers that a yield keeps from the words at a0,
    // yields a1 times, and leaves them where they came from.
    ".global pass_turns",
    "pass_turns:",
    "addi sp, sp, -112",
    ".irp n, 1, 3, 4, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27",
    "sw x\\n, 4*\\n(sp)",
    ".endr",
    ".irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    ".if ({kept} >> \\n) & 1",
    "lw x\\n, 4*\\n(a0)",
    ".endif",
    ".endr",
    "2:",
    "li a7, {yields}",
    "ecall",
    "lw t0, 44(sp)",
    "addi t0, t0, -1",
    "sw t0, 44(sp)",
    "bnez t0, 2b",
    "lw a0, 40(sp)",
    ".irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    ".if ({kept} >> \\n) & 1",
    "sw x\\n, 4*\\n(a0)",
    ".endif",
    ".endr",
    ".irp n, 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27",
    "lw x\\n, 4*\\n(sp)",
    ".endr",
    "addi sp, sp, 112",
    "ret",
    yields = const YIELD,
    kept = const kept_bits(),
);

extern "C" {
    fn turn(values: *mut [u32; REGISTERS]);
    fn pass_turns(values: *mut [u32; REGISTERS], turns: u32);
}

fn main(arguments: libtos::Arguments) -> u32 {
    need_large_kernel("threads that move");
    let Some(moves) = arguments.number(0, 60u32) else {
        println!("usage: registers [MOVES]");
        return 2;
    };
    let (begun, failed) = (begin_to_yield(), wait());
    println!("registers: {} yields, {failed} threads with wrong registers", u32::from(YIELD_ROUNDS) * YIELDS);
    let moved = begun.and_then(|()| move_all(moves));
    OVER.store(true, Ordering::Relaxed);
    if let Err(error) = moved {
        println!("registers: {}", error.meaning());
        halt();
    }
    let confused = wait();
    println!("registers: {moves} moves, {confused} threads with wrong registers");
    failed + confused
}

/// Starts the threads that yield to each other.
fn begin_to_yield() -> Result<(), Error> {
    YIELDERS
        .into_iter()
        .try_for_each(|id| create(id, STACK_PAGES, processor().into(), yielder, stack_for(STACK_PAGES)).map(drop))
}

/// Starts the threads that are moved, and moves all but the last one so often, from wherever they
/// are to any processor.
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

/// Tells of each of its rounds by an event, and yields in between.
extern "C" fn yielder() -> ! {
    let mut random = Random::new(thread_id().into());
    let mut wrong = 0;
    for round in 0..YIELD_ROUNDS {
        let mut values: [u32; REGISTERS] = core::array::from_fn(|_| random.word());
        let before = values;
        if send_event(round).is_err() {
            wrong += 1;
        }
        // SAFETY: it changes these words only, and keeps what the caller needs.
        unsafe { pass_turns(&raw mut values, YIELDS) };
        for register in KEPT.into_iter().filter(|&register| values[register] != before[register]) {
            println!("x{register} was {:#x}, and is {:#x} after yields", before[register], values[register]);
            wrong += 1;
        }
    }
    exit(u32::from(wrong != 0))
}
