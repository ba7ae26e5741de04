//! What every utility has: its name, its streams behind buffers, and a way to say what is wrong.

use alloc::vec::Vec;

use testbed_definitions::syscall::{open, Error};

use crate::number;
use crate::system::{File, Processor, System};

/// Bytes of output that are gathered.
const BUFFER_BYTES: usize = 1024;
/// Bytes of a line, at most.
pub const LINE_BYTES: usize = 32 * 1024;

/// Why a utility ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It was called as it can't be.
    Usage,
    /// It has said why; its status.
    Told(u32),
    /// Its output can't be written, or its input read.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Error(error)
    }
}

/// A utility's status.
pub type Done = Result<u32, Stop>;

/// A utility that runs.
pub struct Context<'s> {
    /// The machine.
    pub system: &'s mut dyn System,
    name: &'static str,
    out: Vec<u8>,
    /// The status with which it ends if nothing else is said: whether something has gone wrong.
    pub status: u32,
}

/// The processor and the name in `PROCESSOR:NAME`, or in a name alone.
pub fn place_of<'n, S: System + ?Sized>(system: &S, name: &'n [u8]) -> (Processor, &'n [u8]) {
    let colon = name.iter().position(|&byte| byte == b':').filter(|&at| at > 0);
    let place = colon.and_then(|at| Some((system.processor_named(&name[..at])?, &name[at + 1..])));
    place.unwrap_or((system.home(), name))
}

impl<'s> Context<'s> {
    /// A utility of this name.
    pub fn new(system: &'s mut dyn System, name: &'static str) -> Self {
        Context { system, name, out: Vec::new(), status: 0 }
    }

    /// Writes text.
    pub fn put(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.out.extend_from_slice(text);
        if self.out.len() >= BUFFER_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what has been gathered.
    pub fn flush(&mut self) -> Result<(), Stop> {
        let out = core::mem::take(&mut self.out);
        for piece in out.chunks(BUFFER_BYTES) {
            self.system.output(piece)?;
        }
        Ok(())
    }

    /// Writes a number with blanks ahead of it.
    pub fn put_number(&mut self, number: u64, width: usize) -> Result<(), Stop> {
        let mut text = Vec::new();
        number::padded(&mut text, number as i64, width);
        self.put(&text)
    }

    /// Says what is wrong with what.
    pub fn complain(&mut self, of: &[u8], what: &str) {
        // In the order in which it comes, where both lead to one place.
        let _ = self.flush();
        let blank: &[u8] = if of.is_empty() { b"" } else { b": " };
        let text = [self.name.as_bytes(), b": ", of, blank, what.as_bytes(), b"\n"].concat();
        self.system.complain(&text);
        self.status = self.status.max(1);
    }

    /// Says what is wrong, and ends.
    pub fn stop<T>(&mut self, of: &[u8], what: &str, status: u32) -> Result<T, Stop> {
        self.complain(of, what);
        Err(Stop::Told(status))
    }

    /// Opens a file to be read; `-` is standard input. If it can't be opened it says so.
    pub fn open(&mut self, name: &[u8]) -> Option<Reader> {
        if name == b"-" {
            return Some(Reader::input());
        }
        let (place, name) = place_of(self.system, name);
        match self.system.open(place, name, open::READ) {
            Ok(file) => Some(Reader::file(file)),
            Err(error) => {
                self.complain(name, error.meaning());
                None
            }
        }
    }

    /// Calls `act` with each file that can be read and its name, or with standard input.
    pub fn each(
        &mut self,
        names: &[Vec<u8>],
        mut act: impl FnMut(&mut Self, &mut Reader, &[u8]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if names.is_empty() {
            return act(self, &mut Reader::input(), b"-");
        }
        for name in names {
            if let Some(mut reader) = self.open(name) {
                act(self, &mut reader, name)?;
            }
        }
        Ok(())
    }
}

/// Reads a file, or standard input, in pieces.
pub struct Reader {
    file: Option<File>,
    offset: u32,
    buffer: Vec<u8>,
    used: usize,
    ended: bool,
}

impl Reader {
    fn input() -> Self {
        Reader { file: None, offset: 0, buffer: Vec::new(), used: 0, ended: false }
    }
    /// Reads a file from its beginning.
    pub fn file(file: File) -> Self {
        Reader { file: Some(file), ..Reader::input() }
    }

    /// What has been read and not taken, more if there was nothing; empty at the end.
    pub fn peek(&mut self, context: &mut Context) -> Result<&[u8], Stop> {
        if self.used == self.buffer.len() && !self.ended {
            let mut piece = [0; 1024];
            let count = match self.file {
                Some(file) => context.system.read_at(file, self.offset, &mut piece)?,
                None => context.system.input(&mut piece[..256])?,
            };
            self.offset += count as u32;
            self.ended = count == 0;
            self.buffer.clear();
            self.buffer.extend_from_slice(&piece[..count]);
            self.used = 0;
        }
        Ok(&self.buffer[self.used..])
    }

    /// Takes so many bytes of what was looked at.
    pub fn take(&mut self, bytes: usize) {
        self.used += bytes;
    }

    /// The next piece; `None` at the end.
    pub fn piece(&mut self, context: &mut Context) -> Result<Option<Vec<u8>>, Stop> {
        let piece = self.peek(context)?.to_vec();
        self.take(piece.len());
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// The next line without its newline; `None` at the end. `whole` is whether it had one.
    pub fn line(&mut self, context: &mut Context, whole: &mut bool) -> Result<Option<Vec<u8>>, Stop> {
        let mut line = Vec::new();
        *whole = false;
        loop {
            let piece = self.peek(context)?;
            if piece.is_empty() {
                return Ok((!line.is_empty()).then_some(line));
            }
            let end = piece.iter().position(|&byte| byte == b'\n');
            let count = end.unwrap_or(piece.len());
            line.extend_from_slice(&piece[..count]);
            self.take(count + end.is_some() as usize);
            if line.len() > LINE_BYTES {
                return context.stop(b"", "a line has more than 32 KiB", 2);
            }
            if end.is_some() {
                *whole = true;
                return Ok(Some(line));
            }
        }
    }
}

/// Single letters with a `-` ahead, and words, as POSIX has them.
pub struct Options<'w> {
    words: &'w [Vec<u8>],
    /// Of the first word.
    at: usize,
}

impl<'w> Options<'w> {
    /// The options that arguments begin with.
    pub fn new(words: &'w [Vec<u8>]) -> Self {
        Options { words, at: 1 }
    }

    /// The next letter; `None` behind the last, or ahead of `-` or a word.
    pub fn next(&mut self) -> Option<u8> {
        let word = self.words.first()?;
        if word.len() < 2 || word[0] != b'-' {
            return None;
        }
        if word[..] == *b"--" {
            self.words = &self.words[1..];
            return None;
        }
        let letter = word[self.at];
        self.at += 1;
        if self.at == word.len() {
            (self.words, self.at) = (&self.words[1..], 1);
        }
        Some(letter)
    }

    /// The value of the last letter: the rest of its word, or the next one.
    pub fn value(&mut self) -> Result<&'w [u8], Stop> {
        let (word, rest) = self.words.split_first().ok_or(Stop::Usage)?;
        let value = if self.at > 1 { &word[self.at..] } else { &word[..] };
        (self.words, self.at) = (rest, 1);
        Ok(value)
    }

    /// The words behind the options.
    pub fn words(&self) -> &'w [Vec<u8>] {
        self.words
    }
}
