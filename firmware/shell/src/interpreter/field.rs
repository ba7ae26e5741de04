//! Words while they grow out of parts: split where blanks are, and kept as patterns until files have
//! been looked for.

use alloc::vec::Vec;

use crate::pattern;

/// Bytes of the words of a command, at most.
pub const WORDS_BYTES: usize = 16 * 1024;

/// Words that grow.
#[derive(Default)]
pub struct Fields {
    /// Those that are whole, as patterns.
    pub whole: Vec<Vec<u8>>,
    now: Vec<u8>,
    /// There is a word that is not whole, though it may be empty.
    open: bool,
    bytes: usize,
}

impl Fields {
    /// Whether there is room for so many bytes more.
    pub fn has_room(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        self.bytes + self.whole.len() <= WORDS_BYTES
    }

    /// Appends text that stands for itself.
    pub fn quoted(&mut self, text: &[u8]) {
        self.open = true;
        pattern::quote(&mut self.now, text);
    }

    /// Appends text that can be a pattern. What comes out of a variable has no `\` that quotes.
    pub fn plain(&mut self, text: &[u8]) {
        self.open |= !text.is_empty();
        for &byte in text {
            if byte == b'\\' {
                self.now.push(b'\\');
            }
            self.now.push(byte);
        }
    }

    /// Appends text that is split where `separators` are: blanks in any number, others one by one.
    pub fn split(&mut self, text: &[u8], separators: &[u8]) {
        let is_blank = |byte: u8| separators.contains(&byte) && byte.is_ascii_whitespace();
        let mut rest = text;
        while let Some((&byte, tail)) = rest.split_first() {
            if is_blank(byte) {
                let next = rest.iter().position(|&byte| !is_blank(byte)).unwrap_or(rest.len());
                rest = &rest[next..];
                // Blanks around another separator belong to it.
                match rest.split_first() {
                    Some((other, tail)) if separators.contains(other) && self.open => {
                        self.end();
                        rest = skip_blanks(tail, is_blank);
                    }
                    _ => self.end_if_open(),
                }
            } else if separators.contains(&byte) {
                self.open = true;
                self.end();
                rest = skip_blanks(tail, is_blank);
            } else {
                let length = rest.iter().position(|byte| separators.contains(byte)).unwrap_or(rest.len());
                self.plain(&rest[..length]);
                rest = &rest[length..];
            }
        }
    }

    /// The word that grows is whole, also if it is empty.
    pub fn end(&mut self) {
        self.whole.push(core::mem::take(&mut self.now));
        self.open = false;
    }

    /// The word that grows, if there is one, is whole.
    pub fn end_if_open(&mut self) {
        if self.open {
            self.end();
        }
    }
}

fn skip_blanks(text: &[u8], is_blank: impl Fn(u8) -> bool) -> &[u8] {
    &text[text.iter().position(|&byte| !is_blank(byte)).unwrap_or(text.len())..]
}
