//! `more`.

use alloc::vec::Vec;

use testbed_definitions::syscall::open;

use super::context::{Context, Done, Stop};
use crate::number;

/// Lines of a page, where nobody has said how many the terminal has.
const PAGE_LINES: u64 = 22;
/// What says it: a variable of the environment. Two lines are left for the question.
const LINES: &[u8] = b"LINES=";
const ASKING_LINES: u64 = 2;
/// Bytes of the environment that are looked at.
const ENVIRONMENT_BYTES: usize = 4096;
/// Bytes of a line of the terminal.
const WIDTH: usize = 80;

/// Prints a page, and waits for a line: an empty one for the next page, a number for so many lines,
/// `q` for the end. What does not go to the console is not held up.
pub(super) fn more(context: &mut Context, words: &[Vec<u8>]) -> Done {
    let (mut names, mut page) = (words, terminal_lines(context).unwrap_or(PAGE_LINES));
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

/// The lines of a page by the variable `LINES`, if it is exported.
fn terminal_lines(context: &mut Context) -> Option<u64> {
    let home = context.system.home();
    let file = context.system.open(home, b"environment", open::READ).ok()?;
    let mut text = alloc::vec![0; ENVIRONMENT_BYTES.min(file.bytes as usize)];
    let count = context.system.read_at(file, 0, &mut text).ok()?;
    let line = text[..count].split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(LINES))?;
    let lines = number::parse(line.trim_ascii()).filter(|&lines| lines > ASKING_LINES)?;
    Some(lines - ASKING_LINES)
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
