//! Streams: files and the console behind a buffer.

use core::ffi::c_int;

use libtos::console;
use libtos::file::{flags, File};
use libtos::Error;

use crate::error::{noted, set};
use crate::input::Source;

/// Files open at the same time at most, as `FOPEN_MAX` in `stdio.h` has it.
pub const FILES: usize = 8;
const BUFFER: usize = 256;

/// Where a stream's bytes are.
#[derive(Clone, Copy)]
enum Device {
    Closed,
    /// Written to line by line; text of a call is written at its end if it is `stderr`.
    Console,
    /// What the console is given: the rest of a line at a time. `before` is what is done before it
    /// is waited for.
    Input {
        before: fn(),
    },
    File(File),
}

/// `buffer[..filled]` stands for the file's bytes from `base` on; `at` is the next one's place in it.
pub struct Stream {
    device: Device,
    readable: bool,
    writable: bool,
    append: bool,
    dirty: bool,
    pub at_end: bool,
    /// `errno` of what failed first, or 0.
    pub failed: c_int,
    base: u32,
    at: usize,
    filled: usize,
    /// Of the file, as far as it is known to reach.
    size: u32,
    /// A byte that `ungetc` has given back; it is ahead of those in the buffer.
    returned: Option<u8>,
    buffer: [u8; BUFFER],
}

impl Stream {
    /// All zeros, so that streams of files take no room in a program's file.
    pub const CLOSED: Stream = Stream {
        device: Device::Closed,
        readable: false,
        writable: false,
        append: false,
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
    pub const CONSOLE: Stream = Stream { device: Device::Console, writable: true, ..Stream::CLOSED };

    /// The console, to read from.
    pub const fn input(before: fn()) -> Stream {
        Stream { device: Device::Input { before }, readable: true, ..Stream::CLOSED }
    }

    pub fn is_closed(&self) -> bool {
        matches!(self.device, Device::Closed)
    }

    pub fn is_console(&self) -> bool {
        matches!(self.device, Device::Console | Device::Input { .. })
    }

    /// Opens a file as `fopen`'s mode says.
    pub fn open(&mut self, name: &str, mode: &[u8]) -> Result<(), Error> {
        let (kind, both) = (mode.first().copied(), mode.contains(&b'+'));
        let how = match kind {
            Some(b'r') if both => flags::READ | flags::WRITE,
            Some(b'r') => flags::READ,
            Some(b'w') => flags::WRITE | flags::CREATE | flags::TRUNCATE | if both { flags::READ } else { 0 },
            // The bytes around those that are added may have to be read.
            Some(b'a') => flags::WRITE | flags::CREATE | if both { flags::READ } else { 0 },
            _ => return Err(Error::BadName),
        };
        let file = File::open(name, how)?;
        *self = Stream {
            device: Device::File(file),
            readable: how & flags::READ != 0,
            writable: how & flags::WRITE != 0,
            append: kind == Some(b'a'),
            size: if how & flags::TRUNCATE != 0 { 0 } else { file.bytes },
            ..Stream::CLOSED
        };
        Ok(())
    }

    /// Writes what is in the buffer; `false` if that failed. The position stays; so do the bytes,
    /// if the file is on another processor. What the console was given stays too: it comes once.
    pub fn flush(&mut self) -> bool {
        if matches!(self.device, Device::Input { .. }) {
            return true;
        }
        let mut is_right = true;
        if self.dirty {
            let bytes = &self.buffer[..self.filled];
            let written = match self.device {
                Device::Console => {
                    console::write(bytes);
                    Ok(())
                }
                Device::File(file) => file.write(self.base, bytes),
                Device::Input { .. } | Device::Closed => Err(Error::NoFile),
            };
            is_right = self.noted(written).is_some();
            if written == Err(Error::NotHere) {
                return false;
            }
            self.dirty = false;
            if is_right {
                self.size = self.size.max(self.base + self.filled as u32);
            }
        }
        self.empty();
        is_right
    }

    /// Nothing is in the buffer; the position stays.
    fn empty(&mut self) {
        self.base = self.position();
        (self.at, self.filled, self.returned) = (0, 0, None);
    }

    /// `false` if anything has failed since it was opened, or since that was cleared; `errno` says
    /// what was first. A stream whose bytes can only be written elsewhere stays open.
    pub fn close(&mut self) -> bool {
        if !self.flush() && self.dirty {
            return false;
        }
        match core::mem::replace(self, Stream::CLOSED).failed {
            0 => true,
            failed => {
                set(failed);
                false
            }
        }
    }

    /// A result of the kernel. An error is `errno`, and the stream keeps the first one.
    fn noted<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        if let (0, Err(error)) = (self.failed, &result) {
            self.failed = -error.code();
        }
        noted(result)
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
        let read = match self.device {
            Device::File(file) if self.readable => {
                self.flush();
                file.read(self.base, &mut self.buffer)
            }
            Device::Input { before } => {
                self.empty();
                before();
                console::read(&mut self.buffer)
            }
            _ => Err(Error::NoPermission),
        };
        match self.noted(read) {
            Some(0) => self.at_end = true,
            Some(bytes) => self.filled = bytes,
            None => {}
        }
    }

    /// Gives a byte back; only one has room.
    pub fn give_back(&mut self, byte: u8) -> bool {
        let has_room = self.readable && self.returned.is_none();
        if has_room {
            (self.returned, self.at_end) = (Some(byte), false);
        }
        has_room
    }

    /// Takes a byte; `false` if it can't.
    pub fn write(&mut self, byte: u8) -> bool {
        if !self.writable {
            return self.noted(Err::<(), _>(Error::NoPermission)).is_some();
        }
        if self.append && !self.dirty {
            self.flush();
            self.base = self.size;
        }
        if self.at == BUFFER && !self.flush() {
            return false;
        }
        self.buffer[self.at] = byte;
        self.at += 1;
        self.filled = self.filled.max(self.at);
        self.dirty = true;
        byte != b'\n' || !matches!(self.device, Device::Console) || self.flush()
    }

    /// Where the next byte is.
    pub fn position(&self) -> u32 {
        (self.base + self.at as u32).saturating_sub(self.returned.is_some() as u32)
    }

    /// Goes to a place relative to the start, here, or the end.
    pub fn seek(&mut self, offset: i32, whence: i32) -> bool {
        if !matches!(self.device, Device::File(_)) || !self.flush() {
            return false;
        }
        let from = match whence {
            0 => 0,
            1 => self.base,
            2 => self.size,
            _ => return false,
        };
        let Some(place) = from.checked_add_signed(offset) else { return false };
        self.base = place;
        self.at_end = false;
        true
    }
}

impl Source for Stream {
    fn peek(&mut self) -> Option<u8> {
        if self.returned.is_some() {
            return self.returned;
        }
        if self.at == self.filled {
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
