//! Lines that `ed` makes of others.

use alloc::vec::Vec;

use super::context::LINE_BYTES;
use super::ed_text::Wrong;
use crate::regex::Regex;

/// A line with what matches replaced; `None` if nothing does.
pub(super) fn replaced(
    line: &[u8],
    regex: &Regex,
    replacement: &[u8],
    all: bool,
    which: u64,
) -> Result<Option<Vec<u8>>, Wrong> {
    let (mut new, mut from, mut count, mut found, mut copied) = (Vec::new(), 0, 0, false, 0);
    while from <= line.len() {
        let Some(slots) = regex.find(line, from) else { break };
        let (start, end) = (slots[0].unwrap_or(0), slots[1].unwrap_or(0));
        // Nothing right behind a match is no match of its own.
        if start == end && count > 0 && start == copied && start == from && from > 0 && found {
            from += 1;
            continue;
        }
        count += 1;
        if count >= which {
            found = true;
            new.extend_from_slice(&line[copied..start]);
            let mut bytes = replacement.iter();
            while let Some(&byte) = bytes.next() {
                match byte {
                    b'&' => new.extend_from_slice(&line[start..end]),
                    b'\\' => match bytes.next() {
                        Some(digit @ b'1'..=b'9') => {
                            let slot = 2 * usize::from(digit - b'0');
                            if let (Some(start), Some(end)) = (slots[slot], slots[slot + 1]) {
                                new.extend_from_slice(&line[start..end]);
                            }
                        }
                        Some(&other) => new.push(other),
                        None => {}
                    },
                    _ => new.push(byte),
                }
            }
            copied = end;
            if new.len() > LINE_BYTES {
                return Err("a line has more than 32 KiB");
            }
            if !all {
                break;
            }
        }
        from = if end > start { end } else { end + 1 };
    }
    new.extend_from_slice(line.get(copied..).unwrap_or_default());
    Ok(found.then_some(new))
}

/// A line as `l` shows it: what can't be printed as escapes, and folded.
pub(super) fn unambiguous(line: &[u8]) -> Vec<u8> {
    let (mut text, mut column) = (Vec::new(), 0);
    for &byte in line {
        let mut piece = Vec::new();
        match byte {
            b'\\' => piece.extend_from_slice(b"\\\\"),
            b'$' => piece.extend_from_slice(b"\\$"),
            7 => piece.extend_from_slice(b"\\a"),
            8 => piece.extend_from_slice(b"\\b"),
            12 => piece.extend_from_slice(b"\\f"),
            b'\r' => piece.extend_from_slice(b"\\r"),
            b'\t' => piece.extend_from_slice(b"\\t"),
            11 => piece.extend_from_slice(b"\\v"),
            b' '..=b'~' => piece.push(byte),
            _ => piece.extend([b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]),
        }
        if column + piece.len() > 71 {
            text.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += piece.len();
        text.extend(piece);
    }
    text.push(b'$');
    text
}
