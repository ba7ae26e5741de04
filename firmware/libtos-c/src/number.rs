//! Strings to integers, and what `stdlib.h` does with integers.

use core::ffi::{c_char, c_int, c_long, c_longlong, c_ulong, c_ulonglong};
use core::ptr::null_mut;

use crate::error;
use crate::input::{Input, Memory, Source};

/// An integer as it was read: sign, value, whether that is more than 64 bits hold.
pub struct Parsed {
    negative: bool,
    value: u64,
    overflows: bool,
    /// What was taken when a number was complete; a byte more may have been taken in vain.
    pub end: Option<usize>,
}

/// Reads what looks like an integer; base 0 goes by its prefix.
pub fn read<S: Source + ?Sized>(input: &mut Input<S>, base: u32) -> Parsed {
    let mut parsed = Parsed { negative: input.sign(), value: 0, overflows: false, end: None };
    let mut base = base;
    if matches!(base, 0 | 16) && input.take(b'0') {
        parsed.end = Some(input.taken);
        if input.take(b'x') {
            base = 16;
        } else if base == 0 {
            base = 8;
        }
    }
    let base = if base == 0 { 10 } else { base };
    while let Some(digit) = input.peek().and_then(|byte| (byte as char).to_digit(base)) {
        let next = parsed.value.checked_mul(base.into()).and_then(|value| value.checked_add(digit.into()));
        parsed.overflows |= next.is_none();
        parsed.value = next.unwrap_or(u64::MAX);
        input.advance();
        parsed.end = Some(input.taken);
    }
    parsed
}

impl Parsed {
    /// As a number from `least` to `most`; what is outside is the nearest, and an error.
    pub fn signed(&self, least: i64, most: i64) -> i64 {
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
    pub fn unsigned(&self, most: u64) -> u64 {
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
    let mut memory = unsafe { Memory::new(text) };
    let mut input = Input::new(&mut memory);
    let parsed = if base == 0 || (2..=36).contains(&base) {
        input.skip_blanks();
        read(&mut input, base as u32)
    } else {
        error::set(error::EINVAL);
        Parsed { negative: false, value: 0, overflows: false, end: None }
    };
    if !end.is_null() {
        // SAFETY: as above.
        unsafe { *end = text.wrapping_add(parsed.end.unwrap_or(0)) };
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
unsafe extern "C" fn strtoimax(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_longlong {
    unsafe { strtoll(text, end, base) }
}

#[no_mangle]
unsafe extern "C" fn strtoumax(text: *const c_char, end: *mut *const c_char, base: c_int) -> c_ulonglong {
    unsafe { strtoull(text, end, base) }
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

#[no_mangle]
extern "C" fn imaxabs(value: c_longlong) -> c_longlong {
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
    imaxdiv: c_longlong;
}
