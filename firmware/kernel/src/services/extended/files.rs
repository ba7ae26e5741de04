//! The filestore's pages, and the calls that concern files. A file's pages are anywhere; their
//! numbers are in a page of their own.

use testbed_definitions::boot::word;
use testbed_definitions::file::{record, NAME_BYTES, READ as FILE_READ, WRITE as FILE_WRITE};
use testbed_definitions::limits::{FILES, FILES_SHARE, FILE_BYTES};
use testbed_definitions::page::{PAGE_BYTES, PAGE_SHIFT};
use testbed_definitions::syscall::{open, status, Error};
use testbed_kernel_core::filestore::{padded, Name, Opening};
use testbed_kernel_core::page_map::{rest_of_page, READ, WRITE};

use crate::arch::{memory, words};
use crate::services::extended::BYTES_A_CALL;
use crate::state::boot;
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::user::{read_user, user_range};

const PAGES_MAX: usize = FILE_BYTES / PAGE_BYTES as usize;

/// Numbers of a file's pages.
type List = [u16; PAGES_MAX];

/// The list of pages in page `list`. Nothing else may hold it; callers hold it for a statement.
fn pages_of(list: u32) -> &'static mut List {
    debug_assert!(list != 0 && size_of::<List>() <= PAGE_BYTES as usize);
    // SAFETY: page `list` was taken for a file's list, which fits and is made of plain numbers; the
    // kernel has one thread.
    unsafe { &mut *(memory::page_address(list) as *mut List) }
}

/// Physical address of the byte at `offset` in the file whose list is in page `list`.
pub fn address_in(list: u32, offset: u32) -> u32 {
    let page = pages_of(list)[(offset >> PAGE_SHIFT) as usize % PAGES_MAX];
    memory::page_address(page as u32) + offset % PAGE_BYTES
}

impl Kernel {
    /// Takes the host's files as they lie in memory, and gives their records' pages back.
    pub fn take_host_files(&mut self) {
        let first = boot::get(word::FILES_ADDRESS);
        let count = boot::get(word::FILES);
        for index in 0..count {
            let record = first + 4 * record::WORDS as u32 * index;
            if self.take_host_file(record).is_err() {
                self.console.put_text("a file of the host's cannot be taken\n");
            }
        }
        let page = memory::page_of(first);
        self.pages.release(page, page + (4 * record::WORDS as u32 * count).div_ceil(PAGE_BYTES));
    }

    fn take_host_file(&mut self, record: u32) -> Result<(), Error> {
        // SAFETY: the host left a record there.
        let word = |index: usize| unsafe { (record as *const u32).add(index).read_volatile() };
        let mut name = [0; NAME_BYTES];
        let words = name.as_mut_ptr() as u32;
        // SAFETY: the name is in the record.
        unsafe { memory::copy(record + 4 * record::NAME as u32, words, NAME_BYTES as u32) };
        let (address, bytes) = (word(record::ADDRESS), word(record::BYTES));
        let list = self.new_list()?;
        let index = self.files.create(&name, word(record::PERMISSIONS), list)?;
        self.files.extend(index, bytes.min(FILE_BYTES as u32));
        for (place, page) in pages_of(list).iter_mut().zip(0..bytes.div_ceil(PAGE_BYTES)) {
            *place = (memory::page_of(address) + page) as u16;
        }
        Ok(())
    }

    fn new_list(&mut self) -> Result<u32, Error> {
        self.pages.take().ok_or(Error::NoMemory)
    }

    /// Whether files may have `count` more of this processor's pages: they are there, and files do
    /// not have more than their share already ([`FILES_SHARE`]).
    fn files_may_take(&self, count: u32) -> bool {
        let Some(left) = self.pages.count().checked_sub(count) else { return false };
        let files = (0..FILES).map(|index| self.files.get(index)).filter(|file| !file.is_free());
        let have: u32 = files.map(|file| file.pages() + 1).sum();
        have + count <= FILES_SHARE * left
    }

    /// A new, empty file.
    pub fn create_file(&mut self, name: &Name, permissions: u32) -> Result<usize, Error> {
        if !self.files_may_take(1) {
            return Err(Error::NoMemory);
        }
        let list = self.new_list()?;
        let created = self.files.create(name, permissions, list);
        if created.is_err() {
            self.pages.release(list, list + 1);
        }
        created
    }

    /// Gives the pages of a file back.
    fn empty_file(&mut self, index: usize) {
        let file = self.files.get(index);
        for &page in &pages_of(file.list)[..file.pages() as usize] {
            self.pages.release(page as u32, page as u32 + 1);
        }
        self.files.empty(index);
    }

    /// Gives back all that a file without a name has.
    pub fn free_file(&mut self, index: usize) {
        self.empty_file(index);
        let list = self.files.get(index).list;
        self.pages.release(list, list + 1);
        self.files.free(index);
    }

    /// A process, or another processor, has no more use for a file.
    pub fn leave_file(&mut self, index: usize) {
        if self.files.remove_user(index) {
            self.free_file(index);
        }
    }

    /// Makes a file at least so large; `NoMemory`, and nothing has changed, if files may not have
    /// so many pages.
    pub fn extend_file(&mut self, index: usize, bytes: u32) -> Result<(), Error> {
        let file = self.files.get(index);
        let (list, have, needed) = (file.list, file.pages(), bytes.div_ceil(PAGE_BYTES));
        if needed > have && !self.files_may_take(needed - have) {
            return Err(Error::NoMemory);
        }
        for number in have..needed {
            let page = self.pages.take().ok_or(Error::NoMemory)?;
            // SAFETY: the page was just taken.
            unsafe { words::clear(memory::page_address(page), PAGE_BYTES) };
            pages_of(list)[number as usize] = page as u16;
        }
        self.files.extend(index, bytes);
        Ok(())
    }

    /// Physical address of the byte at `offset` in a file, which is inside it.
    pub fn file_address(&self, index: usize, offset: u32) -> u32 {
        address_in(self.files.get(index).list, offset)
    }

    /// `open(name, length, flags)`: the handle, and the bytes in the file.
    pub fn open(&mut self, process: Process, (name, length): (u32, u32), flags: u32) -> Result<(u32, u32), Error> {
        if flags & !(open::READ | open::WRITE | open::CREATE | open::TRUNCATE) != 0 {
            return Err(Error::UnknownCall);
        }
        let name = user_name(process, name, length)?;
        let name = &name[..length as usize];
        let index = match self.files.open(name, flags)? {
            Opening::Found(index) => index,
            Opening::Emptied(index) => {
                self.empty_file(index);
                index
            }
            Opening::Missing => self.create_file(&padded(name)?, FILE_READ | FILE_WRITE)?,
        };
        Ok((self.files.handle(index), self.files.get(index).bytes))
    }

    /// `read_file(handle, offset, buffer, bytes)`.
    pub fn read_file(&mut self, process: Process, handle: u32, offset: u32, to: (u32, u32)) -> Result<u32, Error> {
        let (index, bytes) = self.files.reading(handle, offset, to.1.min(BYTES_A_CALL))?;
        user_range(process, to.0, bytes, WRITE)?;
        self.in_pieces(index, offset, bytes, |piece, done, part| {
            // SAFETY: the piece is in a page of the file's.
            unsafe { memory::copy_to_user(piece, process.map(), to.0 + done, part) }
        })
    }

    /// `write_file(handle, offset, buffer, bytes)`.
    pub fn write_file(&mut self, process: Process, handle: u32, offset: u32, from: (u32, u32)) -> Result<u32, Error> {
        let (index, bytes) = self.files.writing(handle, offset, from.1.min(BYTES_A_CALL))?;
        user_range(process, from.0, bytes, READ)?;
        if bytes != 0 {
            self.extend_file(index, offset + bytes)?;
        }
        self.in_pieces(index, offset, bytes, |piece, done, part| {
            // SAFETY: as above; nobody runs the file.
            unsafe { memory::copy_from_user(process.map(), from.0 + done, piece, part) }
        })
    }

    /// Calls `copy` for each part of a range of a file that is in one page: its physical address,
    /// bytes done, bytes to do.
    fn in_pieces(
        &self,
        index: usize,
        offset: u32,
        bytes: u32,
        copy: impl Fn(u32, u32, u32) -> Option<()>,
    ) -> Result<u32, Error> {
        let mut done = 0;
        while done < bytes {
            let part = (bytes - done).min(rest_of_page(offset + done));
            copy(self.file_address(index, offset + done), done, part).ok_or(Error::BadPointer)?;
            done += part;
        }
        Ok(bytes)
    }

    /// `unlink(name, length)`.
    pub fn unlink(&mut self, process: Process, (name, length): (u32, u32)) -> Result<u32, Error> {
        let name = user_name(process, name, length)?;
        if let Some(index) = self.files.unlink(&name[..length as usize])? {
            self.free_file(index);
        }
        Ok(0)
    }

    /// `rename(old name, length, new name, length)`.
    pub fn rename(&mut self, process: Process, old: (u32, u32), new: (u32, u32)) -> Result<u32, Error> {
        let (name, to) = (user_name(process, old.0, old.1)?, user_name(process, new.0, new.1)?);
        self.files.rename(&name[..old.1 as usize], &to[..new.1 as usize]).map(|()| 0)
    }

    /// `chmod(name, length, permissions)`.
    pub fn chmod(&mut self, process: Process, (name, length): (u32, u32), permissions: u32) -> Result<u32, Error> {
        let name = user_name(process, name, length)?;
        self.files.chmod(&name[..length as usize], permissions).map(|()| 0)
    }

    /// A record of `status::FILES`.
    pub fn file_record(&self, index: usize) -> Option<[u32; status::FILE_WORDS]> {
        let file = self.files.get(index);
        if file.is_free() {
            return None;
        }
        let mut words = [0; status::FILE_WORDS];
        words[..4].copy_from_slice(&[index as u32, file.permissions, file.bytes, file.pages()]);
        for (word, bytes) in words[4..].iter_mut().zip(file.name.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Some(words)
    }
}

/// A name that a call gives.
pub fn user_name(process: Process, address: u32, length: u32) -> Result<Name, Error> {
    let mut name = [0; NAME_BYTES];
    let place = name.get_mut(..length as usize).ok_or(Error::BadName)?;
    read_user(process, address, place)?;
    Ok(name)
}
