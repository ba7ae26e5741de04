//! POSIX's files by number: 0 is `stdin`, 1 `stdout`, 2 `stderr`, and 3 and up are those of the
//! table. A number and a `FILE` that belong to each other are one stream.

use core::ffi::{c_char, c_int, c_long, c_void};
use core::ptr::null_mut;

use crate::error::{set, EBADF, EINVAL};
use crate::opening::{how, mode};
use crate::stdio::{fclose, text};
use crate::stream::Stream;
use crate::table::{self, __stdin, pointer, FilePointer, STDERR};
use crate::weak::weak;

/// The stream with a number, open or not.
fn file(descriptor: c_int) -> FilePointer {
    match usize::try_from(descriptor) {
        Ok(0) => __stdin(),
        Ok(number) => pointer(number - 1),
        Err(_) => null_mut(),
    }
}

/// The number of a stream. `stdout`'s index is 0.
fn descriptor(file: FilePointer) -> c_int {
    if file == __stdin() {
        0
    } else {
        file as c_int
    }
}
const _: () = assert!(STDERR + 1 == 2, "the number of stderr");

/// Does something with a stream that is open; `otherwise`, and `EBADF`, if it is not.
pub fn with<R>(descriptor: c_int, otherwise: R, work: impl FnOnce(&mut Stream) -> R) -> R {
    table::with(file(descriptor), None, |stream| Some(work(stream))).unwrap_or_else(|| {
        set(EBADF);
        otherwise
    })
}

// SAFETY of all below: C's rules: strings end with a NUL, buffers have the bytes that are named.

weak!("open", "__tos_open");
/// There is no mode to be given: who may do what with a file is `chmod`'s of `sh`.
#[no_mangle]
unsafe extern "C" fn __tos_open(name: *const c_char, flags: c_int) -> c_int {
    let flags = flags as u32;
    // Programs say 0 for reading too.
    let wanted = if flags & (how::READ | how::WRITE) == 0 { flags | how::READ } else { flags };
    match table::open(unsafe { text(name) }, wanted & !how::TEMPORARY) {
        Ok(file) => descriptor(file),
        Err(number) => {
            set(number);
            -1
        }
    }
}

weak!("creat", "__tos_creat");
#[no_mangle]
unsafe extern "C" fn __tos_creat(name: *const c_char) -> c_int {
    unsafe { __tos_open(name, (how::WRITE | how::CREATE | how::TRUNCATE) as c_int) }
}

weak!("close", "__tos_close");
#[no_mangle]
extern "C" fn __tos_close(number: c_int) -> c_int {
    if with(number, false, |_| true) {
        fclose(file(number))
    } else {
        -1
    }
}

weak!("read", "__tos_read");
#[no_mangle]
unsafe extern "C" fn __tos_read(number: c_int, buffer: *mut c_void, bytes: usize) -> isize {
    let buffer = unsafe { core::slice::from_raw_parts_mut(buffer.cast::<u8>(), bytes) };
    with(number, -1, |stream| stream.read_some(buffer).map_or(-1, |read| read as isize))
}

weak!("write", "__tos_write");
#[no_mangle]
unsafe extern "C" fn __tos_write(number: c_int, buffer: *const c_void, bytes: usize) -> isize {
    let bytes = unsafe { core::slice::from_raw_parts(buffer.cast::<u8>(), bytes) };
    with(number, -1, |stream| stream.write_some(bytes).map_or(-1, |written| written as isize))
}

weak!("lseek", "__tos_lseek");
#[no_mangle]
extern "C" fn __tos_lseek(number: c_int, offset: c_long, whence: c_int) -> c_long {
    with(number, -1, |stream| if stream.seek(offset, whence) { stream.position() as c_long } else { -1 })
}

weak!("fsync", "__tos_fsync");
#[no_mangle]
extern "C" fn __tos_fsync(number: c_int) -> c_int {
    with(number, -1, |stream| if stream.flush() { 0 } else { -1 })
}

weak!("isatty", "__tos_isatty");
#[no_mangle]
extern "C" fn __tos_isatty(number: c_int) -> c_int {
    with(number, 0, |stream| !stream.is_file() as c_int)
}

weak!("fileno", "__tos_fileno");
#[no_mangle]
extern "C" fn __tos_fileno(file: FilePointer) -> c_int {
    let number = descriptor(file);
    with(number, -1, |_| number)
}

weak!("fdopen", "__tos_fdopen");
/// The stream that the number has had from the start, if its mode allows what is wanted.
#[no_mangle]
unsafe extern "C" fn __tos_fdopen(number: c_int, text_of_mode: *const c_char) -> FilePointer {
    let wanted = mode(unsafe { text(text_of_mode) }.as_bytes()).unwrap_or(0) & (how::READ | how::WRITE);
    with(number, null_mut(), |stream| {
        if wanted != 0 && stream.can_all(wanted) {
            file(number)
        } else {
            set(EINVAL);
            null_mut()
        }
    })
}
