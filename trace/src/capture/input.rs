//! What was given to the machine's console, and when: a line a gift, the cycle and then the bytes,
//! those that are not printable escaped.

use std::path::Path;

use super::error::{CaptureError, Context};
use super::files::Files;

/// Bytes of a file of gifts, at most: input that takes a board days to read.
const GIFTS_BYTES: u64 = 1 << 28;

/// Bytes that waited at the console from a cycle on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gift {
    pub cycle: u64,
    pub bytes: Vec<u8>,
}

impl Gift {
    /// Its line in the file, with the newline.
    pub fn line(&self) -> String {
        format!("{} {}\n", self.cycle, self.bytes.escape_ascii())
    }

    /// The gift of a line; `None` if it is not of that form.
    fn parse(line: &str) -> Option<Self> {
        let (cycle, text) = line.split_once(' ')?;
        Some(Gift { cycle: cycle.parse().ok()?, bytes: unescape(text)? })
    }

    /// Reads a file of gifts, in the order of their cycles.
    ///
    /// # Errors
    /// It can't be read; or as [`Gift::parse_all`].
    pub fn read(path: &Path) -> Result<Vec<Self>, CaptureError> {
        Gift::parse_all(&Files::default().text(path, GIFTS_BYTES).at("read", path)?, path)
    }

    /// Reads the text of such a file, which errors call `path`.
    ///
    /// # Errors
    /// A line is not of the form, with its number; or a cycle is before that of the line before.
    pub fn parse_all(text: &str, path: &Path) -> Result<Vec<Self>, CaptureError> {
        let mut gifts: Vec<Gift> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let wrong =
                |message: &str| CaptureError::Input { path: path.into(), line: number + 1, message: message.into() };
            let gift = Gift::parse(line).ok_or_else(|| wrong("no cycle and escaped bytes, as in `65536 ls\\n`"))?;
            if gifts.last().is_some_and(|last| last.cycle > gift.cycle) {
                return Err(wrong("its cycle is before that of the line before"));
            }
            gifts.push(gift);
        }
        Ok(gifts)
    }
}

/// Undoes [`u8::escape_ascii`].
pub(super) fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b't' => b'\t',
                b'r' => b'\r',
                b'n' => b'\n',
                b'x' => {
                    let mut digit = || char::from(rest.next()?).to_digit(16);
                    (digit()? << 4 | digit()?) as u8
                }
                other @ (b'\'' | b'"' | b'\\') => other,
                _ => return None,
            },
            other => other,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_byte_survives_its_line() {
        let gift = Gift { cycle: 131_072, bytes: (0..=255).collect() };
        let line = gift.line();
        assert_eq!(line.lines().count(), 1);
        assert_eq!(Gift::parse(line.trim_end_matches('\n')), Some(gift));
        assert_eq!(Gift { cycle: 7, bytes: b"ls\n\x04".to_vec() }.line(), "7 ls\\n\\x04\n");
    }

    #[test]
    fn what_is_no_gift_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        for (text, words) in [
            ("0 a\nb\n", &[":2:", "as in"][..]),
            ("0 \\q\n", &[":1:"]),
            ("0 \\x4\n", &[":1:"]),
            ("9 a\n8 b\n", &[":2:", "before"]),
        ] {
            fs::write(&path, text).unwrap();
            let error = Gift::read(&path).unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{text:?}: {error}");
        }
        assert!(Gift::read(&folder.path().join("none")).is_err());
        fs::write(&path, b"0 a\n5 \xff\n").unwrap();
        let error = Gift::read(&path).unwrap_err().to_string();
        assert!(
            error.contains("byte 6, in line 2, is not UTF-8") && error.contains("that `testbed run` left"),
            "{error}"
        );
    }
}
