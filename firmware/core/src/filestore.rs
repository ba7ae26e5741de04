//! The filestore's table: names, sizes, permissions, and who may do what to a file. What is in the
//! files' pages is the kernel's.
//!
//! A file that is removed while processes run it stays, without a name, until the last of them has
//! ended. Handles are stateless: a file's index, its generation, its processor, and nothing that
//! would have to be given back; what a handle allows is looked up each time. A thread that has
//! moved may still use the handle of a file on another processor, and gets [`Error::NotHere`].

use core::mem::offset_of;
use testbed_definitions::file::{is_name, EXECUTE, NAME_BYTES, READ, TRUSTED, WRITE};
use testbed_definitions::ids::Processor;
use testbed_definitions::limits::{FILES, FILE_BYTES};
use testbed_definitions::page::PAGE_BYTES;
use testbed_definitions::syscall::{open, Error};

use crate::layout::Item;

/// A name, padded with NUL.
pub type Name = [u8; NAME_BYTES];

/// `name` padded; [`Error::BadName`] if it is empty or too long, or has other bytes than printable
/// ASCII without blanks and slashes.
pub fn padded(name: &[u8]) -> Result<Name, Error> {
    if !is_name(name) {
        return Err(Error::BadName);
    }
    let mut padded = [0; NAME_BYTES];
    padded.iter_mut().zip(name).for_each(|(place, &byte)| *place = byte);
    Ok(padded)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File {
    /// NULs if it has been removed.
    pub name: Name,
    pub bytes: u32,
    /// `definitions::file`.
    pub permissions: u32,
    /// Where the kernel keeps the list of its pages; 0: nowhere, the file's place is free.
    pub list: u32,
    /// Tells it from the files that had its place before.
    generation: u16,
    /// Processes whose code it is.
    users: u16,
    /// A copy from another processor, here as long as it has users.
    mounted: bool,
}

impl File {
    const FREE: File =
        File { name: [0; NAME_BYTES], bytes: 0, permissions: 0, list: 0, generation: 1, users: 0, mounted: false };

    pub const fn is_free(&self) -> bool {
        self.list == 0
    }
    pub fn has_name(&self) -> bool {
        self.name[0] != 0
    }
    pub const fn pages(&self) -> u32 {
        self.bytes.div_ceil(PAGE_BYTES)
    }
}

/// What is to be done to open a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opening {
    /// Nothing.
    Found(usize),
    /// Its pages are to be given back: it is empty now.
    Emptied(usize),
    /// It has to be made, with [`Filestore::create`].
    Missing,
}

impl File {
    /// What the host looks at.
    pub const LAYOUT: [(Item, usize); 4] = [
        (Item::FileRecordBytes, size_of::<File>()),
        (Item::FileName, offset_of!(File, name)),
        (Item::FileSize, offset_of!(File, bytes)),
        (Item::FileList, offset_of!(File, list)),
    ];
}

pub struct Filestore {
    files: [File; FILES],
    /// Whose it is, as handles have it.
    processor: u32,
}

impl Default for Filestore {
    fn default() -> Self {
        Self::new()
    }
}

const INDEX_BITS: u32 = FILES.trailing_zeros();
/// The bit of a handle where the processor's number begins, behind index and generation.
const PROCESSOR_SHIFT: u32 = INDEX_BITS + u16::BITS;

impl Filestore {
    pub const fn new() -> Self {
        Filestore { files: [File::FREE; FILES], processor: 0 }
    }

    /// Bytes from its start to the files' records, and how many there are.
    pub const RECORDS: (usize, usize) = (offset_of!(Filestore, files), FILES);

    /// It is this processor's, before any file is opened.
    pub fn start(&mut self, processor: Processor) {
        self.processor = u32::from(processor.number());
    }

    pub fn get(&self, index: usize) -> &File {
        &self.files[index % FILES]
    }
    /// Files in use, with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &File)> {
        self.files.iter().enumerate().filter(|(_, file)| !file.is_free())
    }
    pub fn find(&self, name: &Name) -> Option<usize> {
        self.iter().find(|(_, file)| file.has_name() && file.name == *name).map(|(index, _)| index)
    }
    fn named(&self, name: &[u8]) -> Result<usize, Error> {
        self.find(&padded(name)?).ok_or(Error::NoFile)
    }

    /// Makes an empty file; `list` (not 0) is where the kernel keeps its pages' numbers.
    pub fn create(&mut self, name: &Name, permissions: u32, list: u32) -> Result<usize, Error> {
        if self.find(name).is_some() {
            return Err(Error::FileExists);
        }
        let index = self.files.iter().position(File::is_free).ok_or(Error::TooManyFiles)?;
        let file = &mut self.files[index];
        *file = File { name: *name, permissions, list, generation: file.generation, ..File::FREE };
        Ok(index)
    }

    /// Checks whether a file can be opened like this.
    pub fn open(&mut self, name: &[u8], flags: u32) -> Result<Opening, Error> {
        let writes = flags & (open::WRITE | open::TRUNCATE) != 0;
        let Some(index) = self.find(&padded(name)?) else {
            return if flags & open::CREATE != 0 { Ok(Opening::Missing) } else { Err(Error::NoFile) };
        };
        let file = &mut self.files[index];
        let refused = flags & open::READ != 0 && file.permissions & READ == 0
            || writes && (file.permissions & WRITE == 0 || file.users != 0);
        if refused {
            return Err(Error::NoPermission);
        }
        if flags & open::TRUNCATE == 0 {
            return Ok(Opening::Found(index));
        }
        file.permissions &= !TRUSTED;
        Ok(Opening::Emptied(index))
    }

    pub fn handle(&self, index: usize) -> u32 {
        index as u32 | (self.get(index).generation as u32) << INDEX_BITS | self.processor << PROCESSOR_SHIFT
    }

    fn resolve(&self, handle: u32, permission: u32) -> Result<usize, Error> {
        if handle >> PROCESSOR_SHIFT != self.processor {
            return Err(Error::NotHere);
        }
        let index = handle as usize % FILES;
        let file = &self.files[index];
        if file.is_free() || !file.has_name() || self.handle(index) != handle {
            return Err(Error::NoFile);
        }
        if file.permissions & permission == 0 {
            return Err(Error::NoPermission);
        }
        Ok(index)
    }

    /// The file, and how many of `bytes` bytes from `offset` on can be read.
    pub fn reading(&self, handle: u32, offset: u32, bytes: u32) -> Result<(usize, u32), Error> {
        let index = self.resolve(handle, READ)?;
        Ok((index, bytes.min(self.files[index].bytes.saturating_sub(offset))))
    }

    /// The file, and how many of `bytes` bytes from `offset` on can be written.
    pub fn writing(&mut self, handle: u32, offset: u32, bytes: u32) -> Result<(usize, u32), Error> {
        let index = self.resolve(handle, WRITE)?;
        if self.files[index].users != 0 {
            return Err(Error::NoPermission);
        }
        let room = (FILE_BYTES as u32).saturating_sub(offset);
        if room == 0 && bytes != 0 {
            return Err(Error::FileTooLarge);
        }
        self.files[index].permissions &= !TRUSTED;
        Ok((index, bytes.min(room)))
    }

    /// The file has so many bytes now, at least.
    pub fn extend(&mut self, index: usize, bytes: u32) {
        let file = &mut self.files[index % FILES];
        file.bytes = file.bytes.max(bytes);
    }
    /// Its pages have been given back.
    pub fn empty(&mut self, index: usize) {
        self.files[index % FILES].bytes = 0;
    }

    /// A file that can be invoked.
    pub fn executable(&self, index: usize) -> Result<&File, Error> {
        let file = self.get(index);
        if file.permissions & EXECUTE == 0 {
            return Err(Error::NoPermission);
        }
        Ok(file)
    }
    /// A process runs it from now on.
    pub fn add_user(&mut self, index: usize) {
        self.files[index % FILES].users += 1;
    }
    /// A process that ran it has ended. `true`: nobody needs it any more, and it is to be
    /// [`Self::free`]d.
    #[must_use]
    pub fn remove_user(&mut self, index: usize) -> bool {
        let file = &mut self.files[index % FILES];
        file.users = file.users.saturating_sub(1);
        file.users == 0 && (!file.has_name() || file.mounted) && !file.is_free()
    }

    /// Takes a file's name. `Some`: nobody runs it, and it is to be [`Self::free`]d.
    pub fn unlink(&mut self, name: &[u8]) -> Result<Option<usize>, Error> {
        let index = self.named(name)?;
        let file = &mut self.files[index];
        if file.permissions & WRITE == 0 {
            return Err(Error::NoPermission);
        }
        file.name = [0; NAME_BYTES];
        Ok((file.users == 0).then_some(index))
    }
    /// The file's pages, and their list, have been given back.
    pub fn free(&mut self, index: usize) {
        let file = &mut self.files[index % FILES];
        *file = File { generation: file.generation.wrapping_add(1), ..File::FREE };
    }

    /// Gives a file that has none a name: all of a copy from another processor is here.
    pub fn mount(&mut self, index: usize, name: &Name) -> Result<(), Error> {
        if self.find(name).is_some() {
            return Err(Error::FileExists);
        }
        let file = &mut self.files[index % FILES];
        (file.name, file.mounted) = (*name, true);
        Ok(())
    }

    pub fn rename(&mut self, old: &[u8], new: &[u8]) -> Result<(), Error> {
        let new = padded(new)?;
        let index = self.named(old)?;
        if self.find(&new).is_some_and(|other| other != index) {
            return Err(Error::FileExists);
        }
        self.files[index].name = new;
        Ok(())
    }

    /// Sets permissions; nobody can make a file trusted.
    pub fn chmod(&mut self, name: &[u8], permissions: u32) -> Result<(), Error> {
        if permissions & !(READ | WRITE | EXECUTE) != 0 {
            return Err(Error::NoPermission);
        }
        let index = self.named(name)?;
        self.files[index].permissions = permissions;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
