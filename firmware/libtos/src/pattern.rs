//! Messages whose every byte can be checked: a pattern that depends on the message's number, and a
//! checksum. Word by word, so that checking costs little beside the communication that is measured.

use core::ops::{Deref, DerefMut};

use crate::console::Line;
use crate::halt;

/// Room for a message of up to `4 * WORDS` bytes, at a multiple of eight: the kernel copies pairs
/// of words between buffers that are alike in that.
#[repr(align(8))]
pub struct Buffer<const WORDS: usize>([u32; WORDS]);

impl<const WORDS: usize> Buffer<WORDS> {
    pub const fn new() -> Self {
        Buffer([0; WORDS])
    }
}

impl<const WORDS: usize> Default for Buffer<WORDS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const WORDS: usize> Deref for Buffer<WORDS> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: words are bytes, of the same memory and lifetime.
        unsafe { core::slice::from_raw_parts(self.0.as_ptr().cast(), 4 * WORDS) }
    }
}

impl<const WORDS: usize> DerefMut for Buffer<WORDS> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; any bytes make words.
        unsafe { core::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), 4 * WORDS) }
    }
}

/// From one word of a pattern to the next, and from one message to the next.
const WORD_STEP: u32 = 0x9e37_79b1;
const MESSAGE_STEP: u32 = 0x85eb_ca77;

/// Ends the program if a message does not start at a multiple of four; not by a panic, which takes
/// more memory than small programs have.
fn require_aligned(before: &[u8]) {
    if !before.is_empty() {
        Line::new().text("a message that is not aligned").end();
        halt();
    }
}

/// Fills a message, which starts at a multiple of four in memory.
pub fn fill(message: &mut [u8], number: u32) {
    let mut word = number.wrapping_mul(MESSAGE_STEP);
    // SAFETY: bytes make words.
    let (start, words, rest) = unsafe { message.align_to_mut::<u32>() };
    require_aligned(start);
    for place in words {
        *place = word;
        word = word.wrapping_add(WORD_STEP);
    }
    rest.iter_mut().zip(word.to_le_bytes()).for_each(|(place, byte)| *place = byte);
}

/// What was received so far.
#[derive(Clone, Copy, Default)]
pub struct Check {
    pub messages: u32,
    pub bytes: u32,
    /// Words, and bytes of the last one, that differ from the pattern.
    pub wrong: u32,
    /// Over all words, the last one of a message padded with zeros: rotated left by five, then exclusive or.
    pub checksum: u32,
}

impl Check {
    /// Checks the next message, which starts at a multiple of four in memory.
    pub fn add(&mut self, message: &[u8]) {
        let mut expected = self.messages.wrapping_mul(MESSAGE_STEP);
        // SAFETY: bytes make words.
        let (start, words, rest) = unsafe { message.align_to::<u32>() };
        require_aligned(start);
        for &word in words {
            self.wrong += (word != expected) as u32;
            self.checksum = self.checksum.rotate_left(5) ^ word;
            expected = expected.wrapping_add(WORD_STEP);
        }
        let mut last = [0; 4];
        for ((place, &byte), expected) in last.iter_mut().zip(rest).zip(expected.to_le_bytes()) {
            self.wrong += (byte != expected) as u32;
            *place = byte;
        }
        if !rest.is_empty() {
            self.checksum = self.checksum.rotate_left(5) ^ u32::from_le_bytes(last);
        }
        self.messages += 1;
        self.bytes += message.len() as u32;
    }
}
