//! What the host leaves in the start processor's filestore: the program to start, files of the
//! command line, and the other programs.

use std::path::{Path, PathBuf};

use testbed_machine::{brief, input, printable, Machine};

use crate::firmware::{self, Firmware, FirmwareError};
use testbed_session::store;
pub use testbed_session::store::Stored;
use testbed_sim::load::{self, LoadError};

/// Bytes of a file of this computer that are looked at, at most: an ELF file has symbols and
/// debugging information too, which are left out.
pub const HOST_BYTES: u64 = 64 << 20;

/// Why a file can't be had.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error(
        "cannot read {}: {source}\n  help: give a file, or the name of a program of firmware/programs",
        printable(&path.to_string_lossy())
    )]
    Io { path: PathBuf, source: std::io::Error },
    #[error("two files are called `{}`\n  help: name one of them otherwise, as in --file PATH=NAME", brief(.name))]
    Twice { name: String },
    #[error(transparent)]
    Firmware(#[from] FirmwareError),
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// A file of this computer under this name.
fn of_host(path: &Path, name: &str) -> Result<Stored, FilesError> {
    let bytes = input::bytes(path, HOST_BYTES).map_err(|source| FilesError::Io { path: path.into(), source })?;
    Ok(Stored::foreign(name, bytes))
}

/// What the command line names: a file of this computer, or a program of `firmware/programs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Program(String),
    Host(PathBuf),
}

impl Source {
    /// A word without slash that is a program's name is that program; everything else is a path.
    pub fn new(text: &str, programs: &[String]) -> Self {
        match programs.iter().any(|name| name == text) {
            true => Source::Program(text.into()),
            false => Source::Host(text.into()),
        }
    }

    /// The name that it has unless told otherwise.
    pub fn name(&self) -> String {
        match self {
            Source::Program(name) => name.clone(),
            Source::Host(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Checks, before anything is built, that it is there and can be stored, and started if it `is_first`.
    ///
    /// # Errors
    /// A file of this computer that can't be read, is too large, or no program for this machine.
    pub fn check(&self, is_first: bool) -> Result<(), FilesError> {
        let Source::Host(path) = self else { return Ok(()) };
        let stored = of_host(path, &printable(&path.to_string_lossy()))?;
        match is_first {
            true => load::check_program(&stored.name, &stored.bytes)?,
            false => drop(load::stored(&stored.as_file())?),
        }
        Ok(())
    }

    /// The file under this name.
    fn read(&self, name: &str, built: &Firmware) -> Result<Stored, FilesError> {
        match self {
            Source::Program(program) => {
                Ok(Stored { name: name.into(), ..Stored::program(program, built.read(program)?.1) })
            }
            Source::Host(path) => of_host(path, name),
        }
    }
}

/// A file that the command line asks for, `PATH[=NAME]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub source: Source,
    pub name: String,
}

impl Wanted {
    /// Reads `PATH[=NAME]`; `programs` are those of `firmware/programs`.
    pub fn new(text: &str, programs: &[String]) -> Self {
        let (path, name) = text.rsplit_once('=').unwrap_or((text, ""));
        let source = Source::new(path, programs);
        let name = if name.is_empty() { source.name() } else { name.into() };
        Wanted { source, name }
    }
}

/// The filestore for `machine`: `first`, which is to be started, then `wanted`, with a shell its
/// utilities, then the programs that fit, the smallest first.
///
/// # Errors
/// A file can't be read, or two have one name. Whether `first` and `wanted` fit into RAM is found
/// when the image is made.
pub fn filestore(
    machine: &Machine,
    root: &Path,
    built: &Firmware,
    first: &Wanted,
    wanted: &[Wanted],
) -> Result<Vec<Stored>, FilesError> {
    let mut files: Vec<Stored> = Vec::new();
    for Wanted { source, name } in std::iter::once(first).chain(wanted) {
        if files.iter().any(|file| file.name == *name) {
            return Err(FilesError::Twice { name: name.clone() });
        }
        files.push(source.read(name, built)?);
    }
    let mut others = Vec::new();
    if store::has_room(machine) {
        others = firmware::programs(root)?;
        others.push(store::UTILITIES.into());
    }
    let read = |name: String| Ok(Stored::program(&name, built.read(&name)?.1));
    store::fill(machine, &mut files, others.into_iter().map(read).collect::<Result<_, FilesError>>()?)?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_paths_unless_given() {
        let programs = ["hello".to_string()];
        let wanted = |text| {
            let Wanted { source, name } = Wanted::new(text, &programs);
            (source, name)
        };
        assert_eq!(wanted("hello"), (Source::Program("hello".into()), "hello".into()));
        assert_eq!(wanted("hello=greet"), (Source::Program("hello".into()), "greet".into()));
        assert_eq!(wanted("./hello"), (Source::Host("./hello".into()), "hello".into()));
        assert_eq!(wanted("a=b/c.txt=d"), (Source::Host("a=b/c.txt".into()), "d".into()));
    }
}
