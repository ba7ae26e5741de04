//! Numbers of bytes, and of time.

use alloc::vec::Vec;

use super::context::{Context, Done, Options, Stop};
use crate::number;

/// Bytes of a line of `hexdump`.
const ROW: usize = 16;

pub(super) fn hexdump(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut canonical) = (Options::new(words), false);
    while let Some(letter) = options.next() {
        match letter {
            b'C' => canonical = true,
            _ => return Err(Stop::Usage),
        }
    }
    // All files are one, as util-linux has it.
    let (mut row, mut before): (Vec<u8>, Option<Vec<u8>>) = (Vec::new(), None);
    let (mut offset, mut starred) = (0, false);
    context.each(options.words(), |context, reader, _| {
        while let Some(piece) = reader.piece(context)? {
            for byte in piece {
                row.push(byte);
                if row.len() < ROW {
                    continue;
                }
                let whole = core::mem::take(&mut row);
                if before.as_ref() == Some(&whole) {
                    context.put(if starred { b"" } else { b"*\n" })?;
                    starred = true;
                } else {
                    show(context, offset, &whole, canonical)?;
                    starred = false;
                }
                before = Some(whole);
                offset += ROW as u32;
            }
        }
        Ok(())
    })?;
    if !row.is_empty() {
        show(context, offset, &row, canonical)?;
        offset += row.len() as u32;
    }
    if offset > 0 {
        let mut text = Vec::new();
        number::hexadecimal(&mut text, offset, if canonical { 8 } else { 7 });
        text.push(b'\n');
        context.put(&text)?;
    }
    Ok(0)
}

fn show(context: &mut Context, offset: u32, row: &[u8], canonical: bool) -> Result<(), Stop> {
    let mut text = Vec::new();
    number::hexadecimal(&mut text, offset, if canonical { 8 } else { 7 });
    if !canonical {
        for pair in row.chunks(2) {
            text.push(b' ');
            number::hexadecimal(&mut text, u32::from(pair[0]) | u32::from(*pair.get(1).unwrap_or(&0)) << 8, 4);
        }
        // Short rows are as wide as others.
        text.extend(core::iter::repeat_n(b' ', 5 * (8 - row.len().div_ceil(2))));
        text.push(b'\n');
        return context.put(&text);
    }
    for index in 0..ROW {
        text.extend_from_slice(if index % 8 == 0 { b"  " } else { b" " });
        match row.get(index) {
            Some(&byte) => number::hexadecimal(&mut text, byte.into(), 2),
            None => text.extend_from_slice(b"  "),
        }
    }
    text.extend_from_slice(b"  |");
    text.extend(row.iter().map(|&byte| if (b' '..=b'~').contains(&byte) { byte } else { b'.' }));
    text.extend_from_slice(b"|\n");
    context.put(&text)
}

/// The machine has no calendar: the time since it was reset.
pub(super) fn date(context: &mut Context, words: &[Vec<u8>]) -> Done {
    if !words.is_empty() {
        return Err(Stop::Usage);
    }
    let microseconds = context.system.microseconds();
    let mut text = Vec::new();
    number::digits(&mut text, microseconds / 1_000_000, 10);
    text.push(b'.');
    let mut rest = Vec::new();
    number::digits(&mut rest, 1_000_000 + microseconds % 1_000_000, 10);
    text.extend_from_slice(&rest[1..]);
    text.extend_from_slice(b" s since reset\n");
    context.put(&text)?;
    Ok(0)
}

pub(super) fn sleep(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let [word] = words else { return Err(Stop::Usage) };
    let mut parts = word.splitn(2, |&byte| byte == b'.');
    let seconds = number::parse(parts.next().unwrap_or_default()).ok_or(Stop::Usage)?;
    let fraction = parts.next().unwrap_or(b"0");
    if fraction.len() > 6 || seconds > 1_000_000 {
        return Err(Stop::Usage);
    }
    let digits = number::parse(fraction).ok_or(Stop::Usage)?;
    let mut left = seconds * 1_000_000 + digits * 10u64.pow(6 - fraction.len() as u32);
    while left > 0 {
        let part = left.min(1_000_000_000);
        context.system.delay(part as u32);
        left -= part;
    }
    Ok(0)
}
