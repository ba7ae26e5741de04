//! Files as text: whole, their beginnings and ends, and how much there is.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use testbed_definitions::syscall::open;

use super::context::{place_of, Context, Done, Options, Reader, Stop};
use crate::number;

/// Bytes that `tail` keeps, at most.
const KEPT_BYTES: usize = 96 * 1024;

pub(super) fn cat(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut numbers) = (Options::new(words), false);
    while let Some(letter) = options.next() {
        match letter {
            b'n' => numbers = true,
            b'u' => {}
            _ => return Err(Stop::Usage),
        }
    }
    let mut count = 0;
    context.each(options.words(), |context, reader, _| {
        if !numbers {
            while let Some(piece) = reader.piece(context)? {
                context.put(&piece)?;
            }
            return Ok(());
        }
        let mut whole = false;
        while let Some(line) = reader.line(context, &mut whole)? {
            count += 1;
            context.put_number(count, 6)?;
            context.put(b"\t")?;
            context.put(&line)?;
            context.put(if whole { b"\n" } else { b"" })?;
        }
        Ok(())
    })?;
    Ok(0)
}

/// How much of a file is wanted.
struct Amount {
    bytes: bool,
    count: u64,
    from_start: bool,
}

fn amount(words: &[Vec<u8>]) -> Result<(Amount, &[Vec<u8>]), Stop> {
    let mut amount = Amount { bytes: false, count: 10, from_start: false };
    if let Some((first, rest)) = words.split_first() {
        if first.len() > 1 && first[0] == b'-' && first[1..].iter().all(u8::is_ascii_digit) {
            amount.count = number::parse(&first[1..]).ok_or(Stop::Usage)?;
            return Ok((amount, rest));
        }
    }
    let mut options = Options::new(words);
    while let Some(letter) = options.next() {
        amount.bytes = match letter {
            b'n' => false,
            b'c' => true,
            _ => return Err(Stop::Usage),
        };
        let value = options.value()?;
        amount.from_start = value.first() == Some(&b'+');
        let digits = value.strip_prefix(b"+").or_else(|| value.strip_prefix(b"-")).unwrap_or(value);
        amount.count = number::parse(digits).ok_or(Stop::Usage)?;
    }
    Ok((amount, options.words()))
}

/// Prints the name of one of several files.
fn title(context: &mut Context, name: &[u8], count: usize, first: &mut bool) -> Result<(), Stop> {
    if count > 1 {
        context.put(if *first { b"==> " } else { b"\n==> " })?;
        context.put(if name == b"-" { b"standard input" } else { name })?;
        context.put(b" <==\n")?;
    }
    *first = false;
    Ok(())
}

pub(super) fn head(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (amount, names) = amount(words)?;
    let mut first = true;
    context.each(names, |context, reader, name| {
        title(context, name, names.len(), &mut first)?;
        beginning(context, reader, &amount)
    })?;
    Ok(0)
}

fn beginning(context: &mut Context, reader: &mut Reader, amount: &Amount) -> Result<(), Stop> {
    let mut left = amount.count;
    while left > 0 {
        let piece = reader.peek(context)?;
        if piece.is_empty() {
            break;
        }
        let mut taken = 0;
        for &byte in piece {
            if left == 0 {
                break;
            }
            taken += 1;
            left -= (amount.bytes || byte == b'\n') as u64;
        }
        let piece = piece[..taken].to_vec();
        reader.take(taken);
        context.put(&piece)?;
    }
    Ok(())
}

pub(super) fn tail(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (amount, names) = amount(words)?;
    let mut first = true;
    context.each(names, |context, reader, name| {
        title(context, name, names.len(), &mut first)?;
        if amount.from_start {
            return behind(context, reader, &amount);
        }
        end(context, reader, &amount)
    })?;
    Ok(0)
}

/// Prints what is behind the first lines or bytes.
fn behind(context: &mut Context, reader: &mut Reader, amount: &Amount) -> Result<(), Stop> {
    let mut left = amount.count.saturating_sub(1);
    while let Some(piece) = reader.piece(context)? {
        let mut from = 0;
        while left > 0 && from < piece.len() {
            left -= (amount.bytes || piece[from] == b'\n') as u64;
            from += 1;
        }
        context.put(&piece[from..])?;
    }
    Ok(())
}

/// Prints the last lines or bytes.
fn end(context: &mut Context, reader: &mut Reader, amount: &Amount) -> Result<(), Stop> {
    let mut kept: VecDeque<u8> = VecDeque::new();
    let mut lines = 0;
    while let Some(piece) = reader.piece(context)? {
        for byte in piece {
            kept.push_back(byte);
            lines += (byte == b'\n') as u64;
            let too_many = |kept: &VecDeque<u8>, lines: u64| match amount.bytes {
                true => kept.len() as u64 > amount.count,
                // A last line without newline counts too, so one more line is kept until the end.
                false => lines > amount.count + 1,
            };
            while too_many(&kept, lines) {
                lines -= (kept.pop_front() == Some(b'\n')) as u64;
            }
            if kept.len() > KEPT_BYTES {
                return context.stop(b"", "the end has more than 96 KiB", 1);
            }
        }
    }
    if !amount.bytes {
        let mut have = lines + kept.back().is_some_and(|&byte| byte != b'\n') as u64;
        while have > amount.count {
            match kept.pop_front() {
                Some(b'\n') => have -= 1,
                Some(_) => {}
                None => break,
            }
        }
    }
    let (one, other) = kept.as_slices();
    context.put(one)?;
    context.put(other)
}

pub(super) fn wc(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut shown) = (Options::new(words), [false; 3]);
    while let Some(letter) = options.next() {
        match letter {
            b'l' => shown[0] = true,
            b'w' => shown[1] = true,
            b'c' | b'm' => shown[2] = true,
            _ => return Err(Stop::Usage),
        }
    }
    if shown == [false; 3] {
        shown = [true; 3];
    }
    let names = options.words();
    let mut all: Vec<([u64; 3], Vec<u8>)> = Vec::new();
    context.each(names, |context, reader, name| {
        let (mut counts, mut in_word) = ([0; 3], false);
        while let Some(piece) = reader.piece(context)? {
            counts[2] += piece.len() as u64;
            for byte in piece {
                counts[0] += (byte == b'\n') as u64;
                let blank = matches!(byte, b' ' | 9..=13);
                counts[1] += (!blank && !in_word) as u64;
                in_word = !blank;
            }
        }
        all.push((counts, if names.is_empty() { Vec::new() } else { name.to_vec() }));
        Ok(())
    })?;
    if names.len() > 1 {
        let total = all.iter().fold([0; 3], |sum, (counts, _)| [0, 1, 2].map(|index| sum[index] + counts[index]));
        all.push((total, b"total".to_vec()));
    }
    // As wide as the greatest number of bytes needs, as coreutils has it.
    let is_alone = shown.iter().filter(|shown| **shown).count() == 1 && all.len() == 1;
    let greatest = all.iter().map(|(counts, _)| counts[2]).max().unwrap_or(0);
    let mut digits = Vec::new();
    number::digits(&mut digits, greatest, 10);
    let width = match (is_alone, names.is_empty()) {
        (true, _) => 1,
        (false, true) => 7,
        (false, false) => digits.len(),
    };
    for (counts, name) in all {
        let mut separator: &[u8] = b"";
        for (count, _) in counts.into_iter().zip(shown).filter(|(_, shown)| *shown) {
            context.put(separator)?;
            context.put_number(count, width)?;
            separator = b" ";
        }
        if !name.is_empty() {
            context.put(b" ")?;
            context.put(&name)?;
        }
        context.put(b"\n")?;
    }
    Ok(0)
}

pub(super) fn tee(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut appends) = (Options::new(words), false);
    while let Some(letter) = options.next() {
        match letter {
            b'a' => appends = true,
            _ => return Err(Stop::Usage),
        }
    }
    let mut files = Vec::new();
    for name in options.words() {
        let (place, name) = place_of(context.system, name);
        let how = open::WRITE | open::CREATE | if appends { 0 } else { open::TRUNCATE };
        match context.system.open(place, name, how) {
            Ok(file) => files.push((file, file.bytes)),
            Err(error) => context.complain(name, error.meaning()),
        }
    }
    context.each(&[], |context, reader, _| {
        while let Some(piece) = reader.piece(context)? {
            context.put(&piece)?;
            for (file, at) in &mut files {
                context.system.write_at(*file, *at, &piece)?;
                *at += piece.len() as u32;
            }
        }
        Ok(())
    })?;
    Ok(0)
}

pub(super) fn seq(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let numbers: Option<Vec<i64>> = words.iter().map(|word| number::signed(word)).collect();
    let (first, step, last) = match numbers.ok_or(Stop::Usage)?[..] {
        [last] => (1, 1, last),
        [first, last] => (first, 1, last),
        [first, step, last] if step != 0 => (first, step, last),
        _ => return Err(Stop::Usage),
    };
    let mut now = first;
    while if step > 0 { now <= last } else { now >= last } {
        let mut text = Vec::new();
        number::decimal(&mut text, now);
        text.push(b'\n');
        context.put(&text)?;
        let Some(next) = now.checked_add(step) else { break };
        now = next;
    }
    Ok(0)
}
