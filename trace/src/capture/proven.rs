//! Holds a file of a capture against its sums: which parts of it are as they were written, and where
//! they belong.

use std::collections::HashMap;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::error::{CaptureError, Context};
use super::files::{Files, Source};
use super::sums::{count, sums_path, Of, Record, Seals, BLOCK};

/// Records looked ahead for a block that is not where it should be: 2 MiB of the file.
const AHEAD: usize = 256;
/// Places of a file at which displaced blocks are searched for, at most; so many sums of a block
/// take about a second. Where a few bytes are missing or too many, a block is found within as many
/// places.
const PLACES: usize = 1 << 20;

/// A part of a file that is proven to be as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Good {
    /// Where it was written, and where it is now.
    pub written: u64,
    pub at: u64,
    pub bytes: u64,
    /// Pairs of each SMI, from 1 on, that were written before it, and up to its end; empty for a stream file.
    pub before: Vec<u64>,
    pub after: Vec<u64>,
}

/// What a file's sums say of it.
pub(super) struct Checked {
    pub good: Vec<Good>,
    /// Bytes that were written, as far as the sums tell; the sums of a run that was killed lack the end.
    pub written: u64,
}

/// Holds a file against its sums; `seals` of its holes. `None` if there are none.
///
/// # Errors
/// A file can't be read.
pub(super) fn check(files: &Files, path: &Path, of: Of, seals: Seals) -> Result<Option<Checked>, CaptureError> {
    let sums = sums_path(path);
    let mut sums_file = match files.open(&sums) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.at("open", &sums)?,
    };
    let file = match files.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.at("open", path)?,
    };
    let size = file.length().at("read", path)?;
    let record_bytes = 8 * (of.counted() + 3);
    let records = sums_file.length().at("read", &sums)? / record_bytes as u64;
    let mut written = records * BLOCK as u64;
    if let Some(last) = records.checked_sub(1) {
        let mut packed = vec![0; record_bytes];
        sums_file.seek(SeekFrom::Start(last * record_bytes as u64)).at("read", &sums)?;
        sums_file.read_exact(&mut packed).at("read", &sums)?;
        sums_file.rewind().at("read", &sums)?;
        if let Some(record) = Record::unpack(&packed, of, last, &seals) {
            written = last * BLOCK as u64 + record.bytes;
        }
    }
    let mut checker = Checker {
        path,
        of,
        file,
        size,
        written,
        sums: BufReader::new(sums_file),
        sums_path: &sums,
        record_bytes,
        seals,
        ahead: Vec::new(),
        first: 0,
        good: Vec::new(),
        places: 0,
        vain: 0,
        block: Vec::new(),
    };
    checker.run()?;
    Ok(Some(Checked { good: checker.good, written: checker.written }))
}

struct Checker<'a> {
    path: &'a Path,
    of: Of,
    file: Source,
    size: u64,
    /// Bytes that the records say were written; up to a block too many if the last one is damaged.
    written: u64,
    sums: BufReader<Source>,
    sums_path: &'a Path,
    record_bytes: usize,
    seals: Seals,
    /// Records from number `first` on.
    ahead: Vec<Option<Record>>,
    first: u64,
    good: Vec<Good>,
    /// Places at which displaced blocks were searched for.
    places: usize,
    /// Byte before which no search finds more.
    vain: u64,
    block: Vec<u8>,
}

impl Checker<'_> {
    /// Reads records up to [`AHEAD`] of them. Returns whether there are any.
    fn look_ahead(&mut self) -> Result<bool, CaptureError> {
        while self.ahead.len() < AHEAD {
            let mut packed = vec![0; self.record_bytes];
            match self.sums.read_exact(&mut packed) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                other => other.at("read", self.sums_path)?,
            }
            let number = self.first + self.ahead.len() as u64;
            self.ahead.push(Record::unpack(&packed, self.of, number, &self.seals));
        }
        Ok(!self.ahead.is_empty())
    }

    /// Bytes `at..at + count` of the file, as many as there are, into `self.block`.
    fn read(&mut self, at: u64, count: usize) -> Result<(), CaptureError> {
        self.block.clear();
        self.file.seek(SeekFrom::Start(at)).at("read", self.path)?;
        (&mut self.file).take(count as u64).read_to_end(&mut self.block).at("read", self.path)?;
        Ok(())
    }

    fn run(&mut self) -> Result<(), CaptureError> {
        // How far the blocks stand from where they were written.
        let mut shift = 0i64;
        // The last record's block was not found, and where the file goes on is searched for from there.
        let mut lost = false;
        while self.look_ahead()? {
            let written = self.first * BLOCK as u64;
            let found = match written.checked_add_signed(shift) {
                Some(at) if self.is_at(0, at)? => Some((0, at)),
                _ if lost => self.search(shift)?,
                _ => None,
            };
            match found {
                Some((skipped, at)) => {
                    self.skip(skipped);
                    shift = at as i64 - (self.first * BLOCK as u64) as i64;
                    self.accept(at);
                    lost = false;
                }
                None => lost = true,
            }
            self.skip(1);
        }
        Ok(())
    }

    fn skip(&mut self, records: usize) {
        self.ahead.drain(..records);
        self.first += records as u64;
    }

    /// Whether the block of record `number` of those ahead is at byte `at`; leaves it in `self.block`.
    fn is_at(&mut self, number: usize, at: u64) -> Result<bool, CaptureError> {
        let Some(record) = self.ahead[number].clone() else { return Ok(false) };
        self.read(at, record.bytes as usize)?;
        Ok(self.block.len() as u64 == record.bytes && xxh3_64(&self.block) == record.sum)
    }

    /// Where the next block is that can be found: number of the record, byte. The nearest to where
    /// it is expected is found first.
    fn search(&mut self, shift: i64) -> Result<Option<(usize, u64)>, CaptureError> {
        // Where the file has the length that it should have, nothing is displaced.
        if self.places >= PLACES || self.size as i64 == self.written as i64 + shift {
            return Ok(None);
        }
        let behind = self.good.last().map_or(0, |good| good.at + good.bytes);
        let expected = (self.first * BLOCK as u64).saturating_add_signed(shift);
        let from = behind.max(expected.saturating_sub(BLOCK as u64));
        let end = from + 3 * BLOCK as u64;
        let from = from.max(self.vain).min(self.size);
        let mut sums: HashMap<u64, Option<usize>> = HashMap::new();
        for (number, record) in self.ahead.iter().enumerate() {
            if let Some(record) = record.as_ref().filter(|record| record.bytes == BLOCK as u64) {
                // Two blocks that are the same can't be told from each other.
                sums.entry(record.sum).and_modify(|entry| *entry = None).or_insert(Some(number));
            }
        }
        self.read(from, end.saturating_sub(from) as usize)?;
        let window = std::mem::take(&mut self.block);
        let count = (window.len() + 1).saturating_sub(BLOCK);
        let mut tried = 0;
        let found =
            outward(expected.saturating_sub(from) as usize, count).take(PLACES - self.places).find_map(|place| {
                tried += 1;
                let number = (*sums.get(&xxh3_64(&window[place..place + BLOCK]))?)?;
                Some((number, from + place as u64))
            });
        self.places += tried;
        let Some((mut number, mut at)) = found else {
            self.vain = from + count as u64;
            return Ok(None);
        };
        // The blocks before it may stand before it.
        while number > 0 && at >= from + BLOCK as u64 && self.is_at(number - 1, at - BLOCK as u64)? {
            (number, at) = (number - 1, at - BLOCK as u64);
        }
        self.is_at(number, at)?;
        Ok(Some((number, at)))
    }

    /// Takes the block in `self.block`, found at `at`, whose record is the first ahead.
    fn accept(&mut self, at: u64) {
        let Some(Some(record)) = self.ahead.first() else { return };
        let written = self.first * BLOCK as u64;
        let mut after = record.before.clone();
        count(&self.block, &mut after);
        match self.good.last_mut() {
            Some(last) if last.written + last.bytes == written && last.at + last.bytes == at => {
                last.bytes += record.bytes;
                last.after = after;
            }
            _ => {
                let before = record.before.clone();
                self.good.push(Good { written, at, bytes: record.bytes, before, after });
            }
        }
    }
}

/// The numbers below `count`, those that are nearest to `middle` first.
fn outward(middle: usize, count: usize) -> impl Iterator<Item = usize> {
    let middle = middle.min(count.saturating_sub(1));
    let pair = move |distance: usize| [middle.checked_sub(distance), middle.checked_add(distance)];
    let all = std::iter::once(middle).chain((1..count).flat_map(pair).flatten());
    all.filter(move |number| *number < count)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::super::sums::Summer;
    use super::*;

    #[test]
    fn numbers_are_tried_from_the_middle_outward() {
        let numbers = |middle, count| outward(middle, count).collect::<Vec<_>>();
        assert_eq!(numbers(1, 5), [1, 0, 2, 3, 4]);
        assert_eq!(numbers(9, 3), [2, 1, 0]);
        assert_eq!((numbers(0, 1), numbers(3, 0)), (vec![0], vec![]));
    }

    /// Bytes like those of a stream, all of which differ, and their sums.
    fn stream(blocks: usize) -> (Vec<u8>, Vec<u8>) {
        let mut seed = 1u64;
        let mut word = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 32) as u32
        };
        let bytes: Vec<u8> = (0..blocks * BLOCK / 4).flat_map(|_| word().to_le_bytes()).collect();
        let (mut summer, mut sums) = (Summer::new(Of::Stream(1)), Vec::new());
        summer.push(&bytes, &mut sums);
        sums.extend(summer.unfinished());
        (bytes, sums)
    }

    /// What is proven of these bytes.
    fn checked(bytes: &[u8], sums: &[u8]) -> Vec<Good> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("earth");
        fs::write(&path, bytes).unwrap();
        fs::write(sums_path(&path), sums).unwrap();
        check(&Files::default(), &path, Of::Stream(1), Seals::new()).unwrap().unwrap().good
    }

    #[test]
    fn a_file_that_is_crafted_takes_no_longer_than_others() {
        let (bytes, sums) = stream(1000);
        // One byte too many, and nothing that the sums know.
        let crafted = vec![0; bytes.len() + 1];
        let started = Instant::now();
        assert_eq!(checked(&crafted, &sums), []);
        let passed = started.elapsed();
        assert!(passed < Duration::from_secs(4), "{passed:?}");
    }

    #[test]
    fn blocks_are_found_behind_each_of_many_holes() {
        let (bytes, sums) = stream(600);
        // Every third block lacks some bytes at its end.
        let holed = bytes.chunks(3 * BLOCK).zip(1..);
        let holed: Vec<u8> =
            holed.flat_map(|(blocks, lost)| &blocks[..blocks.len() - 1 - lost % 199]).copied().collect();
        let good = checked(&holed, &sums);
        let found: u64 = good.iter().map(|good| good.bytes).sum();
        assert_eq!((good.len(), found), (200, 400 * BLOCK as u64));
    }

    #[test]
    fn blocks_that_stand_nearer_to_the_start_than_expected_are_all_found() {
        let (bytes, sums) = stream(20);
        // Nearly two blocks are missing: two that follow stand before where the next is expected.
        let holed = [&bytes[..3 * BLOCK + 100], &bytes[5 * BLOCK..]].concat();
        let found: u64 = checked(&holed, &sums).iter().map(|good| good.bytes).sum();
        assert_eq!(found, 18 * BLOCK as u64);
    }
}
