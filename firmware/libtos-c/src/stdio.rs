//! `stdio.h`. A `FILE` is an index in the table of streams, plus one, as a pointer that is never followed.

use core::ffi::{c_char, c_int, c_long, c_void, CStr};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use libtos::{processor, Error};
use testbed_definitions::page::PAGE_BYTES;

use crate::error::{__errno, noted, strerror};
use crate::format::{format, List};
use crate::out::Out;
use crate::shared::Shared;
use crate::stream::{Stream, FILES, STDERR, STDOUT};

const EOF: c_int = -1;

/// What has pages of its own, so that threads on other processors that use something else do not
/// fetch it away.
#[repr(align(1024))]
struct Apart<T>(T);
const _: () = assert!(align_of::<Apart<u8>>() == PAGE_BYTES as usize);

/// `stdout` and `stderr`, and the streams of files, each with a lock of its own.
static CONSOLE: Apart<[Shared<Stream>; FIRST_FILE]> = Apart([const { Shared::new(Stream::CONSOLE) }; FIRST_FILE]);
static STREAMS: Streams = [const { Apart(Shared::new(Stream::CLOSED)) }; FILES];
type Streams = [Apart<Shared<Stream>>; FILES];

/// [`STREAMS`], or null until the first file is opened: only `fopen` names them, so that they take
/// no memory in a program that opens none.
static IN_USE: AtomicPtr<Streams> = AtomicPtr::new(null_mut());

/// By stream of a file: 0 while it is closed, otherwise the processor on which it was opened, plus
/// one. Changes with the stream's lock; who only looks for a stream to flush or to open need not
/// fetch those of others.
static OPENED_ON: [AtomicU8; FILES] = [const { AtomicU8::new(0) }; FILES];

/// The index of the first stream that is a file's.
const FIRST_FILE: usize = 2;
const _: () = assert!(STDOUT < FIRST_FILE && STDERR < FIRST_FILE);

type FilePointer = *mut c_void;

#[repr(transparent)]
struct Standard(FilePointer);
// SAFETY: a number that never changes.
unsafe impl Sync for Standard {}
#[no_mangle]
static stdout: Standard = Standard(pointer(STDOUT));
#[no_mangle]
static stderr: Standard = Standard(pointer(STDERR));

const fn pointer(index: usize) -> FilePointer {
    core::ptr::without_provenance_mut(index + 1)
}

fn index(file: FilePointer) -> usize {
    (file as usize).wrapping_sub(1)
}

fn stream(index: usize) -> Option<&'static Shared<Stream>> {
    CONSOLE.0.get(index).or_else(|| {
        // SAFETY: null, or what never changes.
        let streams = unsafe { IN_USE.load(Ordering::Relaxed).as_ref() };
        streams?.get(index.wrapping_sub(FIRST_FILE)).map(|stream| &stream.0)
    })
}

/// Does something with a stream that is open, alone.
fn with<R>(file: FilePointer, otherwise: R, work: impl FnOnce(&mut Stream) -> R) -> R {
    let Some(stream) = stream(index(file)) else { return otherwise };
    stream.with(|stream| if stream.is_closed() { otherwise } else { work(stream) })
}

fn status(is_right: bool) -> c_int {
    if is_right {
        0
    } else {
        EOF
    }
}

/// Writes what is still in buffers of the console and of files on this processor; what belongs into
/// files elsewhere can be written there only. The end of a thread. `false` if that failed.
pub fn flush_all() -> bool {
    let here = processor() + 1;
    let files = OPENED_ON.iter().enumerate().filter(|(_, place)| place.load(Ordering::Relaxed) == here);
    let indices = (0..FIRST_FILE).chain(files.map(|(file, _)| FIRST_FILE + file));
    let mut is_right = true;
    for index in indices {
        is_right &= with(pointer(index), true, Stream::flush);
    }
    is_right
}

/// A name or mode of C.
///
/// # Safety
/// It ends with a NUL.
unsafe fn text<'a>(text: *const c_char) -> &'a str {
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
    with(pointer(STDERR), (), |stream| parts.into_iter().flatten().for_each(|&byte| _ = stream.write(byte)));
}

// SAFETY of all below: C's rules: strings end with a NUL, buffers have the bytes that are named.

#[no_mangle]
unsafe extern "C" fn fopen(name: *const c_char, mode: *const c_char) -> FilePointer {
    let (name, mode) = unsafe { (text(name), text(mode)) };
    if IN_USE.load(Ordering::Relaxed).is_null() {
        IN_USE.store((&raw const STREAMS).cast_mut(), Ordering::Relaxed);
    }
    let closed = (0..FILES).filter(|&file| OPENED_ON[file].load(Ordering::Relaxed) == 0);
    for file in closed {
        let opened = STREAMS[file].0.with(|stream| {
            // Another thread may have been faster.
            stream.is_closed().then(|| {
                stream
                    .open(name, mode.as_bytes())
                    .inspect(|()| OPENED_ON[file].store(processor() + 1, Ordering::Relaxed))
            })
        });
        if let Some(opened) = opened {
            return noted(opened).map_or(null_mut(), |()| pointer(FIRST_FILE + file));
        }
    }
    noted(Err(Error::TooManyFiles)).unwrap_or(null_mut())
}

#[no_mangle]
extern "C" fn fclose(file: FilePointer) -> c_int {
    status(with(file, false, |stream| {
        let is_right = stream.close();
        if let Some(place) = OPENED_ON.get(index(file).wrapping_sub(FIRST_FILE)).filter(|_| stream.is_closed()) {
            place.store(0, Ordering::Relaxed);
        }
        is_right
    }))
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
    with(file, -1, |stream| stream.position() as c_long)
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

#[no_mangle]
unsafe extern "C" fn unlink(name: *const c_char) -> c_int {
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
extern "C" fn fputc(byte: c_int, file: FilePointer) -> c_int {
    if with(file, false, |stream| stream.write(byte as u8)) {
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
    status(with(file, false, |stream| bytes.iter().all(|&byte| stream.write(byte))))
}

#[no_mangle]
unsafe extern "C" fn puts(text: *const c_char) -> c_int {
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    status(with(pointer(STDOUT), false, |stream| bytes.iter().chain(b"\n").all(|&byte| stream.write(byte))))
}

#[no_mangle]
unsafe extern "C" fn fgets(buffer: *mut c_char, bytes: c_int, file: FilePointer) -> *mut c_char {
    let room = usize::try_from(bytes - 1).unwrap_or(0);
    let read = with(file, 0, |stream| {
        let mut read = 0;
        while read < room {
            let Some(byte) = stream.read() else { break };
            unsafe { *buffer.add(read) = byte as c_char };
            read += 1;
            if byte == b'\n' {
                break;
            }
        }
        read
    });
    if read == 0 {
        return null_mut();
    }
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
    let written = with(file, 0, |stream| (0..all).take_while(|&at| stream.write(unsafe { *buffer.add(at) })).count());
    written.checked_div(bytes).unwrap_or(0)
}

#[no_mangle]
unsafe extern "C" fn vfprintf(file: FilePointer, text: *const c_char, list: *const u32) -> c_int {
    with(file, EOF, |stream| {
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
