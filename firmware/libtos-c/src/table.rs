//! The table of streams. A `FILE` is an index in it, plus one, as a pointer that is never followed.

use core::ffi::{c_int, c_void};
use core::hint::black_box;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use libtos::processor;
use testbed_definitions::page::PAGE_BYTES;

use crate::error::{EBADF, EMFILE};
use crate::opening::Name;
use crate::shared::Shared;
use crate::stream::{Buffering, Stream, FILES};

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

/// By stream: the processor on which its file was opened, plus one; 0 if it has none. Changes with
/// the stream's lock; who only looks for a stream to flush or to open need not fetch those of
/// others.
static OPENED_ON: [AtomicU8; STDIN + 1] = [const { AtomicU8::new(0) }; STDIN + 1];

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

/// The same for what writes: what is not to stay in the buffer leaves it at the end. `failure` if
/// that can't be.
pub fn writing<R: Copy>(file: FilePointer, failure: R, work: impl FnOnce(&mut Stream) -> R) -> R {
    with(file, failure, |stream| {
        let result = work(stream);
        if stream.buffering != Buffering::None || stream.flush() {
            result
        } else {
            failure
        }
    })
}

/// Streams of files that were opened on this processor.
fn opened_here() -> impl Iterator<Item = usize> {
    let here = processor() + 1;
    (0..OPENED_ON.len()).filter(move |&index| OPENED_ON[index].load(Ordering::Relaxed) == here)
}

/// Writes what is still in buffers of the console and of files on this processor; what belongs into
/// files elsewhere can be written there only. The end of a thread. `false` if that failed.
pub fn flush_all() -> bool {
    let consoles = (0..FIRST_FILE).filter(|&index| OPENED_ON[index].load(Ordering::Relaxed) == 0);
    let mut is_right = true;
    for index in consoles.chain(opened_here()) {
        is_right &= with(pointer(index), true, Stream::flush);
    }
    is_right
}

/// Closes the files of this processor that are to go when they are closed.
pub fn close_temporaries() {
    for index in opened_here() {
        if with(pointer(index), false, |stream| stream.is_temporary()) {
            close(pointer(index));
        }
    }
}

/// Opens a file, `how` of [`crate::opening::how`], or says why not as `errno` does.
pub fn open(name: &str, how: u32) -> Result<FilePointer, c_int> {
    if IN_USE.load(Ordering::Relaxed).is_null() {
        IN_USE.store((&raw const STREAMS).cast_mut(), Ordering::Relaxed);
    }
    let closed = (FIRST_FILE..STDIN).filter(|&index| OPENED_ON[index].load(Ordering::Relaxed) == 0);
    for index in closed {
        let opened = STREAMS[index - FIRST_FILE].0.with(|stream| {
            // Another thread may have been faster.
            stream.is_closed().then(|| open_in(index, stream, name, how))
        });
        if let Some(opened) = opened {
            return opened.map(|()| pointer(index));
        }
    }
    Err(EMFILE)
}

/// Opens a file in a stream that is closed.
fn open_in(index: usize, stream: &mut Stream, name: &str, how: u32) -> Result<(), c_int> {
    stream.open(name, how).inspect(|()| OPENED_ON[index].store(processor() + 1, Ordering::Relaxed))
}

/// Closes what a stream has, whether that is right or not, and opens a file in it; without a name
/// the same one.
pub fn reopen(file: FilePointer, name: Option<&str>, how: u32) -> Result<(), c_int> {
    let index = index(file);
    let Some(stream) = stream(index) else { return Err(EBADF) };
    stream.with(|stream| {
        let same = stream.name().copied();
        let name = name.or(same.as_ref().map(Name::text)).ok_or(EBADF)?;
        stream.discard();
        OPENED_ON[index].store(0, Ordering::Relaxed);
        open_in(index, stream, name, how)
    })
}

/// Closes a stream; `false` if anything of it has failed.
pub fn close(file: FilePointer) -> bool {
    with(file, false, |stream| {
        let is_right = stream.close();
        if stream.is_closed() {
            OPENED_ON[index(file)].store(0, Ordering::Relaxed);
        }
        is_right
    })
}
