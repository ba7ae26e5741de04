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
/// Of a handle: where the processor's number begins, behind index and generation.
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
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        padded(text.as_bytes()).unwrap()
    }

    #[test]
    fn names_are_checked() {
        for bad in [&b""[..], b"a b", b"a/b", b"\0", b"\x7f", &[b'a'; NAME_BYTES + 1], b"\xc3\xa4"] {
            assert_eq!(padded(bad), Err(Error::BadName), "{bad:?}");
        }
        assert_eq!(padded(&[b'a'; NAME_BYTES]), Ok([b'a'; NAME_BYTES]));
    }

    #[test]
    fn as_many_files_as_there_are_places() {
        let mut store = Filestore::new();
        for index in 0..FILES {
            let name = [b'a' + index as u8 / 26, b'a' + index as u8 % 26];
            assert_eq!(store.create(&padded(&name).unwrap(), READ, 1), Ok(index));
        }
        assert_eq!(store.create(&name("one.more"), READ, 1), Err(Error::TooManyFiles));
        assert_eq!(store.create(&name("aa"), READ, 1), Err(Error::FileExists));
    }

    #[test]
    fn permissions() {
        let mut store = Filestore::new();
        let index = store.create(&name("file"), READ | WRITE, 1).unwrap();
        assert_eq!(store.open(b"none", open::READ), Err(Error::NoFile));
        assert_eq!(store.open(b"none", open::CREATE | open::WRITE), Ok(Opening::Missing));
        assert_eq!(store.open(b"file", open::READ | open::WRITE), Ok(Opening::Found(index)));
        let handle = store.handle(index);
        store.extend(index, 10);
        assert_eq!(store.reading(handle, 3, 100), Ok((index, 7)));
        assert_eq!(store.reading(handle, u32::MAX, 100), Ok((index, 0)));
        assert_eq!(store.writing(handle, FILE_BYTES as u32 - 1, 2), Ok((index, 1)));
        assert_eq!(store.writing(handle, FILE_BYTES as u32, 1), Err(Error::FileTooLarge));
        store.chmod(b"file", READ).unwrap();
        assert_eq!(store.writing(handle, 0, 1), Err(Error::NoPermission));
        assert_eq!(store.open(b"file", open::TRUNCATE), Err(Error::NoPermission));
        assert_eq!(store.unlink(b"file"), Err(Error::NoPermission));
        assert_eq!(store.executable(index), Err(Error::NoPermission));
        store.chmod(b"file", WRITE).unwrap();
        assert_eq!(store.reading(handle, 0, 1), Err(Error::NoPermission));
        assert_eq!(store.open(b"file", open::READ), Err(Error::NoPermission));
        assert_eq!(store.chmod(b"file", TRUSTED), Err(Error::NoPermission));
    }

    #[test]
    fn handles_are_good_on_one_processor() {
        let [mut one, mut other] = [Filestore::new(), Filestore::new()];
        one.start(Processor::new(1));
        other.start(Processor::new(15));
        let [here, there] = [&mut one, &mut other].map(|store| {
            let index = store.create(&name("file"), READ | WRITE, 1).unwrap();
            store.handle(index)
        });
        assert!(here as i32 > 0 && there as i32 > 0, "a negative one would be an error");
        assert_eq!(one.reading(here, 0, 0), Ok((0, 0)));
        assert_eq!(other.writing(there, 0, 1), Ok((0, 1)));
        // Of files with the same place and generation.
        assert_eq!(one.reading(there, 0, 0), Err(Error::NotHere));
        assert_eq!(other.writing(here, 0, 1), Err(Error::NotHere));
        assert_eq!(one.writing(u32::MAX, 0, 1), Err(Error::NotHere));
    }

    #[test]
    fn what_runs_stays_as_it_is() {
        let mut store = Filestore::new();
        let index = store.create(&name("program"), READ | WRITE | EXECUTE | TRUSTED, 1).unwrap();
        let handle = store.handle(index);
        store.add_user(index);
        store.add_user(index);
        assert_eq!(store.writing(handle, 0, 1), Err(Error::NoPermission));
        assert_eq!(store.open(b"program", open::TRUNCATE), Err(Error::NoPermission));
        assert_eq!(store.get(index).permissions & TRUSTED, TRUSTED);
        assert_eq!(store.unlink(b"program"), Ok(None));
        assert_eq!(store.unlink(b"program"), Err(Error::NoFile));
        assert_eq!(store.reading(handle, 0, 1), Err(Error::NoFile));
        // Its place is not given to others meanwhile.
        assert_ne!(store.create(&name("program"), READ, 1), Ok(index));
        assert!(!store.remove_user(index));
        assert!(store.remove_user(index));
        store.free(index);
        assert_eq!(store.create(&name("next"), READ, 1), Ok(index));
        assert_eq!(store.reading(handle, 0, 1), Err(Error::NoFile), "the handle of another file");
    }

    #[test]
    fn who_writes_a_program_makes_it_untrusted() {
        let mut store = Filestore::new();
        let index = store.create(&name("program"), READ | WRITE | TRUSTED, 1).unwrap();
        store.writing(store.handle(index), 0, 1).unwrap();
        assert_eq!(store.get(index).permissions, READ | WRITE);
    }

    #[test]
    fn a_mounted_file_goes_with_its_last_user() {
        let mut store = Filestore::new();
        let index = store.create(&Name::default(), READ | EXECUTE, 1).unwrap();
        assert_eq!(store.find(&Name::default()), None, "until it is whole nobody finds it");
        assert_eq!(store.open(b"program", open::READ), Err(Error::NoFile));
        store.mount(index, &name("program")).unwrap();
        assert_eq!(store.find(&name("program")), Some(index));
        store.add_user(index);
        store.add_user(index);
        assert!(!store.remove_user(index));
        assert!(store.remove_user(index));
        let other = store.create(&Name::default(), READ | EXECUTE, 1).unwrap();
        assert_eq!(store.mount(other, &name("program")), Err(Error::FileExists));
    }

    #[test]
    fn rename_takes_no_other_files_name() {
        let mut store = Filestore::new();
        let index = store.create(&name("one"), READ, 1).unwrap();
        store.create(&name("two"), READ, 1).unwrap();
        assert_eq!(store.rename(b"one", b"two"), Err(Error::FileExists));
        assert_eq!(store.rename(b"one", b"a b"), Err(Error::BadName));
        assert_eq!(store.rename(b"three", b"four"), Err(Error::NoFile));
        assert_eq!(store.rename(b"one", b"one"), Ok(()));
        assert_eq!(store.rename(b"one", b"three"), Ok(()));
        assert_eq!(store.find(&name("three")), Some(index));
    }
}
