//! How files are opened: `fopen`'s modes, `open`'s flags, and files that must not be there yet.

use libtos::file::{rename, unlink, File};
use libtos::{thread_number, Error};
use testbed_definitions::file::NAME_BYTES;

use crate::error::EINVAL;

/// What a file is opened for, also as `fcntl.h` has it: the kernel's flags, and what this library
/// does.
pub mod how {
    pub use libtos::file::flags::{CREATE, READ, TRUNCATE, WRITE};

    /// All that is written goes to the end.
    pub const APPEND: u32 = 1 << 8;
    /// It must not be there.
    pub const EXCLUSIVE: u32 = 1 << 9;
    /// It goes when it is closed.
    pub const TEMPORARY: u32 = 1 << 10;
    /// Those above are not the kernel's.
    pub const KERNELS: u32 = APPEND - 1;
}

/// A name that a file can have, padded with NUL.
#[derive(Clone, Copy)]
pub struct Name([u8; NAME_BYTES]);

impl Name {
    /// The name of an opened file; what is too long, which no file's name is, is cut.
    pub fn new(text: &str) -> Self {
        let mut name = [0; NAME_BYTES];
        name.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
        Name(name)
    }

    /// A text and a number.
    pub fn numbered(text: &str, number: u32) -> Self {
        let mut name = Name::new(text);
        let mut digits = [0; 10];
        let (mut start, mut rest) = (digits.len(), number);
        while rest != 0 || start == digits.len() {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let places = name.0.iter_mut().skip(text.len());
        places.zip(&digits[start..]).for_each(|(place, digit)| *place = *digit);
        name
    }

    pub fn text(&self) -> &str {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
        core::str::from_utf8(&self.0[..length]).unwrap_or("")
    }

    /// With its NULs.
    pub fn bytes(&self) -> &[u8; NAME_BYTES] {
        &self.0
    }
}

/// A file that is open. What is done with it goes by a table that only [`open`] names, so that
/// programs without files have none of it.
#[derive(Clone, Copy)]
pub struct Opened {
    file: File,
    /// When it was opened.
    pub name: Name,
    calls: &'static Calls,
}

struct Calls {
    read: fn(File, u32, &mut [u8]) -> Result<usize, Error>,
    write: fn(File, u32, &[u8]) -> Result<(), Error>,
    bytes: fn(File, &Name) -> Option<u32>,
}

static CALLS: Calls = Calls { read: File::read, write: File::write, bytes: bytes_now };

/// Another stream may have written to the file since it was opened.
fn bytes_now(file: File, name: &Name) -> Option<u32> {
    File::open(name.text(), 0).ok().filter(|now| now.is(file)).map(|now| now.bytes)
}

impl Opened {
    /// As [`File::read`].
    pub fn read(&self, offset: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        (self.calls.read)(self.file, offset, buffer)
    }

    /// As [`File::write`].
    pub fn write(&self, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        (self.calls.write)(self.file, offset, bytes)
    }

    /// The bytes that it has now; [`None`] if it has another name since, or is not here.
    pub fn bytes(&self) -> Option<u32> {
        (self.calls.bytes)(self.file, &self.name)
    }
}

/// `fopen`'s mode; `EINVAL` if it is none. Letters that say nothing here, as `b`, are taken.
pub fn mode(text: &[u8]) -> Result<u32, i32> {
    let has = |letter| text.contains(&letter);
    let kind = match text.first() {
        Some(b'r') if !has(b'x') => how::READ,
        Some(b'w') => how::WRITE | how::CREATE | how::TRUNCATE,
        Some(b'a') => how::WRITE | how::CREATE | how::APPEND,
        _ => return Err(EINVAL),
    };
    let both = if has(b'+') { how::READ | how::WRITE } else { 0 };
    Ok(kind | both | if has(b'x') { how::EXCLUSIVE } else { 0 })
}

/// Opens a file, `how` of [`how`]; and how many bytes it has.
pub fn open(name: &str, how: u32) -> Result<(Opened, u32), Error> {
    let file = open_file(name, how)?;
    let bytes = if how & how::TRUNCATE != 0 { 0 } else { file.bytes };
    Ok((Opened { file, name: Name::new(name), calls: &CALLS }, bytes))
}

fn open_file(name: &str, how: u32) -> Result<File, Error> {
    if how & how::EXCLUSIVE == 0 {
        return File::open(name, how & how::KERNELS);
    }
    loop {
        match File::open(name, 0) {
            Ok(_) => return Err(Error::FileExists),
            Err(Error::NoFile) => {}
            Err(error) => return Err(error),
        }
        // Another thread can make the file meanwhile. So it gets its name when it is there: no two
        // files get the same, and nobody else uses this one.
        let own = Name::numbered("x~", thread_number().into());
        let file = File::open(own.text(), how & how::KERNELS | how::CREATE | how::TRUNCATE)?;
        match rename(own.text(), name) {
            Ok(()) => return Ok(file),
            // The thread has been moved to another processor and its files; the new one stays there.
            Err(Error::NoFile) => {}
            Err(error) => {
                _ = unlink(own.text());
                return Err(error);
            }
        }
    }
}
