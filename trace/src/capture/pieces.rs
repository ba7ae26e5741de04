//! A stream put together from what is proven of it, in whichever copy.

use std::collections::VecDeque;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;

use super::error::{CaptureError, Context};
use super::files::{Files, Source};
use super::{Capture, Words};
use crate::order::{Hole, Next, Pairs};

/// One of the files that hold a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// The stream's own file.
    Stream,
    /// The MMI's words, among which the stream's are.
    Mmi,
}

/// Pairs that follow each other in one copy of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub copy: Copy,
    /// Byte of the file at which to begin.
    pub offset: u64,
    /// Pairs of this stream to pass over there.
    pub skip: u64,
    /// Number in the stream of the first pair behind them.
    pub index: u64,
    /// Pairs; the last piece may say `u64::MAX` for all that follow.
    pub pairs: u64,
    /// Pairs that may be missing before it, at most; `None` if nobody knows.
    pub missing: Option<u64>,
    /// Whether the pairs are proven: that they are as they were delivered, and that none is missing among them.
    pub guarded: bool,
}

/// Reads a stream piece by piece.
pub struct Pieces {
    smi: u8,
    files: Files,
    paths: [PathBuf; 2],
    pieces: VecDeque<Piece>,
    reader: Option<Reader>,
    /// Pairs of the first piece that have not been consumed.
    left: u64,
    /// What must be told before the first piece's pairs.
    hole: bool,
    unguarded: bool,
}

enum Reader {
    Stream(Words<Source>),
    Mmi(Filter),
}

impl Pieces {
    /// Stream `smi` of `capture`, of which `pieces` are proven.
    pub fn new(capture: &Capture, smi: usize, pieces: &[Piece]) -> Self {
        let paths = [capture.stream_path(smi), capture.mmi_path()];
        let mut pieces = Pieces {
            smi: smi as u8,
            files: capture.files.clone(),
            paths,
            pieces: pieces.to_vec().into(),
            reader: None,
            left: 0,
            hole: false,
            unguarded: false,
        };
        pieces.begin();
        pieces
    }

    /// Sets what is told of the first piece.
    fn begin(&mut self) {
        self.reader = None;
        if let Some(piece) = self.pieces.front() {
            self.left = piece.pairs;
            self.hole = piece.missing != Some(0);
            self.unguarded = !piece.guarded;
        }
    }

    fn open(&self, piece: &Piece) -> Result<Reader, CaptureError> {
        let path = match piece.copy {
            Copy::Stream => &self.paths[0],
            Copy::Mmi => &self.paths[1],
        };
        let mut file = self.files.open(path).at("open", path)?;
        let skipped = if piece.copy == Copy::Stream { 4 * piece.skip } else { 0 };
        file.seek(SeekFrom::Start(piece.offset + skipped)).at("read", path)?;
        let words = Words::new(file, path, piece.offset + skipped);
        Ok(match piece.copy {
            Copy::Stream => Reader::Stream(words),
            Copy::Mmi => Reader::Mmi(Filter::new(words, self.smi, piece.skip)),
        })
    }
}

impl Pairs for Pieces {
    fn peek(&mut self, limit: usize) -> Result<Next<'_>, CaptureError> {
        while self.left == 0 && self.pieces.pop_front().is_some() {
            self.begin();
        }
        let Some(piece) = self.pieces.front() else { return Ok(Next::End) };
        if self.hole {
            return Ok(Next::Hole(Hole { index: piece.index, at_most: piece.missing }));
        }
        if self.unguarded {
            return Ok(Next::Unguarded);
        }
        if self.reader.is_none() {
            self.reader = Some(self.open(piece)?);
        }
        let words = match self.reader.as_mut() {
            Some(Reader::Stream(words)) => words.peek()?,
            Some(Reader::Mmi(filter)) => filter.peek()?,
            None => &[],
        };
        let count = (words.len().min(limit) as u64).min(self.left) as usize;
        // A file that has become shorter since it was verified ends here.
        Ok(if count == 0 { Next::End } else { Next::Pairs(&words[..count]) })
    }

    fn consume(&mut self, count: usize) {
        if std::mem::take(&mut self.hole) || std::mem::take(&mut self.unguarded) {
            return;
        }
        self.left = self.left.saturating_sub(count as u64);
        match &mut self.reader {
            Some(Reader::Stream(words)) => words.consume(count),
            Some(Reader::Mmi(filter)) => filter.taken += count,
            None => {}
        }
    }
}

/// The pairs of one SMI among the MMI's words.
struct Filter {
    words: Words<Source>,
    smi: u32,
    /// Pairs still to be passed over.
    skip: u64,
    /// A time-stamp whose datum is in the next block.
    stamp: Option<u32>,
    pairs: Vec<u32>,
    taken: usize,
}

impl Filter {
    fn new(words: Words<Source>, smi: u8, skip: u64) -> Self {
        Filter { words, smi: smi.into(), skip, stamp: None, pairs: Vec::new(), taken: 0 }
    }

    fn peek(&mut self) -> Result<&[u32], CaptureError> {
        while self.taken == self.pairs.len() {
            self.pairs.clear();
            self.taken = 0;
            let words = self.words.peek()?;
            if words.is_empty() {
                break;
            }
            for &word in words {
                // Two words of one SMI are a pair; a time-stamp without a datum of its SMI is passed over.
                match self.stamp {
                    Some(stamp) if stamp >> 16 == word >> 16 => {
                        if stamp >> 16 == self.smi {
                            self.pairs.push(word << 16 | stamp & 0xffff);
                        }
                        self.stamp = None;
                    }
                    _ => self.stamp = Some(word),
                }
            }
            let count = words.len();
            self.words.consume(count);
            let skipped = self.skip.min(self.pairs.len() as u64);
            self.skip -= skipped;
            self.taken = skipped as usize;
        }
        Ok(&self.pairs[self.taken..])
    }
}
