//! From words as they are written to what they stand for.

use alloc::vec::Vec;

use super::field::Fields;
use super::shell::{Shell, CAPTURED_MAX};
use crate::number;
use crate::pattern;
use crate::syntax::tree::{Form, List, Piece, Word};

/// A word cannot be expanded, and why has been said.
pub(super) struct Failed;

type Expanded<T> = Result<T, Failed>;

const BLANKS: &[u8] = b" \t\n";

impl Shell<'_> {
    fn failed<T>(&mut self, of: &[&[u8]], what: &str) -> Expanded<T> {
        self.fail(of, what);
        Err(Failed)
    }

    /// The words for which words stand: split, and with the names of files for patterns.
    pub(super) fn words(&mut self, words: &[Word]) -> Expanded<Vec<Vec<u8>>> {
        let mut fields = Fields::default();
        for word in words {
            self.parts(word, &mut fields, true)?;
            fields.end_if_open();
        }
        let mut all = Vec::new();
        for field in fields.whole {
            if pattern::is_pattern(&field) {
                self.files(&field, &mut all);
            } else {
                all.push(pattern::literal(&field));
            }
        }
        Ok(all)
    }

    /// The one text for which a word stands, neither split nor a pattern of files.
    pub(super) fn text(&mut self, word: &Word) -> Expanded<Vec<u8>> {
        Ok(pattern::literal(&self.pattern(word)?))
    }

    /// The pattern for which a word stands.
    pub(super) fn pattern(&mut self, word: &Word) -> Expanded<Vec<u8>> {
        let mut fields = Fields::default();
        self.parts(word, &mut fields, false)?;
        fields.end();
        Ok(fields.whole.join(&b' '))
    }

    /// The names of files that match, or else the pattern itself. `PROCESSOR:` may be ahead of it.
    fn files(&mut self, field: &[u8], all: &mut Vec<Vec<u8>>) {
        let colon = field.iter().position(|&byte| byte == b':');
        let place = colon.and_then(|at| Some((at, self.machine.processor_named(&field[..at])?)));
        let (ahead, at) = place.map_or((0, self.machine.home()), |(colon, processor)| (colon + 1, processor));
        let wanted = &field[ahead..];
        let listed = self.machine.list(at).unwrap_or_default();
        let is_named = |name: &[u8]| name.first() != Some(&b'.') || wanted.first() == Some(&b'.');
        let names = listed.into_iter().map(|entry| entry.name);
        let mut found: Vec<Vec<u8>> = names.filter(|name| is_named(name) && pattern::matches(wanted, name)).collect();
        if found.is_empty() {
            return all.push(pattern::literal(field));
        }
        found.sort();
        all.extend(found.into_iter().map(|name| [&field[..ahead], &name].concat()));
    }

    fn parts(&mut self, word: &Word, fields: &mut Fields, splits: bool) -> Expanded<()> {
        let separators = self.environment.variables.get(b"IFS").unwrap_or(BLANKS).to_vec();
        for part in &word.0 {
            let value = match &part.piece {
                Piece::Text(text) => {
                    if !fields.has_room(text.len()) {
                        return self.failed(&[b"sh"], "a command's words have more than 16 KiB");
                    }
                    match part.quoted {
                        true => fields.quoted(text),
                        false => fields.plain(text),
                    }
                    continue;
                }
                Piece::Parameter { name, form: Form::Value } if name == b"@" || name == b"*" => {
                    self.all_arguments(name, part.quoted, splits, fields, &separators)?;
                    continue;
                }
                Piece::Parameter { name, form: Form::Instead(sign, empty, word) } => {
                    match self.instead(name, *sign, *empty, word)? {
                        Some(value) => value,
                        None => {
                            self.nested_parts(word, fields, splits && !part.quoted)?;
                            continue;
                        }
                    }
                }
                Piece::Parameter { name, form } => self.parameter(name, form)?,
                Piece::Commands(list) => self.printed(list)?,
                Piece::Arithmetic(word) => {
                    let text = self.text(word)?;
                    let value = self.evaluate(&text).or_else(|what| self.failed(&[b"sh", &text], what))?;
                    let mut digits = Vec::new();
                    number::decimal(&mut digits, value);
                    digits
                }
            };
            if !fields.has_room(value.len()) {
                return self.failed(&[b"sh"], "a command's words have more than 16 KiB");
            }
            match (part.quoted, splits) {
                (true, _) => fields.quoted(&value),
                (false, true) => fields.split(&value, &separators),
                (false, false) => fields.plain(&value),
            }
        }
        Ok(())
    }

    fn nested_parts(&mut self, word: &Word, fields: &mut Fields, splits: bool) -> Expanded<()> {
        if word.0.is_empty() && !splits {
            fields.quoted(b"");
        }
        self.parts(word, fields, splits)
    }

    fn all_arguments(
        &mut self,
        name: &[u8],
        quoted: bool,
        splits: bool,
        fields: &mut Fields,
        separators: &[u8],
    ) -> Expanded<()> {
        let arguments = self.environment.arguments.clone();
        if !fields.has_room(arguments.iter().map(Vec::len).sum()) {
            return self.failed(&[b"sh"], "a command's words have more than 16 KiB");
        }
        let between = separators.first().map_or(&b""[..], core::slice::from_ref);
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                match (quoted, splits) {
                    (true, true) if name == b"@" => fields.end(),
                    (false, true) => fields.end_if_open(),
                    (true, _) => fields.quoted(if name == b"@" { b" " } else { between }),
                    (false, false) => fields.plain(b" "),
                }
            }
            match (quoted, splits) {
                (true, _) => fields.quoted(argument),
                (false, true) => fields.split(argument, separators),
                (false, false) => fields.plain(argument),
            }
        }
        if quoted && name == b"*" {
            fields.quoted(b"");
        }
        Ok(())
    }

    /// The value of a variable or of one of the shell's own.
    pub(super) fn value(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let number = match name {
            b"#" => self.environment.arguments.len() as i64,
            b"?" => self.status.into(),
            b"$" => self.machine.shell_id().into(),
            b"!" => self.last_background?.into(),
            b"@" | b"*" => {
                return (!self.environment.arguments.is_empty()).then(|| self.environment.arguments.join(&b' '))
            }
            b"0" => return Some(self.name.clone()),
            [b'0'..=b'9', ..] => {
                let index = usize::try_from(number::parse(name)?).ok()?;
                return self.environment.arguments.get(index.checked_sub(1)?).cloned();
            }
            _ => return self.environment.variables.get(name).map(<[u8]>::to_vec),
        };
        number::decimal(&mut text, number);
        Some(text)
    }

    fn wanted(&mut self, name: &[u8]) -> Expanded<Vec<u8>> {
        match self.value(name) {
            Some(value) => Ok(value),
            None if self.unset_is_error && name != b"@" && name != b"*" => {
                self.give_up(2);
                self.failed(&[b"sh", name], "is not set")
            }
            None => Ok(Vec::new()),
        }
    }

    fn parameter(&mut self, name: &[u8], form: &Form) -> Expanded<Vec<u8>> {
        let value = self.wanted(name)?;
        match form {
            Form::Length => {
                let mut text = Vec::new();
                number::decimal(&mut text, value.len() as i64);
                Ok(text)
            }
            Form::Without(sign, most, word) => {
                let pattern = self.pattern(word)?;
                Ok(without(&value, *sign == b'%', *most, &pattern))
            }
            Form::Value | Form::Instead(..) => Ok(value),
        }
    }

    /// `${X-word}` and its like: the value, or `None` for the word.
    fn instead(&mut self, name: &[u8], sign: u8, empty: bool, word: &Word) -> Expanded<Option<Vec<u8>>> {
        let value = self.value(name).filter(|value| !(empty && value.is_empty()));
        match (sign, value) {
            (b'+', None) => Ok(Some(Vec::new())),
            (b'+', Some(_)) | (b'-', None) => Ok(None),
            (_, Some(value)) => Ok(Some(value)),
            (b'=', None) => {
                let value = self.text(word)?;
                if !crate::syntax::is_name(name) || !self.set(name, &value) {
                    return self.failed(&[b"sh", name], "cannot be set");
                }
                Ok(Some(value))
            }
            (_, None) => {
                let text = self.text(word)?;
                let text = if text.is_empty() { b"is not set".to_vec() } else { text };
                self.give_up(2);
                self.fail(&[b"sh", name], core::str::from_utf8(&text).unwrap_or("is not set"));
                Err(Failed)
            }
        }
    }

    /// What commands print, without newlines at its end.
    fn printed(&mut self, list: &List) -> Expanded<Vec<u8>> {
        let captured = self.captured(|shell| shell.list(list));
        let mut text = match captured {
            Ok(text) => text,
            Err(error) => return self.failed(&[b"sh", b"$(\xe2\x80\xa6)"], error.meaning()),
        };
        if text.len() > CAPTURED_MAX {
            return self.failed(&[b"sh"], "more than 8 KiB of `$(\u{2026})`");
        }
        text.retain(|&byte| byte != 0);
        while text.last() == Some(&b'\n') {
            text.pop();
        }
        Ok(text)
    }
}

/// A value without what matches at its end or beginning.
fn without(value: &[u8], at_end: bool, most: bool, pattern: &[u8]) -> Vec<u8> {
    let length = value.len();
    let is_match = |count: &usize| match at_end {
        true => pattern::matches(pattern, &value[length - count..]),
        false => pattern::matches(pattern, &value[..*count]),
    };
    let found = if most { (0..=length).rev().find(is_match) } else { (0..=length).find(is_match) };
    let gone = found.unwrap_or(0);
    match at_end {
        true => value[..length - gone].to_vec(),
        false => value[gone..].to_vec(),
    }
}
