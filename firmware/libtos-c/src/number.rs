//! Strings to integers, and what `stdlib.h` does with integers.

use core::ffi::{c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong};
use core::ptr::null_mut;

use crate::error;

/// What a string begins with: sign, value, whether that is more than 64 bits hold, and where it
/// ends (the start if there is no number).
struct Parsed {
    negative: bool,
    value: u64,
    overflows: bool,
    end: *const c_char,
}

/// # Safety
/// The string ends with a NUL.
unsafe fn parse(text: *const c_char, base: c_int) -> Parsed {
    let mut at = text;
    // SAFETY: nothing is read behind the NUL, which is neither blank, sign nor digit.
    let byte = |at: *const c_char| unsafe { *at };
    let skip = |at: &mut *const c_char, count: usize| *at = at.wrapping_add(count);
    let mut parsed = Parsed { negative: false, value: 0, overflows: false, end: text };
    if base != 0 && !(2..=36).contains(&base) {
        error::set(error::EINVAL);
        return parsed;
    }
    while byte(at) == b' ' || (9..=13).contains(&byte(at)) {
        skip(&mut at, 1);
    }
    parsed.negative = byte(at) == b'-';
    if parsed.negative || byte(at) == b'+' {
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
    while let Some(digit) = (byte(at) as char).to_digit(base) {
        let next = parsed.value.checked_mul(base.into()).and_then(|value| value.checked_add(digit.into()));
        parsed.overflows |= next.is_none();
        parsed.value = next.unwrap_or(u64::MAX);
        skip(&mut at, 1);
        parsed.end = at;
    }
    parsed
}

impl Parsed {
    /// As a number from `least` to `most`; what is outside is the nearest, and an error.
    fn signed(&self, least: i64, most: i64) -> i64 {
        let limit = if self.negative { least.unsigned_abs() } else { most.unsigned_abs() };
        if self.overflows || self.value > limit {
            error::set(error::ERANGE);
            return if self.negative { least } else { most };
        }
        if self.negative {
            (self.value as i64).wrapping_neg()
        } else {
            self.value as i64
        }
    }

    /// As a number up to `most`; C negates it if there is a sign.
    fn unsigned(&self, most: u64) -> u64 {
        if self.overflows || self.value > most {
            error::set(error::ERANGE);
            return most;
        }
        if self.negative {
            self.value.wrapping_neg()
        } else {
            self.value
        }
    }
}

/// # Safety
/// `text` ends with a NUL; `end` may be null.
unsafe fn parse_to(text: *const c_char, end: *mut *const c_char, base: c_int) -> Parsed {
    // SAFETY: the caller's promise.
    let parsed = unsafe { parse(text, base) };
    if !end.is_null() {
        // SAFETY: as above.
        unsafe { *end = parsed.end };
    }
    parsed
}

// SAFETY of those below: as for `parse_to`.

#[no_mangle]
unsafe extern "C" fn strtol(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_long {
    unsafe { parse_to(text, end, base) }.signed(c_long::MIN.into(), c_long::MAX.into()) as c_long
}

#[no_mangle]
unsafe extern "C" fn strtoul(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_ulong {
    unsafe { parse_to(text, end, base) }.unsigned(c_ulong::MAX.into()) as c_ulong
}

#[no_mangle]
unsafe extern "C" fn strtoll(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_longlong {
    unsafe { parse_to(text, end, base) }.signed(i64::MIN, i64::MAX)
}

#[no_mangle]
unsafe extern "C" fn strtoull(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_ulonglong {
    unsafe { parse_to(text, end, base) }.unsigned(u64::MAX)
}

#[no_mangle]
unsafe extern "C" fn atoi(text: *const c_char) -> c_int {
    unsafe { strtol(text, null_mut(), 10) as c_int }
}

#[no_mangle]
unsafe extern "C" fn atol(text: *const c_char) -> c_long {
    unsafe { strtol(text, null_mut(), 10) }
}

#[no_mangle]
unsafe extern "C" fn atoll(text: *const c_char) -> c_longlong {
    unsafe { strtoll(text, null_mut(), 10) }
}

#[no_mangle]
extern "C" fn abs(value: c_int) -> c_int {
    value.wrapping_abs()
}

#[no_mangle]
extern "C" fn labs(value: c_long) -> c_long {
    value.wrapping_abs()
}

#[no_mangle]
extern "C" fn llabs(value: c_longlong) -> c_longlong {
    value.wrapping_abs()
}

/// `div_t` and its like.
#[repr(C)]
pub struct Divided<T> {
    quotient: T,
    remainder: T,
}

/// A division, which C leaves open for a divisor of 0; here it gives what the processor's
/// instruction does.
macro_rules! divisions {
    ($($name:ident: $type:ty;)*) => {$(
        #[no_mangle]
        extern "C" fn $name(value: $type, by: $type) -> Divided<$type> {
            match by {
                0 => Divided { quotient: -1, remainder: value },
                _ => Divided { quotient: value.wrapping_div(by), remainder: value.wrapping_rem(by) },
            }
        }
    )*};
}

divisions! {
    div: c_int;
    ldiv: c_long;
    lldiv: c_longlong;
}
