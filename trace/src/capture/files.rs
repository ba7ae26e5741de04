//! The files of a capture: on a disk, or in memory where there is none. All that reads or writes a
//! capture goes through here; without the feature `files` there is no disk.

use std::collections::BTreeMap;
#[cfg(feature = "files")]
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
#[cfg(feature = "files")]
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use testbed_machine::input;

/// Where a capture's files are. A clone is the same place.
#[derive(Clone, Debug)]
pub struct Files(Place);

#[derive(Clone, Debug)]
enum Place {
    #[cfg(feature = "files")]
    Disk,
    Memory(Arc<Mutex<BTreeMap<PathBuf, Content>>>),
}

/// The bytes of a file in memory, for all that have it open.
type Content = Arc<Mutex<Vec<u8>>>;

/// A lock in whatever state a panic has left what it guards: bytes, of which any are whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for Files {
    /// Those of the file system where there is one, else none.
    fn default() -> Self {
        #[cfg(feature = "files")]
        return Files::disk();
        #[cfg(not(feature = "files"))]
        Files::memory()
    }
}

impl Files {
    /// Those of the file system.
    #[cfg(feature = "files")]
    pub fn disk() -> Self {
        Files(Place::Disk)
    }

    /// None yet, in memory.
    pub fn memory() -> Self {
        Files(Place::Memory(Arc::default()))
    }

    /// Paths and bytes of what is in memory, in order of path; of a disk nothing.
    pub fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => Vec::new(),
            Place::Memory(files) => {
                lock(files).iter().map(|(path, content)| (path.clone(), lock(content).clone())).collect()
            }
        }
    }

    /// Writes a whole file, in place of the one that is there.
    ///
    /// # Errors
    /// The disk's; none in memory.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.create(path)?.write_all(bytes)
    }

    /// Removes what is below `dir` in memory; a disk is left as it is.
    pub(crate) fn clear(&self, dir: &Path) {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => {}
            Place::Memory(files) => lock(files).retain(|path, _| !path.starts_with(dir)),
        }
    }

    /// Opens a file that is read several times, or from any place.
    ///
    /// # Errors
    /// As [`input::regular`]; in memory only that there is none.
    pub(crate) fn open(&self, path: &Path) -> io::Result<Source> {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => input::regular(path).map(Source::Disk),
            Place::Memory(files) => {
                let content = lock(files).get(path).cloned().ok_or(ErrorKind::NotFound)?;
                Ok(Source::Memory { content, at: 0 })
            }
        }
    }

    /// Makes a file, or empties the one that is there.
    ///
    /// # Errors
    /// The disk's; none in memory.
    pub(crate) fn create(&self, path: &Path) -> io::Result<Source> {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => File::create(path).map(Source::Disk),
            Place::Memory(files) => {
                let content = Content::default();
                lock(files).insert(path.into(), content.clone());
                Ok(Source::Memory { content, at: 0 })
            }
        }
    }

    /// Bytes of a file of at most `most`.
    ///
    /// # Errors
    /// As [`input::bytes`].
    pub(crate) fn bytes(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => input::bytes(path, most),
            Place::Memory(_) => input::bytes_of(self.open(path)?, most),
        }
    }

    /// A text of at most `most` bytes.
    ///
    /// # Errors
    /// As [`input::text`].
    pub(crate) fn text(&self, path: &Path, most: u64) -> io::Result<String> {
        input::text_of(self.bytes(path, most)?)
    }

    /// Bytes of a file.
    ///
    /// # Errors
    /// It is not there, or can't be looked at.
    pub(crate) fn length(&self, path: &Path) -> io::Result<u64> {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => Ok(fs::metadata(path)?.len()),
            Place::Memory(_) => self.open(path)?.length(),
        }
    }

    /// The path of the file itself where links lead to it.
    pub(crate) fn real(&self, path: &Path) -> PathBuf {
        match &self.0 {
            #[cfg(feature = "files")]
            Place::Disk => fs::canonicalize(path).unwrap_or_else(|_| path.into()),
            Place::Memory(_) => path.into(),
        }
    }
}

impl<P: Into<PathBuf>, B: Into<Vec<u8>>> FromIterator<(P, B)> for Files {
    /// Files in memory, of these paths and bytes.
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> Self {
        let content = |(path, bytes): (P, B)| (path.into(), Arc::new(Mutex::new(bytes.into())));
        Files(Place::Memory(Arc::new(Mutex::new(files.into_iter().map(content).collect()))))
    }
}

/// An open file of a capture.
#[derive(Debug)]
pub enum Source {
    #[cfg(feature = "files")]
    Disk(File),
    Memory {
        content: Arc<Mutex<Vec<u8>>>,
        /// Byte at which it goes on.
        at: u64,
    },
}

impl Source {
    /// Its bytes now.
    pub(crate) fn length(&self) -> io::Result<u64> {
        match self {
            #[cfg(feature = "files")]
            Source::Disk(file) => Ok(file.metadata()?.len()),
            Source::Memory { content, .. } => Ok(lock(content).len() as u64),
        }
    }

    /// Writes all of `bytes` from byte `offset` on; what it goes on with afterwards is left as it is.
    pub(crate) fn write_all_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        match self {
            #[cfg(feature = "files")]
            Source::Disk(file) => file.write_all_at(bytes, offset),
            Source::Memory { content, .. } => {
                let (mut content, start) = (lock(content), offset as usize);
                let end = start + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[start..end].copy_from_slice(bytes);
                Ok(())
            }
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            #[cfg(feature = "files")]
            Source::Disk(file) => file.read(buffer),
            Source::Memory { content, at } => {
                let content = lock(content);
                let rest = content.get(*at as usize..).unwrap_or_default();
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                *at += count as u64;
                Ok(count)
            }
        }
    }
}

impl Write for Source {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            #[cfg(feature = "files")]
            Source::Disk(file) => file.write(bytes),
            Source::Memory { at, .. } => {
                let offset = std::mem::replace(at, *at + bytes.len() as u64);
                self.write_all_at(bytes, offset)?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            #[cfg(feature = "files")]
            Source::Disk(file) => file.flush(),
            Source::Memory { .. } => Ok(()),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            #[cfg(feature = "files")]
            Source::Disk(file) => file.seek(to),
            Source::Memory { content, at } => {
                let length = lock(content).len() as u64;
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::End(distance) => length.checked_add_signed(distance),
                    SeekFrom::Current(distance) => at.checked_add_signed(distance),
                };
                *at = place.ok_or(ErrorKind::InvalidInput)?;
                Ok(*at)
            }
        }
    }
}
