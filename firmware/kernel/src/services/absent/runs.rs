//! Memory of threads is copied page by page.

use testbed_kernel_core::page_map::PageMap;

use crate::arch::memory;

/// There are no short ways that need it.
#[inline(always)]
pub fn in_one_page(_: &PageMap, _: u32, _: u32, _: u32) -> Option<u32> {
    None
}

/// Nor this.
#[inline(always)]
pub fn in_one_run(_: &PageMap, _: u32, _: u32, _: u32) -> Option<u32> {
    None
}

/// Copies a thread's memory to `to`; returns the bytes, or 0 if a page is not there.
///
/// # Safety
/// `bytes` bytes from `to` are RAM that is the caller's.
#[inline(always)]
pub unsafe fn gather(map: &PageMap, address: u32, to: u32, bytes: u32) -> u32 {
    // SAFETY: the pages are the thread's; the destination is the caller's promise.
    unsafe { memory::copy_from_user(map, address, to, bytes) }.map_or(0, |()| bytes)
}

/// Copies from `from` to a thread's memory; returns the bytes, or 0 if a page is not there.
///
/// # Safety
/// `bytes` bytes from `from` are RAM.
#[inline(always)]
pub unsafe fn scatter(from: u32, map: &PageMap, address: u32, bytes: u32) -> u32 {
    // SAFETY: the pages are the thread's; the source is the caller's promise.
    unsafe { memory::copy_to_user(from, map, address, bytes) }.map_or(0, |()| bytes)
}
