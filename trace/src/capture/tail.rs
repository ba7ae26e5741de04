//! Reads both copies of a capture while it is written.
//!
//! A pair counts when both copies hold it and agree: what is read is a prefix of what the finished
//! folder proves. Pairs come in the order of delivery.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use testbed_machine::input::regular;

use super::error::{CaptureError, Context};
use super::files::Source;
use super::holes::Holes;
use super::integrity::shown;
use super::{Capture, Damage, RunRecord, Words, LOCK, METADATA};
use crate::order::Hole;

/// Pairs of one stream handed over at a time.
const CHUNK: usize = 256;

/// Whether a run still writes to a folder.
#[derive(Clone, Debug, PartialEq)]
pub enum Writing {
    /// It does.
    Going,
    /// It came to its end; what its record says.
    Complete(Box<RunRecord>),
    /// It was ended before.
    Killed,
}

impl Writing {
    /// Looks at `run.json` and at the lock of a folder. What the files hold *after* this call is
    /// all, unless it says [`Writing::Going`].
    ///
    /// # Errors
    /// `run.json` can't be read any more.
    pub fn of(capture: &Capture) -> Result<Self, CaptureError> {
        let path = capture.dir.join(LOCK);
        let is_free = match regular(&path) {
            // A shared lock, so that others may look at the same time; it goes when the file is closed, at once.
            Ok(file) => match file.try_lock_shared() {
                Ok(()) => true,
                Err(TryLockError::WouldBlock) => false,
                Err(TryLockError::Error(source)) => return Err(source).at("look at the lock of", &path),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
            Err(error) => return Err(error).at("open", &path),
        };
        let record = RunRecord::read(&capture.dir)?;
        Ok(match (record.complete, is_free) {
            (true, _) => Writing::Complete(Box::new(record)),
            (false, true) => Writing::Killed,
            (false, false) => Writing::Going,
        })
    }
}

/// Tells whether a folder still holds the run that it held.
pub struct Holder {
    path: PathBuf,
    /// Held open, so that no other file gets its number.
    file: File,
}

impl Holder {
    /// Remembers the run that the folder holds now.
    ///
    /// # Errors
    /// It has no trace.
    pub fn of(capture: &Capture) -> Result<Self, CaptureError> {
        let path = capture.trace_path().join(METADATA);
        Ok(Holder { file: regular(&path).at("open", &path)?, path })
    }

    /// Whether a later run has begun to write there: it clears the trace first.
    pub fn is_replaced(&self) -> bool {
        let numbers = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let (now, then) = (fs::metadata(&self.path).map(numbers), self.file.metadata().map(numbers));
        !matches!((now, then), (Ok(now), Ok(then)) if now == then)
    }
}

/// What a [`Tail`] hands over. Streams count from 0, which is SMI 1.
#[derive(Debug)]
pub enum Part<'a> {
    /// Packed pairs with which a stream goes on.
    Pairs(usize, &'a [u32]),
    /// Pairs were lost on a link before the next one of the stream.
    Hole(usize, Hole),
    /// The copies differ: nobody knows which of a stream's pairs are as they were from here on.
    Doubt(usize),
}

/// One stream, as far as it has been read.
struct Stream {
    path: PathBuf,
    /// `None`: the copies differ, and what follows is taken from `mmi.raw` alone.
    words: Option<Words<Source>>,
    pairs: Vec<u32>,
    count: u64,
    /// Holes of the link that have been told.
    holes: usize,
}

/// Where a capture has been read to.
pub struct Tail {
    mmi: Words<Source>,
    mmi_path: PathBuf,
    /// A time-stamp whose datum has not come yet.
    stamp: Option<u32>,
    streams: Vec<Stream>,
    capture: Capture,
    holes: Holes,
    damage: Vec<Damage>,
    /// `mmi.raw` is out of step: nothing more can be read.
    broken: bool,
}

impl Tail {
    /// Begins at the start.
    ///
    /// # Errors
    /// A file can't be opened.
    pub fn new(capture: &Capture) -> Result<Self, CaptureError> {
        let mmi_path = capture.mmi_path();
        let mmi = Words::new(capture.files.open(&mmi_path).at("open", &mmi_path)?, &mmi_path, 0);
        let stream = |smi| {
            let words = Some(capture.words(smi)?);
            Ok(Stream { path: capture.stream_path(smi), words, pairs: Vec::with_capacity(CHUNK), count: 0, holes: 0 })
        };
        let streams = capture.smis().map(stream).collect::<Result<_, CaptureError>>()?;
        let (capture, holes) = (capture.clone(), Holes::of(capture)?);
        Ok(Tail { mmi, mmi_path, stamp: None, streams, capture, holes, damage: Vec::new(), broken: false })
    }

    /// Where the copies differ.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Pairs that were lost on a link, as far as the folder says.
    pub fn lost(&self) -> u64 {
        self.holes.lost()
    }

    /// Pairs of each SMI that have been read, from SMI 1 on.
    pub fn counts(&self) -> Vec<u64> {
        self.streams.iter().map(|stream| stream.count).collect()
    }

    /// Reads on, about `limit` pairs at most, and hands them over in the order of each stream.
    /// Returns how many: fewer than `limit` if that is all there is now.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn read(&mut self, limit: usize, mut give: impl FnMut(Part)) -> Result<usize, CaptureError> {
        self.mmi.resume();
        self.streams.iter_mut().filter_map(|stream| stream.words.as_mut()).for_each(Words::resume);
        let mut read = 0;
        while read < limit && !self.broken {
            let taken = self.block(&mut give)?;
            if taken == 0 {
                break;
            }
            read += taken;
        }
        for (number, stream) in self.streams.iter_mut().enumerate() {
            stream.hand_over(number, &mut give);
        }
        Ok(read)
    }

    /// Reads pairs from one block of `mmi.raw`.
    fn block(&mut self, give: &mut impl FnMut(Part)) -> Result<usize, CaptureError> {
        let offset = self.mmi.offset();
        let words = self.mmi.peek()?;
        // A hole is written before the pairs behind it: of these words all are known now.
        if self.holes.has_grown(&self.capture.files)? {
            self.holes = Holes::of(&self.capture)?;
        }
        let (mut used, mut pairs) = (0, 0);
        for &word in words {
            let Some(stamp) = self.stamp else {
                self.stamp = Some(word);
                used += 1;
                continue;
            };
            let at = offset + 4 * used as u64;
            let smi = (word >> 16) as usize;
            let stream = self.streams.get_mut(smi.wrapping_sub(1));
            let Some(stream) = stream.filter(|_| stamp >> 16 == word >> 16) else {
                let what = format!("{stamp:#x} and {word:#x} are no pair of an SMI of this machine");
                self.damage.push(Damage { path: self.mmi_path.clone(), offset: at, what });
                self.broken = true;
                break;
            };
            stream.pass_holes(smi - 1, &self.holes, give);
            match stream.take(word << 16 | stamp & 0xffff)? {
                Taken::Agrees => {}
                // The streams are written after mmi.raw: it will come.
                Taken::NotThere => break,
                Taken::Differs(damage) => {
                    self.damage.push(damage);
                    stream.hand_over(smi - 1, give);
                    give(Part::Doubt(smi - 1));
                    stream.pairs.push(word << 16 | stamp & 0xffff);
                }
            }
            stream.count += 1;
            if stream.pairs.len() >= CHUNK {
                stream.hand_over(smi - 1, give);
            }
            self.stamp = None;
            used += 1;
            pairs += 1;
        }
        self.mmi.consume(used);
        if self.broken {
            (0..self.streams.len()).for_each(|number| {
                self.streams[number].hand_over(number, give);
                give(Part::Doubt(number));
            });
        }
        Ok(pairs)
    }
}

/// What became of a pair of `mmi.raw`.
enum Taken {
    Agrees,
    NotThere,
    Differs(Damage),
}

impl Stream {
    fn take(&mut self, pair: u32) -> Result<Taken, CaptureError> {
        if let Some(words) = &mut self.words {
            let offset = words.offset();
            match words.peek()?.first() {
                Some(&own) if own == pair => words.consume(1),
                Some(&own) => {
                    self.words = None;
                    let what = format!("{}, where mmi.raw has {}", shown(own), shown(pair));
                    return Ok(Taken::Differs(Damage { path: self.path.clone(), offset, what }));
                }
                None => return Ok(Taken::NotThere),
            }
        }
        self.pairs.push(pair);
        Ok(Taken::Agrees)
    }

    /// Tells of the holes before the next pair.
    fn pass_holes(&mut self, number: usize, holes: &Holes, give: &mut impl FnMut(Part)) {
        while let Some(hole) = holes.list.get(self.holes).filter(|hole| hole.before[number] <= self.count) {
            self.hand_over(number, give);
            give(Part::Hole(number, Hole { index: self.count, at_most: Some(hole.missing) }));
            self.holes += 1;
        }
    }

    fn hand_over(&mut self, number: usize, give: &mut impl FnMut(Part)) {
        if !self.pairs.is_empty() {
            give(Part::Pairs(number, &self.pairs));
            self.pairs.clear();
        }
    }
}
