//! Files beside each other, and lines beside each other.

use alloc::vec::Vec;

use super::context::{Context, Done, Options, Stop};
use crate::number;

pub(super) fn cmp(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut silent) = (Options::new(words), false);
    while let Some(letter) = options.next() {
        match letter {
            b's' => silent = true,
            _ => return Err(Stop::Usage),
        }
    }
    let [one, other] = options.words() else { return Err(Stop::Usage) };
    let (Some(mut left), Some(mut right)) = (context.open(one), context.open(other)) else { return Ok(2) };
    let (mut at, mut line) = (0u64, 1u64);
    loop {
        let a = left.peek(context)?.to_vec();
        let b = right.peek(context)?.to_vec();
        let common = a.len().min(b.len());
        let equal = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        line += a[..equal].iter().filter(|&&byte| byte == b'\n').count() as u64;
        at += equal as u64;
        if equal < common {
            if !silent {
                let mut text = [&one[..], b" ", other, b" differ: char "].concat();
                number::digits(&mut text, at + 1, 10);
                text.extend_from_slice(b", line ");
                number::digits(&mut text, line, 10);
                text.push(b'\n');
                context.put(&text)?;
            }
            return Ok(1);
        }
        match (a.is_empty(), b.is_empty()) {
            (true, true) => return Ok(0),
            (false, false) => {}
            (is_one, _) => {
                if !silent {
                    let name = if is_one { one } else { other };
                    context.complain(name, "ends first");
                }
                return Ok(1);
            }
        }
        left.take(common);
        right.take(common);
    }
}

pub(super) fn uniq(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut options, mut counts, mut repeated, mut single) = (Options::new(words), false, false, false);
    while let Some(letter) = options.next() {
        match letter {
            b'c' => counts = true,
            b'd' => repeated = true,
            b'u' => single = true,
            _ => return Err(Stop::Usage),
        }
    }
    if options.words().len() > 1 {
        return Err(Stop::Usage);
    }
    let show = |context: &mut Context, line: &[u8], count: u64| {
        if repeated && count == 1 || single && count > 1 {
            return Ok(());
        }
        if counts {
            context.put_number(count, 7)?;
            context.put(b" ")?;
        }
        context.put(line)?;
        context.put(b"\n")
    };
    let (mut before, mut count, mut whole): (Option<Vec<u8>>, u64, bool) = (None, 0, false);
    context.each(options.words(), |context, reader, _| {
        while let Some(line) = reader.line(context, &mut whole)? {
            if before.as_ref() == Some(&line) {
                count += 1;
                continue;
            }
            if let Some(before) = before.replace(line) {
                show(context, &before, count)?;
            }
            count = 1;
        }
        Ok(())
    })?;
    if let Some(before) = before {
        show(context, &before, count)?;
    }
    Ok(0)
}
