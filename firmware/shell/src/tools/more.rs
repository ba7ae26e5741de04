//! `more`.

use alloc::vec::Vec;

use super::context::{Context, Done, Stop};
use crate::number;

/// Lines of a page.
const PAGE_LINES: u64 = 22;
/// Bytes of a line of the terminal.
const WIDTH: usize = 80;

/// Prints a page, and waits for a line: an empty one for the next page, a number for so many lines,
/// `q` for the end. What does not go to the console is not held up.
pub(super) fn more(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut names, mut page) = (words, PAGE_LINES);
    if let Some(lines) = words.first().and_then(|word| word.strip_prefix(b"-")).filter(|rest| !rest.is_empty()) {
        page = number::parse(lines).filter(|&lines| lines > 0).ok_or(Stop::Usage)?;
        names = &words[1..];
    }
    let shows = context.system.shows();
    let (mut left, mut ended) = (page, false);
    context.each(names, |context, reader, _| {
        let mut whole = false;
        while let Some(line) = reader.line(context, &mut whole)? {
            if ended {
                break;
            }
            let rows = line.len().div_ceil(WIDTH).max(1) as u64;
            if shows && left < rows {
                match ask(context, page)? {
                    Some(lines) => left = lines.max(rows),
                    None => {
                        ended = true;
                        break;
                    }
                }
            }
            left = left.saturating_sub(rows);
            context.put(&line)?;
            context.put(b"\n")?;
        }
        Ok(())
    })?;
    Ok(0)
}

/// How many lines are wanted next; `None` for the end.
fn ask(context: &mut Context, page: u64) -> Result<Option<u64>, Stop> {
    context.put(b"--More-- ")?;
    context.flush()?;
    let (mut answer, mut buffer) = (Vec::new(), [0; 64]);
    loop {
        let count = context.system.typed(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        answer.extend_from_slice(&buffer[..count.min(64usize.saturating_sub(answer.len()))]);
        if buffer[..count].last() == Some(&b'\n') {
            break;
        }
    }
    context.put(b"\n")?;
    let answer = answer.trim_ascii();
    match answer {
        b"" => Ok(Some(page)),
        [b'q', ..] => Ok(None),
        _ => Ok(Some(number::parse(answer).filter(|&lines| lines > 0).unwrap_or(page))),
    }
}
