//! What a run has printed since a page last asked.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use testbed_machine::input::regular;
use testbed_trace::capture::{Printed, CONSOLE, CONSOLE_LOG};

/// Bytes of the file that are read at a time, at most.
const READ: usize = 1 << 20;

/// Bytes that were printed, each behind its processor's number, and where the next ones begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct News {
    pub pairs: Vec<u8>,
    pub next: u64,
    /// Whether more is there at once.
    pub more: bool,
}

/// What stands in the folder behind place `from`: in `console.log` or, where a run leaves none, as
/// that of a board, in `console.txt`. Only whole lines are taken.
pub fn since(dir: &Path, processors: &[String], from: u64) -> News {
    let (log, lines) = (dir.join(CONSOLE_LOG), dir.join(CONSOLE));
    // It may not be there yet.
    let read = |path: &Path| read(path, from).unwrap_or_default();
    match log.exists() {
        true => news(&read(&log), from, |line, pairs| piece(line, processors.len(), pairs)),
        false => news(&read(&lines), from, |line, pairs| named(line, processors, pairs)),
    }
}

fn read(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = regular(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(READ as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn news(bytes: &[u8], from: u64, mut take: impl FnMut(&[u8], &mut Vec<u8>)) -> News {
    let is_full = bytes.len() == READ;
    let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        // A line without end is passed over, so that there is an end to it.
        None if is_full => READ,
        None => 0,
    };
    let mut pairs = Vec::new();
    bytes[..whole].split_inclusive(|byte| *byte == b'\n').for_each(|line| take(line, &mut pairs));
    News { pairs, next: from + whole as u64, more: is_full }
}

/// A line of `console.log`; one that is none is left out.
fn piece(line: &[u8], processors: usize, pairs: &mut Vec<u8>) {
    let line = std::str::from_utf8(line).ok().and_then(|line| line.strip_suffix('\n'));
    let Some(piece) = line.and_then(Printed::parse) else { return };
    if usize::from(piece.processor) < processors {
        pairs.extend(piece.bytes.iter().flat_map(|byte| [piece.processor, *byte]));
    }
}

/// A line of `console.txt`, which begins with the processor's name.
fn named(line: &[u8], processors: &[String], pairs: &mut Vec<u8>) {
    let found = processors.iter().enumerate().find_map(|(number, name)| {
        let rest = line.strip_prefix(name.as_bytes())?.strip_prefix(b":")?;
        Some((number as u8, rest.strip_prefix(b" ").unwrap_or(rest)))
    });
    let (processor, rest) = found.unwrap_or((0, line));
    pairs.extend(rest.iter().flat_map(|byte| [processor, *byte]));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names() -> Vec<String> {
        ["master", "earth"].map(String::from).to_vec()
    }

    fn pairs(processor: u8, text: &str) -> Vec<u8> {
        text.bytes().flat_map(|byte| [processor, byte]).collect()
    }

    #[test]
    fn a_log_is_read_by_whole_lines_from_where_one_was() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(since(dir.path(), &names(), 0), News::default());
        let log = dir.path().join(CONSOLE_LOG);
        fs::write(&log, "10 1 hi\\n\n20 0 \\x1b[K\n30 1 no").unwrap();
        let first = since(dir.path(), &names(), 0);
        assert_eq!(first.pairs, [pairs(1, "hi\n"), pairs(0, "\x1b[K")].concat());
        assert!(since(dir.path(), &names(), first.next).pairs.is_empty());
        fs::write(&log, "10 1 hi\\n\n20 0 \\x1b[K\n30 1 now\n40 7 none\nnonsense\n50 1 .\n").unwrap();
        let second = since(dir.path(), &names(), first.next);
        assert_eq!(second.pairs, pairs(1, "now."), "what is no line of a log is left out");
        // A place that is not in the file, as of a run before.
        assert_eq!(since(dir.path(), &names(), 1 << 40), News { next: 1 << 40, ..News::default() });
    }

    #[test]
    fn without_a_log_the_lines_are_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(CONSOLE), "earth: one\nmaster:\nearthen: two\n").unwrap();
        let all = since(dir.path(), &names(), 0);
        assert_eq!(all.pairs, [pairs(1, "one\n"), pairs(0, "\n"), pairs(0, "earthen: two\n")].concat());
    }

    #[test]
    fn a_line_without_end_has_an_end() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(CONSOLE_LOG), "x".repeat(READ) + "\n10 1 a\n").unwrap();
        let first = since(dir.path(), &names(), 0);
        assert_eq!((first.pairs.len(), first.next, first.more), (0, READ as u64, true));
        assert_eq!(since(dir.path(), &names(), first.next).pairs, pairs(1, "a"));
    }
}
