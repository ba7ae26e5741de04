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
            Ok(accepted) => rest = &rest[accepted as usize..],
            Err(_) => return,
        }
    }
}

/// The console as a [`fmt::Write`].
pub struct Console;

impl fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        write(text.as_bytes());
        Ok(())
    }
}

/// Prints a line on the console.
#[macro_export]
macro_rules! println {
    ($($argument:tt)*) => {{
        use core::fmt::Write;
        let _ = writeln!($crate::console::Console, $($argument)*);
    }};
}
