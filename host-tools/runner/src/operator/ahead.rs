//! What is typed while nobody edits a line, as a program runs that reads nothing. It stays in the
//! terminal at first, for the editor, and is looked through when that lasts: for Ctrl-], which leads
//! the console to another shell. All other text is what the next line begins with.

use std::io;

use rustix::io::ioctl_fionread;
use testbed_definitions::syscall::{END_OF_INPUT, SWITCH};

/// Chunks without a reader after which the terminal is looked through. A shell between two lines
/// takes less, and whoever types then may press keys that only the editor knows.
const LASTS: u32 = 100;
/// Bytes that are kept, at most; a terminal keeps as many.
const BYTES_MAX: usize = 4096;

/// What the next line has before anybody edits it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Begun {
    #[default]
    Nothing,
    /// So much of it.
    Part(String),
    /// All of it.
    Line(String),
    /// It never comes: the input has ended.
    End,
}

/// Text that was typed ahead.
#[derive(Debug, Default)]
pub struct Ahead {
    text: Vec<u8>,
    state: State,
    /// Chunks for which nobody has read.
    idle: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Behind Escape, and within what a key such as an arrow sends.
    Escape,
    Sequence,
    /// Behind Ctrl-].
    Switch,
}

impl Ahead {
    /// A chunk has ended in which somebody edited a line, or a program read one.
    pub fn rest(&mut self) {
        self.idle = 0;
    }

    /// A chunk has ended in which nobody read. Returns what leads the console elsewhere.
    pub fn look(&mut self) -> Vec<u8> {
        self.idle = self.idle.saturating_add(1);
        if self.idle <= LASTS && self.state == State::Text {
            return Vec::new();
        }
        // A terminal that has gone is the signals' matter.
        let waiting = ioctl_fionread(io::stdin()).unwrap_or(0).min(BYTES_MAX as u64) as usize;
        let mut bytes = vec![0; waiting];
        let read = if waiting == 0 { 0 } else { rustix::io::read(io::stdin(), &mut bytes[..]).unwrap_or(0) };
        self.take(&bytes[..read])
    }

    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut switches = Vec::new();
        for &byte in bytes {
            self.state = match (self.state, byte) {
                (State::Switch, byte) => {
                    switches.extend([SWITCH, byte]);
                    State::Text
                }
                (State::Text, SWITCH) => State::Switch,
                (State::Text, 0x1b) => State::Escape,
                (State::Escape, b'[' | b'O') => State::Sequence,
                (State::Sequence, ..=0x3f) => State::Sequence,
                (State::Text, byte) => {
                    self.put(byte);
                    State::Text
                }
                (State::Escape | State::Sequence, _) => State::Text,
            };
        }
        switches
    }

    fn put(&mut self, byte: u8) {
        match byte {
            0x08 | 0x7f => {
                // A character, but no line.
                while self.text.pop_if(|byte| *byte & 0xc0 == 0x80).is_some() {}
                self.text.pop_if(|byte| *byte != b'\n' && *byte != END_OF_INPUT);
            }
            b'\r' | b'\n' => self.text.push(b'\n'),
            END_OF_INPUT | b' '.. if self.text.len() < BYTES_MAX => self.text.push(byte),
            _ => {}
        }
    }

    /// Ctrl-C takes back what was typed ahead.
    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// What the next line begins with, which is no longer here then.
    pub fn next(&mut self) -> Begun {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace('\x04', "");
        match self.text.iter().position(|byte| *byte == b'\n') {
            _ if self.text.first() == Some(&END_OF_INPUT) => Begun::End,
            Some(end) => {
                let mut line: Vec<u8> = self.text.drain(..=end).collect();
                line.pop();
                Begun::Line(text(line))
            }
            None if self.text.is_empty() => Begun::Nothing,
            None => Begun::Part(text(std::mem::take(&mut self.text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ahead: &mut Ahead) -> Vec<Begun> {
        std::iter::from_fn(|| Some(ahead.next()).filter(|begun| *begun != Begun::Nothing)).take(9).collect()
    }

    #[test]
    fn text_is_kept_and_keys_for_the_console_are_found() {
        let mut ahead = Ahead::default();
        assert_eq!(ahead.take(b"ls\nec\x1d"), b"");
        assert_eq!(ahead.take(b"3h\x1dq"), b"\x1d3\x1dq");
        assert_eq!(all(&mut ahead), [Begun::Line("ls".into()), Begun::Part("ech".into())]);
    }

    #[test]
    fn what_only_an_editor_knows_is_no_text() {
        let mut ahead = Ahead::default();
        assert_eq!(ahead.take("a\x1b[3~b\x1b[1;5Dc\x1bOAd\x1bxe\t\x01ä\x7f\x7ff\x1b".as_bytes()), b"");
        assert_eq!(ahead.take(b"[Ag"), b"");
        assert_eq!(all(&mut ahead), [Begun::Part("abcdfg".into())]);
        assert_eq!(ahead.take(b"\x7f\nx\n\x7f\x7f"), b"");
        assert_eq!(all(&mut ahead), [Begun::Line(String::new()), Begun::Line("x".into())]);
        ahead.take(b"gone");
        ahead.clear();
        assert_eq!(ahead.take(&[b'y'; 2 * BYTES_MAX]), b"");
        assert_eq!(all(&mut ahead), [Begun::Part("y".repeat(BYTES_MAX))]);
    }

    #[test]
    fn the_end_comes_behind_the_lines_ahead_of_it() {
        let mut ahead = Ahead::default();
        ahead.take(b"a\nb\x04c\n\x04");
        assert_eq!(all(&mut ahead)[..3], [Begun::Line("a".into()), Begun::Line("bc".into()), Begun::End]);
    }
}
