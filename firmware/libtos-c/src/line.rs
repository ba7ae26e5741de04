//! POSIX's `getline`: lines of any length, in memory that grows.

use core::ffi::{c_char, c_int};

use crate::error::{set, EINVAL};
use crate::heap::realloc;
use crate::table::{with, FilePointer};
use crate::weak::weak;

/// What a line gets first.
const FIRST: usize = 64;

weak!("getdelim", "__tos_getdelim");
/// Reads up to a byte, or the end; how many bytes, or -1.
///
/// # Safety
/// `*place` is null or has `*room` bytes of the heap.
#[no_mangle]
unsafe extern "C" fn __tos_getdelim(
    place: *mut *mut c_char,
    room: *mut usize,
    last: c_int,
    file: FilePointer,
) -> isize {
    if place.is_null() || room.is_null() {
        set(EINVAL);
        return -1;
    }
    // SAFETY of this function: the caller's promise.
    with(file, -1, |stream| {
        let mut read = 0;
        loop {
            if unsafe { (*place).is_null() || read + 1 >= *room } {
                let wanted = FIRST.max(2 * if unsafe { *place }.is_null() { 0 } else { unsafe { *room } });
                let larger = unsafe { realloc((*place).cast(), wanted) };
                if larger.is_null() {
                    return -1;
                }
                unsafe { (*place, *room) = (larger.cast(), wanted) };
            }
            let Some(byte) = stream.read() else { break };
            unsafe { *(*place).add(read) = byte as c_char };
            read += 1;
            if c_int::from(byte) == last {
                break;
            }
        }
        if read == 0 || stream.failed != 0 {
            return -1;
        }
        unsafe { *(*place).add(read) = 0 };
        read as isize
    })
}

weak!("getline", "__tos_getline");
/// # Safety
/// As above.
#[no_mangle]
unsafe extern "C" fn __tos_getline(place: *mut *mut c_char, room: *mut usize, file: FilePointer) -> isize {
    // SAFETY: the caller's promise.
    unsafe { __tos_getdelim(place, room, b'\n'.into(), file) }
}
