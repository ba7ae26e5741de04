//! Threads that need more stack than they have, by a little and by a frame that is larger than the page that
//! is left free below it. Exit code 0 if each ends for it, and its process with it where other threads' stacks
//! may have been written to.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::mem::MaybeUninit;

use libtos::process::{await_end, invoke, How};
use libtos::{create, delay_us, exit, println, processor, stack_for, wait, Arguments};
use programs::verdict::Verdict;

libtos::program!(main);

const NAME: &str = "stacks";
const HALT: u32 = 0xffff_fffe;
/// Bytes of a frame that skips the free page.
const FRAME: usize = 3000;

fn main(arguments: Arguments) -> u32 {
    match arguments.iter().next() {
        Some("call") => run(calls),
        Some("compute") => run(computes),
        Some("migrated") => run(calls_elsewhere),
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
    // There the kernel looks as soon as the code's page is asked for, which may be before the whole frame is taken.
    verdict.check("also on another processor", matches!(code("migrated\0"), Ok(1 | HALT)));
    verdict.check("also the first thread", code("first\0") == Ok(HALT));
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
extern "C" fn calls_elsewhere() -> ! {
    let _ = libtos::migrate_self(libtos::Place::Processor(processor() + 1));
    in_large_frame(|| delay_us(10));
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
