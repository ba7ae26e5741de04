//! `stdio.h`: files, positions, bytes and lines. [`crate::print`] has `printf` and `scanf`.

use core::ffi::{c_char, c_int, c_long, c_void, CStr};
use core::ptr::null_mut;

use crate::error::{__errno, noted, set, strerror, EINVAL, ESPIPE};
use crate::opening::mode;
use crate::stream::{Buffering, Stream};
use crate::table::{self, flush_all, pointer, with, writing, FilePointer, EOF, STDERR, STDOUT};
use crate::weak::weak;

fn status(is_right: bool) -> c_int {
    if is_right {
        0
    } else {
        EOF
    }
}

/// A name or mode of C.
///
/// # Safety
/// It ends with a NUL.
pub unsafe fn text<'a>(text: *const c_char) -> &'a str {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("")
}

/// Writes a line to `stderr` in one piece.
///
/// # Safety
/// `text` is null or ends with a NUL.
#[no_mangle]
unsafe extern "C" fn perror(text: *const c_char) {
    // SAFETY: this thread's own; what `strerror` gives are texts with a NUL.
    let meaning = unsafe { CStr::from_ptr(strerror(*__errno())) };
    // SAFETY: the caller's promise.
    let text = if text.is_null() { c"" } else { unsafe { CStr::from_ptr(text) } };
    let parts = [text.to_bytes(), if text.is_empty() { b"" } else { b": " }, meaning.to_bytes(), b"\n"];
    writing(pointer(STDERR), (), |stream| parts.into_iter().flatten().for_each(|&byte| _ = stream.write(byte)));
}

// SAFETY of all below: C's rules: strings end with a NUL, buffers have the bytes that are named.

/// A result with `errno` in it.
fn opened(result: Result<FilePointer, c_int>) -> FilePointer {
    result.unwrap_or_else(|number| {
        set(number);
        null_mut()
    })
}

#[no_mangle]
unsafe extern "C" fn fopen(name: *const c_char, how: *const c_char) -> FilePointer {
    let (name, how) = unsafe { (text(name), text(how)) };
    opened(mode(how.as_bytes()).and_then(|how| table::open(name, how)))
}

#[no_mangle]
unsafe extern "C" fn freopen(name: *const c_char, how: *const c_char, file: FilePointer) -> FilePointer {
    let name = (!name.is_null()).then(|| unsafe { text(name) });
    let how = mode(unsafe { text(how) }.as_bytes());
    opened(how.and_then(|how| table::reopen(file, name, how)).map(|()| file))
}

#[no_mangle]
pub extern "C" fn fclose(file: FilePointer) -> c_int {
    status(table::close(file))
}

#[no_mangle]
extern "C" fn fflush(file: FilePointer) -> c_int {
    if file.is_null() {
        return status(flush_all());
    }
    status(with(file, false, Stream::flush))
}

#[no_mangle]
extern "C" fn fseek(file: FilePointer, offset: c_long, whence: c_int) -> c_int {
    status(with(file, false, |stream| stream.seek(offset, whence)))
}

#[no_mangle]
extern "C" fn ftell(file: FilePointer) -> c_long {
    with(file, -1, |stream| {
        if stream.is_file() {
            return stream.position() as c_long;
        }
        set(ESPIPE);
        -1
    })
}

// `off_t` is a long.
weak!("fseeko", "fseek");
weak!("ftello", "ftell");

#[no_mangle]
unsafe extern "C" fn fgetpos(file: FilePointer, place: *mut c_long) -> c_int {
    let position = ftell(file);
    unsafe { *place = position };
    status(position >= 0)
}

#[no_mangle]
unsafe extern "C" fn fsetpos(file: FilePointer, place: *const c_long) -> c_int {
    fseek(file, unsafe { *place }, 0)
}

/// A stream has its own buffer, and takes no other; when it leaves is as is wanted.
#[no_mangle]
extern "C" fn setvbuf(file: FilePointer, _buffer: *mut c_char, mode: c_int, _bytes: usize) -> c_int {
    let buffering = match mode {
        0 => Buffering::Full,
        1 => Buffering::Line,
        2 => Buffering::None,
        _ => {
            set(EINVAL);
            return EOF;
        }
    };
    status(with(file, false, |stream| {
        stream.buffering = buffering;
        true
    }))
}

/// Without a buffer, `_IONBF`, otherwise `_IOFBF`.
#[no_mangle]
extern "C" fn setbuf(file: FilePointer, buffer: *mut c_char) {
    setvbuf(file, buffer, if buffer.is_null() { 2 } else { 0 }, 0);
}

#[no_mangle]
extern "C" fn rewind(file: FilePointer) {
    with(file, (), |stream| {
        stream.seek(0, 0);
        stream.failed = 0;
    });
}

#[no_mangle]
extern "C" fn clearerr(file: FilePointer) {
    with(file, (), |stream| (stream.failed, stream.at_end) = (0, false));
}

#[no_mangle]
extern "C" fn feof(file: FilePointer) -> c_int {
    with(file, 0, |stream| stream.at_end as c_int)
}

#[no_mangle]
extern "C" fn ferror(file: FilePointer) -> c_int {
    with(file, 1, |stream| (stream.failed != 0) as c_int)
}

#[no_mangle]
unsafe extern "C" fn remove(name: *const c_char) -> c_int {
    status(noted(libtos::file::unlink(unsafe { text(name) })).is_some())
}

weak!("unlink", "__tos_unlink");
#[no_mangle]
unsafe extern "C" fn __tos_unlink(name: *const c_char) -> c_int {
    unsafe { remove(name) }
}

#[no_mangle]
unsafe extern "C" fn rename(old: *const c_char, new: *const c_char) -> c_int {
    status(noted(libtos::file::rename(unsafe { text(old) }, unsafe { text(new) })).is_some())
}

#[no_mangle]
extern "C" fn fgetc(file: FilePointer) -> c_int {
    with(file, EOF, |stream| stream.read().map_or(EOF, c_int::from))
}

#[no_mangle]
extern "C" fn getc(file: FilePointer) -> c_int {
    fgetc(file)
}

#[no_mangle]
extern "C" fn getchar() -> c_int {
    fgetc(table::__stdin())
}

#[no_mangle]
extern "C" fn ungetc(byte: c_int, file: FilePointer) -> c_int {
    if byte != EOF && with(file, false, |stream| stream.give_back(byte as u8)) {
        byte & 0xff
    } else {
        EOF
    }
}

#[no_mangle]
extern "C" fn fputc(byte: c_int, file: FilePointer) -> c_int {
    if writing(file, false, |stream| stream.write(byte as u8)) {
        byte & 0xff
    } else {
        EOF
    }
}

#[no_mangle]
extern "C" fn putc(byte: c_int, file: FilePointer) -> c_int {
    fputc(byte, file)
}

#[no_mangle]
extern "C" fn putchar(byte: c_int) -> c_int {
    fputc(byte, pointer(STDOUT))
}

#[no_mangle]
unsafe extern "C" fn fputs(text: *const c_char, file: FilePointer) -> c_int {
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    status(writing(file, false, |stream| bytes.iter().all(|&byte| stream.write(byte))))
}

#[no_mangle]
unsafe extern "C" fn puts(text: *const c_char) -> c_int {
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    status(writing(pointer(STDOUT), false, |stream| bytes.iter().chain(b"\n").all(|&byte| stream.write(byte))))
}

#[no_mangle]
unsafe extern "C" fn fgets(buffer: *mut c_char, bytes: c_int, file: FilePointer) -> *mut c_char {
    let Ok(room) = usize::try_from(bytes.wrapping_sub(1)) else { return null_mut() };
    let read = with(file, None, |stream| {
        let before = core::mem::take(&mut stream.failed);
        let mut read = 0;
        while read < room {
            let Some(byte) = stream.read() else { break };
            unsafe { *buffer.add(read) = byte as c_char };
            read += 1;
            if byte == b'\n' {
                break;
            }
        }
        let is_right = stream.failed == 0;
        if before != 0 {
            stream.failed = before;
        }
        Some(read).filter(|&read| is_right && (read > 0 || room == 0))
    });
    let Some(read) = read else { return null_mut() };
    unsafe { *buffer.add(read) = 0 };
    buffer
}

#[no_mangle]
unsafe extern "C" fn fread(buffer: *mut c_void, bytes: usize, count: usize, file: FilePointer) -> usize {
    let buffer: *mut u8 = buffer.cast();
    let all = bytes.saturating_mul(count);
    let read = with(file, 0, |stream| {
        let mut read = 0;
        while read < all {
            let Some(byte) = stream.read() else { break };
            unsafe { *buffer.add(read) = byte };
            read += 1;
        }
        read
    });
    read.checked_div(bytes).unwrap_or(0)
}

#[no_mangle]
unsafe extern "C" fn fwrite(buffer: *const c_void, bytes: usize, count: usize, file: FilePointer) -> usize {
    let buffer: *const u8 = buffer.cast();
    let all = bytes.saturating_mul(count);
    let written =
        writing(file, 0, |stream| (0..all).take_while(|&at| stream.write(unsafe { *buffer.add(at) })).count());
    written.checked_div(bytes).unwrap_or(0)
}
