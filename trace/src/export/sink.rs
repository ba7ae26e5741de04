//! What every format is to the export.

use std::io::{self, Seek, Write};

use super::{Pass, State, Step};
use crate::order::{Event, OrderError};

/// Bytes written at a time.
pub(super) const BUFFER: usize = 1 << 16;

/// A file, or memory, in which places before the end can be written to.
pub trait WriteSeek: Write + Seek + Send {}
impl<T: Write + Seek + Send> WriteSeek for T {}

/// Why an export stops early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The trace can't be read further.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The output can't be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format has no way to say it; the text says what and what helps.
    #[error("{0}")]
    Format(String),
}

/// An export under way.
pub(super) trait Sink {
    /// Takes the next event of the trace. `pass`: how far the filter lets it.
    fn event(&mut self, event: &Event, step: &Step, state: &State, pass: Pass) -> Result<(), ExportError>;
    /// Writes what is still due.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}
