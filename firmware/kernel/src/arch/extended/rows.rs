//! Copying words: two in 4 cycles, by a load and a store of a register pair, if source and
//! destination are alike in their place within eight bytes; by two loads and a store of a pair,
//! in as many, if only in that within four. Few words take 3 cycles each, by a load and a store,
//! which waits for what is loaded.

use crate::arch::words::copy_rest;
use crate::variant::ROW;

/// Bytes from which on pairs are quicker than words, for what has to be asked first.
const PAIRED: u32 = 64;

/// Words that the row of words copies.
const WORDS: u32 = PAIRED / 4;

/// Pairs of words that the row of pairs copies.
const PAIRS: u32 = ROW / 2;

/// Pairs of words that the row copies which loads words and stores pairs: half a page's, since its
/// code is longer.
const MIXED: u32 = PAIRS / 2;

/// Bytes of code from the end of the row of words to that of the row of pairs, and from there to
/// that of the row that loads words and stores pairs.
const TO_PAIRS: u32 = 4 + 8 * PAIRS;
const TO_MIXED: u32 = 4 + 12 * MIXED;

// The registers hold where source and destination end. Entered as far before the end as there are
// words or pairs to copy, by `jalr t0`.
core::arch::global_asm!(
    include_str!("../pairs.s"),
    ".section .text.copy_row, \"ax\"",
    ".balign 4",
    ".set offset, -4 * {words}",
    ".rept {words}",
    "lw t1, offset(a0)",
    "sw t1, offset(a1)",
    ".set offset, offset + 4",
    ".endr",
    ".global copy_row_end",
    "copy_row_end:",
    "jr t0",
    ".set offset, -8 * {pairs}",
    ".rept {pairs}",
    "load_pair 6, offset, a0",
    "store_pair 6, offset, a1",
    ".set offset, offset + 8",
    ".endr",
    "jr t0",
    ".set offset, -8 * {mixed}",
    ".rept {mixed}",
    "lw t1, offset(a0)",
    "lw t2, offset + 4(a0)",
    "store_pair 6, offset, a1",
    ".set offset, offset + 8",
    ".endr",
    "jr t0",
    ".if . - copy_row_end - 4 - {to_pairs} - {to_mixed}",
    ".error \"the rows do not lie as `copy_many` has it\"",
    ".endif",
    ".purgem load_pair",
    ".purgem store_pair",
    words = const WORDS,
    pairs = const PAIRS,
    mixed = const MIXED,
    to_pairs = const TO_PAIRS,
    to_mixed = const TO_MIXED,
);

/// Where the code of the row of words ends.
#[inline(always)]
fn words_end() -> u32 {
    let end;
    // SAFETY: an address. The compiler does not know which, and so keeps it where it is needed
    // often.
    unsafe { core::arch::asm!("lla {}, copy_row_end", out(reg) end, options(pure, nomem, nostack)) };
    end
}

/// Goes through a row of loads and stores from the place at `entry` on, behind which are as many as
/// copy so many bytes.
///
/// # Safety
/// As for [`copy_many`], with whole words, or pairs for which the row is made.
#[inline(always)]
unsafe fn enter(entry: u32, from: u32, to: u32, bytes: u32) {
    // SAFETY: by the contract, each word is loaded and stored once. The rows change t1 and t2.
    unsafe {
        core::arch::asm!(
            "jalr t0, 0({entry})",
            entry = in(reg) entry,
            in("a0") from.wrapping_add(bytes),
            in("a1") to.wrapping_add(bytes),
            out("t0") _,
            out("t1") _,
            out("t2") _,
            options(nostack)
        );
    }
}

/// Copies at least a word, and however many bytes, the last of which may be no whole word: if they
/// are many, all words but one or two in pairs.
///
/// # Safety
/// Both ranges are RAM and begin at multiples of four, `to` is nothing the compiler knows of, and
/// they don't overlap.
#[inline(always)]
pub unsafe fn copy_many(from: u32, to: u32, bytes: u32) {
    let words = bytes & !3;
    // SAFETY: the caller's.
    unsafe {
        match bytes >= PAIRED {
            true => copy_pairs(from, to, words),
            // Of each word a load and a store, twice as much code as it is long.
            false => enter(words_end().wrapping_sub(2 * words), from, to, words),
        }
        copy_rest(from + bytes, to + bytes, bytes & 3);
    }
}

/// Copies words, and stores them in pairs: one by itself before the pairs or after them, if need be.
///
/// # Safety
/// As for [`copy_many`], with [`PAIRED`] bytes at least.
#[inline(always)]
unsafe fn copy_pairs(from: u32, to: u32, bytes: u32) {
    let (mut from, mut to, mut left) = (from, to, bytes);
    // SAFETY: the caller's.
    unsafe {
        if to & 4 != 0 {
            copy_word(from, to);
            (from, to, left) = (from + 4, to + 4, left - 4);
        }
        let (end, pairs) = (words_end() + TO_PAIRS, left & !7);
        match from & 4 {
            0 => go_through((end, 8, 8 * PAIRS), from, to, pairs),
            _ => go_through((end + TO_MIXED, 12, 8 * MIXED), from, to, pairs),
        }
        if left != pairs {
            copy_word(from + pairs, to + pairs);
        }
    }
}

/// Goes through a row as often as need be, the first time from its midst on. Of the row: where it
/// ends, bytes of code for each pair of words, and how many bytes it copies, a power of two.
///
/// # Safety
/// As for [`copy_many`], with some pairs of words, for which the row is made.
#[inline(always)]
unsafe fn go_through((end, code, row): (u32, u32, u32), from: u32, to: u32, bytes: u32) {
    let mut done = (bytes - 1) % row + 1;
    // SAFETY: by the contract, and since a pair is as much code as the caller says.
    unsafe {
        enter(end.wrapping_sub(done / 8 * code), from, to, done);
        while done != bytes {
            done += row;
            enter(end.wrapping_sub(row / 8 * code), from, to, done);
        }
    }
}

/// Copies one word.
///
/// # Safety
/// As for [`copy_many`].
#[inline(always)]
unsafe fn copy_word(from: u32, to: u32) {
    // SAFETY: the caller's.
    unsafe { (to as *mut u32).write_volatile((from as *const u32).read_volatile()) };
}
