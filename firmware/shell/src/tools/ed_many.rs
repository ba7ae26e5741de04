//! Commands of `ed` for many lines: `s`, `g` and `v`.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::ed_command::{Command, Range};
use super::ed_line::replaced;
use super::ed_state::{Act, Editor, End};
use super::ed_text::Line;
use crate::number;
use crate::regex::Regex;

impl Editor<'_, '_> {
    pub(super) fn substitute(&mut self, range: Range, command: &mut Command) -> Act<()> {
        self.some(range)?;
        let sign = command.take().filter(|&sign| sign != b' ').ok_or("Invalid pattern delimiter")?;
        let regex = command.expression(sign, &mut self.last_regex)?;
        let (mut replacement, mut closed) = command.replacement(sign);
        // A newline behind a `\` goes on in the next line.
        while !closed && replacement.last() == Some(&b'\\') && command.rest.is_empty() {
            let Some(line) = self.line()? else { break };
            replacement.push(b'\n');
            let mut more = Command::new(&line);
            let (text, ends) = more.replacement(sign);
            replacement.extend(text);
            closed = ends;
            if ends {
                let rest = more.rest.to_vec();
                return self.replace_all(range, &regex, replacement, &mut Command::new(&rest), false);
            }
        }
        self.replace_all(range, &regex, replacement, command, !closed)
    }

    pub(super) fn replace_all(
        &mut self,
        range: Range,
        regex: &Regex,
        replacement: Vec<u8>,
        command: &mut Command,
        prints: bool,
    ) -> Act<()> {
        let (mut all, mut which, mut letters) = (false, 1, Vec::new());
        while let Some(byte) = command.take() {
            match byte {
                b'g' => all = true,
                b'0'..=b'9' => {
                    let digits = command.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let mut text = alloc::vec![byte];
                    text.extend_from_slice(&command.rest[..digits]);
                    command.rest = &command.rest[digits..];
                    which = number::parse(&text).filter(|&which| which > 0).ok_or("Invalid command suffix")?;
                }
                b'p' | b'n' | b'l' => letters.push(byte),
                _ => return Err("Invalid command suffix".into()),
            }
        }
        if prints && letters.is_empty() {
            letters.push(b'p');
        }
        let replacement = if replacement == b"%" { self.last_replacement.clone() } else { replacement };
        self.last_replacement = replacement.clone();
        self.keep();
        let (mut at, mut end, mut found) = (range.from, range.to, false);
        while at <= end {
            let line = self.text.lines.all[at - 1].clone();
            let Some(new) = replaced(&line, regex, &replacement, all, which)? else {
                at += 1;
                continue;
            };
            found = true;
            let lines: Vec<Line> = new.split(|&byte| byte == b'\n').map(|line| Rc::new(line.to_vec())).collect();
            let count = lines.len();
            self.text.replace(at, lines)?;
            (at, end) = (at + count, end + count - 1);
        }
        if !found {
            return if self.in_global { Ok(()) } else { Err("No match".into()) };
        }
        self.show_now(letters)
    }

    /// `g` and `v`: commands for all lines that match, or do not.
    pub(super) fn global(&mut self, wanted: bool, range: Range, command: &mut Command) -> Act<()> {
        if self.in_global {
            return Err("Cannot nest global commands".into());
        }
        let sign = command.take().filter(|&sign| sign != b' ').ok_or("Invalid pattern delimiter")?;
        let regex = command.expression(sign, &mut self.last_regex)?;
        let range = if range.count == 0 {
            Range { count: 2, from: 1.min(self.text.last()), to: self.text.last() }
        } else {
            range
        };
        let mut list = alloc::vec![command.rest.to_vec()];
        while list.last().is_some_and(|line| line.last() == Some(&b'\\')) {
            list.last_mut().map(Vec::pop);
            let Some(line) = self.line()? else { break };
            list.push(line);
        }
        if list == [b"".to_vec()] {
            list = alloc::vec![b"p".to_vec()];
        }
        let all = self.text.lines.all.get(range.from.max(1) - 1..range.to).unwrap_or_default();
        let chosen: Vec<Line> = all.iter().filter(|line| regex.find(line, 0).is_some() == wanted).cloned().collect();
        self.text.keep();
        (self.in_global, self.given) = (true, Some(Vec::new()));
        let mut result = Ok(());
        for line in chosen {
            let Some(at) = self.text.number_of(&line) else { continue };
            self.text.lines.now = at;
            self.given = Some(list.clone());
            while let Some(line) = self.line()? {
                // Commands that replace what the list is for make no sense in it.
                result = match self.command(&line) {
                    Ok(End::Quit) => Err("Unknown command".into()),
                    other => other.map(drop),
                };
                if result.is_err() {
                    break;
                }
            }
            if result.is_err() {
                break;
            }
        }
        (self.in_global, self.given) = (false, None);
        result
    }
}
