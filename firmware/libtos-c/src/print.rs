//! `printf` and `scanf` on streams and strings.

use core::ffi::{c_char, c_int};

use crate::format::{format, List};
use crate::input::{Input, Memory, Source};
use crate::out::Out;
use crate::scan::scan;
use crate::table::{__stdin, pointer, with, writing, FilePointer, EOF, STDOUT};

// SAFETY of all: C's rules: strings end with a NUL, buffers have the bytes that are named, and a
// list has the arguments that the format names.

#[no_mangle]
unsafe extern "C" fn vfprintf(file: FilePointer, text: *const c_char, list: *const u32) -> c_int {
    writing(file, EOF, |stream| {
        let mut is_right = true;
        let mut put = |byte| is_right &= stream.write(byte);
        let mut out = Out::new(&mut put);
        unsafe { format(&mut out, text, &mut List::new(list)) };
        let count = out.count as c_int;
        if is_right {
            count
        } else {
            EOF
        }
    })
}

#[no_mangle]
unsafe extern "C" fn vprintf(text: *const c_char, list: *const u32) -> c_int {
    unsafe { vfprintf(pointer(STDOUT), text, list) }
}

#[no_mangle]
unsafe extern "C" fn vsnprintf(buffer: *mut c_char, bytes: usize, text: *const c_char, list: *const u32) -> c_int {
    let mut at = 0;
    let mut put = |byte: u8| {
        if at + 1 < bytes {
            unsafe { *buffer.add(at) = byte as c_char };
            at += 1;
        }
    };
    let mut out = Out::new(&mut put);
    unsafe { format(&mut out, text, &mut List::new(list)) };
    let count = out.count as c_int;
    if bytes > 0 {
        unsafe { *buffer.add(at) = 0 };
    }
    count
}

#[no_mangle]
unsafe extern "C" fn vsprintf(buffer: *mut c_char, text: *const c_char, list: *const u32) -> c_int {
    unsafe { vsnprintf(buffer, usize::MAX, text, list) }
}

#[no_mangle]
unsafe extern "C" fn vfscanf(file: FilePointer, text: *const c_char, list: *const u32) -> c_int {
    with(file, EOF, |stream| unsafe { scan(&mut Input::new(stream as &mut dyn Source), text, &mut List::new(list)) })
}

#[no_mangle]
unsafe extern "C" fn vscanf(text: *const c_char, list: *const u32) -> c_int {
    unsafe { vfscanf(__stdin(), text, list) }
}

#[no_mangle]
unsafe extern "C" fn vsscanf(from: *const c_char, text: *const c_char, list: *const u32) -> c_int {
    unsafe { scan(&mut Input::new(&mut Memory::new(from) as &mut dyn Source), text, &mut List::new(list)) }
}
