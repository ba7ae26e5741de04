//! Parts of lines, and bytes in place of others.

use alloc::vec::Vec;

use super::context::{Context, Done, Options, Stop};
use crate::number;
use crate::pattern::class;

/// Ranges such as `1-3,5,7-`, from 1 on.
fn list(text: &[u8]) -> Option<Vec<(u64, u64)>> {
    text.split(|&byte| byte == b',')
        .map(|range| {
            let mut parts = range.splitn(2, |&byte| byte == b'-');
            let first = parts.next()?;
            let last = parts.next();
            let start =
                if first.is_empty() && last.is_some_and(|last| !last.is_empty()) { 1 } else { number::parse(first)? };
            let end = match last {
                None => start,
                Some(b"") => u64::MAX,
                Some(last) => number::parse(last)?,
            };
            (start > 0 && end >= start).then_some((start, end))
        })
        .collect()
}

pub(super) fn cut(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut ranges, mut fields, mut separator, mut only) =
        (Options::new(words), None, false, b'\t', false);
    while let Some(letter) = options.next() {
        match letter {
            b'c' | b'b' | b'f' => {
                fields = letter == b'f';
                ranges = Some(list(options.value()?).ok_or(Stop::Usage)?);
            }
            b'd' => match options.value()? {
                [byte] => separator = *byte,
                _ => return Err(Stop::Usage),
            },
            b's' => only = true,
            _ => return Err(Stop::Usage),
        }
    }
    let ranges = ranges.ok_or(Stop::Usage)?;
    let is_in = |number: usize| ranges.iter().any(|range| (range.0..=range.1).contains(&(number as u64 + 1)));
    context.each(options.words(), |context, reader, _| {
        let mut whole = false;
        while let Some(line) = reader.line(context, &mut whole)? {
            if !fields {
                let bytes = line.iter().enumerate().filter(|(index, _)| is_in(*index)).map(|(_, byte)| *byte);
                let text: Vec<u8> = bytes.collect();
                context.put(&text)?;
            } else if !line.contains(&separator) {
                if only {
                    continue;
                }
                context.put(&line)?;
            } else {
                let all = line.split(|&byte| byte == separator).enumerate();
                let chosen: Vec<&[u8]> = all.filter(|(index, _)| is_in(*index)).map(|(_, field)| field).collect();
                context.put(&chosen.join(&separator))?;
            }
            context.put(b"\n")?;
        }
        Ok(())
    })?;
    Ok(0)
}

/// The bytes that a set of `tr` names, in order.
fn set(text: &[u8]) -> Option<Vec<u8>> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < text.len() {
        if let Some((length, _)) = class(&text[at..], 0) {
            all.extend((0..=255u8).filter(|&byte| class(&text[at..], byte).is_some_and(|(_, is_in)| is_in)));
            at += length;
            continue;
        }
        let low = one(text, &mut at)?;
        if text.get(at) == Some(&b'-') && at + 1 < text.len() {
            at += 1;
            let high = one(text, &mut at)?;
            if high < low {
                return None;
            }
            all.extend(low..=high);
        } else {
            all.push(low);
        }
    }
    Some(all)
}

fn one(text: &[u8], at: &mut usize) -> Option<u8> {
    let byte = *text.get(*at)?;
    *at += 1;
    if byte != b'\\' {
        return Some(byte);
    }
    let Some(&letter) = text.get(*at) else { return Some(b'\\') };
    *at += 1;
    Some(match letter {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'0'..=b'7' => {
            let mut value = u32::from(letter - b'0');
            for _ in 0..2 {
                let Some(digit @ b'0'..=b'7') = text.get(*at) else { break };
                value = 8 * value + u32::from(digit - b'0');
                *at += 1;
            }
            value as u8
        }
        other => other,
    })
}

pub(super) fn tr(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut inverted, mut deletes, mut squeezes) = (Options::new(words), false, false, false);
    while let Some(letter) = options.next() {
        match letter {
            b'c' | b'C' => inverted = true,
            b'd' => deletes = true,
            b's' => squeezes = true,
            _ => return Err(Stop::Usage),
        }
    }
    let sets: Option<Vec<Vec<u8>>> = options.words().iter().map(|word| set(word)).collect();
    let mut sets = sets.ok_or(Stop::Usage)?;
    let wanted = if deletes == squeezes { 2 } else { 1 };
    if sets.is_empty() || sets.len() > 2 || sets.len() < wanted {
        return Err(Stop::Usage);
    }
    if inverted {
        let first = &sets[0];
        sets[0] = (0..=255).filter(|byte| !first.contains(byte)).collect();
    }
    let replaces = !deletes && sets.len() == 2;
    if replaces && sets[1].is_empty() {
        return Err(Stop::Usage);
    }
    let squeezed = if squeezes { sets.last().cloned().unwrap_or_default() } else { Vec::new() };
    let mut before = None;
    context.each(&[], |context, reader, _| {
        while let Some(piece) = reader.piece(context)? {
            let mut text = Vec::new();
            for byte in piece {
                let found = sets[0].iter().rposition(|&other| other == byte);
                if deletes && found.is_some() {
                    continue;
                }
                let byte = match found.filter(|_| replaces) {
                    Some(index) => *sets[1].get(index).or(sets[1].last()).unwrap_or(&byte),
                    None => byte,
                };
                if before == Some(byte) && squeezed.contains(&byte) {
                    continue;
                }
                before = Some(byte);
                text.push(byte);
            }
            context.put(&text)?;
        }
        Ok(())
    })?;
    Ok(0)
}
