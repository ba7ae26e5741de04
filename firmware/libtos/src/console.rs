//! The console of the processor that the thread runs on.

use core::fmt;
use testbed_definitions::syscall;

use crate::{call, yield_now};

/// Writes bytes to the console; gives up the time-slice while it is full.
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

/// Bytes that a [`Line`] gathers.
const LINE_BYTES: usize = 120;

/// Text that is gathered and written with one system call, so that lines of several threads don't mix; longer text takes several. What is left
/// is written when it is dropped. Small programs use it directly: unlike [`println!`](crate::println) it needs no formatting machinery.
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
