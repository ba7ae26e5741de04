//! Words: quotes, variables, commands and expressions in them.

use alloc::vec::Vec;

use super::parser::{Fault, Parser};
use super::tree::{Form, Part, Piece, Word};

impl Word {
    /// Its text, if it is one part without quotes.
    pub fn plain(&self) -> Option<&[u8]> {
        match &self.0[..] {
            [Part { piece: Piece::Text(text), quoted: false }] => Some(text),
            _ => None,
        }
    }

    fn text(&mut self, byte: u8, quoted: bool) {
        if let Some(Part { piece: Piece::Text(text), quoted: before }) = self.0.last_mut() {
            if *before == quoted {
                return text.push(byte);
            }
        }
        self.0.push(Part { piece: Piece::Text(alloc::vec![byte]), quoted });
    }

    /// An empty part in quotes, which makes an empty word.
    fn empty(&mut self) {
        self.0.push(Part { piece: Piece::Text(Vec::new()), quoted: true });
    }
}

impl Parser<'_> {
    /// The word that follows, if one does.
    pub(super) fn word(&mut self) -> Result<Option<Word>, Fault> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\\' if self.peek_second() == Some(b'\n') => self.join_lines(),
                b'\\' => {
                    // A `\` at the very end stands for itself.
                    word.text(self.peek_second().unwrap_or(b'\\'), true);
                    self.at += 2;
                }
                b'\'' => self.single(&mut word)?,
                b'"' => {
                    self.at += 1;
                    let inner = self.quoted_text(Some(b'"'))?;
                    word.empty();
                    word.0.extend(inner.0);
                }
                b'$' => self.dollar(&mut word, false)?,
                _ => {
                    word.text(byte, false);
                    self.at += 1;
                }
            }
        }
        self.at = self.at.min(self.text.len());
        Ok((self.at > start && !word.0.is_empty()).then_some(word))
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Fault> {
        let rest = &self.text[self.at + 1..];
        let length = rest.iter().position(|&byte| byte == b'\'');
        let length = length.ok_or_else(|| self.missing("`'` without another"))?;
        word.0.push(Part { piece: Piece::Text(rest[..length].to_vec()), quoted: true });
        self.at += length + 2;
        Ok(())
    }

    /// Text as between `"`, up to this byte, which is passed, or to the end.
    pub(super) fn quoted_text(&mut self, end: Option<u8>) -> Result<Word, Fault> {
        let (start, mut word) = (self.at, Word::default());
        loop {
            match (self.peek(), self.peek_second()) {
                (None, _) if end.is_none() => return Ok(word),
                (None, _) => return Err(self.missing_since(start, "`\"` without another")),
                (byte, _) if byte == end => {
                    self.at += 1;
                    return Ok(word);
                }
                (Some(b'\\'), Some(b'\n')) => self.at += 2,
                (Some(b'\\'), Some(byte @ (b'$' | b'`' | b'"' | b'\\'))) if byte != b'"' || end.is_some() => {
                    word.text(byte, true);
                    self.at += 2;
                }
                (Some(b'$'), _) => self.dollar(&mut word, true)?,
                (Some(byte), _) => {
                    word.text(byte, true);
                    self.at += 1;
                }
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), Fault> {
        self.counted()?;
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let piece = match rest.first() {
            Some(b'(') if rest.get(1) == Some(&b'(') => {
                self.at += 3;
                self.deeper(Self::expression)?
            }
            Some(b'(') => {
                self.at += 2;
                let list = self.deeper(Self::list)?;
                if !self.takes(b")") {
                    return Err(self.missing("`$(` without `)`"));
                }
                Piece::Commands(list)
            }
            Some(b'{') => {
                self.at += 2;
                self.deeper(Self::braces)?
            }
            Some(&byte) => {
                let length = name_length(rest);
                if length == 0 {
                    word.text(b'$', quoted);
                    self.at += 1;
                    return Ok(());
                }
                debug_assert!(byte != b' ');
                self.at += 1 + length;
                Piece::Parameter { name: rest[..length].to_vec(), form: Form::Value }
            }
            None => {
                word.text(b'$', quoted);
                self.at += 1;
                return Ok(());
            }
        };
        word.0.push(Part { piece, quoted });
        Ok(())
    }

    /// An expression up to `))`.
    fn expression(&mut self) -> Result<Piece, Fault> {
        let (mut word, mut open) = (Word::default(), 0);
        loop {
            match (self.peek(), self.peek_second()) {
                (None, _) => return Err(self.missing("`$((` without `))`")),
                (Some(b')'), Some(b')')) if open == 0 => {
                    self.at += 2;
                    return Ok(Piece::Arithmetic(word));
                }
                (Some(b')'), _) if open == 0 => return Err(self.wrong("`$((` without `))`")),
                (Some(b'$'), _) => self.dollar(&mut word, true)?,
                (Some(byte), _) => {
                    open = match byte {
                        b'(' => open + 1,
                        b')' => open - 1,
                        _ => open,
                    };
                    word.text(byte, true);
                    self.at += 1;
                }
            }
        }
    }

    /// What is between `${` and `}`.
    fn braces(&mut self) -> Result<Piece, Fault> {
        let rest = &self.text[self.at..];
        let bad = "`${` without a variable's name and `}`";
        if rest.first() == Some(&b'#') && rest.get(1).is_some_and(|&byte| byte != b'}') {
            self.at += 1;
            let name = self.parameter_name().ok_or_else(|| self.wrong(bad))?;
            return match self.takes(b"}") {
                true => Ok(Piece::Parameter { name, form: Form::Length }),
                false => Err(self.wrong(bad)),
            };
        }
        let name = match self.parameter_name() {
            Some(name) => name,
            None if self.at >= self.text.len() => return Err(self.missing(bad)),
            None => return Err(self.wrong(bad)),
        };
        if self.takes(b"}") {
            return Ok(Piece::Parameter { name, form: Form::Value });
        }
        let colon = self.takes(b":");
        let Some(sign) = self.peek() else { return Err(self.missing(bad)) };
        self.at += 1;
        let form = match sign {
            b'-' | b'=' | b'?' | b'+' => Form::Instead(sign, colon, self.brace_word()?),
            b'%' | b'#' if !colon => {
                let most = self.takes(&[sign]);
                Form::Without(sign, most, self.brace_word()?)
            }
            _ => return Err(self.wrong("behind a variable in `${…}` comes one of `-=?+%#`")),
        };
        Ok(Piece::Parameter { name, form })
    }

    fn parameter_name(&mut self) -> Option<Vec<u8>> {
        let rest = &self.text[self.at.min(self.text.len())..];
        let mut length = name_length(rest);
        if rest.first().is_some_and(u8::is_ascii_digit) {
            length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
        self.at += length;
        (length > 0).then(|| rest[..length].to_vec())
    }

    /// A word up to `}`, which is passed; blanks belong to it.
    fn brace_word(&mut self) -> Result<Word, Fault> {
        let mut word = Word::default();
        loop {
            match (self.peek(), self.peek_second()) {
                (None, _) => return Err(self.missing("`${` without `}`")),
                (Some(b'}'), _) => {
                    self.at += 1;
                    return Ok(word);
                }
                (Some(b'\\'), Some(byte)) => {
                    word.text(byte, true);
                    self.at += 2;
                }
                (Some(b'\''), _) => self.single(&mut word)?,
                (Some(b'"'), _) => {
                    self.at += 1;
                    let inner = self.quoted_text(Some(b'"'))?;
                    word.empty();
                    word.0.extend(inner.0);
                }
                (Some(b'$'), _) => self.dollar(&mut word, false)?,
                (Some(byte), _) => {
                    word.text(byte, false);
                    self.at += 1;
                }
            }
        }
    }
}

/// Bytes of the variable's name that a text begins with.
fn name_length(text: &[u8]) -> usize {
    match text.first() {
        Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'$' | b'!') => 1,
        Some(_) => {
            let good = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            text.iter().take_while(good).count()
        }
        None => 0,
    }
}
