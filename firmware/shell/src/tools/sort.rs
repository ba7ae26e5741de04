//! `sort`.

use alloc::vec::Vec;
use core::cmp::Ordering;

use testbed_definitions::syscall::open;

use super::context::{place_of, Context, Done, Options, Stop};
use crate::number;

/// Bytes of what is sorted, at most, and lines of it.
const TEXT_BYTES: usize = 128 * 1024;
const LINES_MAX: usize = 8 * 1024;

#[derive(Clone, Copy, Default)]
struct Order {
    numeric: bool,
    reversed: bool,
    folds: bool,
    skips_blanks: bool,
}

/// The part of a line that is compared.
struct Key {
    /// Fields from 1 on; the last one of the line if there is none.
    from: (usize, usize),
    to: Option<(usize, usize)>,
    order: Order,
    own: bool,
}

pub(super) fn sort(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut order, mut unique) = (Options::new(words), Order::default(), false);
    let (mut keys, mut separator, mut target): (Vec<Key>, _, Option<&[u8]>) = (Vec::new(), None, None);
    while let Some(letter) = options.next() {
        match letter {
            b'u' => unique = true,
            b't' => match options.value()? {
                [byte] => separator = Some(*byte),
                _ => return Err(Stop::Usage),
            },
            b'k' => keys.push(key(options.value()?).ok_or(Stop::Usage)?),
            b'o' => target = Some(options.value()?),
            _ if set(&mut order, letter) => {}
            _ => return Err(Stop::Usage),
        }
    }
    for key in keys.iter_mut().filter(|key| !key.own) {
        key.order = order;
    }
    let (mut text, mut ends): (Vec<u8>, Vec<u32>) = (Vec::new(), Vec::new());
    context.each(options.words(), |context, reader, _| {
        let mut whole = false;
        while let Some(line) = reader.line(context, &mut whole)? {
            if text.len() + line.len() > TEXT_BYTES || ends.len() == LINES_MAX {
                return context.stop(b"", "more than 128 KiB or 8192 lines cannot be sorted", 2);
            }
            text.extend_from_slice(&line);
            ends.push(text.len() as u32);
        }
        Ok(())
    })?;
    if context.status != 0 {
        return Ok(2);
    }
    let line = |index: u32| {
        let start = index.checked_sub(1).map_or(0, |before| ends[before as usize] as usize);
        &text[start..ends[index as usize] as usize]
    };
    let by_keys = |a: &[u8], b: &[u8]| match keys.is_empty() {
        true => compare(a, b, order),
        false => keys.iter().fold(Ordering::Equal, |before, key| {
            before.then_with(|| compare(part(a, key, separator), part(b, key, separator), key.order))
        }),
    };
    let mut lines: Vec<u32> = (0..ends.len() as u32).collect();
    lines.sort_by(|&a, &b| {
        let (a, b) = (line(a), line(b));
        // Lines that are equal by the keys are in the order of their bytes, unless only one stays.
        by_keys(a, b).then_with(|| match (unique, order.reversed) {
            (true, _) => Ordering::Equal,
            (false, false) => a.cmp(b),
            (false, true) => b.cmp(a),
        })
    });
    if unique {
        lines.dedup_by(|b, a| by_keys(line(*a), line(*b)) == Ordering::Equal);
    }
    let Some(target) = target else {
        for index in lines {
            context.put(line(index))?;
            context.put(b"\n")?;
        }
        return Ok(0);
    };
    let (place, name) = place_of(context.system, target);
    let file = context.system.open(place, name, open::WRITE | open::CREATE | open::TRUNCATE)?;
    let (mut at, mut out) = (0, Vec::new());
    for (number, &index) in lines.iter().enumerate() {
        out.extend_from_slice(line(index));
        out.push(b'\n');
        if out.len() > 1024 || number + 1 == lines.len() {
            context.system.write_at(file, at, &out)?;
            at += out.len() as u32;
            out.clear();
        }
    }
    Ok(0)
}

fn set(order: &mut Order, letter: u8) -> bool {
    match letter {
        b'n' => order.numeric = true,
        b'r' => order.reversed = true,
        b'f' => order.folds = true,
        b'b' => order.skips_blanks = true,
        _ => return false,
    }
    true
}

/// Reads `FIELD[.BYTE][LETTERS][,FIELD[.BYTE][LETTERS]]`.
fn key(text: &[u8]) -> Option<Key> {
    let mut key = Key { from: (1, 1), to: None, order: Order::default(), own: false };
    let mut parts = text.splitn(2, |&byte| byte == b',');
    let mut read = |part: &[u8], otherwise: usize| {
        let digits = part.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        for &letter in &part[digits..] {
            key.own = true;
            if !set(&mut key.order, letter) {
                return None;
            }
        }
        let mut numbers = part[..digits].splitn(2, |&byte| byte == b'.').map(number::parse);
        let field = numbers.next()?? as usize;
        let byte = numbers.next().map_or(Some(otherwise), |byte| byte.map(|byte| byte as usize))?;
        (field > 0).then_some((field, byte))
    };
    let from = read(parts.next()?, 1)?;
    let to = match parts.next() {
        Some(part) => Some(read(part, 0)?),
        None => None,
    };
    (key.from, key.to) = (from, to);
    (from.1 > 0).then_some(key)
}

/// Where a field begins and ends. Without a separator the blanks ahead of a field belong to it.
fn field(line: &[u8], number: usize, separator: Option<u8>) -> (usize, usize) {
    let mut at = 0;
    for count in 1..=number {
        let start = at;
        let end = match separator {
            Some(byte) => line[at..].iter().position(|&other| other == byte).map_or(line.len(), |length| at + length),
            None => {
                let blanks = line[at..].iter().take_while(|byte| is_blank(byte)).count();
                let rest = &line[at + blanks..];
                at + blanks + rest.iter().position(is_blank).unwrap_or(rest.len())
            }
        };
        if count == number {
            return (start, end);
        }
        at = (end + separator.is_some() as usize).min(line.len());
        if end == line.len() {
            return (line.len(), line.len());
        }
    }
    (at, at)
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn part<'l>(line: &'l [u8], key: &Key, separator: Option<u8>) -> &'l [u8] {
    let place = |(number, byte): (usize, usize)| {
        let (start, end) = field(line, number, separator);
        let blanks = line[start..].iter().take_while(|byte| is_blank(byte)).count();
        let start = if key.order.skips_blanks { start + blanks } else { start };
        match byte {
            0 => end,
            _ => (start + byte - 1).min(line.len()),
        }
    };
    let start = place(key.from);
    let end = match key.to {
        None => line.len(),
        Some((number, 0)) => place((number, 0)),
        // The byte itself belongs to it.
        Some((number, byte)) => (place((number, byte)) + 1).min(line.len()),
    };
    &line[start.min(end.max(start))..end.max(start)]
}

fn compare(a: &[u8], b: &[u8], order: Order) -> Ordering {
    let (a, b) = match order.skips_blanks {
        true => (a.trim_ascii_start(), b.trim_ascii_start()),
        false => (a, b),
    };
    let result = if order.numeric {
        compare_numbers(a, b)
    } else if order.folds {
        a.to_ascii_uppercase().cmp(&b.to_ascii_uppercase())
    } else {
        a.cmp(b)
    };
    if order.reversed {
        result.reverse()
    } else {
        result
    }
}

/// Compares the numbers that texts begin with, of any length, with a point.
fn compare_numbers(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (Number::read(a), Number::read(b));
    let by_size = |a: &Number, b: &Number| {
        let lengths = a.whole.len().cmp(&b.whole.len());
        lengths.then_with(|| a.whole.cmp(b.whole)).then_with(|| a.fraction.cmp(b.fraction))
    };
    match (a.negative, b.negative) {
        (false, false) => by_size(&a, &b),
        (true, true) => by_size(&b, &a),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

struct Number<'t> {
    negative: bool,
    whole: &'t [u8],
    fraction: &'t [u8],
}

impl<'t> Number<'t> {
    fn read(text: &'t [u8]) -> Self {
        let text = text.trim_ascii_start();
        let negative = text.first() == Some(&b'-');
        let text = &text[negative as usize..];
        let digits = |text: &'t [u8]| &text[..text.iter().take_while(|byte| byte.is_ascii_digit()).count()];
        let all = digits(text);
        let rest = &text[all.len()..];
        let mut fraction = if rest.first() == Some(&b'.') { digits(&rest[1..]) } else { &[] };
        while fraction.last() == Some(&b'0') {
            fraction = &fraction[..fraction.len() - 1];
        }
        let zeros = all.iter().take_while(|&&byte| byte == b'0').count();
        let whole = &all[zeros..];
        let is_zero = whole.is_empty() && fraction.is_empty();
        Number { negative: negative && !is_zero, whole, fraction }
    }
}
