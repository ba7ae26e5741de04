//! What `ed` reads of a command: addresses, expressions, replacements.

use alloc::vec::Vec;

use super::ed_text::{Text, Wrong};
use crate::regex::Regex;

/// A command line, read from its beginning.
pub struct Command<'t> {
    /// What is left of it.
    pub rest: &'t [u8],
}

/// Lines that a command names: how many addresses there were, and the last two.
#[derive(Clone, Copy, Default)]
pub struct Range {
    /// 0, 1 or 2.
    pub count: usize,
    /// The first line.
    pub from: usize,
    /// The last line.
    pub to: usize,
}

const BAD_ADDRESS: Wrong = "Invalid address";

impl<'t> Command<'t> {
    /// Reads this text.
    pub fn new(rest: &'t [u8]) -> Self {
        Command { rest }
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Takes the next byte.
    pub fn take(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// Passes blanks.
    pub fn skip(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.take();
        }
    }

    /// The lines that a command names ahead of its letter.
    pub fn range(&mut self, text: &mut Text, last: &mut Option<Regex>) -> Result<Range, Wrong> {
        let mut range = Range { count: 0, from: text.lines.now, to: text.lines.now };
        let start = text.lines.now;
        loop {
            self.skip();
            let address = self.address(text, last)?;
            if let Some(address) = address {
                (range.from, range.to) = (range.to, address);
                range.count += 1;
            }
            match self.peek() {
                Some(sign @ (b',' | b';')) if range.count > 0 => {
                    self.take();
                    if sign == b';' {
                        text.lines.now = range.to;
                    }
                    self.skip();
                    // Without a second address it is the same as the first.
                    if !self.begins_address() {
                        (range.from, range.count) = (range.to, range.count + 1);
                        break;
                    }
                }
                Some(sign @ (b',' | b';' | b'%')) => {
                    self.take();
                    let first = if sign == b';' { text.lines.now } else { 1.min(text.last()) };
                    (range.from, range.to, range.count) = (first, text.last(), 2);
                    self.skip();
                    if sign != b'%' && self.begins_address() {
                        range = Range { count: 1, from: first, to: first };
                        continue;
                    }
                    break;
                }
                _ => break,
            }
        }
        if range.count == 1 {
            range.from = range.to;
        }
        range.count = range.count.min(2);
        if range.from > range.to || range.to > text.last() {
            text.lines.now = start;
            return Err(BAD_ADDRESS);
        }
        Ok(range)
    }

    fn begins_address(&self) -> bool {
        matches!(self.peek(), Some(b'0'..=b'9' | b'.' | b'$' | b'\'' | b'/' | b'?' | b'+' | b'-' | b'^'))
    }

    fn number(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = crate::number::parse(&self.rest[..digits])?;
        self.rest = &self.rest[digits..];
        usize::try_from(number).ok()
    }

    fn address(&mut self, text: &Text, last: &mut Option<Regex>) -> Result<Option<usize>, Wrong> {
        let mut at = match self.peek() {
            Some(b'0'..=b'9') => self.number().ok_or(BAD_ADDRESS)? as i64,
            Some(b'.') => {
                self.take();
                text.lines.now as i64
            }
            Some(b'$') => {
                self.take();
                text.last() as i64
            }
            Some(b'\'') => {
                self.take();
                self.take().and_then(|letter| text.marked(letter)).ok_or(BAD_ADDRESS)? as i64
            }
            Some(sign @ (b'/' | b'?')) => {
                self.take();
                let regex = self.expression(sign, last)?;
                search(text, &regex, sign == b'/').ok_or("No match")? as i64
            }
            Some(b'+' | b'-' | b'^') => text.lines.now as i64,
            _ => return Ok(None),
        };
        loop {
            self.skip();
            match self.peek() {
                Some(sign @ (b'+' | b'-' | b'^')) => {
                    self.take();
                    let count = if matches!(self.peek(), Some(b'0'..=b'9')) { self.number() } else { Some(1) };
                    let count = count.and_then(|count| i64::try_from(count).ok()).ok_or(BAD_ADDRESS)?;
                    at = if sign == b'+' { at.checked_add(count) } else { at.checked_sub(count) }.ok_or(BAD_ADDRESS)?;
                }
                Some(b'0'..=b'9') => {
                    let count = self.number().and_then(|count| i64::try_from(count).ok()).ok_or(BAD_ADDRESS)?;
                    at = at.checked_add(count).ok_or(BAD_ADDRESS)?;
                }
                _ => break,
            }
        }
        let at = usize::try_from(at).map_err(|_| BAD_ADDRESS)?;
        if at > text.last() {
            return Err(BAD_ADDRESS);
        }
        Ok(Some(at))
    }

    /// An expression up to this sign, which is passed. An empty one is the last that there was.
    pub fn expression(&mut self, sign: u8, last: &mut Option<Regex>) -> Result<Regex, Wrong> {
        let (mut text, mut in_set) = (Vec::new(), false);
        while let Some(byte) = self.peek().filter(|&byte| byte != b'\n') {
            if byte == sign && !in_set {
                break;
            }
            self.take();
            if byte == b'\\' && !in_set {
                match self.take() {
                    Some(next) if next == sign => text.push(next),
                    Some(next) => text.extend([byte, next]),
                    None => return Err("Trailing backslash"),
                }
                continue;
            }
            in_set = match byte {
                b'[' if !in_set => self.rest.contains(&b']'),
                b']' if in_set => matches!(text.last(), Some(b'[' | b'^')),
                _ => in_set,
            };
            text.push(byte);
        }
        if self.peek() == Some(sign) {
            self.take();
        }
        if text.is_empty() {
            return last.clone().ok_or("No previous pattern");
        }
        let regex = Regex::new(&text, false, false)?;
        *last = Some(regex.clone());
        Ok(regex)
    }

    /// A replacement up to this sign, which is passed if it is there; whether it was.
    pub fn replacement(&mut self, sign: u8) -> (Vec<u8>, bool) {
        let mut text = Vec::new();
        while let Some(byte) = self.take() {
            match byte {
                b'\\' => {
                    text.push(byte);
                    text.extend(self.take());
                }
                b'\n' => return (text, false),
                _ if byte == sign => return (text, true),
                _ => text.push(byte),
            }
        }
        (text, false)
    }
}

/// The next line that matches, round from the end to the beginning.
fn search(text: &Text, regex: &Regex, forward: bool) -> Option<usize> {
    let (now, count) = (text.lines.now, text.last());
    (1..=count)
        .map(|step| match forward {
            true => (now + step - 1) % count + 1,
            false => (now + 2 * count - step - 1) % count + 1,
        })
        .find(|&number| regex.find(&text.lines.all[number - 1], 0).is_some())
}
