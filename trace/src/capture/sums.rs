//! Sums beside the files of a capture: what each block of a file was when it was written.
//!
//! For `trace/NAME` they are in `trace/.NAME.sums` (trace tools pass over hidden files), for
//! `mmi.raw` in `.mmi.raw.sums`: a record for every [`BLOCK`] bytes, of little-endian `u64`: bytes
//! in the block (less than [`BLOCK`] only in the last), pairs of each SMI before it (`mmi.raw`
//! only), XXH3 of the block, XXH3 of all that and the record's number (and, behind a hole in a
//! link, its seal: see `holes`). The number has that of the stream's SMI in its highest byte, so
//! that the files of another stream prove nothing. So each block proves by itself what was written
//! and where it belongs, wherever it is found.

use std::path::{Path, PathBuf};

use testbed_definitions::monitor::MmiWord;
use xxhash_rust::xxh3::xxh3_64;

/// Bytes that one sum covers; a multiple of a pair's bytes in either file.
pub const BLOCK: usize = 8192;

/// The places at which `seal`s begin to hold: byte of the file behind which there is a hole, seal.
pub(super) type Seals = Vec<(u64, u64)>;

/// Where the sums of `path` are.
pub fn sums_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.sums"))
}

/// Whose pairs a file has.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// Those of so many SMIs: `mmi.raw`.
    Mmi(usize),
    /// Those of this SMI.
    Stream(usize),
}

impl Of {
    /// SMIs whose pairs are counted.
    pub fn counted(self) -> usize {
        match self {
            Of::Mmi(smis) => smis,
            Of::Stream(_) => 0,
        }
    }

    /// A record's number as its proof has it.
    fn number(self, number: u64) -> u64 {
        match self {
            Of::Mmi(_) => number,
            Of::Stream(smi) => (smi as u64) << 56 | number,
        }
    }
}

/// What a file's sums are made of.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub bytes: u64,
    /// By SMI, from 1 on.
    pub before: Vec<u64>,
    pub sum: u64,
}

impl Record {
    /// Its bytes in the file, the last eight of which prove the others.
    fn pack(&self, of: Of, number: u64, seal: u64) -> Vec<u8> {
        let fields = [self.bytes].into_iter().chain(self.before.iter().copied()).chain([self.sum]);
        let mut packed: Vec<u8> = fields.flat_map(u64::to_le_bytes).collect();
        let proof = Self::proof(&packed, of.number(number), seal);
        packed.extend(proof.to_le_bytes());
        packed
    }

    /// `seal`: that of the last hole before some of the block's pairs, 0 if there is none; see [`super::holes`].
    fn proof(fields: &[u8], number: u64, seal: u64) -> u64 {
        let (number, seal) = (number.to_le_bytes(), seal.to_le_bytes());
        let seal = if seal == [0; 8] { &[][..] } else { &seal };
        xxh3_64(&[fields, &number, seal].concat())
    }

    /// `None` if it has been damaged, or `seals` are not those of the file when it was written.
    pub fn unpack(packed: &[u8], of: Of, number: u64, seals: &Seals) -> Option<Self> {
        let (fields, proof) = packed.split_at(packed.len() - 8);
        let values: Vec<u64> = fields
            .chunks_exact(8)
            .map(|bytes| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
            .collect();
        let [bytes, before @ .., sum] = &values[..] else { return None };
        let end = number.checked_mul(BLOCK as u64)?.checked_add(*bytes)?;
        let behind = seals.partition_point(|(place, _)| *place < end);
        let seal = behind.checked_sub(1).map_or(0, |last| seals[last].1);
        let is_sound =
            proof == Self::proof(fields, of.number(number), seal).to_le_bytes() && (1..=BLOCK as u64).contains(bytes);
        is_sound.then(|| Record { bytes: *bytes, before: before.to_vec(), sum: *sum })
    }
}

/// Makes the sums of a file as it is written.
pub(super) struct Summer {
    of: Of,
    block: Vec<u8>,
    /// Pairs of each SMI so far, if the file is `mmi.raw`.
    pairs: Vec<u64>,
    number: u64,
    /// The seal of the last hole.
    seal: u64,
}

impl Summer {
    pub fn new(of: Of) -> Self {
        Summer { of, block: Vec::with_capacity(BLOCK), pairs: vec![0; of.counted()], number: 0, seal: 0 }
    }

    /// Pairs are missing before the next bytes; `seal` says so from now on.
    pub fn seal(&mut self, seal: u64) {
        self.seal = seal;
    }

    /// Takes bytes as they are written, and appends the records that they complete to `out`.
    pub fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            bytes = rest;
            if self.block.len() == BLOCK {
                self.finish(out);
            }
        }
    }

    /// The record of the last block as far as it goes, if there is any of it.
    pub fn unfinished(&self) -> Vec<u8> {
        if self.block.is_empty() {
            return Vec::new();
        }
        let record = Record { bytes: self.block.len() as u64, before: self.pairs.clone(), sum: xxh3_64(&self.block) };
        record.pack(self.of, self.number, self.seal)
    }

    /// Appends the record of the block, and begins the next.
    fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend(self.unfinished());
        self.number += 1;
        count(&self.block, &mut self.pairs);
        self.block.clear();
    }
}

/// Adds the pairs of a sound block of `mmi.raw` to those counted; nothing if none are counted.
pub(super) fn count(block: &[u8], pairs: &mut [u64]) {
    if pairs.is_empty() {
        return;
    }
    for pair in block.chunks_exact(8) {
        let smi = MmiWord::unpack(u32::from_le_bytes([pair[0], pair[1], pair[2], pair[3]])).smi;
        if let Some(pairs) = pairs.get_mut((smi as usize).wrapping_sub(1)) {
            *pairs += 1;
        }
    }
}
