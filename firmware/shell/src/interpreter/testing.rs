//! `test` and `[`.

use alloc::vec::Vec;

use testbed_definitions::file;

use super::shell::Shell;
use crate::number;

/// `!` and `(` in one another, at most.
const DEPTH_MAX: usize = 16;

struct Words<'w> {
    rest: &'w [Vec<u8>],
    depth: usize,
}

type Held = Result<bool, &'static str>;

/// `test EXPRESSION`.
pub(super) fn test(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    match holds(shell, words) {
        Ok(held) => !held as u32,
        Err(what) => {
            shell.fail(&[b"test"], what);
            2
        }
    }
}

/// `[ EXPRESSION ]`.
pub(super) fn bracket(shell: &mut Shell, words: &[Vec<u8>]) -> u32 {
    match words.split_last() {
        Some((last, words)) if last[..] == *b"]" => test(shell, words),
        _ => {
            shell.fail(&[b"["], "`]` is missing");
            2
        }
    }
}

fn holds(shell: &mut Shell, words: &[Vec<u8>]) -> Held {
    // With so few words they mean what POSIX says, whatever they are.
    match words {
        [] => return Ok(false),
        [word] => return Ok(!word.is_empty()),
        [not, word] if not[..] == *b"!" => return Ok(word.is_empty()),
        [left, operator, right] if is_binary(operator) => return compare(left, operator, right),
        [not, rest @ ..] if not[..] == *b"!" && rest.len() <= 3 => return holds(shell, rest).map(|held| !held),
        [open, word, close] if open[..] == *b"(" && close[..] == *b")" => return Ok(!word.is_empty()),
        _ => {}
    }
    let mut words = Words { rest: words, depth: 0 };
    let held = any(shell, &mut words)?;
    match words.rest.first() {
        None => Ok(held),
        Some(_) => Err("unexpected operator"),
    }
}

fn takes(words: &mut Words, word: &[u8]) -> bool {
    let found = words.rest.first().is_some_and(|first| first[..] == *word);
    words.rest = &words.rest[found as usize..];
    found
}

fn any(shell: &mut Shell, words: &mut Words) -> Held {
    let mut held = all(shell, words)?;
    while takes(words, b"-o") {
        held |= all(shell, words)?;
    }
    Ok(held)
}

fn all(shell: &mut Shell, words: &mut Words) -> Held {
    let mut held = one(shell, words)?;
    while takes(words, b"-a") {
        held &= one(shell, words)?;
    }
    Ok(held)
}

fn one(shell: &mut Shell, words: &mut Words) -> Held {
    words.depth += 1;
    if words.depth > DEPTH_MAX {
        return Err("more than 16 `!` and `(` in one another");
    }
    let held = one_inside(shell, words);
    words.depth -= 1;
    held
}

fn one_inside(shell: &mut Shell, words: &mut Words) -> Held {
    if let [left, operator, right, rest @ ..] = words.rest {
        if is_binary(operator) {
            words.rest = rest;
            return compare(left, operator, right);
        }
    }
    if takes(words, b"!") {
        return one(shell, words).map(|held| !held);
    }
    if takes(words, b"(") {
        let held = any(shell, words)?;
        return takes(words, b")").then_some(held).ok_or("`)` is missing");
    }
    let Some((first, rest)) = words.rest.split_first() else { return Err("an argument is missing") };
    if let (
        [b'-', letter @ (b'n' | b'z' | b'e' | b'f' | b's' | b'r' | b'w' | b'x' | b'd' | b't')],
        Some((word, rest)),
    ) = (&first[..], rest.split_first())
    {
        words.rest = rest;
        return Ok(is_so(shell, *letter, word));
    }
    words.rest = rest;
    Ok(!first.is_empty())
}

fn is_so(shell: &mut Shell, letter: u8, word: &[u8]) -> bool {
    match letter {
        b'n' => return !word.is_empty(),
        b'z' => return word.is_empty(),
        b't' => return word == b"1" && shell.machine.shows(),
        _ => {}
    }
    let (place, name) = shell.place_of(word);
    let listed = shell.machine.list(place).unwrap_or_default();
    let Some(entry) = listed.iter().find(|entry| entry.name == name) else { return false };
    let may = |permission: u32| entry.permissions & permission != 0;
    match letter {
        b'e' | b'f' => true,
        b's' => entry.bytes > 0,
        b'r' => may(file::READ),
        b'w' => may(file::WRITE),
        b'x' => may(file::EXECUTE),
        _ => false,
    }
}

fn is_binary(operator: &[u8]) -> bool {
    matches!(operator, b"=" | b"!=" | b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" | b"<" | b">")
}

fn compare(left: &[u8], operator: &[u8], right: &[u8]) -> Held {
    match operator {
        b"=" => return Ok(left == right),
        b"!=" => return Ok(left != right),
        b"<" => return Ok(left < right),
        b">" => return Ok(left > right),
        _ => {}
    }
    let number = |word| number::signed(word).ok_or("this is no number");
    let (left, right) = (number(left)?, number(right)?);
    Ok(match operator {
        b"-eq" => left == right,
        b"-ne" => left != right,
        b"-lt" => left < right,
        b"-le" => left <= right,
        b"-gt" => left > right,
        _ => left >= right,
    })
}
