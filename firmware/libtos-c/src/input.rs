//! Text that is read byte by byte, of strings and of streams: what `strtol`, `strtod` and `scanf`
//! have in common.

use core::ffi::c_char;

/// Where bytes come from. Only the next one can be looked at, as a stream's.
pub trait Source {
    /// The next byte; [`None`] at the end.
    fn peek(&mut self) -> Option<u8>;

    /// Goes behind the byte that `peek` has shown.
    fn advance(&mut self);
}

/// A string of C, which ends ahead of its NUL.
pub struct Memory(*const u8);

impl Memory {
    /// # Safety
    /// The string ends with a NUL.
    pub unsafe fn new(text: *const c_char) -> Self {
        Memory(text.cast())
    }
}

impl Source for Memory {
    fn peek(&mut self) -> Option<u8> {
        // SAFETY: `advance` comes only behind bytes that are not the NUL.
        Some(unsafe { *self.0 }).filter(|byte| *byte != 0)
    }

    fn advance(&mut self) {
        self.0 = self.0.wrapping_add(1);
    }
}

pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Counts what is taken from a source, and may end ahead of it.
pub struct Input<'a, S: Source + ?Sized = dyn Source + 'a> {
    source: &'a mut S,
    pub taken: usize,
    /// [`Input::taken`] doesn't go beyond it.
    end: usize,
}

impl<'a, S: Source + ?Sized> Input<'a, S> {
    pub fn new(source: &'a mut S) -> Self {
        Input { source, taken: 0, end: usize::MAX }
    }

    /// Ends after so many bytes more; [`None`] lifts that.
    pub fn limit(&mut self, bytes: Option<usize>) {
        self.end = bytes.map_or(usize::MAX, |bytes| self.taken.saturating_add(bytes));
    }

    pub fn peek(&mut self) -> Option<u8> {
        if self.taken == self.end {
            return None;
        }
        self.source.peek()
    }

    pub fn advance(&mut self) {
        self.source.advance();
        self.taken += 1;
    }

    /// Takes the next byte if it is one of those that are wanted.
    pub fn next_if(&mut self, is_wanted: impl FnOnce(u8) -> bool) -> Option<u8> {
        let byte = self.peek().filter(|byte| is_wanted(*byte))?;
        self.advance();
        Some(byte)
    }

    /// Takes the next byte if it is this one, a letter large or small.
    pub fn take(&mut self, wanted: u8) -> bool {
        self.next_if(|byte| byte.to_ascii_lowercase() == wanted).is_some()
    }

    pub fn skip_blanks(&mut self) {
        while self.next_if(is_blank).is_some() {}
    }

    /// Takes a sign if there is one: whether it is a minus.
    pub fn sign(&mut self) -> bool {
        self.next_if(|byte| matches!(byte, b'-' | b'+')) == Some(b'-')
    }
}
