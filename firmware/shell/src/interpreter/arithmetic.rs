//! `$((…))`: whole numbers of 64 bits, with C's operators.

use alloc::vec::Vec;

use super::evaluate::{apply, LEVELS};
use super::shell::Shell;
use crate::number;

/// Brackets and signs in one another, at most; a bracket counts twice.
const DEPTH_MAX: usize = 32;
const BAD: &str = "this is no expression";

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
    /// What is read does not count: the other side of `&&`, `||` or `?` does.
    skips: bool,
}

type Value = Result<i64, &'static str>;

impl Reader<'_> {
    fn skip(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }
    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.get(self.at).copied()
    }
    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }
    fn takes(&mut self, text: &[u8]) -> bool {
        self.skip();
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }
    fn name(&mut self) -> Vec<u8> {
        self.skip();
        let good = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = self.rest().iter().take_while(good).count();
        let name = self.rest()[..length].to_vec();
        self.at += length;
        name
    }
}

impl Shell<'_> {
    /// The value of an expression.
    pub(super) fn evaluate(&mut self, text: &[u8]) -> Value {
        let mut reader = Reader { text, at: 0, depth: 0, skips: false };
        if reader.peek().is_none() {
            return Ok(0);
        }
        let value = self.assignment(&mut reader)?;
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err(BAD),
        }
    }

    fn assignment(&mut self, reader: &mut Reader) -> Value {
        reader.depth += 1;
        if reader.depth > DEPTH_MAX {
            return Err("more than 16 brackets and signs in one another");
        }
        let start = reader.at;
        let name = reader.name();
        let value = if crate::syntax::is_name(&name) {
            reader.skip();
            let rest = reader.rest();
            let operator = [&b"="[..], b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<<=", b">>="]
                .into_iter()
                .find(|operator| rest.starts_with(operator) && !rest.starts_with(b"=="));
            match operator {
                Some(operator) => {
                    reader.at += operator.len();
                    let right = self.assignment(reader)?;
                    self.assign(reader, &name, &operator[..operator.len() - 1], right)
                }
                None => {
                    reader.at = start;
                    self.choice(reader)
                }
            }
        } else {
            reader.at = start;
            self.choice(reader)
        };
        reader.depth -= 1;
        value
    }

    fn assign(&mut self, reader: &Reader, name: &[u8], operator: &[u8], right: i64) -> Value {
        if reader.skips {
            return Ok(0);
        }
        let value = match operator {
            b"" => right,
            _ => apply(operator, self.number_of(name)?, right)?,
        };
        let mut text = Vec::new();
        number::decimal(&mut text, value);
        self.environment.variables.set(name, &text).map(|()| value)
    }

    fn choice(&mut self, reader: &mut Reader) -> Value {
        let condition = self.binary(reader, 0)?;
        if !reader.takes(b"?") {
            return Ok(condition);
        }
        let one = self.unless(reader, condition == 0, Self::assignment)?;
        if !reader.takes(b":") {
            return Err(BAD);
        }
        let other = self.unless(reader, condition != 0, Self::assignment)?;
        Ok(if condition != 0 { one } else { other })
    }

    fn unless(&mut self, reader: &mut Reader, skips: bool, read: impl Fn(&mut Self, &mut Reader) -> Value) -> Value {
        let before = reader.skips;
        reader.skips |= skips;
        let value = read(self, reader);
        reader.skips = before;
        value
    }

    fn binary(&mut self, reader: &mut Reader, level: usize) -> Value {
        let Some(operators) = LEVELS.get(level) else { return self.unary(reader) };
        let mut left = self.binary(reader, level + 1)?;
        loop {
            reader.skip();
            let rest = reader.rest();
            let found = operators.iter().find(|operator| {
                let behind = rest.get(operator.len());
                // `|` is not the beginning of `||`, `<` not that of `<<`, `+` not that of `+=`.
                let longer = match operator[..] {
                    [b'|'] => behind == Some(&b'|'),
                    [b'&'] => behind == Some(&b'&'),
                    [b'<'] => behind == Some(&b'<'),
                    [b'>'] => behind == Some(&b'>'),
                    _ => false,
                };
                rest.starts_with(operator) && !longer
            });
            let Some(&operator) = found else { return Ok(left) };
            reader.at += operator.len();
            let skips = (operator == b"&&" && left == 0) || (operator == b"||" && left != 0);
            let right = self.unless(reader, skips, |shell, reader| shell.binary(reader, level + 1))?;
            left = match apply(operator, left, right) {
                Err(_) if reader.skips => 0,
                other => other?,
            };
        }
    }

    fn unary(&mut self, reader: &mut Reader) -> Value {
        let Some(sign) = reader.peek() else { return Err(BAD) };
        if !matches!(sign, b'-' | b'+' | b'!' | b'~' | b'(') {
            return self.operand(reader);
        }
        reader.at += 1;
        reader.depth += 1;
        if reader.depth > DEPTH_MAX {
            return Err("more than 16 brackets and signs in one another");
        }
        let value = match sign {
            b'(' => {
                let value = self.assignment(reader)?;
                if !reader.takes(b")") {
                    return Err(BAD);
                }
                value
            }
            _ => {
                let value = self.unary(reader)?;
                match sign {
                    b'-' => value.wrapping_neg(),
                    b'!' => (value == 0).into(),
                    b'~' => !value,
                    _ => value,
                }
            }
        };
        reader.depth -= 1;
        Ok(value)
    }

    fn operand(&mut self, reader: &mut Reader) -> Value {
        let word = reader.name();
        match word.first() {
            None => Err(BAD),
            Some(b'0'..=b'9') => literal(&word),
            Some(_) if reader.skips => Ok(0),
            Some(_) => self.number_of(&word),
        }
    }

    /// The number that a variable holds, 0 if it is not set.
    fn number_of(&mut self, name: &[u8]) -> Value {
        let Some(value) = self.value(name) else { return Ok(0) };
        let text = value.trim_ascii();
        let (digits, negative) = match text.first() {
            None => return Ok(0),
            Some(b'-') => (&text[1..], true),
            Some(b'+') => (&text[1..], false),
            _ => (text, false),
        };
        let value = literal(digits)?;
        Ok(if negative { value.wrapping_neg() } else { value })
    }
}

/// A number in decimal, octal with a 0 ahead, or hexadecimal.
fn literal(word: &[u8]) -> Value {
    let digits = word.strip_prefix(b"0x").or_else(|| word.strip_prefix(b"0X"));
    let (digits, base) = match digits {
        Some(digits) => (digits, 16),
        None if word.len() > 1 && word[0] == b'0' => (word, 8),
        None => (word, 10),
    };
    let value = digits.iter().try_fold(0i64, |value, &byte| {
        let digit = (byte as char).to_digit(base)?;
        value.checked_mul(base.into())?.checked_add(digit.into())
    });
    value.filter(|_| !digits.is_empty()).ok_or("this is no number")
}
