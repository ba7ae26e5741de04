//! `grep`.

use alloc::vec::Vec;

use super::context::{Context, Done, Options, Reader, Stop};
use crate::number;
use crate::regex::Regex;

#[derive(Default)]
struct How {
    counts: bool,
    names: bool,
    no_names: bool,
    only_names: bool,
    numbers: bool,
    silent: bool,
    inverted: bool,
    words: bool,
    lines: bool,
    quiet_errors: bool,
}

pub(super) fn grep(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut how, mut kind, mut ignores_case) = (Options::new(words), How::default(), b'G', false);
    let mut expressions: Vec<&[u8]> = Vec::new();
    while let Some(letter) = options.next() {
        match letter {
            b'c' => how.counts = true,
            b'H' => how.names = true,
            b'h' => how.no_names = true,
            b'i' => ignores_case = true,
            b'l' => how.only_names = true,
            b'n' => how.numbers = true,
            b'q' => how.silent = true,
            b's' => how.quiet_errors = true,
            b'v' => how.inverted = true,
            b'w' => how.words = true,
            b'x' => how.lines = true,
            b'E' | b'F' | b'G' => kind = letter,
            b'e' => expressions.push(options.value()?),
            _ => return Err(Stop::Usage),
        }
    }
    let mut names = options.words();
    if expressions.is_empty() {
        let (first, rest) = names.split_first().ok_or(Stop::Usage)?;
        (names, expressions) = (rest, alloc::vec![&first[..]]);
    }
    let mut all = Vec::new();
    for expression in expressions.iter().flat_map(|text| text.split(|&byte| byte == b'\n')) {
        let read = match kind {
            b'F' => Regex::fixed(expression, ignores_case),
            _ => Regex::new(expression, kind == b'E', ignores_case),
        };
        match read {
            Ok(regex) => all.push(regex),
            Err(what) => return context.stop(expression, what, 2),
        }
    }
    how.names |= names.len() > 1;
    how.names &= !how.no_names;
    let mut any = false;
    context.each(names, |context, reader, name| {
        let found = search(context, reader, name, &all, &how)?;
        any |= found;
        Ok(())
    })?;
    // What could not be read counts more, unless only that was asked whether anything matches.
    let failed = if context.status != 0 && !(how.silent && any) { 2 } else { 0 };
    context.status = 0;
    Ok(failed.max(!any as u32))
}

fn search(context: &mut Context, reader: &mut Reader, name: &[u8], all: &[Regex], how: &How) -> Result<bool, Stop> {
    let name = if name == b"-" { b"(standard input)" } else { name };
    let (mut count, mut number, mut whole) = (0u64, 0u64, false);
    while let Some(line) = reader.line(context, &mut whole)? {
        number += 1;
        if all.iter().any(|regex| is_match(regex, &line, how)) == how.inverted {
            continue;
        }
        count += 1;
        if how.silent || how.only_names {
            break;
        }
        if how.counts {
            continue;
        }
        let mut text = Vec::new();
        if how.names {
            text.extend_from_slice(name);
            text.push(b':');
        }
        if how.numbers {
            number::digits(&mut text, number, 10);
            text.push(b':');
        }
        text.extend_from_slice(&line);
        text.push(b'\n');
        context.put(&text)?;
    }
    if how.silent {
        return Ok(count > 0);
    }
    if how.only_names {
        if count > 0 {
            context.put(name)?;
            context.put(b"\n")?;
        }
    } else if how.counts {
        let mut text = Vec::new();
        if how.names {
            text.extend_from_slice(name);
            text.push(b':');
        }
        number::digits(&mut text, count, 10);
        text.push(b'\n');
        context.put(&text)?;
    }
    Ok(count > 0)
}

fn is_match(regex: &Regex, line: &[u8], how: &How) -> bool {
    let mut from = 0;
    while let Some(slots) = regex.find(line, from) {
        let (start, end) = (slots[0].unwrap_or(0), slots[1].unwrap_or(0));
        if how.lines {
            return start == 0 && end == line.len();
        }
        let is_letter = |at: usize| line.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let is_part = is_letter(end) || start > 0 && is_letter(start - 1);
        if !how.words || !is_part && end > start {
            return true;
        }
        from = start + 1;
        if from > line.len() {
            return false;
        }
    }
    false
}
