//! Threads: a parent creates children, and waits until all have ended.

use core::sync::atomic::{AtomicU32, Ordering};
use testbed_definitions::page::{PAGE_BYTES, VIRTUAL_BYTES};
use testbed_definitions::syscall::{self, Error};

use crate::call;

/// Pages that the first thread's stack may have, with one more that stays free.
const FIRST_STACK_PAGES: u32 = 17;

/// Creates a thread with number `id` (0 to 63) in this program, on `processor` (negative: the kernel chooses a slave), with `pages`
/// pages of stack below `stack`. It starts at `entry`. The result is its number, unique in the machine.
pub fn create(id: u8, pages: u32, processor: i32, entry: extern "C" fn() -> !, stack: u32) -> Result<u16, Error> {
    let arguments = [id as u32, pages, processor as u32, entry as usize as u32, stack];
    // SAFETY: the kernel maps new pages for the stack only where there are none.
    call::result(unsafe { call::call5(syscall::CREATE, arguments) }).map(|number| number as u16)
}

/// A place for a stack of `pages` pages: the address above it. Places are given out once, downwards from the top of
/// the data half, with an unmapped page between two. Not for two threads of one processor at the same time.
pub fn stack_for(pages: u32) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(VIRTUAL_BYTES - FIRST_STACK_PAGES * PAGE_BYTES);
    let top = NEXT.load(Ordering::Relaxed);
    NEXT.store(top - (pages + 1) * PAGE_BYTES, Ordering::Relaxed);
    top
}

/// Waits until all children have ended. The result is how many ended with a code other than 0.
pub fn wait() -> u32 {
    call::value(syscall::WAIT, 0)
}

/// Ends this thread.
pub fn exit(code: u32) -> ! {
    loop {
        call::value(syscall::EXIT, code);
    }
}

/// Ends the program, whatever its threads wait for; occam's `HALT`.
pub fn halt() -> ! {
    exit(syscall::EXIT_HALT)
}

/// Gives up the rest of the time-slice.
pub fn yield_now() {
    call::value(syscall::YIELD, 0);
}

/// Moves this thread, which has no children, to another processor (negative: the kernel chooses one).
pub fn migrate(processor: i32) -> Result<(), Error> {
    // SAFETY: the call touches no memory. What this thread has in its stack goes with it.
    call::result(unsafe { call::call3(syscall::MIGRATE, 0, -1i32 as u32, processor as u32) }).map(|_| ())
}
