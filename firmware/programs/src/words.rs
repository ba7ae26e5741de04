//! Arguments that a program makes for one that it invokes.

/// Arguments of a process.
#[derive(Clone, Copy)]
pub struct Words<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Words<N> {
    pub const EMPTY: Self = Words { bytes: [0; N], length: 0 };

    /// Adds a word, if there is room for it.
    pub fn push(&mut self, word: &str) {
        if self.length + word.len() < N {
            self.bytes[self.length..self.length + word.len()].copy_from_slice(word.as_bytes());
            self.length += word.len() + 1;
        }
    }

    /// Adds a number.
    pub fn push_number(&mut self, number: u32) {
        let mut digits = [b'0'; 10];
        let mut left = number;
        for digit in digits.iter_mut().rev() {
            *digit += (left % 10) as u8;
            left /= 10;
        }
        self.push(core::str::from_utf8(&digits).unwrap_or_default());
    }

    /// As [`libtos::process::invoke`] takes them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
