//! Streams: files and the console behind a buffer.

use core::ffi::c_int;

use libtos::console;
use libtos::file::unlink;
use libtos::Error;

use crate::error::{number, set, EBADF, EINVAL, ESPIPE};
use crate::input::Source;
use crate::opening::{self, how, Name, Opened};

/// Files open at the same time at most, as `FOPEN_MAX` in `stdio.h` has it.
pub const FILES: usize = 8;
const BUFFER: usize = 256;

/// Where a stream's bytes are.
#[derive(Clone, Copy)]
enum Device {
    Closed,
    /// To write to.
    Console,
    /// What the console is given: the rest of a line at a time. `before` is what is done before it
    /// is waited for.
    Input {
        before: fn(),
    },
    File(Opened),
}

/// When bytes that were written leave the buffer, as in `stdio.h`.
#[derive(Clone, Copy, PartialEq)]
pub enum Buffering {
    /// When it is full.
    Full,
    /// Behind each newline.
    Line,
    /// At the end of each call.
    None,
}

/// `buffer[..filled]` stands for the file's bytes from `base` on; `at` is the next one's place in
/// it. All of them have been read from the file, or all are still to be written to it (`dirty`, and
/// `at` is `filled`).
pub struct Stream {
    device: Device,
    /// What it was opened for ([`how`]).
    how: u32,
    pub buffering: Buffering,
    dirty: bool,
    pub at_end: bool,
    /// `errno` of what failed first, or 0.
    pub failed: c_int,
    base: u32,
    at: usize,
    filled: usize,
    /// Bytes of the file, as far as it is known to reach.
    size: u32,
    /// A byte that `ungetc` has given back; it is ahead of those in the buffer.
    returned: Option<u8>,
    buffer: [u8; BUFFER],
}

impl Stream {
    /// All zeros, so that streams of files take no room in a program's file.
    pub const CLOSED: Stream = Stream {
        device: Device::Closed,
        how: 0,
        buffering: Buffering::Full,
        dirty: false,
        at_end: false,
        failed: 0,
        base: 0,
        at: 0,
        filled: 0,
        size: 0,
        returned: None,
        buffer: [0; BUFFER],
    };

    /// The console, to write to.
    pub const CONSOLE: Stream =
        Stream { device: Device::Console, how: how::WRITE, buffering: Buffering::Line, ..Stream::CLOSED };

    /// The console, to read from.
    pub const fn input(before: fn()) -> Stream {
        Stream { device: Device::Input { before }, how: how::READ, ..Stream::CLOSED }
    }

    pub fn is_closed(&self) -> bool {
        matches!(self.device, Device::Closed)
    }

    /// A stream that is open, and no file, is the console.
    pub fn is_file(&self) -> bool {
        self.name().is_some()
    }

    fn is_input(&self) -> bool {
        matches!(self.device, Device::Input { .. })
    }

    /// The name that the file had when it was opened.
    pub fn name(&self) -> Option<&Name> {
        match &self.device {
            Device::File(file) => Some(&file.name),
            _ => None,
        }
    }

    fn can(&self, what: u32) -> bool {
        self.how & what != 0
    }

    /// Whether it was opened for all of `what` ([`how`]).
    pub fn can_all(&self, what: u32) -> bool {
        self.how & what == what
    }

    /// Whether its file goes when it is closed.
    pub fn is_temporary(&self) -> bool {
        self.can(how::TEMPORARY)
    }

    /// Opens a file; `how` is of [`how`].
    pub fn open(&mut self, name: &str, how: u32) -> Result<(), c_int> {
        let (file, size) = opening::open(name, how).map_err(number_of)?;
        // What can only be added to has no other place to begin at.
        let base = if how & (how::APPEND | how::READ) == how::APPEND { size } else { 0 };
        *self = Stream { device: Device::File(file), how, size, base, ..Stream::CLOSED };
        Ok(())
    }

    /// Writes what is in the buffer; `false` if that failed. The position stays. So do the bytes
    /// that can't be written, which a later call may still be able to; and what the console was
    /// given, which comes once.
    pub fn flush(&mut self) -> bool {
        let written = self.write_out();
        self.noted(written).is_some()
    }

    fn write_out(&mut self) -> Result<(), Error> {
        if self.is_input() {
            return Ok(());
        }
        if self.dirty {
            if self.can(how::APPEND) {
                self.base = self.end();
            }
            let bytes = &self.buffer[..self.filled];
            match &self.device {
                Device::Console => console::write(bytes),
                Device::File(file) => file.write(self.base, bytes)?,
                Device::Input { .. } | Device::Closed => return Err(Error::NoFile),
            }
            self.dirty = false;
            self.size = self.size.max(self.base + self.filled as u32);
        }
        self.empty();
        Ok(())
    }

    /// Nothing is in the buffer; the position stays.
    fn empty(&mut self) {
        self.base = self.position();
        (self.at, self.filled, self.returned) = (0, 0, None);
    }

    /// Where the file ends now; others may have written to it too. If it has another name since, as
    /// far as this stream knows.
    fn end(&self) -> u32 {
        match &self.device {
            Device::File(file) => file.bytes().unwrap_or(self.size),
            _ => self.size,
        }
    }

    /// `false` if anything has failed since it was opened, or since that was cleared; `errno` says
    /// what was first. A stream whose bytes can only be written elsewhere stays open.
    pub fn close(&mut self) -> bool {
        let written = self.write_out();
        self.noted(written);
        if written == Err(Error::NotHere) {
            return false;
        }
        if let (Some(name), true) = (self.name(), self.is_temporary()) {
            // Somebody else may have removed it.
            _ = unlink(name.text());
        }
        let failed = core::mem::replace(self, Stream::CLOSED).failed;
        if failed != 0 {
            set(failed);
        }
        failed == 0
    }

    /// Closes it, whatever becomes of its bytes.
    pub fn discard(&mut self) {
        if !self.close() {
            *self = Stream::CLOSED;
        }
    }

    /// A result of the kernel. An error is `errno`, and the stream keeps the first one.
    fn noted<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.fail(number_of(error))).ok()
    }

    /// Always `false`.
    fn fail(&mut self, number: c_int) -> bool {
        if self.failed == 0 {
            self.failed = number;
        }
        set(number);
        false
    }

    /// The next byte; [`None`] at the end.
    pub fn read(&mut self) -> Option<u8> {
        let byte = self.peek();
        if byte.is_some() {
            self.advance();
        }
        byte
    }

    /// Gets bytes into the buffer, of which all have been read.
    fn fill(&mut self) {
        if !self.can(how::READ) {
            self.fail(EBADF);
            return;
        }
        if !self.flush() {
            return;
        }
        let read = match &self.device {
            Device::File(file) => file.read(self.base, &mut self.buffer),
            &Device::Input { before } => {
                self.empty();
                before();
                console::read(&mut self.buffer)
            }
            Device::Console | Device::Closed => Err(Error::NoFile),
        };
        match self.noted(read) {
            Some(0) => self.at_end = true,
            Some(bytes) => self.filled = bytes,
            None => {}
        }
    }

    /// Reads as POSIX's `read`: of the console no more than what is there, and the end of a file
    /// only where it is now. How many bytes; [`None`] if reading failed.
    pub fn read_some(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let mut read = 0;
        self.at_end = false;
        while read < buffer.len() {
            let Some(byte) = self.read() else { break };
            buffer[read] = byte;
            read += 1;
            if self.is_input() && self.at == self.filled {
                break;
            }
        }
        let is_right = read > 0 || buffer.is_empty() || self.at_end;
        (self.at_end, self.failed) = (false, 0);
        is_right.then_some(read)
    }

    /// Writes as POSIX's `write`: nothing stays in the buffer. How many bytes; [`None`] if it was
    /// none of them.
    pub fn write_some(&mut self, bytes: &[u8]) -> Option<usize> {
        let is_right = self.flush();
        let before = if self.can(how::APPEND) { self.end() } else { self.base };
        if is_right && bytes.iter().all(|&byte| self.write(byte)) && self.flush() {
            return Some(bytes.len());
        }
        // What is left can't be written.
        let written = self.base.saturating_sub(before) as usize;
        (self.at, self.filled, self.dirty, self.failed) = (0, 0, false, 0);
        Some(written).filter(|&written| written > 0)
    }

    /// Gives a byte back; only one has room.
    pub fn give_back(&mut self, byte: u8) -> bool {
        let has_room = self.can(how::READ) && !self.dirty && self.returned.is_none();
        if has_room {
            (self.returned, self.at_end) = (Some(byte), false);
        }
        has_room
    }

    /// Takes a byte; `false` if it can't.
    pub fn write(&mut self, byte: u8) -> bool {
        if !self.can(how::WRITE) {
            return self.fail(EBADF);
        }
        if !self.dirty {
            self.empty();
            if self.can(how::APPEND) {
                self.base = self.end();
            }
        }
        if self.at == BUFFER && !self.flush() {
            return false;
        }
        self.buffer[self.at] = byte;
        self.at += 1;
        (self.filled, self.dirty) = (self.at, true);
        byte != b'\n' || self.buffering != Buffering::Line || self.flush()
    }

    /// Where the next byte is.
    pub fn position(&self) -> u32 {
        (self.base + self.at as u32).saturating_sub(self.returned.is_some() as u32)
    }

    /// Goes to a place relative to the start, here, or the end.
    pub fn seek(&mut self, offset: i32, whence: c_int) -> bool {
        if !self.is_file() {
            set(ESPIPE);
            return false;
        }
        if !self.flush() {
            return false;
        }
        let from = match whence {
            0 => Some(0),
            1 => Some(self.base),
            2 => Some(self.end()),
            _ => None,
        };
        let place = from.and_then(|from| from.checked_add_signed(offset)).filter(|&place| i32::try_from(place).is_ok());
        let Some(place) = place else {
            set(EINVAL);
            return false;
        };
        (self.base, self.at_end) = (place, false);
        true
    }
}

/// `errno` for an error of the kernel: what there is no memory for is a file's bytes or name.
fn number_of(error: Error) -> c_int {
    number(if error == Error::NoMemory { Error::TooManyFiles } else { error })
}

impl Source for Stream {
    fn peek(&mut self) -> Option<u8> {
        if self.returned.is_some() {
            return self.returned;
        }
        if self.at == self.filled && !self.at_end {
            self.fill();
        }
        self.buffer[..self.filled].get(self.at).copied()
    }

    fn advance(&mut self) {
        if self.returned.take().is_none() {
            self.at += 1;
        }
    }
}
