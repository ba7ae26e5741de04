//! Lists, pipelines and simple commands.

use alloc::vec::Vec;

use super::name::is_name;
use super::tree::{Action, Command, Item, Join, List, Pipeline, Redirection};

/// Commands that lie in one another, at most.
pub const DEPTH_MAX: usize = 24;
/// Commands and words of one command, at most.
pub const COMMANDS_MAX: usize = 2000;

/// Why a text is no command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What is wrong, or missing.
    pub what: &'static str,
    /// The line.
    pub line: usize,
    /// More text could make it one.
    pub incomplete: bool,
}

/// Words that end a list, or begin a command that is no simple one.
const RESERVED: &[&[u8]] = &[
    b"if", b"then", b"elif", b"else", b"fi", b"while", b"until", b"do", b"done", b"for", b"case", b"esac", b"{", b"}",
    b"!",
];
const ENDS: &[&[u8]] = &[b"then", b"elif", b"else", b"fi", b"do", b"done", b"esac", b"}"];

/// Reads commands from a text.
pub struct Parser<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    /// Where to go on behind the next newline, if texts for `<<` follow there.
    pub(super) behind_texts: Option<usize>,
    pub(super) depth: usize,
    pub(super) count: usize,
    /// The text ends with a `\` that wants another line.
    pub(super) wants_line: bool,
}

impl<'a> Parser<'a> {
    /// Reads this text.
    pub fn new(text: &'a [u8]) -> Self {
        Parser { text, at: 0, behind_texts: None, depth: 0, count: 0, wants_line: false }
    }

    /// Whether the text that has been read ends with a `\`, so that another line belongs to it.
    pub fn wants_line(&self) -> bool {
        self.wants_line
    }

    /// Passes a `\` and the newline behind it.
    pub(super) fn join_lines(&mut self) {
        self.at += 2;
        self.wants_line |= self.at == self.text.len();
    }

    /// How far it has come.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next command, with what joins it to others, and its text; `None` behind the last.
    ///
    /// # Errors
    /// The text is no command there. Reading on makes no sense.
    pub fn next_item(&mut self) -> Result<Option<(Item, &'a [u8])>, Fault> {
        self.count = 0;
        self.skip_lines()?;
        if self.at == self.text.len() {
            return Ok(None);
        }
        let start = self.at;
        let item = self.item()?;
        let written = self.text.get(start..self.at).unwrap_or_default();
        self.skip_blanks();
        match self.peek() {
            Some(b';') if self.peek_second() == Some(b';') => return Err(self.wrong("`;;` is for `case`")),
            Some(b';') => self.at += 1,
            Some(b'\n') | None => {}
            _ if item.background => {}
            _ => return Err(self.unexpected()),
        }
        let written = written.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
        Ok(Some((item, written)))
    }

    pub(super) fn wrong(&self, what: &'static str) -> Fault {
        Fault { what, line: self.line(), incomplete: false }
    }
    pub(super) fn missing(&self, what: &'static str) -> Fault {
        self.missing_since(self.at, what)
    }
    /// Something is missing that what stands at `start` calls for; the fault names that line.
    pub(super) fn missing_since(&self, start: usize, what: &'static str) -> Fault {
        Fault { what, line: self.line_at(start), incomplete: true }
    }
    fn unexpected(&self) -> Fault {
        self.wrong(match self.peek() {
            Some(b')') => "`)` without `(`",
            Some(b'|') => "`|` without a command ahead of it",
            Some(b'&') => "`&` without a command ahead of it",
            Some(b';') => "`;` without a command ahead of it",
            Some(b'(') => "`(` where no command can begin",
            _ => "this is no end of a command",
        })
    }

    pub(super) fn line(&self) -> usize {
        self.line_at(self.at)
    }
    fn line_at(&self, at: usize) -> usize {
        1 + self.text[..at.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }
    pub(super) fn peek_second(&self) -> Option<u8> {
        self.text.get(self.at + 1).copied()
    }
    pub(super) fn takes(&mut self, text: &[u8]) -> bool {
        let found = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(text));
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Passes blanks, comments, and newlines that are behind a `\`.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.peek_second() == Some(b'\n') => self.join_lines(),
                Some(b'#') => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Passes a newline, and the texts for `<<` behind it.
    pub(super) fn newline(&mut self) {
        self.at = self.behind_texts.take().unwrap_or(self.at + 1);
    }

    /// Passes blanks and newlines.
    pub(super) fn skip_lines(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.newline(),
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn counted(&mut self) -> Result<(), Fault> {
        self.count += 1;
        if self.count > COMMANDS_MAX {
            return Err(self.wrong("more than 2000 commands and words in one command"));
        }
        Ok(())
    }

    /// Reads what lies in another command.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == DEPTH_MAX {
            return Err(self.wrong("more than 24 commands in one another"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Commands up to a word that ends them, which stays, a `)` or the text's end.
    pub(super) fn list(&mut self) -> Result<List, Fault> {
        let mut list = List::new();
        loop {
            self.skip_lines()?;
            if matches!(self.peek(), None | Some(b')')) || self.text[self.at..].starts_with(b";;") {
                return Ok(list);
            }
            if self.reserved().is_some_and(|word| ENDS.contains(&word)) {
                return Ok(list);
            }
            let item = self.item()?;
            self.skip_blanks();
            match self.peek() {
                Some(b';') if self.peek_second() != Some(b';') => self.at += 1,
                Some(b';' | b'\n' | b')') | None => {}
                _ if item.background => {}
                _ => return Err(self.unexpected()),
            }
            list.push(item);
        }
    }

    /// A list that is not empty.
    pub(super) fn some_list(&mut self) -> Result<List, Fault> {
        let list = self.deeper(Self::list)?;
        match list.is_empty() {
            false => Ok(list),
            true if self.at == self.text.len() => Err(self.missing("a command is missing")),
            true => Err(self.wrong("a command is missing")),
        }
    }

    fn item(&mut self) -> Result<Item, Fault> {
        let (first, mut rest) = (self.pipeline()?, Vec::new());
        loop {
            self.skip_blanks();
            let join = if self.takes(b"&&") {
                Join::And
            } else if self.takes(b"||") {
                Join::Or
            } else {
                break;
            };
            self.skip_lines()?;
            if self.at == self.text.len() {
                return Err(self.missing("`&&` or `||` without a command behind it"));
            }
            rest.push((join, self.pipeline()?));
        }
        let background = self.takes(b"&");
        Ok(Item { first, rest, background })
    }

    fn pipeline(&mut self) -> Result<Pipeline, Fault> {
        self.skip_blanks();
        let mut negated = false;
        while self.reserved() == Some(b"!") {
            self.at += 1;
            negated = !negated;
            self.skip_blanks();
        }
        let mut commands = Vec::new();
        loop {
            commands.push(self.command()?);
            self.skip_blanks();
            if self.text[self.at..].starts_with(b"||") || !self.takes(b"|") {
                return Ok(Pipeline { negated, commands });
            }
            self.skip_lines()?;
            if self.at == self.text.len() {
                return Err(self.missing("`|` without a command behind it"));
            }
        }
    }

    /// The reserved word that follows.
    pub(super) fn reserved(&self) -> Option<&'a [u8]> {
        let rest = &self.text[self.at..];
        let ends = |byte: &u8| b" \t\r\n;&|()<>".contains(byte);
        let word = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        RESERVED.contains(&word).then_some(word)
    }

    fn command(&mut self) -> Result<Command, Fault> {
        self.counted()?;
        self.skip_blanks();
        let mut redirections = Vec::new();
        let action = match self.compound()? {
            Some(action) => {
                while self.redirection(&mut redirections)? {}
                action
            }
            None => self.simple(&mut redirections)?,
        };
        Ok(Command { action, redirections })
    }

    fn simple(&mut self, redirections: &mut Vec<Redirection>) -> Result<Action, Fault> {
        let (mut assignments, mut words) = (Vec::new(), Vec::new());
        loop {
            if self.redirection(redirections)? {
                continue;
            }
            self.skip_blanks();
            if words.is_empty() {
                if let Some(name) = self.assigned() {
                    let value = self.word()?.unwrap_or_default();
                    assignments.push((name, value));
                    continue;
                }
            }
            self.counted()?;
            let Some(word) = self.word()? else { break };
            self.skip_blanks();
            let is_first = words.is_empty() && assignments.is_empty() && redirections.is_empty();
            if is_first && self.peek() == Some(b'(') {
                let name = word.plain().filter(|name| is_name(name));
                let name = name.ok_or_else(|| self.unexpected())?.to_vec();
                return self.function(name);
            }
            words.push(word);
        }
        match assignments.is_empty() && words.is_empty() && redirections.is_empty() {
            true if self.at == self.text.len() => Err(self.missing("a command is missing")),
            true => Err(self.unexpected()),
            false => Ok(Action::Simple { assignments, words }),
        }
    }

    /// The name of a variable that is assigned to, if `NAME=` follows.
    fn assigned(&mut self) -> Option<Vec<u8>> {
        let rest = &self.text[self.at..];
        let name = &rest[..rest.iter().position(|&byte| byte == b'=')?];
        is_name(name).then(|| {
            self.at += name.len() + 1;
            name.to_vec()
        })
    }
}
