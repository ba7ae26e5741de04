//! The text that `ed` edits: lines, with a limit, and how they were before the last change.

use alloc::rc::Rc;
use alloc::vec::Vec;

/// Bytes of all lines, at most, and lines.
pub const TEXT_BYTES: usize = 96 * 1024;
pub const LINES_MAX: usize = 6000;

/// A line, which is the same wherever it is moved.
pub type Line = Rc<Vec<u8>>;

/// Why a command was not done.
pub type Wrong = &'static str;

/// Lines, the current one, and marks.
#[derive(Clone, Default)]
pub struct Lines {
    /// The lines; their numbers begin at 1.
    pub all: Vec<Line>,
    /// The number of the current line, 0 if there is none.
    pub now: usize,
    bytes: usize,
}

/// The text of an editor.
#[derive(Default)]
pub struct Text {
    /// The lines as they are.
    pub lines: Lines,
    before: Lines,
    marks: Vec<(u8, Line)>,
    /// It has changed since it was written.
    pub changed: bool,
}

impl Text {
    /// Keeps the lines for `u`: a change follows.
    pub fn keep(&mut self) {
        self.before = self.lines.clone();
    }

    /// Goes back to before the last change, or to after it.
    pub fn undo(&mut self) {
        core::mem::swap(&mut self.lines, &mut self.before);
        self.changed = true;
    }

    /// Inserts lines behind line `at`, the last of which is the current one then.
    pub fn insert(&mut self, at: usize, new: Vec<Line>) -> Result<(), Wrong> {
        let bytes: usize = new.iter().map(|line| line.len() + 1).sum();
        if self.lines.bytes + bytes > TEXT_BYTES {
            return Err("more than 96 KiB");
        }
        if self.lines.all.len() + new.len() > LINES_MAX {
            return Err("more than 6000 lines");
        }
        self.lines.bytes += bytes;
        self.lines.now = at + new.len();
        self.changed |= !new.is_empty();
        self.lines.all.splice(at..at, new);
        Ok(())
    }

    /// Takes lines away; the one behind them is the current one then.
    pub fn remove(&mut self, from: usize, to: usize) -> Vec<Line> {
        let gone: Vec<Line> = self.lines.all.drain(from - 1..to).collect();
        self.lines.bytes -= gone.iter().map(|line| line.len() + 1).sum::<usize>();
        self.lines.now = from.min(self.lines.all.len());
        self.changed = true;
        gone
    }

    /// Puts lines in place of one.
    pub fn replace(&mut self, at: usize, new: Vec<Line>) -> Result<(), Wrong> {
        let old = self.remove(at, at);
        let result = self.insert(at - 1, new);
        if result.is_err() {
            // There was room for it before.
            self.insert(at - 1, old)?;
        }
        result
    }

    /// Marks a line with a letter.
    pub fn mark(&mut self, letter: u8, at: usize) {
        self.marks.retain(|mark| mark.0 != letter);
        self.marks.push((letter, self.lines.all[at - 1].clone()));
    }

    /// The number of the line that has a letter.
    pub fn marked(&self, letter: u8) -> Option<usize> {
        let mark = self.marks.iter().find(|mark| mark.0 == letter)?;
        self.number_of(&mark.1)
    }

    /// The number of a line that may have moved.
    pub fn number_of(&self, line: &Line) -> Option<usize> {
        self.lines.all.iter().position(|other| Rc::ptr_eq(other, line)).map(|index| index + 1)
    }

    /// How many lines there are.
    pub fn last(&self) -> usize {
        self.lines.all.len()
    }
}
