//! Little-endian 32-bit words of a source, read a block at a time.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::error::{CaptureError, Context};

/// Bytes read at a time: large enough that a read's cost does not count, small enough that the
/// blocks of all streams stay in the cache.
pub(crate) const BLOCK: usize = 1 << 16;

/// Bytes at the end of a file that are no whole record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    pub path: PathBuf,
    /// Where the incomplete record starts.
    pub offset: u64,
    pub bytes: usize,
}

impl std::fmt::Display for Torn {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(
            f,
            "{}: the last {} byte(s), from byte {}, are no whole record",
            self.path.display(),
            self.bytes,
            self.offset
        )
    }
}

/// Words of a source that may be a file, or anything else that reads.
pub struct Words<R> {
    path: PathBuf,
    source: R,
    /// What was read last, as it was read.
    block: Vec<u32>,
    /// Words of `block` that are there, and bytes behind them that are no whole word yet.
    words: usize,
    partial: usize,
    /// Words that have been consumed.
    taken: usize,
    /// Byte offset of `block`.
    base: u64,
    torn: Option<Torn>,
    ended: bool,
}

impl<R: Read> Words<R> {
    /// `path` is what errors and reports call the source, `offset` the byte of it that comes first.
    pub fn new(source: R, path: &Path, offset: u64) -> Self {
        Words {
            path: path.into(),
            source,
            block: vec![0; BLOCK / 4],
            words: 0,
            partial: 0,
            taken: 0,
            base: offset,
            torn: None,
            ended: false,
        }
    }

    /// Byte offset of the first word of [`Words::peek`].
    pub fn offset(&self) -> u64 {
        self.base + 4 * self.taken as u64
    }

    /// What the source is called.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An incomplete word at the end, once the end has been reached.
    pub fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    /// The source may have grown: what was its end is read from again. An incomplete word there is
    /// kept, and may become whole.
    pub fn resume(&mut self) {
        self.ended = false;
        self.torn = None;
    }

    /// The words that come next, at least one; none at the end.
    ///
    /// # Errors
    /// The source can't be read.
    pub fn peek(&mut self) -> Result<&[u32], CaptureError> {
        if self.taken == self.words {
            self.fill()?;
        }
        Ok(&self.block[self.taken..self.words])
    }

    /// Passes `count` of the words that [`Words::peek`] showed.
    pub fn consume(&mut self, count: usize) {
        self.taken += count;
        debug_assert!(self.taken <= self.words);
    }

    #[cold]
    fn fill(&mut self) -> Result<(), CaptureError> {
        self.base += 4 * self.words as u64;
        // The bytes of a word that is not whole are all of the first.
        self.block.swap(0, self.words.min(BLOCK / 4 - 1));
        self.words = 0;
        self.taken = 0;
        while self.words == 0 && !self.ended {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.block);
            let read = match self.source.read(&mut bytes[self.partial..]) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(source) => return Err(source).at("read", &self.path),
            };
            let filled = self.partial + read;
            if read == 0 {
                self.ended = true;
                if filled > 0 {
                    self.torn = Some(Torn { path: self.path.clone(), offset: self.base, bytes: filled });
                }
            }
            self.words = filled / 4;
            self.partial = filled % 4;
        }
        // Nothing on a little-endian computer.
        self.block[..self.words].iter_mut().for_each(|word| *word = u32::from_le(*word));
        Ok(())
    }
}

impl<R: Read> Iterator for Words<R> {
    type Item = Result<u32, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.peek() {
            Err(error) => {
                self.ended = true;
                Some(Err(error))
            }
            Ok(words) => {
                let word = *words.first()?;
                self.consume(1);
                Some(Ok(word))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that come in parts; between two of them it looks as if they had ended.
    struct Parts(Vec<Vec<u8>>);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let part = if self.0.is_empty() { Vec::new() } else { self.0.remove(0) };
            buffer[..part.len()].copy_from_slice(&part);
            Ok(part.len())
        }
    }

    #[test]
    fn a_source_that_grows_is_read_on_in_the_middle_of_a_word() {
        let parts = vec![vec![1, 0, 0, 0, 2], vec![], vec![0, 0], vec![], vec![0, 3, 0, 0, 0], vec![]];
        let mut words = Words::new(Parts(parts), Path::new("parts"), 0);
        let read = |words: &mut Words<Parts>| {
            words.resume();
            let found: Vec<u32> = words.by_ref().map(Result::unwrap).collect();
            (found, words.torn().map(|torn| (torn.offset, torn.bytes)))
        };
        assert_eq!(read(&mut words), (vec![1], Some((4, 1))));
        assert_eq!(read(&mut words), (vec![], Some((4, 3))));
        assert_eq!(read(&mut words), (vec![2, 3], None));
        assert_eq!(words.offset(), 12);
    }
}
