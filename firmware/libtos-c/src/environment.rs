//! `getenv`: the file `environment`, lines of NAME=value, as it was when the program first looked.

use core::ffi::c_char;
use core::ptr::null_mut;

use libtos::file::{flags, File};

use crate::shared::Shared;

const FILE: &str = "environment";
/// Bytes of the file that are looked at.
const BYTES: usize = 1024;

struct Environment {
    /// Lines, each ended by a NUL, one more at the end.
    bytes: [u8; BYTES + 1],
    is_read: bool,
}

static ENVIRONMENT: Shared<Environment> = Shared::new(Environment { bytes: [0; BYTES + 1], is_read: false });

impl Environment {
    fn read(&mut self) {
        if self.is_read {
            return;
        }
        self.is_read = true;
        let read = File::open(FILE, flags::READ).and_then(|file| file.read(0, &mut self.bytes[..BYTES]));
        let used = read.unwrap_or(0);
        self.bytes[used..].fill(0);
        self.bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = 0);
    }
}

/// The value of a variable, null if it has none.
///
/// # Safety
/// `name` ends with a NUL.
#[no_mangle]
unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: the caller's promise.
    let name = unsafe { core::ffi::CStr::from_ptr(name) }.to_bytes();
    ENVIRONMENT.with(|environment| {
        environment.read();
        let mut at = 0;
        for line in environment.bytes.split(|&byte| byte == 0) {
            if line.strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'=')) {
                return environment.bytes[at + name.len() + 1..].as_ptr().cast_mut().cast();
            }
            at += line.len() + 1;
        }
        null_mut()
    })
}
