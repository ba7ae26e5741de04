//! Copying words: 4.4 cycles each, by a load and a store.

use crate::arch::words::copy_rest;
use crate::variant::ROW;

/// Copies at least a word, and however many bytes: the last word may be unfinished.
///
/// # Safety
/// Both ranges are RAM and begin at multiples of four, `to` is nothing the compiler knows of, and
/// they don't overlap.
#[inline(always)]
pub unsafe fn copy_many(from: u32, to: u32, bytes: u32) {
    // SAFETY: the caller's.
    unsafe {
        copy_words(from as *const u32, to as *mut u32, bytes / 4);
        copy_rest(from + bytes, to + bytes, bytes & 3);
    }
}

/// Copies at least one word, and begins in the midst of the row of loads and stores, so that whole
/// rows are left.
///
/// # Safety
/// As for [`copy_many`].
#[inline(always)]
unsafe fn copy_words(from: *const u32, to: *mut u32, words: u32) {
    let skipped = words.wrapping_neg() & (ROW - 1);
    let end = from.wrapping_add(words as usize);
    // SAFETY: the caller's ranges have this many words; each is loaded and stored once. A load and
    // a store take 8 bytes of code.
    unsafe {
        core::arch::asm!(
            "lla {word}, 2f",
            "add {word}, {word}, {skipped}",
            "jr {word}",
            "2:",
            ".set offset, 0",
            ".rept {row}",
            "lw {word}, offset({from})",
            "sw {word}, offset({to})",
            ".set offset, offset + 4",
            ".endr",
            "addi {from}, {from}, 4 * {row}",
            "addi {to}, {to}, 4 * {row}",
            "bne {from}, {end}, 2b",
            word = out(reg) _,
            skipped = in(reg) skipped * 8,
            from = inout(reg) from.wrapping_sub(skipped as usize) => _,
            to = inout(reg) to.wrapping_sub(skipped as usize) => _,
            end = in(reg) end,
            row = const ROW,
            options(nostack)
        );
    }
}
