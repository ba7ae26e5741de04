//! `strings.h`: strings in which large and small letters are the same.

use core::ffi::{c_char, c_int};

// SAFETY of all below: C's rules: strings end with a NUL.

#[no_mangle]
unsafe extern "C" fn strcasecmp(one: *const c_char, other: *const c_char) -> c_int {
    unsafe { strncasecmp(one, other, usize::MAX) }
}

#[no_mangle]
unsafe extern "C" fn strncasecmp(one: *const c_char, other: *const c_char, bytes: usize) -> c_int {
    for at in 0..bytes {
        let [a, b] = [one, other].map(|text| unsafe { *text.cast::<u8>().add(at) }.to_ascii_lowercase());
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// The place of the lowest bit that is set, from 1; 0 if there is none.
#[no_mangle]
extern "C" fn ffs(value: c_int) -> c_int {
    match value {
        0 => 0,
        _ => value.trailing_zeros() as c_int + 1,
    }
}
