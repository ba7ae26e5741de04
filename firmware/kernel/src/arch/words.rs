//! Clearing memory, and copying words that are put together from two, or of which a part is copied.

use crate::variant;

/// Fills memory with zeros, in pairs of words.
///
/// # Safety
/// The range is RAM that nothing the compiler knows of lies in; address and length are multiples of
/// four.
#[inline(never)]
pub unsafe fn clear(address: u32, bytes: u32) {
    const BLOCK: u32 = 64;
    let (mut at, mut left) = (address, bytes);
    // SAFETY: the caller's; every store lies inside the range, and those of pairs at multiples of
    // eight.
    unsafe {
        if at & 4 != 0 && left != 0 {
            (at as *mut u32).write_volatile(0);
            (at, left) = (at + 4, left - 4);
        }
        while left >= BLOCK {
            core::arch::asm!(
                include_str!("pairs.s"),
                ".set offset, 0",
                ".rept {block} / 8",
                "store_pair 0, offset, {at}",
                ".set offset, offset + 8",
                ".endr",
                ".purgem load_pair",
                ".purgem store_pair",
                at = in(reg) at,
                block = const BLOCK,
                options(nostack)
            );
            (at, left) = (at + BLOCK, left - BLOCK);
        }
        while left != 0 {
            (at as *mut u32).write_volatile(0);
            (at, left) = (at + 4, left - 4);
        }
    }
}

/// Copies words from an address that is no multiple of four: each is put together from two.
///
/// # Safety
/// The ranges are RAM, `to` is a multiple of four and nothing the compiler knows of, and they don't
/// overlap.
#[inline(always)]
pub unsafe fn copy_shifted(from: *const u8, mut to: *mut u32, words: u32) -> (*const u8, *mut u8) {
    let shift = (from as u32 & 3) * 8;
    let mut word = (from as u32 & !3) as *const u32;
    let mut left = words;
    // SAFETY: every word read holds a byte of the caller's range, and RAM is there in whole words.
    unsafe {
        let mut low = word.read_volatile();
        while left >= variant::SHIFTED {
            for index in 0..variant::SHIFTED as usize {
                low = put(low, word.add(index + 1), to.add(index), shift);
            }
            (word, to) = (word.add(variant::SHIFTED as usize), to.add(variant::SHIFTED as usize));
            left -= variant::SHIFTED;
        }
        for _ in 0..left {
            (word, low) = (word.add(1), put(low, word.add(1), to, shift));
            to = to.add(1);
        }
        (from.add(4 * words as usize), to.cast())
    }
}

/// Stores a word, the lower part of which is the upper one of `low`; returns where the next one
/// comes from.
///
/// # Safety
/// `word` and `to` are words of RAM.
#[inline(always)]
unsafe fn put(low: u32, word: *const u32, to: *mut u32, shift: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe {
        let high = word.read_volatile();
        to.write_volatile(low >> shift | high << (32 - shift));
        high
    }
}

/// Copies up to three bytes that end at these addresses and begin at multiples of four.
///
/// # Safety
/// The words that hold them are RAM, the second nothing the compiler knows of.
#[inline(always)]
pub unsafe fn copy_rest(source_end: u32, destination_end: u32, bytes: u32) {
    if bytes == 0 {
        return;
    }
    let (from, to) = ((source_end - bytes) as *const u32, (destination_end - bytes) as *mut u32);
    // The rest of the word stays as it is.
    let mask = !0u32 << (bytes * 8);
    // SAFETY: the caller's.
    unsafe { to.write_volatile(to.read_volatile() & mask | from.read_volatile() & !mask) };
}
