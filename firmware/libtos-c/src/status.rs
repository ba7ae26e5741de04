//! `sys/stat.h`, and who and where a program is.

use core::ffi::{c_char, c_int, c_long, c_uint};
use core::ptr::null_mut;

use libtos::file::{list, EXECUTE, READ, WRITE};
use libtos::{processor, Error};
use testbed_definitions::file::is_name;

use crate::descriptor::with;
use crate::error::{number, set, EINVAL, ERANGE};
use crate::stdio::text;
use crate::weak::weak;

/// As in `sys/stat.h`.
const DIRECTORY: c_uint = 0o040000;
const CHARACTERS: c_uint = 0o020000;
const REGULAR: c_uint = 0o100000;
/// The only folder.
const ROOT: &str = "/";

/// `struct stat`. Files have no times.
#[repr(C)]
#[derive(Default)]
struct Status {
    device: c_uint,
    index: c_uint,
    mode: c_uint,
    links: c_uint,
    owner: c_uint,
    group: c_uint,
    size: c_long,
    block_size: c_long,
    blocks: c_long,
    accessed: c_long,
    modified: c_long,
    changed: c_long,
}

impl Status {
    fn new(mode: c_uint, index: u32, size: u32, blocks: u32) -> Self {
        let (device, size, blocks) = (u32::from(processor()), size as c_long, blocks as c_long);
        Status { device, index, mode, links: 1, size, block_size: 1024, blocks, ..Status::default() }
    }

    /// The status of the file, or the folder, with this name.
    fn of(name: &str) -> Result<Self, Error> {
        if matches!(name, ROOT | ".") {
            return Ok(Status::new(DIRECTORY | 0o777, 0, 0, 0));
        }
        if !is_name(name.as_bytes()) {
            return Err(Error::BadName);
        }
        let entry = list().find(|entry| entry.name() == name).ok_or(Error::NoFile)?;
        let bits = [(READ, 0o444), (WRITE, 0o222), (EXECUTE, 0o111)];
        let permissions =
            bits.iter().filter(|(bit, _)| entry.permissions & bit != 0).map(|(_, mode)| mode).sum::<u32>();
        // Blocks are of 512 bytes.
        Ok(Status::new(REGULAR | permissions, entry.index + 1, entry.bytes, 2 * entry.pages))
    }
}

/// 0, with the status at `place`, or -1.
fn stored(found: Result<Status, Error>, place: *mut Status) -> c_int {
    match found {
        Ok(status) => {
            // SAFETY: C's rule: there is room for it.
            unsafe { place.write(status) };
            0
        }
        Err(error) => {
            set(number(error));
            -1
        }
    }
}

// SAFETY of all below: C's rules: strings end with a NUL, buffers have the bytes that are named.

weak!("stat", "__tos_stat");
weak!("lstat", "__tos_stat");
#[no_mangle]
unsafe extern "C" fn __tos_stat(name: *const c_char, place: *mut Status) -> c_int {
    stored(Status::of(unsafe { text(name) }), place)
}

weak!("fstat", "__tos_fstat");
#[no_mangle]
unsafe extern "C" fn __tos_fstat(descriptor: c_int, place: *mut Status) -> c_int {
    with(descriptor, -1, |stream| {
        let Some(name) = stream.name() else {
            return stored(Ok(Status::new(CHARACTERS | 0o666, 0, 0, 0)), place);
        };
        let name = *name;
        // What is in the buffer is of the file.
        if stream.flush() {
            stored(Status::of(name.text()), place)
        } else {
            -1
        }
    })
}

weak!("access", "__tos_access");
/// `mode` is made of 4 for reading, 2 for writing, 1 for running; with 0 it is enough that it is
/// there.
#[no_mangle]
unsafe extern "C" fn __tos_access(name: *const c_char, mode: c_int) -> c_int {
    let found = Status::of(unsafe { text(name) }).and_then(|status| {
        let is_allowed = mode as c_uint & !status.mode & 7 == 0;
        is_allowed.then_some(()).ok_or(Error::NoPermission)
    });
    found.map_or_else(
        |error| {
            set(number(error));
            -1
        },
        |()| 0,
    )
}

weak!("getpid", "__tos_getpid");
#[no_mangle]
extern "C" fn __tos_getpid() -> c_int {
    c_int::from(libtos::process::process())
}

weak!("getcwd", "__tos_getcwd");
#[no_mangle]
unsafe extern "C" fn __tos_getcwd(buffer: *mut c_char, bytes: usize) -> *mut c_char {
    if buffer.is_null() || bytes <= ROOT.len() {
        set(if bytes == 0 || buffer.is_null() { EINVAL } else { ERANGE });
        return null_mut();
    }
    unsafe { ROOT.as_ptr().copy_to(buffer.cast(), ROOT.len()) };
    unsafe { buffer.add(ROOT.len()).write(0) };
    buffer
}
