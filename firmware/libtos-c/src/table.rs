//! The table of streams. A `FILE` is an index in it, plus one, as a pointer that is never followed.

use core::ffi::{c_int, c_void};
use core::hint::black_box;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use libtos::{processor, Error};
use testbed_definitions::page::PAGE_BYTES;

use crate::error::noted;
use crate::shared::Shared;
use crate::stream::{Stream, FILES};

pub const EOF: c_int = -1;

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

/// The console, to read from. It says what was asked for before it waits for an answer.
static INPUT: Apart<Shared<Stream>> = Apart(Shared::new(Stream::input(ask)));

/// [`INPUT`], or null: only [`__stdin`] names it, so that it takes no memory in other programs.
static INPUT_IN_USE: AtomicPtr<Shared<Stream>> = AtomicPtr::new(null_mut());

pub const STDOUT: usize = 0;
pub const STDERR: usize = 1;
/// The index of the first stream that is a file's.
const FIRST_FILE: usize = 2;
const STDIN: usize = FIRST_FILE + FILES;

pub type FilePointer = *mut c_void;

#[repr(transparent)]
struct Standard(FilePointer);
// SAFETY: a number that never changes.
unsafe impl Sync for Standard {}
#[no_mangle]
static stdout: Standard = Standard(pointer(STDOUT));
#[no_mangle]
static stderr: Standard = Standard(pointer(STDERR));

pub const fn pointer(index: usize) -> FilePointer {
    core::ptr::without_provenance_mut(index + 1)
}

fn index(file: FilePointer) -> usize {
    (file as usize).wrapping_sub(1)
}

fn ask() {
    with(pointer(STDOUT), true, Stream::flush);
}

/// `stdin`, which is a macro for this.
#[no_mangle]
pub extern "C" fn __stdin() -> FilePointer {
    // If the compiler saw that it is never anything else, others would name it too.
    INPUT_IN_USE.store(black_box((&raw const INPUT.0).cast_mut()), Ordering::Relaxed);
    pointer(STDIN)
}

/// Not inlined: it is looked for in many places.
#[inline(never)]
fn stream(index: usize) -> Option<&'static Shared<Stream>> {
    CONSOLE.0.get(index).or_else(|| {
        if index == STDIN {
            // SAFETY: null, or what never changes.
            return unsafe { INPUT_IN_USE.load(Ordering::Relaxed).as_ref() };
        }
        // SAFETY: as above.
        let streams = unsafe { IN_USE.load(Ordering::Relaxed).as_ref() };
        streams?.get(index.wrapping_sub(FIRST_FILE)).map(|stream| &stream.0)
    })
}

/// Does something with a stream that is open, alone.
pub fn with<R>(file: FilePointer, otherwise: R, work: impl FnOnce(&mut Stream) -> R) -> R {
    let Some(stream) = stream(index(file)) else { return otherwise };
    stream.with(|stream| if stream.is_closed() { otherwise } else { work(stream) })
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

/// Opens a file as `fopen`'s mode says; [`None`] sets `errno`.
pub fn open(name: &str, mode: &[u8]) -> Option<FilePointer> {
    if IN_USE.load(Ordering::Relaxed).is_null() {
        IN_USE.store((&raw const STREAMS).cast_mut(), Ordering::Relaxed);
    }
    let closed = (0..FILES).filter(|&file| OPENED_ON[file].load(Ordering::Relaxed) == 0);
    for file in closed {
        let opened = STREAMS[file].0.with(|stream| {
            // Another thread may have been faster.
            stream.is_closed().then(|| {
                stream.open(name, mode).inspect(|()| OPENED_ON[file].store(processor() + 1, Ordering::Relaxed))
            })
        });
        if let Some(opened) = opened {
            return noted(opened).map(|()| pointer(FIRST_FILE + file));
        }
    }
    noted(Err(Error::TooManyFiles))
}

/// Closes a stream; `false` if anything of it has failed.
pub fn close(file: FilePointer) -> bool {
    with(file, false, |stream| {
        let is_right = stream.close();
        if let Some(place) = OPENED_ON.get(index(file).wrapping_sub(FIRST_FILE)).filter(|_| stream.is_closed()) {
            place.store(0, Ordering::Relaxed);
        }
        is_right
    })
}
