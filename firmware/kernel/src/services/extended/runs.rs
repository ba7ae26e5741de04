//! Runs of pages that lie side by side in memory: each page is translated once.

pub use testbed_kernel_core::page_map::in_one_page;
use testbed_kernel_core::page_map::{run, PageMap, Run, READ, WRITE};

use crate::arch::memory;

/// Where memory of a thread is, if all of it is here and in one run.
#[inline(always)]
pub fn in_one_run(map: &PageMap, address: u32, bytes: u32, permission: u32) -> Option<u32> {
    in_one_page(map, address, bytes, permission).or_else(|| {
        let run = run(map, address, bytes, permission);
        (run.bytes == bytes).then_some(run.start)
    })
}

/// Copies a thread's memory to `to`, up to the first page that is not here; returns the bytes.
///
/// # Safety
/// `bytes` bytes from `to` are RAM that is the caller's.
#[inline(always)]
pub unsafe fn gather(map: &PageMap, address: u32, to: u32, bytes: u32) -> u32 {
    // SAFETY: the pages are the thread's; the destination is the caller's promise.
    each_run(map, address, bytes, READ, |done, run| unsafe { memory::copy(run.start, to + done, run.bytes) })
}

/// Copies from `from` to a thread's memory, up to the first page that is not here; returns the
/// bytes.
///
/// # Safety
/// `bytes` bytes from `from` are RAM.
#[inline(always)]
pub unsafe fn scatter(from: u32, map: &PageMap, address: u32, bytes: u32) -> u32 {
    // SAFETY: the pages are the thread's; the source is the caller's promise.
    each_run(map, address, bytes, WRITE, |done, run| unsafe { memory::copy(from + done, run.start, run.bytes) })
}

/// Calls `each` with the runs that a thread's memory is in, and the bytes before each, up to the
/// first page that is not here; returns the bytes.
#[inline(always)]
pub fn each_run(map: &PageMap, address: u32, bytes: u32, permission: u32, each: impl Fn(u32, Run)) -> u32 {
    let mut done = 0;
    while done != bytes {
        let run = run(map, address + done, bytes - done, permission);
        if run.bytes == 0 {
            break;
        }
        each(done, run);
        done += run.bytes;
    }
    done
}
