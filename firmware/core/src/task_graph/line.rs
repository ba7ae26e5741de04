//! Lines of a text, their words and numbers, and what can be wrong with them.

use core::fmt;

use super::{FIRST, HEADER};

/// Bytes of a line at most, without its newline.
pub const LINE_BYTES: usize = 100;

/// What is wrong, and in which line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault<'a> {
    pub line: u32,
    pub what: What<'a>,
}

/// What is wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What<'a> {
    Header,
    NotText,
    TooLong,
    Statement(&'a str),
    /// How the statement is written.
    Form(&'static str),
    Range {
        word: &'a str,
        what: &'static str,
        least: u32,
        most: u32,
    },
    /// A thread that the graph does not have, or that another line was about already.
    NoThread(u8),
    Twice(u8, &'static str),
    ThreadsTwice,
    ThreadsFirst,
    PhaseFirst,
    PlaceLate,
    Itself,
    LinkTwice,
    TooMany {
        what: &'static str,
        most: u32,
    },
    Unplaced(u8),
    NoPhase,
    NoEnd,
    AfterEnd,
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match self.what {
            What::Header => write!(f, "no task graph: write `{HEADER}` first"),
            What::NotText => write!(f, "not UTF-8: write plain text"),
            What::TooLong => write!(f, "longer than {LINE_BYTES} bytes: put comments on lines of their own"),
            What::Statement(word) => {
                write!(
                    f,
                    "no statement `{}`: there are threads, place, phase, work, link and end",
                    word.escape_default()
                )
            }
            What::Form(form) => write!(f, "not written as it must be: `{form}`"),
            What::Range { word, what, least, most } => {
                write!(f, "`{}` is no number of {what}: write {least} to {most}", word.escape_default())
            }
            What::NoThread(thread) => {
                write!(f, "no thread {thread}: the line `threads` says how many, from {FIRST} on")
            }
            What::Twice(thread, statement) => write!(f, "thread {thread} has a `{statement}` already: leave one out"),
            What::ThreadsTwice => write!(f, "a second line `threads`: leave one out"),
            What::ThreadsFirst => write!(f, "threads are not known yet: write `threads COUNT` before"),
            What::PhaseFirst => write!(f, "outside a phase: write `phase ROUNDS` before"),
            What::PlaceLate => write!(f, "places come before the first phase: move the line up"),
            What::Itself => write!(f, "a thread can't send to itself: name two threads"),
            What::LinkTwice => write!(f, "this phase has such a link already: add up their messages"),
            What::TooMany { what, most } => write!(f, "too many {what}: {most} at most"),
            What::Unplaced(thread) => write!(f, "thread {thread} has no place: write `place {thread} PROCESSOR`"),
            What::NoPhase => write!(f, "no phase: write `phase ROUNDS` and what is done in it"),
            What::NoEnd => write!(f, "the file ends too early: write `end` last"),
            What::AfterEnd => write!(f, "something behind `end`: move `end` to the last line"),
        }
    }
}

/// Takes a file's bytes in parts, and hands on its lines.
pub struct Lines {
    bytes: [u8; LINE_BYTES],
    used: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Lines { bytes: [0; LINE_BYTES], used: 0 }
    }
}

impl Lines {
    /// Calls `take` with each line that ends with the byte; `None` is one that can't be taken.
    pub fn put(&mut self, byte: u8, take: impl FnOnce(Option<&[u8]>)) {
        if byte == b'\n' {
            let used = core::mem::take(&mut self.used);
            return take(self.bytes.get(..used));
        }
        if let Some(place) = self.bytes.get_mut(self.used) {
            *place = byte;
        }
        // One more than fits says that it was too long.
        self.used = (self.used + 1).min(LINE_BYTES + 1);
    }

    /// The last line, if it has no newline.
    pub fn end(&mut self, take: impl FnOnce(Option<&[u8]>)) {
        if self.used > 0 {
            self.put(b'\n', take);
        }
    }
}

/// What a statement takes of the line with this number; `None` is a line that was too long.
pub(super) fn numbered<'a>(
    number: u32,
    line: Option<&'a [u8]>,
    statement: impl FnOnce(&'a str) -> Result<(), What<'a>>,
) -> Result<(), Fault<'a>> {
    let taken = match line.map(core::str::from_utf8) {
        None => Err(What::TooLong),
        Some(Err(_)) => Err(What::NotText),
        Some(Ok(text)) => statement(text),
    };
    taken.map_err(|what| Fault { line: number, what })
}

/// Words of a line, without its comment.
pub(super) fn words<const N: usize>(line: &str) -> (usize, [&str; N]) {
    let text = line.split_once('#').map_or(line, |(text, _)| text);
    let (mut count, mut all) = (0, [""; N]);
    for word in text.split_ascii_whitespace() {
        if let Some(place) = all.get_mut(count) {
            *place = word;
        }
        count += 1;
    }
    (count, all)
}

/// The number in a word, which is one of `what`.
pub(super) fn number<'a>(word: &'a str, what: &'static str, least: u32, most: u32) -> Result<u32, What<'a>> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let value = if digits { word.parse::<u32>().ok() } else { None };
    value.filter(|value| (least..=most).contains(value)).ok_or(What::Range { word, what, least, most })
}
