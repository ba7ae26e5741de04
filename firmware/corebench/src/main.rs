//! A CPU benchmark of the kinds of work that CoreMark uses: linked-list search and sort, integer matrix
//! arithmetic, a state machine over text, and a CRC that ties the results together. It is not CoreMark and its
//! score is not a CoreMark score; it exists to compare cores on one binary.
//!
//! It runs on any RV32IM core with RAM at `0x8000_0000` and `rdcycle`/`rdinstret`, leaves four words in `RESULT`
//! (check value, cycles, instructions, iterations) and then stores 1 to `tohost`, or 3 if the check value is wrong.
#![no_std]
#![no_main]

mod work;

use core::arch::{asm, global_asm};
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

global_asm!(".section .text.start", ".globl _start", "_start:", "la sp, _stack_top", "call main", "1: j 1b",);

/// Iterations; a debugger or loader may change it before the start.
#[no_mangle]
static mut ITERATIONS: u32 = 10;
#[no_mangle]
static mut RESULT: [u32; 4] = [0; 4];
/// Low and high word, as HTIF has it: so it runs on QEMU's machine `spike` too.
#[no_mangle]
#[link_section = ".tohost"]
static mut tohost: [u32; 2] = [0; 2];
/// Where a host would answer. Nothing is asked.
#[no_mangle]
#[link_section = ".tohost"]
static mut fromhost: [u32; 2] = [0; 2];

/// What one iteration's CRC must be; every iteration does the same work.
const EXPECTED: u16 = work::EXPECTED;

fn cycles() -> u32 {
    let value;
    // SAFETY: reads a counter.
    unsafe { asm!("rdcycle {}", out(reg) value, options(nomem, nostack)) };
    value
}

fn instructions() -> u32 {
    let value;
    // SAFETY: reads a counter.
    unsafe { asm!("rdinstret {}", out(reg) value, options(nomem, nostack)) };
    value
}

#[no_mangle]
extern "C" fn main() {
    // SAFETY: the only thread there is; volatile since a loader may have changed it.
    let iterations = unsafe { read_volatile(addr_of!(ITERATIONS)) };
    let (start_cycles, start_instructions) = (cycles(), instructions());
    let mut check = 0;
    let mut right = true;
    for _ in 0..iterations {
        check = work::iteration();
        right &= check == EXPECTED;
    }
    let spent = [cycles().wrapping_sub(start_cycles), instructions().wrapping_sub(start_instructions)];
    // SAFETY: as above; the host reads both after the store to `tohost`.
    unsafe {
        write_volatile(addr_of_mut!(RESULT), [check.into(), spent[0], spent[1], iterations]);
    }
    end(if right { 1 } else { 3 });
}

/// Tells the host. QEMU takes the low word first and acts at the high one.
fn end(word: u32) {
    // SAFETY: nobody else writes these, and nobody here reads them.
    unsafe {
        write_volatile(addr_of_mut!(tohost[0]), word);
        write_volatile(addr_of_mut!(tohost[1]), 0);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    end(5);
    loop {}
}
