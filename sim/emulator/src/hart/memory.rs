//! One processor's RAM, with its decoded instructions beside it.

use crate::ram::Ram;

use super::decode::{decode, Decoded, Op};
use super::times::PAGE_WORDS;
use std::cell::Cell;
use testbed_definitions::map::RAM_BASE;

/// log2 of the words that share one `has_code` flag: 1 KiB.
pub(in crate::hart) const CODE_SHIFT: usize = 8;
// Who stores to the page that it is executed from finds that out there.
const _: () = assert!(1 << CODE_SHIFT == PAGE_WORDS);

/// RAM as words, and for every word its decoded form once it has been executed.
pub(in crate::hart) struct Memory {
    pub words: Vec<u32>,
    pub decoded: Vec<Cell<Decoded>>,
    /// Whether any word of this stretch of 2^[`CODE_SHIFT`] has ever been decoded; spares stores
    /// the look at `decoded`.
    pub has_code: Vec<Cell<bool>>,
    /// Whether an instruction of this stretch of 2^[`CODE_SHIFT`] has ever been translated.
    pub translated: Vec<Cell<bool>>,
    /// Whether one may have been overwritten since.
    pub stale: Cell<bool>,
    /// Index of the word that the core's fetch has already read, though the instruction comes
    /// later.
    pub fetched: Option<u32>,
    /// That word's content if it was overwritten since, or a word whose execution was suspended.
    pub latched: Option<u32>,
    /// Whether the processor runs ahead and may have to go back.
    pub noting: bool,
    /// Then index and former content of each word that it or DMA has written, in order.
    pub overwritten: Vec<(u32, u32)>,
}

impl Memory {
    /// `bytes` is a power of two of at least 1 KiB.
    pub fn new(bytes: u32) -> Self {
        let words = (bytes / 4) as usize;
        Memory {
            words: vec![0; words],
            decoded: vec![Cell::new(Decoded::UNDECODED); words],
            has_code: vec![Cell::new(false); words.div_ceil(1 << CODE_SHIFT)],
            translated: vec![Cell::new(false); words.div_ceil(1 << CODE_SHIFT)],
            stale: Cell::new(false),
            fetched: None,
            latched: None,
            noting: false,
            overwritten: Vec::new(),
        }
    }

    /// Bytes of RAM.
    pub fn bytes(&self) -> u32 {
        (self.words.len() * 4) as u32
    }

    /// Offset into RAM of a physical address, if it is in RAM.
    pub fn offset(&self, address: u32) -> Option<u32> {
        let offset = address.wrapping_sub(RAM_BASE);
        (offset < self.bytes()).then_some(offset)
    }

    /// Decodes the word at `index` into the cache; the word after it too if its form depends on that, so
    /// that whoever overwrites it finds a decoded form there.
    pub fn predecode(&self, index: usize) {
        let mut at = index;
        loop {
            let decoded = decode(self.words[at]);
            let is_late = decoded.late_register().is_some();
            let next = Some(at + 1).filter(|next| is_late && next % PAGE_WORDS as usize != 0);
            let waits = next.is_some_and(|next| decoded.is_waited_for_by(self.words[next]));
            self.decoded[at].set(decoded.cached().before(waits));
            self.has_code[at >> CODE_SHIFT].set(true);
            // A store there must look whether it hits the word after it, which has been read already.
            if let Some(next) = self.has_code.get((at + 1) >> CODE_SHIFT) {
                next.set(true);
            }
            match next {
                Some(next) if self.decoded[next].get().op == Op::Undecoded => at = next,
                _ => break,
            }
        }
    }

    /// The word at `index` is another: its decoded form is gone.
    pub fn forget(&self, index: usize) {
        forget(&self.decoded, &self.translated, &self.stale, index);
    }

    /// The core's write of the byte lanes in `mask`.
    pub fn store(&mut self, index: usize, lanes: u32, mask: u8) {
        let bits = lane_bits(mask);
        if self.noting {
            self.overwritten.push((index as u32, self.words[index]));
        }
        self.words[index] = self.words[index] & !bits | lanes & bits;
        self.forget(index);
    }
}

impl Ram for Memory {
    fn read(&self, offset: u32) -> u32 {
        self.words[offset as usize / 4]
    }

    fn write_behind(&mut self, offset: u32, value: u32) {
        let index = offset as usize / 4;
        if self.fetched == Some(index as u32) && self.latched.is_none() {
            self.latched = Some(self.words[index]);
        }
        if self.noting {
            self.overwritten.push((index as u32, self.words[index]));
        }
        self.words[index] = value;
        self.forget(index);
    }
}

/// See [`Memory::forget`].
#[inline(always)]
pub(in crate::hart) fn forget(decoded: &[Cell<Decoded>], translated: &[Cell<bool>], stale: &Cell<bool>, index: usize) {
    if decoded[index].get().op != Op::Undecoded {
        forget_decoded(decoded, translated, stale, index);
    }
}

/// The word at `index` has no decoded form any more, nor have those before it that depend on it or on
/// each other.
#[cold]
fn forget_decoded(decoded: &[Cell<Decoded>], translated: &[Cell<bool>], stale: &Cell<bool>, index: usize) {
    let mut at = index;
    loop {
        decoded[at].set(Decoded::UNDECODED);
        if translated[at >> CODE_SHIFT].get() {
            stale.set(true);
        }
        // None depends on another page.
        if at % PAGE_WORDS as usize == 0 || !decoded[at - 1].get().depends_on_next() {
            break;
        }
        at -= 1;
    }
}

/// The bits of the byte lanes in `mask`.
pub(in crate::hart) fn lane_bits(mask: u8) -> u32 {
    (0..4).filter(|lane| mask >> lane & 1 != 0).map(|lane| 0xff << (8 * lane)).sum()
}
