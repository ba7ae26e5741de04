//! Where in a program's source a primitive is called.

use core::ffi::{c_char, CStr};

/// A place in a program's source.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// A string with a NUL behind it, or bytes of a Rust string with their number; null: unknown.
    file: *const u8,
    /// [`Self::TERMINATED`] if a NUL ends the name.
    bytes: usize,
    pub line: u32,
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

    /// The file's name, if it is known.
    pub fn file(&self) -> Option<&str> {
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
