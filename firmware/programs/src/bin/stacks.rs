//! Threads that need more stack than they have, by a little and by a frame that is larger than the page that
//! is left free below it. Exit code 0 if each ends for it, and its process with it where other threads' stacks
//! may have been written to.
#![no_std]
#![no_main]

use core::arch::asm;
use core::hint::black_box;
use core::mem::MaybeUninit;

use libtos::process::{await_end, invoke, How};
use libtos::{create, delay_us, exit, println, processor, stack_for, wait, Arguments};
use libtos::{migrate_self, Place, SECOND_STACK};
use programs::verdict::Verdict;
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall;

libtos::program!(main);

const NAME: &str = "stacks";
const HALT: u32 = 0xffff_fffe;
/// Bytes of a frame that skips the free page.
const FRAME: usize = 3000;

fn main(arguments: Arguments) -> u32 {
    match arguments.iter().next() {
        Some("call") => run(calls),
        Some("compute") => run(computes),
        Some("migrated") => elsewhere(),
        Some("to") => reaches(arguments.number(1, 0).unwrap_or(0)),
        Some("first") => deepen(40_000),
        Some("little") => run(little),
        _ => test(),
    }
}

fn test() -> u32 {
    let verdict = Verdict::default();
    let code = |arguments: &str| invoke(NAME, arguments.as_bytes(), How::default()).and_then(await_end);
    verdict.check("a little too much ends the thread", code("little\0") == Ok(1));
    verdict.check("a large frame ends the process at the next call", code("call\0") == Ok(HALT));
    verdict.check("or when its time is over", code("compute\0") == Ok(HALT));
    verdict.check("also on another processor", code("migrated\0") == Ok(HALT));
    verdict.check("also the first thread", code("first\0") == Ok(HALT));
    verdict.check("a stack that is used up is none too small", code("to\x000\0") == Ok(0));
    verdict.check("a thread that has taken more ends", code("to\x001\0") == Ok(1));
    verdict.check("with all of the free page too", code("to\x002\0") == Ok(1));
    verdict.check("with more than that, the process ends", code("to\x003\0") == Ok(HALT));
    println!("{NAME}: {} wrong", verdict.wrong());
    verdict.wrong()
}

/// Runs a thread with little stack above another one's. The result is how many of the two failed.
fn run(entry: extern "C" fn() -> !) -> u32 {
    for (id, entry, pages) in [(2, entry, 1), (3, neighbour as extern "C" fn() -> !, 4)] {
        if create(id, pages, processor() as i32, entry, stack_for(pages)).is_err() {
            return 100;
        }
    }
    wait()
}

/// Waits so long that the other thread has done what it does.
extern "C" fn neighbour() -> ! {
    delay_us(100_000);
    exit(0)
}

/// A frame of [`FRAME`] bytes, of which the lowest one is written.
#[inline(never)]
fn in_large_frame(act: fn()) {
    let mut frame = MaybeUninit::<[u8; FRAME]>::uninit();
    // SAFETY: the frame's own first byte.
    unsafe { black_box(&mut frame).as_mut_ptr().cast::<u8>().write_volatile(1) };
    act();
    black_box(&mut frame);
}

extern "C" fn calls() -> ! {
    in_large_frame(|| delay_us(10));
    exit(0)
}
extern "C" fn computes() -> ! {
    in_large_frame(spin);
    exit(0)
}
/// Longer than a time-slice, without a call.
fn spin() {
    for number in 0..1_000_000 {
        black_box(number);
    }
}

/// A thread that moves, and takes the large frame then. A large frame is taken in steps, and a fault between two
/// of them would find `sp` in the free page, which is not skipped yet: so the code's page and the stack's come first.
fn elsewhere() -> u32 {
    let pages = 8;
    if create(4, pages, there(), warms, stack_for(pages)).is_err() || wait() != 0 {
        return 100;
    }
    run(calls_elsewhere)
}
fn there() -> i32 {
    i32::from(processor()) + 1
}
extern "C" fn warms() -> ! {
    in_large_frame(|| ());
    exit(0)
}
extern "C" fn calls_elsewhere() -> ! {
    let mut own = 0;
    let moved = migrate_self(Place::Processor(processor() + 1));
    // SAFETY: the variable's.
    unsafe { black_box(&raw mut own).write_volatile(moved.is_err() as u32) };
    if black_box(own) == 0 {
        in_large_frame(|| delay_us(10));
    }
    exit(0)
}

/// The four cases of [`reach`].
fn reaches(case: usize) -> u32 {
    let cases = [reach::<0>, reach::<16>, reach::<PAGE_BYTES>, reach::<{ PAGE_BYTES + 16 }>];
    cases.get(case).map_or(100, |&entry| run(entry))
}

/// Makes a call with `sp` so many bytes below the stack of one page that [`run`] has given it.
extern "C" fn reach<const BYTES: u32>() -> ! {
    let sp = SECOND_STACK - PAGE_BYTES - BYTES;
    // SAFETY: nothing is written below `sp`, which is what it was before anything else is done with it.
    unsafe {
        asm!("mv s2, sp", "mv sp, {sp}", "ecall", "mv sp, s2", sp = in(reg) sp, out("s2") _,
            inlateout("a7") syscall::CLOCK => _, inlateout("a0") 0 => _, lateout("a1") _, lateout("a2") _,
            lateout("a3") _, lateout("a4") _, lateout("a5") _, lateout("a6") _, lateout("t0") _, lateout("t1") _,
            lateout("t2") _, lateout("t3") _, lateout("t4") _, lateout("t5") _, lateout("t6") _)
    };
    exit(0)
}

/// As deep as it goes, with small frames.
extern "C" fn little() -> ! {
    exit(deepen(10_000))
}
#[inline(never)]
fn deepen(depth: u32) -> u32 {
    let frame = black_box([depth; 16]);
    if depth == 0 {
        return frame[3];
    }
    deepen(depth - 1) + black_box(frame)[5]
}
