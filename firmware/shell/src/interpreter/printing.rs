//! `echo` and `printf`.

use alloc::vec::Vec;

use super::shell::Shell;
use crate::number;

/// Bytes that one `printf` prints, at most.
const PRINTED_MAX: usize = 16 * 1024;

/// Prints words with blanks between them. `\n` and its like mean what they mean in C.
pub(super) fn echo(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let silent = words.first().is_some_and(|word| word[..] == *b"-n");
    let joined = words[silent as usize..].join(&b' ');
    let mut text = Vec::new();
    let ends = escaped(&joined, &mut text, true);
    if !silent && !ends {
        text.push(b'\n');
    }
    shell.print(&text)
}

/// Appends text with its escapes replaced; whether it has `\c`, behind which nothing comes. Octal
/// numbers begin with 0 in arguments, and not in formats.
fn escaped(text: &[u8], to: &mut Vec<u8>, in_argument: bool) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            to.push(byte);
            continue;
        }
        let Some(&letter) = text.get(at) else {
            to.push(b'\\');
            return false;
        };
        at += 1;
        match letter {
            b'a' => to.push(7),
            b'b' => to.push(8),
            b'c' => return true,
            b'f' => to.push(12),
            b'n' => to.push(b'\n'),
            b'r' => to.push(b'\r'),
            b't' => to.push(b'\t'),
            b'v' => to.push(11),
            b'\\' => to.push(b'\\'),
            b'0'..=b'7' if letter == b'0' || !in_argument => {
                if !in_argument {
                    at -= 1;
                }
                let digits = text[at..].iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let value = text[at..at + digits].iter().fold(0u32, |value, digit| 8 * value + u32::from(digit - b'0'));
                to.push(value as u8);
                at += digits;
            }
            _ => to.extend([b'\\', letter]),
        }
    }
    false
}

/// How a value is printed.
#[derive(Default)]
struct Width {
    left: bool,
    zeros: bool,
    plus: bool,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
}

impl Width {
    fn put(&self, text: &[u8], to: &mut Vec<u8>) {
        let gap = self.width.saturating_sub(text.len());
        if self.left {
            to.extend_from_slice(text);
            to.extend(core::iter::repeat_n(b' ', gap));
        } else if self.zeros {
            let sign = text.first().is_some_and(|byte| matches!(byte, b'-' | b'+')) as usize;
            to.extend_from_slice(&text[..sign]);
            to.extend(core::iter::repeat_n(b'0', gap));
            to.extend_from_slice(&text[sign..]);
        } else {
            to.extend(core::iter::repeat_n(b' ', gap));
            to.extend_from_slice(text);
        }
    }

    fn number(&self, value: i64, letter: u8, to: &mut Vec<u8>) {
        let mut digits = Vec::new();
        match letter {
            b'd' | b'i' => number::digits(&mut digits, value.unsigned_abs(), 10),
            b'o' => number::digits(&mut digits, value as u64, 8),
            b'u' => number::digits(&mut digits, value as u64, 10),
            _ => number::digits(&mut digits, value as u64, 16),
        }
        if letter == b'X' {
            digits.make_ascii_uppercase();
        }
        let zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let mut text = Vec::new();
        let is_signed = matches!(letter, b'd' | b'i');
        if is_signed && value < 0 {
            text.push(b'-');
        } else if is_signed && self.plus {
            text.push(b'+');
        }
        if self.alternative && value != 0 {
            match letter {
                b'x' => text.extend_from_slice(b"0x"),
                b'X' => text.extend_from_slice(b"0X"),
                b'o' => text.push(b'0'),
                _ => {}
            }
        }
        text.extend(core::iter::repeat_n(b'0', zeros));
        text.extend(digits);
        let own = Width {
            zeros: self.zeros && self.precision.is_none(),
            ..Width { left: self.left, width: self.width, ..Width::default() }
        };
        own.put(&text, to);
    }
}

/// Prints as a format says, again and again while there are words.
pub(super) fn printf(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    let Some((format, mut rest)) = words.split_first() else {
        return shell.fail(&[b"printf"], "a format is missing");
    };
    let (mut text, mut status) = (Vec::new(), 0);
    loop {
        let before = rest.len();
        let ends = match once(shell, format, &mut rest, &mut text, &mut status) {
            Ok(ends) => ends,
            Err(what) => {
                shell.print(&text);
                return shell.fail(&[b"printf"], what);
            }
        };
        if ends || rest.is_empty() || rest.len() == before {
            break;
        }
    }
    shell.print(&text).max(status)
}

fn once(
    shell: &mut Shell,
    format: &[u8],
    rest: &mut &[Vec<u8>],
    text: &mut Vec<u8>,
    status: &mut u32,
) -> Result<bool, &'static str> {
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        if text.len() > PRINTED_MAX {
            return Err("more than 16 KiB");
        }
        if byte != b'%' {
            let length = format[at..].iter().position(|&byte| byte == b'%').unwrap_or(format.len() - at);
            if escaped(&format[at..at + length], text, false) {
                return Ok(true);
            }
            at += length;
            continue;
        }
        at += 1;
        if format.get(at) == Some(&b'%') {
            text.push(b'%');
            at += 1;
            continue;
        }
        let mut width = Width::default();
        while let Some(flag) = format.get(at).filter(|byte| b"-0+# ".contains(byte)) {
            match flag {
                b'-' => width.left = true,
                b'0' => width.zeros = true,
                b'+' => width.plus = true,
                b'#' => width.alternative = true,
                _ => {}
            }
            at += 1;
        }
        width.width = count(format, &mut at)?.unwrap_or(0);
        if format.get(at) == Some(&b'.') {
            at += 1;
            width.precision = Some(count(format, &mut at)?.unwrap_or(0));
        }
        let letter = *format.get(at).ok_or("a letter is missing behind `%`")?;
        at += 1;
        let word = match rest.split_first() {
            Some((word, others)) => {
                *rest = others;
                Some(&word[..])
            }
            None => None,
        };
        if value(shell, letter, word, &width, text, status)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn count(format: &[u8], at: &mut usize) -> Result<Option<usize>, &'static str> {
    let digits = format[*at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = number::parse(&format[*at..*at + digits]);
    *at += digits;
    match value {
        Some(value) if value > 1000 => Err("a width above 1000"),
        value => Ok(value.map(|value| value as usize)),
    }
}

fn value(
    shell: &mut Shell,
    letter: u8,
    word: Option<&[u8]>,
    width: &Width,
    text: &mut Vec<u8>,
    status: &mut u32,
) -> Result<bool, &'static str> {
    let cut = |word: &[u8]| word[..width.precision.unwrap_or(word.len()).min(word.len())].to_vec();
    match letter {
        b's' => Width { zeros: false, left: width.left, width: width.width, ..Width::default() }
            .put(&cut(word.unwrap_or(b"")), text),
        b'b' => {
            let mut inner = Vec::new();
            let ends = escaped(word.unwrap_or(b""), &mut inner, true);
            width.put(&cut(&inner), text);
            return Ok(ends);
        }
        b'c' => width.put(word.and_then(|word| word.get(..1)).unwrap_or(b""), text),
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            let word = word.unwrap_or(b"0");
            let value = match word {
                [b'\'' | b'"', letter, ..] => Some(i64::from(*letter)),
                [] => None,
                _ => numeral(word),
            };
            if value.is_none() {
                *status = 1;
                shell.fail(&[b"printf", word], "expected numeric value");
            }
            width.number(value.unwrap_or(0), letter, text);
        }
        _ => return Err("behind `%` comes one of `sbcdiuoxX`"),
    }
    Ok(false)
}

/// A number as C writes it.
fn numeral(word: &[u8]) -> Option<i64> {
    let text = word.trim_ascii_start();
    let (digits, negative) = match text.first()? {
        b'-' => (&text[1..], true),
        b'+' => (&text[1..], false),
        _ => (text, false),
    };
    let value = match digits {
        [b'0', octal @ ..] if !octal.is_empty() && octal.iter().all(|digit| (b'0'..=b'7').contains(digit)) => {
            octal.iter().try_fold(0u64, |value, digit| value.checked_mul(8)?.checked_add(u64::from(digit - b'0')))?
        }
        _ => number::parse(digits)?,
    };
    let value = i64::try_from(value).ok()?;
    Some(if negative { -value } else { value })
}
