//! The console of the processor that the thread runs on.

use core::fmt;
use testbed_definitions::syscall::{self, Error};

use crate::{call, yield_now};

/// Writes bytes to the console, or to the file to which the process's output leads; gives up the
/// time-slice while the console is full.
pub fn write(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: the kernel only reads the buffer.
        let accepted = unsafe { call::call3(syscall::WRITE, rest.as_ptr() as u32, rest.len() as u32, 0) };
        match call::result(accepted) {
            Ok(0) => yield_now(),
            Ok(accepted) => rest = rest.get(accepted as usize..).unwrap_or_default(),
            Err(_) => return,
        }
    }
}

/// The same, and says if a file has no room; `stream` is one of [`syscall::write`].
pub fn write_to(stream: u32, bytes: &[u8]) -> Result<(), Error> {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: the kernel only reads the buffer.
        let accepted = unsafe { call::call3(syscall::WRITE, rest.as_ptr() as u32, rest.len() as u32, stream) };
        match call::result(accepted)? {
            0 => yield_now(),
            accepted => rest = rest.get(accepted as usize..).unwrap_or_default(),
        }
    }
    Ok(())
}

/// Reads what is typed, also if the process reads a file; else as [`read`].
pub fn read_typed(buffer: &mut [u8]) -> Result<usize, Error> {
    let (address, bytes) = (buffer.as_mut_ptr() as u32, buffer.len() as u32);
    // SAFETY: the kernel writes to the buffer only.
    let result = unsafe { call::call3(syscall::READ_LINE, address, bytes, syscall::read::CONSOLE) };
    call::result(result).map(|bytes| bytes as usize)
}

/// Reads console input, as the master's line has it: the rest of a line with its newline, or as
/// much of it as fits; 0 bytes at the end of input. The thread waits until a line is there.
pub fn read(buffer: &mut [u8]) -> Result<usize, Error> {
    // SAFETY: the kernel writes to the buffer only.
    let result = unsafe { call::call3(syscall::READ_LINE, buffer.as_mut_ptr() as u32, buffer.len() as u32, 0) };
    call::result(result).map(|bytes| bytes as usize)
}

/// Reads a whole line without its newline; `None` at the end of input. A line that is longer than
/// the buffer is passed over: `BadLength`.
pub fn read_line(buffer: &mut [u8]) -> Result<Option<&[u8]>, Error> {
    let mut used = 0;
    loop {
        let mut beyond = [0; 64];
        let full = used == buffer.len();
        let place = if full { &mut beyond[..] } else { &mut buffer[used..] };
        let count = read(place)?;
        let ends = count == 0 || place.get(count - 1) == Some(&b'\n');
        let text = if count > 0 && ends { count - 1 } else { count };
        if full && text > 0 {
            // Longer than the buffer: the rest of it goes too.
            while !ends_line(&mut beyond, ends)? {}
            return Err(Error::BadLength);
        }
        used += text;
        if ends {
            return Ok((count > 0 || used > 0).then(|| &buffer[..used]));
        }
    }
}

/// Whether the line has ended: before, or with what is read now.
fn ends_line(buffer: &mut [u8], before: bool) -> Result<bool, Error> {
    Ok(before || matches!(read(buffer)?, count if count == 0 || buffer.get(count - 1) == Some(&b'\n')))
}

/// Bytes that a [`Line`] gathers.
const LINE_BYTES: usize = 120;

/// Text that is gathered and written with one system call, so that lines of several threads don't
/// mix; longer text takes several. What is left is written when it is dropped. Small programs use
/// it directly: unlike [`println!`](crate::println) it needs no formatting machinery.
pub struct Line {
    bytes: [u8; LINE_BYTES],
    used: usize,
}

impl Line {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Line { bytes: [0; LINE_BYTES], used: 0 }
    }

    fn put(&mut self, byte: u8) {
        if self.used == LINE_BYTES {
            self.flush();
        }
        if let Some(place) = self.bytes.get_mut(self.used) {
            *place = byte;
            self.used += 1;
        }
    }

    fn flush(&mut self) {
        write(self.bytes.get(..self.used).unwrap_or_default());
        self.used = 0;
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        text.bytes().for_each(|byte| self.put(byte));
        self
    }

    /// A number in decimal.
    pub fn number(&mut self, number: u32) -> &mut Self {
        let mut power = 1_000_000_000;
        while power > 1 && number < power {
            power /= 10;
        }
        while power > 0 {
            self.put(b'0' + (number / power % 10) as u8);
            power /= 10;
        }
        self
    }

    /// A number as `0x` and eight hexadecimal digits.
    pub fn hexadecimal(&mut self, number: u32) -> &mut Self {
        self.text("0x");
        for shift in (0..8).rev() {
            let digit = (number >> (4 * shift) & 15) as u8;
            self.put(if digit < 10 { b'0' + digit } else { b'a' - 10 + digit });
        }
        self
    }

    /// Ends the line and writes it.
    pub fn end(&mut self) {
        self.put(b'\n');
        self.flush();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.flush();
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.put(byte));
        Ok(())
    }
}

/// Prints a line on the console.
#[macro_export]
macro_rules! println {
    ($($argument:tt)*) => {{
        use core::fmt::Write;
        let _ = writeln!($crate::console::Line::new(), $($argument)*);
    }};
}
