//! `locale.h`: the locale "C", and no other.

use core::ffi::{c_char, c_int, CStr};
use core::ptr::null;

/// The categories, as in `locale.h`: from 0.
const CATEGORIES: c_int = 6;

/// "C" if that is what is wanted, or what is there is asked for; otherwise null.
///
/// # Safety
/// `locale` is null or ends with a NUL.
#[no_mangle]
unsafe extern "C" fn setlocale(category: c_int, locale: *const c_char) -> *const c_char {
    // SAFETY: the caller's promise.
    let is_known = locale.is_null() || matches!(unsafe { CStr::from_ptr(locale) }.to_bytes(), b"" | b"C" | b"POSIX");
    if is_known && (0..CATEGORIES).contains(&category) {
        c"C".as_ptr()
    } else {
        null()
    }
}

/// The texts and numbers of `struct lconv`, in its order.
const TEXTS: usize = 10;
const NUMBERS: usize = 14;

#[repr(C)]
struct Conventions {
    texts: [*const c_char; TEXTS],
    numbers: [c_char; NUMBERS],
}
// SAFETY: it never changes.
unsafe impl Sync for Conventions {}

/// A point; everything else is not known.
static CONVENTIONS: Conventions = {
    let mut texts = [c"".as_ptr(); TEXTS];
    texts[0] = c".".as_ptr();
    Conventions { texts, numbers: [i8::MAX as c_char; NUMBERS] }
};

#[no_mangle]
extern "C" fn localeconv() -> *const u8 {
    (&raw const CONVENTIONS).cast()
}
