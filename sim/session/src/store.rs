//! The start processor's filestore: the program to start, files that somebody asks for, and as many
//! other programs as fit.

pub use testbed_definitions::file::{SHELL, UTILITIES};
use testbed_definitions::{file, limits, page};
use testbed_emulator::engine::Image;
use testbed_emulator::load::{self, Boot, File, LoadError};
use testbed_machine::Machine;

use crate::names;

/// A machine with less RAM gets the program that it starts and nothing else.
const RAM_FOR_PROGRAMS: u32 = 1 << 20;
/// Of RAM, at most one part in so many goes to programs that nobody has asked for, less what the
/// program that is started takes.
const SHARE: usize = 4;
/// Places for files that stay free where a shell is started.
const FREE_PLACES: usize = 24;
/// The program that may read other processes' memory.
const TRUSTED: &str = "peek";

/// A file for the filestore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Bits of `definitions::file`.
    pub permissions: u32,
}

impl Stored {
    /// The same, borrowed.
    pub fn as_file(&self) -> File<'_> {
        File { name: &self.name, bytes: &self.bytes, permissions: self.permissions }
    }

    /// Bytes from outside under this name. An ELF file can be executed, anything else only read.
    pub fn foreign(name: &str, bytes: Vec<u8>) -> Self {
        let permissions = if bytes.starts_with(b"\x7fELF") { file::READ | file::EXECUTE } else { file::READ };
        Stored { name: name.into(), bytes, permissions }
    }

    /// A program of `firmware/programs`.
    pub fn program(name: &str, bytes: Vec<u8>) -> Self {
        let trusted = if name == TRUSTED { file::TRUSTED } else { 0 };
        Stored { name: name.into(), bytes, permissions: file::READ | file::EXECUTE | trusted }
    }
}

/// The image with the kernel, an ELF file with its name, and `files`, of which the first is started.
///
/// # Errors
/// As [`load::image`].
pub fn image(machine: &Machine, kernel: (&str, &[u8]), files: &[Stored], boot: &Boot) -> Result<Image, LoadError> {
    let mut files = files.to_vec();
    files.iter_mut().for_each(|file| names::insert(&mut file.bytes, machine));
    let files: Vec<_> = files.iter().map(Stored::as_file).collect();
    load::image(machine, kernel, &files, boot)
}

/// Whether a machine gets programs that nobody has asked for.
pub fn has_room(machine: &Machine) -> bool {
    machine.ram_bytes >= RAM_FOR_PROGRAMS
}

/// Adds to `files`, of which the first is to be started, those of `programs` that fit, the smallest
/// first. One whose name is among `files` already is left out. [`SHELL`] has [`UTILITIES`] in any
/// case, and no other program has either, unless they are among `files`.
///
/// # Errors
/// One that can be executed is no ELF file for this machine.
pub fn fill(machine: &Machine, files: &mut Vec<Stored>, programs: Vec<Stored>) -> Result<(), LoadError> {
    let Some(first) = files.first().filter(|_| has_room(machine)) else { return Ok(()) };
    let is_shell = first.name == SHELL;
    let taken = load::memory(&first.as_file())?;
    let mut room = (machine.ram_bytes as usize / SHARE).saturating_sub(taken);
    let mut sized = Vec::new();
    for program in programs {
        let is_there = files.iter().any(|file| file.name == program.name);
        if is_shell && !is_there && program.name == UTILITIES {
            files.push(program);
        } else if !is_there && ![SHELL, UTILITIES].contains(&program.name.as_str()) {
            let bytes = load::stored(&program.as_file())?.len().next_multiple_of(page::PAGE_BYTES as usize);
            sized.push((bytes, program));
        }
    }
    // The smallest, so that as many as can be are there; in the order of their names.
    sized.sort_by_key(|(bytes, _)| *bytes);
    // Who sits at a shell makes files.
    let places = limits::FILES - if is_shell { FREE_PLACES } else { 0 };
    sized.truncate(places.saturating_sub(files.len()));
    sized.retain(|(bytes, _)| room.checked_sub(*bytes).map(|left| room = left).is_some());
    sized.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    files.extend(sized.into_iter().map(|(_, program)| program));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_program_is_trusted() {
        assert_eq!(Stored::program("hello", vec![]).permissions, file::READ | file::EXECUTE);
        assert_eq!(Stored::program("peek", vec![]).permissions, file::READ | file::EXECUTE | file::TRUSTED);
    }

    #[test]
    fn only_what_can_be_executed_may_be() {
        assert_eq!(Stored::foreign("a", b"\x7fELF".to_vec()).permissions, file::READ | file::EXECUTE);
        assert_eq!(Stored::foreign("a", b"text".to_vec()).permissions, file::READ);
    }
}
