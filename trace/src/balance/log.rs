//! The balancer's log in a run's folder.

use std::io::Read;

use testbed_balance::log::parse::{parse, LogError};
use testbed_balance::log::REMARK;
use testbed_definitions::limits::FILE_BYTES;

use super::history::History;
use crate::capture::{Capture, CaptureError, BALANCE};

/// What a log tells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    pub history: History,
    /// Its remarks, without their sign: what the balancer has lost, and that the file is full.
    pub remarks: Vec<String>,
}

impl Log {
    /// Reads the text so far. A last line without its end is left out: it is being written.
    ///
    /// # Errors
    /// A line that a balancer does not write, named by line and column.
    pub fn of(text: &str) -> Result<Log, LogError> {
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let remarks = whole.lines().filter_map(|line| line.strip_prefix(REMARK));
        let remarks = remarks.map(|remark| remark.trim().into()).collect();
        Ok(Log { history: History::of(&parse(whole)?), remarks })
    }
}

/// The text of the log that a run has left, or of as much as has been taken out of the machine;
/// `None` if there is none.
///
/// # Errors
/// The file can't be read.
pub fn text(capture: &Capture) -> Result<Option<String>, CaptureError> {
    let path = capture.dir.join(BALANCE);
    let mut bytes = Vec::new();
    // A file of the machine's is never longer.
    let read = capture.files().open(&path).and_then(|file| file.take(FILE_BYTES as u64).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CaptureError::Io { doing: "read", path, source }),
    }
}
