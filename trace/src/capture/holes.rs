//! Where pairs were lost between the trace port and the file: on a link (`testbed attach`).
//!
//! The file `holes` beside `mmi.raw` has a line for each such place, in order: how many pairs are
//! missing there, of whatever SMIs, and how many of each SMI, from 1 on, were written before it.
//!
//! ```text
//! 3 1200 1187 0 34 2
//! ```
//!
//! A hole of *n* pairs is one of at most *n* in the stream of each SMI. The line is there before
//! any pair behind it. The file without holes does not exist.
//!
//! Whoever reads a copy without this file must not take what is behind a hole for proven. So the
//! sum of each block with pairs behind a hole goes over the *seal* of the last one, a sum of the
//! file `holes` up to its line: with lines altered or missing the block proves nothing.

use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use xxhash_rust::xxh3::Xxh3;

use super::error::{CaptureError, Context};
#[cfg(feature = "files")]
use super::files::Files;
use super::sums::Seals;
use super::{Capture, Damage, Integrity, Piece};

/// Holes that are reported one by one.
const REPORTED: usize = 1000;

/// Pairs before a hole, at most, and those that all holes lack together: what the bytes of `mmi.raw`
/// can be counted for.
const PAIRS_MAX: u64 = u64::MAX / 8;

/// One place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkHole {
    pub missing: u64,
    /// Pairs that are missing here and at all places before.
    pub lost: u64,
    /// Pairs of each SMI before it, from SMI 1 on.
    pub before: Vec<u64>,
    /// Sum of the file up to here; never 0.
    pub seal: u64,
    /// Byte of its line.
    pub offset: u64,
}

/// Makes lines and seals.
#[derive(Default)]
pub(super) struct Sealer(Xxh3);

impl Sealer {
    /// The line of a hole.
    pub fn line(missing: u64, before: &[u64]) -> String {
        let counts: String = before.iter().map(|count| format!(" {count}")).collect();
        format!("{missing}{counts}\n")
    }

    /// The seal from this line on.
    pub fn seal(&mut self, line: &str) -> u64 {
        self.0.update(line.as_bytes());
        self.0.digest().max(1)
    }
}

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct Holes {
    pub path: PathBuf,
    pub list: Vec<LinkHole>,
    /// Where the file is not as it was written, and what follows is not read.
    fault: Option<u64>,
    /// Bytes of whole lines.
    pub bytes: u64,
}

impl Holes {
    /// Reads the file of `capture`: in its folder, or in that where its one copy is.
    ///
    /// # Errors
    /// It is there and can't be read.
    pub fn of(capture: &Capture) -> Result<Self, CaptureError> {
        let path = capture.holes_path();
        let mut text = Vec::new();
        match capture.files.open(&path).and_then(|mut file| file.read_to_end(&mut text)) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
            other => drop(other.at("read", &path)?),
        }
        Ok(Holes::parse(path, &text, capture.smis().len()))
    }

    fn parse(path: PathBuf, text: &[u8], smis: usize) -> Self {
        let mut holes = Holes { path, ..Holes::default() };
        let mut sealer = Sealer::default();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let hole = std::str::from_utf8(line).ok().and_then(|line| holes.take(line, smis, &mut sealer));
            let Some(hole) = hole else {
                // A line that is being written, or a kill has torn, has no pairs behind it.
                holes.fault = line.ends_with(b"\n").then_some(holes.bytes);
                break;
            };
            holes.bytes += line.len() as u64;
            holes.list.push(hole);
        }
        holes
    }

    /// `None`: not a line that is written.
    fn take(&self, line: &str, smis: usize, sealer: &mut Sealer) -> Option<LinkHole> {
        let numbers: Vec<u64> =
            line.strip_suffix('\n')?.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let (missing, before) = numbers.split_first()?;
        let last = self.list.last().map_or(&[][..], |hole| &hole.before);
        let is_sound = before.len() == smis && last.iter().zip(before).all(|(last, now)| last <= now);
        let can_be = |pairs: &[u64]| {
            pairs.iter().try_fold(0u64, |sum, pairs| sum.checked_add(*pairs)).is_some_and(|pairs| pairs <= PAIRS_MAX)
        };
        let has_place = can_be(before) && can_be(&[self.lost(), *missing]);
        let is_written = Sealer::line(*missing, before) == line;
        (is_sound && has_place && is_written).then(|| LinkHole {
            missing: *missing,
            lost: self.lost() + missing,
            before: before.to_vec(),
            seal: sealer.seal(line),
            offset: self.bytes,
        })
    }

    /// Pairs that are missing, as far as the file says.
    pub fn lost(&self) -> u64 {
        self.list.last().map_or(0, |hole| hole.lost)
    }

    /// Whether the file has grown since it was read.
    ///
    /// # Errors
    /// It can't be looked at.
    #[cfg(feature = "files")]
    pub fn has_grown(&self, files: &Files) -> Result<bool, CaptureError> {
        match files.length(&self.path) {
            Ok(length) => Ok(length > self.bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).at("read", &self.path),
        }
    }

    /// Seals of the stream file of SMI `smi`.
    pub fn of_stream(&self, smi: usize) -> Seals {
        self.list.iter().map(|hole| (4 * hole.before[smi - 1], hole.seal)).collect()
    }

    /// Seals of `mmi.raw`.
    pub fn of_mmi(&self) -> Seals {
        self.list.iter().map(|hole| (8 * hole.before.iter().sum::<u64>(), hole.seal)).collect()
    }

    /// Puts the holes into what is known of a capture.
    pub fn apply(&self, integrity: &mut Integrity) {
        for (smi, pieces) in integrity.pieces.iter_mut().enumerate().skip(1) {
            let holes = self.list.iter().map(|hole| (hole.before[smi - 1], hole.missing));
            *pieces = split(std::mem::take(pieces), holes);
            let sound = pieces.iter().take_while(|piece| piece.missing == Some(0) && piece.guarded);
            integrity.proven[smi] = sound.map(|piece| piece.pairs).sum();
        }
        let mut report = |offset, what| integrity.damage.push(Damage { path: self.path.clone(), offset, what });
        for hole in self.list.iter().take(REPORTED) {
            let place = 8 * hole.before.iter().sum::<u64>();
            report(hole.offset, format!("{} pair(s) were lost on the link, at byte {place} of mmi.raw", hole.missing));
        }
        if let Some(hole) = self.list.get(REPORTED) {
            let lost = self.lost() - self.list[REPORTED - 1].lost;
            report(hole.offset, format!("{lost} more were lost in {} more places", self.list.len() - REPORTED));
        }
        if let Some(offset) = self.fault {
            report(offset, "this line is not as it was written; nothing behind the place it tells of is proven".into());
        }
    }
}

/// `pieces` with holes: for each the pairs before it and how many may be missing there.
fn split(pieces: Vec<Piece>, holes: impl Iterator<Item = (u64, u64)>) -> Vec<Piece> {
    let (mut holes, mut parts) = (holes.peekable(), Vec::with_capacity(pieces.len()));
    for mut piece in pieces {
        let end = piece.index.saturating_add(piece.pairs);
        while let Some((place, missing)) = holes.next_if(|(place, _)| *place < end) {
            if place > piece.index {
                let pairs = place - piece.index;
                parts.push(Piece { pairs, ..piece.clone() });
                piece.skip += pairs;
                piece.index = place;
                piece.pairs = if piece.pairs == u64::MAX { u64::MAX } else { piece.pairs - pairs };
                piece.missing = Some(0);
            }
            piece.missing = piece.missing.map(|most| most.saturating_add(missing));
        }
        parts.push(piece);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::Copy;
    use super::*;

    fn piece(index: u64, pairs: u64, missing: u64) -> Piece {
        Piece { copy: Copy::Stream, offset: 0, skip: index, index, pairs, missing: Some(missing), guarded: true }
    }

    #[test]
    fn pieces_are_split_where_pairs_are_missing() {
        let holes = [(0, 1), (10, 2), (10, 3), (25, 4), (30, 5), (50, 6)];
        let parts = split(vec![piece(0, 20, 0), piece(28, 22, 8)], holes.into_iter());
        assert_eq!(parts, [piece(0, 10, 1), piece(10, 10, 5), piece(28, 2, 12), piece(30, 20, 5)]);
        let open = Piece { guarded: false, ..piece(5, u64::MAX, 0) };
        let parts = split(vec![open.clone()], [(7, 1)].into_iter());
        let rest = Piece { index: 7, skip: 7, missing: Some(1), ..open.clone() };
        assert_eq!(parts, [Piece { pairs: 2, ..open }, rest]);
    }

    #[test]
    fn a_line_is_as_it_was_written_or_not_read() {
        let parse = |text: &str| Holes::parse(PathBuf::new(), text.as_bytes(), 2);
        let holes = parse("3 1 2\n1 1 5\n2 0 7\n1 2 8\n");
        assert_eq!(holes.list.iter().map(|hole| hole.missing).collect::<Vec<_>>(), [3, 1]);
        assert_eq!((holes.fault, holes.of_stream(2).len(), holes.of_mmi()[1].0), (Some(12), 2, 48));
        for (text, count, is_fault) in [
            ("", 0, false),
            ("3 1", 0, false),
            ("3 1 2\n4", 1, false),
            ("03 1 2\n", 0, true),
            ("3 1\n", 0, true),
            ("3 1 18446744073709551615\n", 0, true),
            ("3 1 2305843009213693950\n", 1, false),
            ("3 1 2305843009213693951\n", 0, true),
            ("18446744073709551615 1 2\n", 0, true),
            ("3 1 2\n2305843009213693948 1 2\n", 2, false),
            ("3 1 2\n2305843009213693949 1 2\n", 1, true),
        ] {
            let holes = parse(text);
            assert_eq!((holes.list.len(), holes.fault.is_some()), (count, is_fault), "{text:?}");
        }
        assert_ne!(parse("3 1 2\n").list[0].seal, parse("4 1 2\n").list[0].seal);
    }
}
