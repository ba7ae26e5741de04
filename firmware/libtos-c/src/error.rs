//! `errno.h` and what errors mean. Numbers below [`FIRST_OWN`] are the kernel's.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int};

use libtos::{thread_id, Error};
use testbed_definitions::limits::THREADS;

/// Errors of the library itself, as in `errno.h`.
const FIRST_OWN: c_int = 100;
pub const EDOM: c_int = FIRST_OWN;
pub const ERANGE: c_int = FIRST_OWN + 1;
pub const EINVAL: c_int = FIRST_OWN + 2;
pub const EBADF: c_int = FIRST_OWN + 3;
pub const EMFILE: c_int = FIRST_OWN + 4;
pub const ESPIPE: c_int = FIRST_OWN + 5;
/// The code of what this library lacks; `errno.h` has to have it.
const EILSEQ: c_int = FIRST_OWN + 6;

/// Every thread's last error, by its id.
struct Last(UnsafeCell<[c_int; THREADS]>);
// SAFETY: every word is one thread's.
unsafe impl Sync for Last {}
static LAST: Last = Last(UnsafeCell::new([0; THREADS]));

/// Where this thread's `errno` is.
#[no_mangle]
pub extern "C" fn __errno() -> *mut c_int {
    // SAFETY: inside.
    unsafe { LAST.0.get().cast::<c_int>().add(usize::from(thread_id()) % THREADS) }
}

/// Sets this thread's `errno`.
pub fn set(number: c_int) {
    // SAFETY: this thread's own.
    unsafe { *__errno() = number };
}

/// The kernel's error as `errno` has it.
pub fn number(error: Error) -> c_int {
    -error.code()
}

/// A result of the kernel; sets `errno` if it is an error.
pub fn noted<T>(result: Result<T, Error>) -> Option<T> {
    result.map_err(|error| set(number(error))).ok()
}

/// Room for the longest text and its NUL.
const TEXT_BYTES: usize = 48;

/// What the kernel's errors mean, in order of number, as strings of C.
static TEXTS: [[u8; TEXT_BYTES]; Error::ALL.len()] = {
    let mut texts = [[0; TEXT_BYTES]; Error::ALL.len()];
    let mut index = 0;
    while index < texts.len() {
        let text = Error::ALL[index].meaning().as_bytes();
        let mut at = 0;
        while at < text.len() {
            texts[index][at] = text[at];
            at += 1;
        }
        assert!(at < TEXT_BYTES, "the NUL has room");
        index += 1;
    }
    texts
};

#[no_mangle]
pub extern "C" fn strerror(number: c_int) -> *mut c_char {
    let own = match number {
        0 => c"no error",
        EDOM => c"outside the domain of the function",
        ERANGE => c"result out of range",
        EINVAL => c"invalid argument",
        EBADF => c"file not open for this",
        EMFILE => c"too many open files",
        ESPIPE => c"not a file that has places",
        EILSEQ => c"no such character",
        _ => c"unknown error",
    };
    let kernels = Error::ALL.iter().position(|error| -error.code() == number);
    kernels.map_or(own.as_ptr(), |index| TEXTS[index].as_ptr()).cast_mut()
}
