//! Copying between threads' memory and physical memory, page by page.

use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::page_map::{rest_of_page, translate, PageMap, READ, WRITE};

use crate::arch::extended::rows;
use crate::arch::words;
use crate::variant;

/// Copies `bytes` bytes from `source` to `destination`, both physical.
///
/// # Safety
/// Both ranges are RAM, `destination` is nothing the compiler knows of, and they don't overlap.
pub unsafe fn copy(source: u32, destination: u32, bytes: u32) {
    let (mut from, mut to, mut left) = (source as *const u8, destination as *mut u8, bytes);
    // SAFETY: by the contract above, and every pointer stays inside the ranges.
    unsafe {
        while to as u32 & 3 != 0 && left != 0 {
            step(&mut from, &mut to);
            left -= 1;
        }
        if left >= 4 {
            if from as u32 & 3 == 0 {
                return rows::copy_many(from as u32, to as u32, left);
            }
            (from, to) = words::copy_shifted(from, to.cast(), left / 4);
            left &= 3;
        }
        while left != 0 {
            step(&mut from, &mut to);
            left -= 1;
        }
    }
}

/// [`copy`] for what is short as a rule: whole words at multiples of four are copied in line.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
pub unsafe fn copy_short(source: u32, destination: u32, bytes: u32) {
    // SAFETY: the caller's. Volatile, so that the loop isn't made a call of `memcpy`.
    unsafe {
        if (source | destination | bytes) & 3 != 0 || bytes > 32 {
            return copy(source, destination, bytes);
        }
        let (mut from, mut to, end) = (source as *const u32, destination as *mut u32, destination + bytes);
        while to as u32 != end {
            to.write_volatile(from.read_volatile());
            from = from.add(1);
            to = to.add(1);
        }
    }
}

/// [`copy`] for what is long as a rule: what begins at multiples of four is copied in line. Best with
/// a number of bytes that the compiler knows.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
pub unsafe fn copy_long(source: u32, destination: u32, bytes: u32) {
    // SAFETY: the caller's.
    unsafe {
        match variant::IN_LINE && bytes >= 4 && (source | destination) & 3 == 0 {
            true => rows::copy_many(source, destination, bytes),
            false => copy(source, destination, bytes),
        }
    }
}

/// Copies one byte and moves both pointers on.
#[inline(always)]
unsafe fn step(from: &mut *const u8, to: &mut *mut u8) {
    // SAFETY: the caller has at least one byte left. Volatile, so that the loop isn't made a call
    // of `memcpy`.
    unsafe {
        to.write_volatile(from.read_volatile());
        *from = from.add(1);
        *to = to.add(1);
    }
}

/// Copies between two threads' memories, of any alignment; `None` if a page is not there with the
/// permission needed.
#[inline(never)]
pub fn copy_pieces(from: (&PageMap, u32), to: (&PageMap, u32), bytes: u32) -> Option<()> {
    let (mut source, mut destination, mut left) = (from.1, to.1, bytes);
    while left != 0 {
        let part = left.min(rest_of_page(source)).min(rest_of_page(destination));
        let (physical_from, physical_to) = (translate(from.0, source, READ)?, translate(to.0, destination, WRITE)?);
        // SAFETY: page maps only name pages that the kernel gave to threads, and the part stays
        // inside both pages.
        unsafe { copy(physical_from, physical_to, part) };
        source += part;
        destination += part;
        left -= part;
    }
    Some(())
}

/// Copies physical memory to a thread's memory; `None` if a page is not there.
///
/// # Safety
/// `bytes` bytes from `source` are RAM.
pub unsafe fn copy_to_user(source: u32, map: &PageMap, address: u32, bytes: u32) -> Option<()> {
    let mut done = 0;
    while done < bytes {
        let part = (bytes - done).min(rest_of_page(address + done));
        let physical = translate(map, address + done, WRITE)?;
        // SAFETY: the page is the thread's; the source is the caller's promise.
        unsafe { copy_long(source + done, physical, part) };
        done += part;
    }
    Some(())
}

/// Copies a thread's memory to physical memory; `None` if a page is not there.
///
/// # Safety
/// `bytes` bytes from `destination` are RAM that is the caller's.
pub unsafe fn copy_from_user(map: &PageMap, address: u32, destination: u32, bytes: u32) -> Option<()> {
    let mut done = 0;
    while done < bytes {
        let part = (bytes - done).min(rest_of_page(address + done));
        let physical = translate(map, address + done, READ)?;
        // SAFETY: the page is the thread's; the destination is the caller's promise.
        unsafe { copy_long(physical, destination + done, part) };
        done += part;
    }
    Some(())
}

/// Physical address of a page.
pub const fn page_address(page: u32) -> u32 {
    RAM_BASE + page * PAGE_BYTES
}

/// The page that a physical address lies in.
pub const fn page_of(address: u32) -> u32 {
    (address - RAM_BASE) / PAGE_BYTES
}
