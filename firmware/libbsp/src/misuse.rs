//! What is done about a program that breaks the rules of the standard: it ends, and says where and
//! why.

use core::ffi::{c_char, CStr};
use core::fmt::Arguments;

use libtos::println;

use crate::{Bsp, Phase};

/// A place in a program's source.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// A string with a NUL behind it, or bytes of a Rust string with their number; null: unknown.
    file: *const u8,
    /// [`Self::TERMINATED`] if a NUL ends the name.
    bytes: usize,
    line: u32,
}

impl Site {
    pub const UNKNOWN: Site = Site { file: core::ptr::null(), bytes: 0, line: 0 };
    const TERMINATED: usize = usize::MAX;

    /// # Safety
    /// `file` is null or a string that ends with a NUL and stays as it is.
    pub const unsafe fn of_c(file: *const c_char, line: u32) -> Site {
        Site { file: file.cast(), bytes: Site::TERMINATED, line }
    }

    /// Where a function was called that tracks its caller.
    pub fn of(location: &'static core::panic::Location<'static>) -> Site {
        Site { file: location.file().as_ptr(), bytes: location.file().len(), line: location.line() }
    }

    fn file(&self) -> Option<&str> {
        if self.file.is_null() {
            return None;
        }
        // SAFETY: both constructors promise such a string.
        let bytes = unsafe {
            match self.bytes {
                Site::TERMINATED => CStr::from_ptr(self.file.cast()).to_bytes(),
                bytes => core::slice::from_raw_parts(self.file, bytes),
            }
        };
        core::str::from_utf8(bytes).ok()
    }
}

impl Bsp {
    /// Ends the whole program, saying what was wrong and where.
    #[cold]
    pub(crate) fn misuse(&self, reason: Arguments) -> ! {
        match (self.site.file(), self.phase) {
            (Some(file), Phase::Within) => println!("{file}:{}: process {}: {reason}", self.site.line, self.rank),
            (Some(file), _) => println!("{file}:{}: {reason}", self.site.line),
            (None, Phase::Within) => println!("bsp: process {}: {reason}", self.rank),
            (None, _) => println!("bsp: {reason}"),
        }
        self.end_all()
    }

    /// A number of bytes, or a place.
    #[inline]
    pub fn not_negative(&self, primitive: &str, number: isize) -> usize {
        if number < 0 {
            self.misuse(format_args!("{primitive} with {number} as a place or a number of bytes"));
        }
        number as usize
    }

    /// The primitive can only be used between `bsp_begin` and `bsp_end`.
    #[inline]
    pub(crate) fn within(&self, primitive: &str) {
        match self.phase {
            Phase::Within => {}
            Phase::Before => self.misuse(format_args!("{primitive} before bsp_begin")),
            Phase::After => self.misuse(format_args!("{primitive} after bsp_end")),
        }
    }

    /// The primitive names another process.
    #[inline]
    pub(crate) fn check_pid(&self, primitive: &str, pid: usize) {
        self.within(primitive);
        if pid >= self.count {
            let count = self.count;
            self.misuse(format_args!("{primitive} names process {}, but there are {count}", pid as isize))
        }
    }
}
