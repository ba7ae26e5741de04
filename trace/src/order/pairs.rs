//! Where the pairs of a stream come from.

use std::io::Read;

use testbed_events::Hole;

use crate::capture::{CaptureError, Words};

/// What comes next in a stream.
#[derive(Debug)]
pub enum Next<'a> {
    /// Packed pairs ([`testbed_definitions::monitor::Pair`]), at least one; nothing is missing before or among them.
    Pairs(&'a [u32]),
    /// Pairs may be missing.
    Hole(Hole),
    /// From here on words may be missing or altered anywhere.
    Unguarded,
    End,
}

/// Pairs of one SMI in the order in which it queued them.
pub trait Pairs {
    /// What comes next, at most `limit` pairs (at least 1) of it; the same again until consumed.
    ///
    /// # Errors
    /// The source can't be read.
    fn peek(&mut self, limit: usize) -> Result<Next<'_>, CaptureError>;

    /// Passes `count` pairs that [`Pairs::peek`] showed, or the announcement.
    fn consume(&mut self, count: usize);
}

/// A stream file, or what reads like one, in which no place is known to be damaged.
impl<R: Read> Pairs for Words<R> {
    fn peek(&mut self, limit: usize) -> Result<Next<'_>, CaptureError> {
        let words = Words::peek(self)?;
        Ok(match words.len() {
            0 => Next::End,
            count => Next::Pairs(&words[..count.min(limit)]),
        })
    }

    fn consume(&mut self, count: usize) {
        Words::consume(self, count);
    }
}
