//! `string.h`, but for `memcpy`, `memmove`, `memset`, `memcmp` and `strlen`, which the compiler's own library has.

use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;

use crate::heap::malloc;

extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void;
}

// SAFETY of all below: C's rules for these functions; strings end with a NUL, and what is written to has room.

#[no_mangle]
unsafe extern "C" fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
    unsafe { memcpy(to.cast(), from.cast(), strlen(from) + 1).cast() }
}

#[no_mangle]
unsafe extern "C" fn strncpy(to: *mut c_char, from: *const c_char, bytes: usize) -> *mut c_char {
    let mut ended = false;
    for at in 0..bytes {
        unsafe {
            let byte = if ended { 0 } else { *from.add(at) };
            ended |= byte == 0;
            *to.add(at) = byte;
        }
    }
    to
}

#[no_mangle]
unsafe extern "C" fn strcat(to: *mut c_char, from: *const c_char) -> *mut c_char {
    unsafe { strcpy(to.add(strlen(to)), from) };
    to
}

#[no_mangle]
unsafe extern "C" fn strncat(to: *mut c_char, from: *const c_char, bytes: usize) -> *mut c_char {
    unsafe {
        let end = to.add(strlen(to));
        let mut at = 0;
        while at < bytes && *from.add(at) != 0 {
            *end.add(at) = *from.add(at);
            at += 1;
        }
        *end.add(at) = 0;
    }
    to
}

/// A copy of at most `bytes` bytes in a block of the heap; null if there is none.
#[no_mangle]
unsafe extern "C" fn strndup(text: *const c_char, bytes: usize) -> *mut c_char {
    unsafe {
        let mut length = 0;
        while length < bytes && *text.add(length) != 0 {
            length += 1;
        }
        let copy: *mut c_char = malloc(length + 1).cast();
        if !copy.is_null() {
            memcpy(copy.cast(), text.cast(), length);
            *copy.add(length) = 0;
        }
        copy
    }
}

#[no_mangle]
unsafe extern "C" fn strdup(text: *const c_char) -> *mut c_char {
    unsafe { strndup(text, usize::MAX) }
}

#[no_mangle]
unsafe extern "C" fn strcmp(one: *const c_char, other: *const c_char) -> c_int {
    unsafe { strncmp(one, other, usize::MAX) }
}

#[no_mangle]
unsafe extern "C" fn strncmp(one: *const c_char, other: *const c_char, bytes: usize) -> c_int {
    for at in 0..bytes {
        let (a, b) = unsafe { (*one.add(at), *other.add(at)) };
        if a != b || a == 0 {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// In the locale "C" characters are in the order of their numbers.
#[no_mangle]
unsafe extern "C" fn strcoll(one: *const c_char, other: *const c_char) -> c_int {
    unsafe { strcmp(one, other) }
}

/// Which is the order that `strcmp` has, without any change. The result is how many bytes that
/// takes.
#[no_mangle]
unsafe extern "C" fn strxfrm(to: *mut c_char, from: *const c_char, bytes: usize) -> usize {
    let length = unsafe { strlen(from) };
    if length < bytes {
        unsafe { strcpy(to, from) };
    }
    length
}

#[no_mangle]
unsafe extern "C" fn stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
    unsafe { strcpy(to, from).add(strlen(from)) }
}

#[no_mangle]
unsafe extern "C" fn strnlen(text: *const c_char, bytes: usize) -> usize {
    let end: *const c_char = unsafe { memchr(text.cast(), 0, bytes) }.cast();
    if end.is_null() {
        bytes
    } else {
        end as usize - text as usize
    }
}

#[no_mangle]
unsafe extern "C" fn memchr(memory: *const c_void, byte: c_int, bytes: usize) -> *mut c_void {
    let memory: *const u8 = memory.cast();
    for at in 0..bytes {
        if unsafe { *memory.add(at) } == byte as u8 {
            return unsafe { memory.add(at) }.cast_mut().cast();
        }
    }
    null_mut()
}

#[no_mangle]
unsafe extern "C" fn strchr(text: *const c_char, byte: c_int) -> *mut c_char {
    unsafe { memchr(text.cast(), byte, strlen(text) + 1).cast() }
}

#[no_mangle]
unsafe extern "C" fn strrchr(text: *const c_char, byte: c_int) -> *mut c_char {
    let length = unsafe { strlen(text) };
    for at in (0..=length).rev() {
        if unsafe { *text.add(at) } == byte as u8 {
            return unsafe { text.add(at) }.cast_mut();
        }
    }
    null_mut()
}

#[no_mangle]
unsafe extern "C" fn strstr(text: *const c_char, wanted: *const c_char) -> *mut c_char {
    let (length, bytes) = unsafe { (strlen(text), strlen(wanted)) };
    for at in 0..(length + 1).saturating_sub(bytes) {
        if unsafe { strncmp(text.add(at), wanted, bytes) } == 0 {
            return unsafe { text.add(at) }.cast_mut();
        }
    }
    null_mut()
}

/// How many bytes at the beginning of `text` are in `set`, or are not.
unsafe fn span(text: *const c_char, set: *const c_char, inside: bool) -> usize {
    let mut at = 0;
    unsafe {
        while *text.add(at) != 0 && (memchr(set.cast(), *text.add(at) as c_int, strlen(set)).is_null() != inside) {
            at += 1;
        }
    }
    at
}

#[no_mangle]
unsafe extern "C" fn strspn(text: *const c_char, set: *const c_char) -> usize {
    unsafe { span(text, set, true) }
}

#[no_mangle]
unsafe extern "C" fn strcspn(text: *const c_char, set: *const c_char) -> usize {
    unsafe { span(text, set, false) }
}

#[no_mangle]
unsafe extern "C" fn strpbrk(text: *const c_char, set: *const c_char) -> *mut c_char {
    let found = unsafe { text.add(span(text, set, false)) };
    if unsafe { *found } == 0 {
        null_mut()
    } else {
        found.cast_mut()
    }
}

struct Rest(UnsafeCell<*mut c_char>);
// SAFETY: C leaves it to the program that only one thread uses `strtok` at a time; `strtok_r` is for the others.
unsafe impl Sync for Rest {}
static REST: Rest = Rest(UnsafeCell::new(null_mut()));

#[no_mangle]
unsafe extern "C" fn strtok(text: *mut c_char, set: *const c_char) -> *mut c_char {
    unsafe { strtok_r(text, set, REST.0.get()) }
}

#[no_mangle]
unsafe extern "C" fn strtok_r(text: *mut c_char, set: *const c_char, rest: *mut *mut c_char) -> *mut c_char {
    unsafe {
        let text = if text.is_null() { *rest } else { text };
        if text.is_null() {
            return null_mut();
        }
        let start = text.add(span(text, set, true));
        let end = start.add(span(start, set, false));
        *rest = null_mut();
        if start == end {
            return null_mut();
        }
        if *end != 0 {
            *end = 0;
            *rest = end.add(1);
        }
        start
    }
}
