//! Copying words within a page: a load and a store each, 4 cycles, if source and destination are alike in alignment; 11 cycles if words must be
//! put together from two. The small kernel takes 4.4 and 18.

/// Words that a row of loads and stores copies: a page's, so that nothing has to be counted (a few in the small kernel).
const ROW: u32 = if cfg!(feature = "small") { 16 } else { testbed_definitions::page::PAGE_BYTES / 4 };

// The registers hold where source and destination end. Entered as far before the end as there are words to copy, by `jalr t0`.
#[cfg(not(feature = "small"))]
core::arch::global_asm!(
    ".section .text.copy_row, \"ax\"",
    ".balign 4",
    ".set offset, -4 * {row}",
    ".rept {row}",
    "lw t1, offset(a0)",
    "sw t1, offset(a1)",
    ".set offset, offset + 4",
    ".endr",
    ".global copy_row_end",
    "copy_row_end:",
    "jr t0",
    row = const ROW,
);

/// The row of loads and stores.
#[cfg(not(feature = "small"))]
#[derive(Clone, Copy)]
pub struct Row {
    end: u32,
}

#[cfg(not(feature = "small"))]
impl Row {
    #[inline(always)]
    pub fn new() -> Row {
        let end;
        // SAFETY: an address. The compiler does not know which, and so keeps it where it is needed often.
        unsafe { core::arch::asm!("lla {}, copy_row_end", out(reg) end, options(pure, nomem, nostack)) };
        Row { end }
    }

    /// Copies whole words, a page of them at most.
    ///
    /// # Safety
    /// Both ranges are RAM at multiples of four, `to` is nothing the compiler knows of, and they don't overlap.
    #[inline(always)]
    pub unsafe fn copy(self, from: u32, to: u32, bytes: u32) {
        // SAFETY: by the contract above, each word is loaded and stored once; a load and a store of four bytes take eight of code.
        unsafe {
            core::arch::asm!(
                "jalr t0, 0({entry})",
                entry = in(reg) self.end.wrapping_sub(2 * bytes),
                in("a0") from.wrapping_add(bytes),
                in("a1") to.wrapping_add(bytes),
                out("t0") _,
                out("t1") _,
                options(nostack)
            );
        }
    }
}

/// Copies at least one word.
///
/// # Safety
/// As for [`Row::copy`], with as many words as there may be.
#[cfg(not(feature = "small"))]
#[inline(always)]
pub unsafe fn copy_words(from: *const u32, to: *mut u32, words: u32) -> (*const u8, *mut u8) {
    let (mut source, mut destination, mut left, row) = (from as u32, to as u32, 4 * words, Row::new());
    while left != 0 {
        let part = left.min(4 * ROW);
        // SAFETY: the caller's.
        unsafe { row.copy(source, destination, part) };
        source += part;
        destination += part;
        left -= part;
    }
    (source as *const u8, destination as *mut u8)
}

/// Copies at least one word, and begins in the midst of the row of loads and stores, so that whole rows are left.
///
/// # Safety
/// Both ranges are RAM at multiples of four, `to` is nothing the compiler knows of, and they don't overlap.
#[cfg(feature = "small")]
#[inline(always)]
pub unsafe fn copy_words(from: *const u32, to: *mut u32, words: u32) -> (*const u8, *mut u8) {
    let skipped = words.wrapping_neg() & (ROW - 1);
    let (end, end_to) = (from.wrapping_add(words as usize), to.wrapping_add(words as usize));
    // SAFETY: the caller's ranges have this many words; each is loaded and stored once. A load and a store take 8 bytes of code.
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
    (end.cast(), end_to.cast())
}

/// Words that are put together between two branches.
const SHIFTED: u32 = if cfg!(feature = "small") { 1 } else { 8 };

/// Copies words from an address that is no multiple of four: each is put together from two.
///
/// # Safety
/// The ranges are RAM, `to` is a multiple of four and nothing the compiler knows of, and they don't overlap.
#[inline(always)]
pub unsafe fn copy_shifted(from: *const u8, mut to: *mut u32, words: u32) -> (*const u8, *mut u8) {
    let shift = (from as u32 & 3) * 8;
    let mut word = (from as u32 & !3) as *const u32;
    let mut left = words;
    // SAFETY: every word read holds a byte of the caller's range, and RAM is there in whole words.
    unsafe {
        let mut low = word.read_volatile();
        while left >= SHIFTED {
            for index in 0..SHIFTED as usize {
                low = put(low, word.add(index + 1), to.add(index), shift);
            }
            (word, to) = (word.add(SHIFTED as usize), to.add(SHIFTED as usize));
            left -= SHIFTED;
        }
        for _ in 0..left {
            (word, low) = (word.add(1), put(low, word.add(1), to, shift));
            to = to.add(1);
        }
        (from.add(4 * words as usize), to.cast())
    }
}

/// Stores a word, the lower part of which is the upper one of `low`; returns where the next one comes from.
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
