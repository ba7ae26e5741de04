//! Threads: a parent creates children, and waits until all have ended.

use core::sync::atomic::{AtomicU32, Ordering};
use testbed_definitions::limits::{self, THREADS};
use testbed_definitions::page::{PAGE_BYTES, VIRTUAL_BYTES};
use testbed_definitions::syscall::{self, identity, Error};

use crate::call;

/// Pages that the first thread's stack may have, with one more that stays free.
const FIRST_STACK_PAGES: u32 = limits::FIRST_STACK_PAGES + 1;

/// Creates a thread with id `id` (1 to 63) in this program, on `processor` (negative: the kernel
/// chooses a slave), with `pages` pages of stack below `stack`. It starts at `entry`. The result is
/// its number, unique in the machine.
pub fn create(id: u8, pages: u32, processor: i32, entry: extern "C" fn() -> !, stack: u32) -> Result<u16, Error> {
    let arguments = [id as u32, pages, processor as u32, entry as usize as u32, stack];
    // SAFETY: the kernel maps new pages for the stack only where there are none.
    call::result(unsafe { call::call5(syscall::CREATE, arguments) }).map(|number| number as u16)
}

/// The address above the first place that [`stack_for`] gives. A program with one thread more than
/// the first takes it at once, and so needs no page of data.
pub const SECOND_STACK: u32 = VIRTUAL_BYTES - FIRST_STACK_PAGES * PAGE_BYTES;

/// Where the next stack goes.
static NEXT: AtomicU32 = AtomicU32::new(SECOND_STACK);

/// The first thread's stack has more pages than usual. To be said before the first [`stack_for`],
/// which else gives places in it.
pub fn first_stack_has(pages: u32) {
    NEXT.store(VIRTUAL_BYTES - (pages + 1) * PAGE_BYTES, Ordering::Relaxed);
}

/// A place for a stack of `pages` pages: the address above it. Places are given out once, downwards from the top of
/// the data half, with an unmapped page between two. Not for two threads of one processor at the same time.
pub fn stack_for(pages: u32) -> u32 {
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

/// Where a thread is, or is to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The processor of the caller.
    Here,
    Processor(u8),
    /// Whatever slave the kernel chooses.
    Any,
}

/// Moves thread `thread` of this process from one processor to another, if it is ready and has no
/// children. It goes on there as if nothing had happened.
pub fn migrate(thread: u16, from: Place, to: Place) -> Result<(), Error> {
    let from = match from {
        Place::Processor(processor) => processor as u32,
        _ => u32::MAX,
    };
    let to = match to {
        Place::Here => crate::processor() as u32,
        Place::Processor(processor) => processor as u32,
        Place::Any => u32::MAX,
    };
    // SAFETY: concerns no memory.
    call::result(unsafe { call::call3(syscall::MIGRATE, thread as u32, from, to) }).map(drop)
}

/// Moves this thread; returns on the other processor.
pub fn migrate_self(to: Place) -> Result<(), Error> {
    migrate(0, Place::Here, to)
}

/// Waits for at least so many microseconds while others run.
pub fn delay_us(microseconds: u32) {
    call::value(syscall::DELAY, microseconds);
}

/// This thread's number, unique in the machine.
pub fn thread_number() -> u16 {
    call::value(syscall::IDENTITY, identity::THREAD) as u16
}
/// This thread's id in its process, 1 to 63: what its parent called it.
pub fn thread_id() -> u8 {
    thread_number() as u8 & (THREADS as u8 - 1)
}

/// Gives up the rest of the time-slice.
#[inline(always)]
pub fn yield_now() {
    call::pass();
}
