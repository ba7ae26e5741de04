//! What a program does that can't do its work with the small kernel.

use testbed_definitions::syscall::Error;

use crate::console::Line;
use crate::thread::{exit, migrate, Place};

/// Ends the program with exit code 2 where the kernel is the small one, which lacks `what`, and
/// says so. The first thread must call it before it creates others.
pub fn need_large_kernel(what: &str) {
    // No processor has this number. The small kernel does not come to see that: it moves no thread.
    if migrate(0, Place::Here, Place::Processor(u8::MAX)) == Err(Error::UnknownCall) {
        refuse_small_kernel(what);
    }
}

// Not in line: the first thread has little stack there.
#[cold]
#[inline(never)]
fn refuse_small_kernel(what: &str) -> ! {
    let mut line = Line::new();
    line.text("the program needs ").text(what);
    line.text(", which the small kernel lacks: take a machine with more RAM").end();
    exit(2)
}
