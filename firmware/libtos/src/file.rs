//! Files of the filestore of the processor that the thread is on.

use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::syscall::{self, status, Error};

pub use testbed_definitions::file::{EXECUTE, READ, TRUSTED, WRITE};
pub use testbed_definitions::syscall::open as flags;

use crate::call;
use crate::process::record;

/// A file that has been opened. Good on this processor only, elsewhere all calls give
/// [`Error::NotHere`]; nothing has to be given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    handle: u32,
    /// When it was opened.
    pub bytes: u32,
}

impl File {
    /// Opens a file; `how` is made of [`flags`].
    pub fn open(name: &str, how: u32) -> Result<File, Error> {
        let arguments = [name.as_ptr() as u32, name.len() as u32, how, 0, 0];
        // SAFETY: the kernel only reads the name.
        let (handle, bytes) = unsafe { call::call(syscall::OPEN, arguments) };
        call::result(handle).map(|handle| File { handle, bytes })
    }

    /// What the kernel calls it.
    pub fn handle(self) -> u32 {
        self.handle
    }

    /// The file of a handle.
    pub fn of(handle: u32, bytes: u32) -> File {
        File { handle, bytes }
    }

    /// Whether both are the same file, which may have grown between.
    pub fn is(self, other: File) -> bool {
        self.handle == other.handle
    }

    /// Reads from `offset` on until the buffer is full or the file ends. The result is the bytes read.
    pub fn read(self, offset: u32, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut done = 0;
        while done < buffer.len() {
            let rest = &mut buffer[done..];
            let (address, bytes) = (rest.as_mut_ptr() as u32, rest.len() as u32);
            // SAFETY: the kernel writes to the buffer only.
            let result =
                unsafe { call::call5(syscall::READ_FILE, [self.handle, offset + done as u32, address, bytes, 0]) };
            match call::result(result)? {
                0 => break,
                bytes => done += bytes as usize,
            }
        }
        Ok(done)
    }

    /// Writes all of the bytes from `offset` on; the file grows if it has to.
    pub fn write(self, offset: u32, bytes: &[u8]) -> Result<(), Error> {
        let mut done = 0;
        while done < bytes.len() {
            let rest = &bytes[done..];
            let (address, count) = (rest.as_ptr() as u32, rest.len() as u32);
            // SAFETY: the kernel only reads the buffer.
            let result =
                unsafe { call::call5(syscall::WRITE_FILE, [self.handle, offset + done as u32, address, count, 0]) };
            done += call::result(result)? as usize;
        }
        Ok(())
    }
}

/// Removes a file's name. Processes that run it keep its pages until the last of them has ended.
pub fn unlink(name: &str) -> Result<(), Error> {
    // SAFETY: the kernel only reads the name.
    call::result(unsafe { call::call3(syscall::UNLINK, name.as_ptr() as u32, name.len() as u32, 0) }).map(drop)
}

/// Gives a file another name.
pub fn rename(old: &str, new: &str) -> Result<(), Error> {
    let arguments = [old.as_ptr() as u32, old.len() as u32, new.as_ptr() as u32, new.len() as u32, 0];
    // SAFETY: the kernel only reads the names.
    call::result(unsafe { call::call5(syscall::RENAME, arguments) }).map(drop)
}

/// Sets a file's permissions: [`READ`], [`WRITE`], [`EXECUTE`].
pub fn chmod(name: &str, permissions: u32) -> Result<(), Error> {
    // SAFETY: the kernel only reads the name.
    let result = unsafe { call::call3(syscall::CHMOD, name.as_ptr() as u32, name.len() as u32, permissions) };
    call::result(result).map(drop)
}

/// A file as [`list`] has it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub index: u32,
    pub permissions: u32,
    pub bytes: u32,
    pub pages: u32,
    name: [u8; NAME_BYTES],
}

impl Entry {
    /// Empty if the file has been removed while it is still executed.
    pub fn name(&self) -> &str {
        let length = self.name.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
        core::str::from_utf8(&self.name[..length]).unwrap_or("")
    }
}

/// All files.
pub fn list() -> impl Iterator<Item = Entry> {
    (0..).map_while(|first| record::<{ status::FILE_WORDS }>(status::FILES, first)).map(|words| {
        let mut name = [0; NAME_BYTES];
        for (place, word) in name.chunks_exact_mut(4).zip(&words[4..]) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let [index, permissions, bytes, pages] = [words[0], words[1], words[2], words[3]];
        Entry { index, permissions, bytes, pages, name }
    })
}
