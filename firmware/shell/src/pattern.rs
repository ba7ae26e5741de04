//! Patterns of names: `*`, `?`, `[…]`, and `\` ahead of a byte that stands for itself.

use alloc::vec::Vec;

/// Whether a pattern has any of `*`, `?`, `[` that is not behind a `\`.
pub fn is_pattern(pattern: &[u8]) -> bool {
    let mut bytes = pattern.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'*' | b'?' | b'[' => return true,
            _ => {}
        }
    }
    false
}

/// The text for which a pattern without special bytes stands.
pub fn literal(pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => text.extend(bytes.next()),
            _ => text.push(byte),
        }
    }
    text
}

/// Appends text in which every byte stands for itself.
pub fn quote(pattern: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        if matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\' | b'-' | b'!' | b'^') {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
}

/// Whether the whole text is as the pattern says. It takes no more steps than the product of both
/// lengths.
pub fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    // Where to go on if what follows the last `*` does not match.
    let mut again = None;
    loop {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            again = Some((at, seen));
            continue;
        }
        let step = match (pattern.get(at), text.get(seen)) {
            (None, None) => return true,
            (Some(_), Some(&byte)) => one(&pattern[at..], byte),
            _ => None,
        };
        match (step, again) {
            (Some(length), _) => (at, seen) = (at + length, seen + 1),
            (None, Some((after, from))) if from < text.len() => {
                again = Some((after, from + 1));
                (at, seen) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

/// Matches one byte with the beginning of a pattern that is no `*`. The result is how much of the
/// pattern was for it.
fn one(pattern: &[u8], byte: u8) -> Option<usize> {
    match pattern {
        [b'?', ..] => Some(1),
        [b'[', ..] => match set(pattern, byte) {
            Some((length, is_in)) => is_in.then_some(length),
            None => (byte == b'[').then_some(1),
        },
        [b'\\', quoted, ..] => (byte == *quoted).then_some(2),
        [other, ..] => (byte == *other).then_some(1),
        [] => None,
    }
}

/// The length of a set that a pattern begins with, and whether a byte is in it; `None` if it does
/// not end.
fn set(pattern: &[u8], byte: u8) -> Option<(usize, bool)> {
    let mut at = 1;
    let inverted = pattern.get(at) == Some(&b'!');
    at += inverted as usize;
    let (first, mut found) = (at, false);
    loop {
        let mut low = *pattern.get(at)?;
        if low == b']' && at > first {
            return Some((at + 1, found != inverted));
        }
        if let Some((length, is_in)) = class(&pattern[at..], byte) {
            found |= is_in;
            at += length;
            continue;
        }
        if low == b'\\' {
            at += 1;
            low = *pattern.get(at)?;
        }
        at += 1;
        let mut high = low;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|&next| next != b']') {
            at += 1;
            if pattern[at] == b'\\' {
                at += 1;
            }
            high = *pattern.get(at)?;
            at += 1;
        }
        found |= (low..=high).contains(&byte);
    }
}

/// The length of a class such as `[:digit:]`, and whether a byte is in it.
pub fn class(text: &[u8], byte: u8) -> Option<(usize, bool)> {
    let rest = text.strip_prefix(b"[:")?;
    let length = rest.windows(2).position(|two| two == b":]")?;
    let is_in = match &rest[..length] {
        b"alpha" => byte.is_ascii_alphabetic(),
        b"digit" => byte.is_ascii_digit(),
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"upper" => byte.is_ascii_uppercase(),
        b"lower" => byte.is_ascii_lowercase(),
        b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"punct" => byte.is_ascii_punctuation(),
        b"print" => (b' '..=b'~').contains(&byte),
        b"graph" => byte.is_ascii_graphic(),
        b"cntrl" => byte.is_ascii_control(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    };
    Some((length + 4, is_in))
}
