//! Copying between threads' memory and physical memory. Pages are translated one by one; within a page, words are
//! copied if source and destination are alike in alignment.

use testbed_definitions::map::RAM_BASE;
use testbed_definitions::page::PAGE_BYTES;
use testbed_kernel_core::page_map::{rest_of_page, translate, PageMap, READ, WRITE};

/// Copies `bytes` bytes from `source` to `destination`, both physical.
///
/// # Safety
/// Both ranges are RAM, `destination` is nothing the compiler knows of, and they don't overlap.
pub unsafe fn copy(source: u32, destination: u32, bytes: u32) {
    // SAFETY: by the contract above, and every pointer stays inside the ranges.
    unsafe {
        let (mut from, mut to, mut left) = (source as *const u8, destination as *mut u8, bytes);
        if (source ^ destination) & 3 == 0 {
            while to as u32 & 3 != 0 && left != 0 {
                step(&mut from, &mut to);
                left -= 1;
            }
            (from, to) = copy_words(from.cast(), to.cast(), left / 4);
            left &= 3;
        }
        while left != 0 {
            step(&mut from, &mut to);
            left -= 1;
        }
    }
}

/// Copies one byte and moves both pointers on.
#[inline(always)]
unsafe fn step(from: &mut *const u8, to: &mut *mut u8) {
    // SAFETY: the caller has at least one byte left. Volatile, so that the loop isn't made a call of `memcpy`.
    unsafe {
        to.write_volatile(from.read_volatile());
        *from = from.add(1);
        *to = to.add(1);
    }
}

/// Copies words, eight at a time: 6.5 cycles a word.
#[inline(always)]
unsafe fn copy_words(mut from: *const u32, mut to: *mut u32, mut words: u32) -> (*const u8, *mut u8) {
    // SAFETY: the caller's ranges have this many words.
    unsafe {
        while words >= 8 {
            let block: [u32; 8] = core::array::from_fn(|i| from.add(i).read_volatile());
            for (i, word) in block.into_iter().enumerate() {
                to.add(i).write_volatile(word);
            }
            from = from.add(8);
            to = to.add(8);
            words -= 8;
        }
        while words != 0 {
            to.write_volatile(from.read_volatile());
            from = from.add(1);
            to = to.add(1);
            words -= 1;
        }
    }
    (from.cast(), to.cast())
}

/// Copies between two threads' memories; `None` if a page is not there with the permission needed.
pub fn copy_between(from: (&PageMap, u32), to: (&PageMap, u32), bytes: u32) -> Option<()> {
    let (mut source, mut destination, mut left) = (from.1, to.1, bytes);
    while left != 0 {
        let part = left.min(rest_of_page(source)).min(rest_of_page(destination));
        let (physical_from, physical_to) = (translate(from.0, source, READ)?, translate(to.0, destination, WRITE)?);
        // SAFETY: page maps only name pages that the kernel gave to threads, and the part stays inside both pages.
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
        unsafe { copy(source + done, physical, part) };
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
        unsafe { copy(physical, destination + done, part) };
        done += part;
    }
    Some(())
}

/// Physical address of a page.
pub const fn page_address(page: u32) -> u32 {
    RAM_BASE + page * PAGE_BYTES
}

/// Fills physical memory with zeros.
///
/// # Safety
/// The range is RAM that is the caller's; address and length are multiples of four.
pub unsafe fn clear(address: u32, bytes: u32) {
    let words = address as *mut u32;
    let count = bytes as usize / 4;
    let (blocks, rest) = (count / 8, count % 8);
    for block in 0..blocks {
        for index in 0..8 {
            // SAFETY: inside the caller's range.
            unsafe { words.add(8 * block + index).write_volatile(0) };
        }
    }
    for index in count - rest..count {
        // SAFETY: inside the caller's range.
        unsafe { words.add(index).write_volatile(0) };
    }
}
