//! Strings to integers.

use core::ffi::{c_char, c_int, c_long, c_ulong};

/// What a string begins with: sign, value (at most 2^32, which stands for more), and where it ends (the start if there is no number).
///
/// # Safety
/// The string ends with a NUL.
unsafe fn parse(text: *const c_char, base: c_int) -> (bool, u64, *const c_char) {
    let mut at = text;
    // SAFETY: nothing is read behind the NUL, which is neither blank, sign nor digit.
    let byte = |at: *const c_char| unsafe { *at };
    let skip = |at: &mut *const c_char, count: usize| *at = at.wrapping_add(count);
    while byte(at) == b' ' || (9..=13).contains(&byte(at)) {
        skip(&mut at, 1);
    }
    let negative = byte(at) == b'-';
    if negative || byte(at) == b'+' {
        skip(&mut at, 1);
    }
    let is_hexadecimal = byte(at) == b'0' && byte(at.wrapping_add(1)) | 0x20 == b'x' && {
        (byte(at.wrapping_add(2)) as char).is_ascii_hexdigit()
    };
    let base = match base {
        0 | 16 if is_hexadecimal => {
            skip(&mut at, 2);
            16
        }
        0 if byte(at) == b'0' => 8,
        0 => 10,
        base => base as u32,
    };
    if !(2..=36).contains(&base) {
        return (false, 0, text);
    }
    let (mut value, mut end) = (0u64, text);
    while let Some(digit) = (byte(at) as char).to_digit(base) {
        value = (value * u64::from(base) + u64::from(digit)).min(1 << 32);
        skip(&mut at, 1);
        end = at;
    }
    (negative, value, end)
}

/// # Safety
/// `text` ends with a NUL; `end` may be null.
#[no_mangle]
unsafe extern "C" fn strtol(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_long {
    // SAFETY: the caller's promise.
    let (negative, value, rest) = unsafe { parse(text, base) };
    if !end.is_null() {
        // SAFETY: as above.
        unsafe { *end = rest };
    }
    let value = if negative { -(value as i64) } else { value as i64 };
    value.clamp(i64::from(c_long::MIN), i64::from(c_long::MAX)) as c_long
}

/// # Safety
/// As for `strtol`.
#[no_mangle]
unsafe extern "C" fn strtoul(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_ulong {
    // SAFETY: the caller's promise.
    let (negative, value, rest) = unsafe { parse(text, base) };
    if !end.is_null() {
        // SAFETY: as above.
        unsafe { *end = rest };
    }
    match (c_ulong::try_from(value), negative) {
        (Ok(value), true) => value.wrapping_neg(),
        (Ok(value), false) => value,
        (Err(_), _) => c_ulong::MAX,
    }
}

/// # Safety
/// As for `strtol`.
#[no_mangle]
unsafe extern "C" fn atoi(text: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { strtol(text, core::ptr::null_mut(), 10) as c_int }
}

/// # Safety
/// As for `strtol`.
#[no_mangle]
unsafe extern "C" fn atol(text: *const c_char) -> c_long {
    // SAFETY: the caller's promise.
    unsafe { strtol(text, core::ptr::null_mut(), 10) }
}
