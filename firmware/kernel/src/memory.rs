//! Copying between threads' memory and physical memory. Pages are translated one by one; within a page, words are
//! copied: 4.1 cycles each if source and destination are alike in alignment, 18 if words must be put together from two.

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
        while to as u32 & 3 != 0 && left != 0 {
            step(&mut from, &mut to);
            left -= 1;
        }
        if left >= 4 {
            (from, to) = match from as u32 & 3 {
                0 => copy_words(from.cast(), to.cast(), left / 4),
                _ => copy_shifted(from, to.cast(), left / 4),
            };
            left &= 3;
        }
        while left != 0 {
            step(&mut from, &mut to);
            left -= 1;
        }
    }
}

/// [`copy`] for whole words at multiples of four, as a call that is not in line.
///
/// # Safety
/// As for [`copy`].
#[cfg(not(feature = "small"))]
pub unsafe fn copy_whole_words(source: u32, destination: u32, bytes: u32) {
    if bytes != 0 {
        // SAFETY: the caller's.
        unsafe { copy_words(source as *const u32, destination as *mut u32, bytes / 4) };
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

/// Words that are copied between two branches. A word takes a load and a store, 4 cycles: 1 a byte is the limit, and this is
/// 1.03 (1.1 in the small kernel).
const UNROLLED: u32 = if cfg!(feature = "small") { 16 } else { 64 };

/// Copies at least one word, and begins in the midst of the row of loads and stores, so that whole rows are left.
#[inline(always)]
unsafe fn copy_words(from: *const u32, to: *mut u32, words: u32) -> (*const u8, *mut u8) {
    let skipped = words.wrapping_neg() & (UNROLLED - 1);
    let (end, end_to) = (from.wrapping_add(words as usize), to.wrapping_add(words as usize));
    // SAFETY: the caller's ranges have this many words; each is loaded and stored once. A load and a store take 8 bytes of code.
    unsafe {
        core::arch::asm!(
            "lla {word}, 2f",
            "add {word}, {word}, {skipped}",
            "jr {word}",
            "2:",
            ".set offset, 0",
            ".rept {unrolled}",
            "lw {word}, offset({from})",
            "sw {word}, offset({to})",
            ".set offset, offset + 4",
            ".endr",
            "addi {from}, {from}, 4 * {unrolled}",
            "addi {to}, {to}, 4 * {unrolled}",
            "bne {from}, {end}, 2b",
            word = out(reg) _,
            skipped = in(reg) skipped * 8,
            from = inout(reg) from.wrapping_sub(skipped as usize) => _,
            to = inout(reg) to.wrapping_sub(skipped as usize) => _,
            end = in(reg) end,
            unrolled = const UNROLLED,
            options(nostack)
        );
    }
    (end.cast(), end_to.cast())
}

/// Copies words from an address that is no multiple of four: each is put together from two.
#[inline(always)]
unsafe fn copy_shifted(from: *const u8, mut to: *mut u32, words: u32) -> (*const u8, *mut u8) {
    let shift = (from as u32 & 3) * 8;
    let mut word = (from as u32 & !3) as *const u32;
    // SAFETY: every word read holds a byte of the caller's range, and RAM is there in whole words.
    unsafe {
        let mut low = word.read_volatile();
        for _ in 0..words {
            word = word.add(1);
            let high = word.read_volatile();
            to.write_volatile(low >> shift | high << (32 - shift));
            low = high;
            to = to.add(1);
        }
        (from.add(4 * words as usize), to.cast())
    }
}

/// The first page of a range that is not there with the permission.
pub fn missing(map: &PageMap, address: u32, bytes: u32, permission: u32) -> Option<u32> {
    let mut done = 0;
    while done < bytes {
        if translate(map, address + done, permission).is_none() {
            return Some((address + done) / PAGE_BYTES);
        }
        done += rest_of_page(address + done);
    }
    None
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

/// The page that a physical address lies in.
pub const fn page_of(address: u32) -> u32 {
    (address - RAM_BASE) / PAGE_BYTES
}

/// Fills physical memory with zeros.
///
/// # Safety
/// The range is RAM that is the caller's; address and length are multiples of four.
pub unsafe fn clear(address: u32, bytes: u32) {
    let (mut word, end) = (address as *mut u32, (address + bytes) as *mut u32);
    let zero = |word: *mut u32, index: usize| {
        // SAFETY: inside the caller's range.
        unsafe { word.add(index).write_volatile(0) }
    };
    while end as u32 - word as u32 >= 32 {
        // Written out, so that it is unrolled at any level of optimisation.
        zero(word, 0);
        zero(word, 1);
        zero(word, 2);
        zero(word, 3);
        zero(word, 4);
        zero(word, 5);
        zero(word, 6);
        zero(word, 7);
        word = word.wrapping_add(8);
    }
    while word != end {
        zero(word, 0);
        word = word.wrapping_add(1);
    }
}
