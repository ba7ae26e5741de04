//! Why a machine description is refused.

use std::path::PathBuf;

/// Why there is no machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    #[error("cannot read the machine description {}: {source}\n  help: give a readable TOML file, or a machine by name", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error(
        "no machine is called `{name}`, and there is no such file\n  help: {meant}use one of {known}, or a TOML file"
    )]
    Unknown { name: String, meant: String, known: String },
    #[error(transparent)]
    Invalid(Box<Invalid>),
}

/// A fault in a description, with its place and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}:{line}:{column}: {key}: {message}\n  | {source_line}\n  help: {remedy}")]
pub struct Invalid {
    /// The file, or the name of a built-in description.
    pub origin: String,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The key at fault, such as `monitor.tick`; `toml` where the text is no TOML.
    pub key: String,
    pub message: String,
    pub remedy: String,
    pub source_line: String,
}

/// Line and column (both from 1) of byte `offset` in `text`, and that line.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize, &str) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |newline| offset + newline);
    (before.matches('\n').count() + 1, text[start..offset].chars().count() + 1, text[start..end].trim_end())
}
