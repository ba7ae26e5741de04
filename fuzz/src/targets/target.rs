//! What a target is, and what several of them hold.

use std::path::Path;

use tempfile::TempDir;

/// A parser of foreign bytes.
pub struct Target {
    pub name: &'static str,
    /// What is parsed.
    pub what: &'static str,
    /// Words that the parser knows, which mutations put in.
    pub words: &'static [&'static str],
    /// Valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Whether what must hold does; it says what does not.
    pub check: fn(&[u8]) -> Result<(), String>,
}

/// `Err` with `what` unless it holds.
pub(super) fn hold(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    match holds {
        true => Ok(()),
        false => Err(what()),
    }
}

/// Bytes of a message, at most.
const MESSAGE_BYTES: usize = 4096;

/// A refusal has a remedy, does nothing to a terminal and is not as long as the input.
pub(super) fn sober(error: &str) -> Result<(), String> {
    hold(error.contains("\n  help: "), || format!("no remedy: {error:?}"))?;
    hold(error.len() <= MESSAGE_BYTES, || format!("a message of {} bytes", error.len()))?;
    let harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    hold(error.chars().all(harmless), || format!("control characters in {error:?}"))
}

/// A refusal names its place: `start`, then a line that a text of so many lines has.
pub(super) fn placed(error: &str, start: &str, lines: usize) -> Result<(), String> {
    let rest = error.strip_prefix(start).and_then(|rest| rest.split_once(':'));
    let line = rest.and_then(|(line, _)| line.parse::<usize>().ok());
    // Line 0 is where a text ends that is empty.
    let is_there = line.is_some_and(|line| line <= lines.max(1) + 1);
    hold(is_there, || format!("no place behind {start:?} in a text of {lines} lines: {error:?}"))
}

/// A folder in memory, if the system has one.
pub(super) fn scratch() -> TempDir {
    let shared = Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    made.expect("a folder can be made")
}
