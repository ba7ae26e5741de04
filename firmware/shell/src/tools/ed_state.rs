//! What `ed` keeps between commands, and how a command ends.

use alloc::vec::Vec;

use super::context::{Context, Stop};
use super::ed_text::{Text, Wrong};
use crate::regex::Regex;

/// The editor.
pub(super) struct Editor<'c, 's> {
    pub(super) context: &'c mut Context<'s>,
    pub(super) text: Text,
    pub(super) name: Vec<u8>,
    pub(super) last_regex: Option<Regex>,
    pub(super) last_replacement: Vec<u8>,
    pub(super) silent: bool,
    pub(super) explains: bool,
    pub(super) prompt: Option<Vec<u8>>,
    pub(super) wrong: Option<Wrong>,
    /// `q` or `e` was refused, and is done if it comes again.
    pub(super) warned: bool,
    /// Lines that a `g` gives as input, instead of standard input.
    pub(super) given: Option<Vec<Vec<u8>>>,
    pub(super) in_global: bool,
    pub(super) page: usize,
}

/// How a command ends.
pub(super) enum End {
    Next,
    Quit,
}

pub(super) enum Fault {
    Wrong(Wrong),
    Stop(Stop),
}

impl From<Wrong> for Fault {
    fn from(wrong: Wrong) -> Self {
        Fault::Wrong(wrong)
    }
}
impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stop(stop)
    }
}

pub(super) type Act<T> = Result<T, Fault>;
