//! Reading files that others name, of whatever kind and size: what cannot be right is refused before it fills memory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads a file, device or pipe of at most `most` bytes.
///
/// # Errors
/// It can't be read; or it has more bytes ([`ErrorKind::FileTooLarge`]), of which no more than `most` and one are read.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bytes_of(File::open(path)?, most)
}

/// Reads a source of at most `most` bytes.
///
/// # Errors
/// As [`bytes`].
pub fn bytes_of(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::new(ErrorKind::FileTooLarge, format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
}

/// Reads a text of at most `most` bytes.
///
/// # Errors
/// As [`bytes`]; or it is no UTF-8 ([`ErrorKind::InvalidData`]), with line and byte of the first fault.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    text_of(bytes(path, most)?)
}

/// Takes bytes as a text.
///
/// # Errors
/// They are no UTF-8 ([`ErrorKind::InvalidData`]), with line and byte of the first fault.
pub fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let (at, text) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let line = text[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::new(ErrorKind::InvalidData, format!("it is no text: byte {at}, in line {line}, is not UTF-8"))
    })
}

/// Opens a file that is read several times, or from any place: neither device, pipe nor folder.
///
/// # Errors
/// It can't be opened, or is something else ([`ErrorKind::IsADirectory`] or [`ErrorKind::InvalidInput`]).
pub fn regular(path: &Path) -> io::Result<File> {
    // Looked at first: opening a pipe waits for somebody to write to it.
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if !found.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a device or a pipe, which can't be read twice"));
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused_and_what_has_one_is_read() {
        let zeros = bytes(Path::new("/dev/zero"), 1_000).unwrap_err();
        assert_eq!(
            (zeros.kind(), zeros.to_string().as_str()),
            (ErrorKind::FileTooLarge, "it has more than 1000 bytes")
        );
        assert_eq!(bytes(Path::new("/dev/null"), 0).unwrap(), []);
        let own = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let size = fs::metadata(own).unwrap().len();
        assert_eq!(bytes(own, size).unwrap().len() as u64, size);
        assert_eq!(bytes(own, size - 1).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(regular(Path::new("/dev/zero")).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(regular(Path::new("/")).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(regular(Path::new("/nonexistent")).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(regular(own).unwrap().metadata().unwrap().len(), size);
    }
}
