//! Pairs from the frames of a serial link, with every loss counted: see [`testbed_definitions::link`].
//!
//! A frame counts only if it is *in step* with the one before it: its number follows, or it stands
//! in the very place where a frame of that number should stand, so that the ones between are
//! damaged and no byte is missing. Otherwise two halves of different frames could pass for one if
//! their CRC happened to fit. Of a frame out of step only the number is used.
//!
//! Numbers are modulo 256, so what lies between two counts waits for the second one. If numbers and
//! counts agree, every loss in between is known exactly, and where it is. If they don't, 256 frames
//! or more are missing in an unknown place, and all that came in between is left out.

use testbed_definitions::link::{Fault, Frame, COUNT_EVERY, FRAME_BYTES, MARK};
use testbed_definitions::monitor::Pair;

/// Pairs that wait for a count, at most; more are left out.
const HELD_MAX: usize = 1 << 16;
/// Frames in a row that may be damaged without those behind them being out of step; with many any
/// number would be in step.
const DAMAGED_MAX: u64 = 3;

/// What a [`Receiver`] gives out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// So many frames of pairs are missing here, of whatever SMIs.
    Hole(u64),
    Pair {
        smi: u8,
        pair: Pair,
    },
    /// The count is lower than the pairs that have come: the transmitter has begun anew, and so has
    /// the machine. Nothing follows.
    Restart,
}

/// What came, in figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFigures {
    pub bytes: u64,
    /// Frames with the right CRC; of those, counts.
    pub frames: u64,
    pub counts: u64,
    /// Bytes that belong to no eight that could be a frame.
    pub stray_bytes: u64,
    /// Eights of bytes that could be a frame, and have a wrong CRC.
    pub crc_errors: u64,
    /// Frames of SMIs that the machine lacks.
    pub foreign: u64,
    /// Frames of pairs that are not used: out of step, or between counts that disagree with their numbers.
    pub left_out: u64,
    pub holes: u64,
    /// Pairs that were sent and are not given out, among them those left out; up to the last count.
    pub lost: u64,
    /// Pairs given out, by SMI.
    pub pairs: Vec<u64>,
    /// Pairs behind the last count, which nothing confirms; not given out.
    pub unconfirmed: u64,
}

/// The frame before.
#[derive(Clone, Copy, Debug)]
struct Reference {
    /// Sequence that should follow.
    next: u8,
    /// Bytes up to its end.
    end: u64,
    /// A count that counts as soon as something is in step with it.
    pending: Option<u32>,
}

/// A pair that waits for a count.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Frames missing just before it.
    missing: u8,
    smi: u8,
    pair: Pair,
}

/// Finds the frames among the bytes of a link.
pub struct Receiver {
    /// Bytes of what may become a frame, the first with [`MARK`].
    partial: [u8; FRAME_BYTES],
    filled: usize,
    reference: Option<Reference>,
    /// Number of the next pair, as far as sequences tell.
    next: u32,
    /// The last count, up to which all is settled.
    settled: u32,
    held: Vec<Held>,
    /// Too many pairs came without a count.
    overflowed: bool,
    restarted: bool,
    figures: LinkFigures,
}

impl Receiver {
    /// For a machine with SMIs 1 to `smis`, of which no frame has been sent.
    pub fn new(smis: usize) -> Self {
        Receiver {
            partial: [0; FRAME_BYTES],
            filled: 0,
            reference: None,
            next: 0,
            settled: 0,
            held: Vec::new(),
            overflowed: false,
            restarted: false,
            figures: LinkFigures { pairs: vec![0; smis + 1], ..LinkFigures::default() },
        }
    }

    /// What came so far.
    pub fn figures(&self) -> LinkFigures {
        LinkFigures { unconfirmed: self.held.len() as u64, ..self.figures.clone() }
    }

    /// Takes bytes as they come, and gives out what they settle.
    pub fn push(&mut self, bytes: &[u8], give: &mut impl FnMut(Received)) {
        for &byte in bytes {
            self.figures.bytes += 1;
            if byte & MARK != 0 {
                self.figures.stray_bytes += self.filled as u64;
                self.filled = 0;
            } else if self.filled == 0 {
                self.figures.stray_bytes += 1;
                continue;
            }
            self.partial[self.filled] = byte;
            self.filled += 1;
            if self.filled == FRAME_BYTES {
                self.filled = 0;
                self.frame(give);
            }
        }
    }

    /// The line was cut: what follows does not stand where it would have stood.
    pub fn cut(&mut self) {
        self.figures.stray_bytes += self.filled as u64;
        self.filled = 0;
        self.reference = None;
    }

    fn frame(&mut self, give: &mut impl FnMut(Received)) {
        let frame = match Frame::unpack(self.partial) {
            Ok(frame) if !self.restarted => frame,
            Err(Fault::Crc | Fault::Count | Fault::Marks) => {
                self.figures.crc_errors += 1;
                return;
            }
            Ok(_) => return,
        };
        self.figures.frames += 1;
        let end = self.figures.bytes;
        let sequence = match frame {
            Frame::Pair { sequence, .. } => sequence,
            Frame::Count(count) => count as u8,
        };
        let before = self.reference.filter(|reference| in_step(*reference, sequence, end));
        if let Some(count) = before.and_then(|reference| reference.pending) {
            self.count(count, give);
        }
        if self.restarted {
            return;
        }
        let mut pending = None;
        match frame {
            Frame::Pair { smi, pair, sequence } if before.is_some() => self.pair(smi, pair, sequence),
            Frame::Pair { .. } => self.figures.left_out += 1,
            Frame::Count(count) => {
                self.figures.counts += 1;
                match before {
                    Some(_) => self.count(count, give),
                    None => pending = Some(count),
                }
            }
        }
        self.reference = Some(Reference { next: frame.next_sequence(), end, pending });
    }

    /// A pair in step.
    fn pair(&mut self, smi: u8, pair: Pair, sequence: u8) {
        let missing = sequence.wrapping_sub(self.next as u8);
        if usize::from(smi) >= self.figures.pairs.len() {
            // It stays missing.
            self.figures.foreign += 1;
            return;
        }
        if self.held.len() == HELD_MAX {
            self.figures.left_out += HELD_MAX as u64;
            self.held.clear();
            self.overflowed = true;
        }
        self.next = self.next.wrapping_add(u32::from(missing) + 1);
        self.held.push(Held { missing, smi, pair });
    }

    /// A count in step: what came since the last one is settled.
    fn count(&mut self, count: u32, give: &mut impl FnMut(Received)) {
        if self.restarted {
            return;
        }
        let here = count.wrapping_sub(self.next);
        let since = count.wrapping_sub(self.settled);
        let is_low = |difference: u32| difference > u32::MAX / 2;
        // At first nobody knows how far the counter has come.
        let is_first =
            self.settled == 0 && self.figures.lost == 0 && self.figures.pairs.iter().all(|pairs| *pairs == 0);
        if is_low(here) && !is_first {
            self.restarted = true;
            self.held.clear();
            give(Received::Restart);
            return;
        }
        let (held, overflowed) = (std::mem::take(&mut self.held), std::mem::take(&mut self.overflowed));
        if here < 256 && !overflowed {
            for Held { missing, smi, pair } in held {
                self.hole(missing.into(), give);
                self.figures.pairs[usize::from(smi)] += 1;
                give(Received::Pair { smi, pair });
            }
            self.hole(here.into(), give);
        } else {
            self.figures.left_out += held.len() as u64;
            self.hole(since.into(), give);
        }
        (self.next, self.settled) = (count, count);
    }

    fn hole(&mut self, missing: u64, give: &mut impl FnMut(Received)) {
        if missing > 0 {
            self.figures.holes += 1;
            self.figures.lost += missing;
            give(Received::Hole(missing));
        }
    }
}

/// Whether a frame that ends at byte `end` stands where one of its number should stand.
fn in_step(reference: Reference, sequence: u8, end: u64) -> bool {
    let missing = u64::from(sequence.wrapping_sub(reference.next));
    let between = (end - FRAME_BYTES as u64).saturating_sub(reference.end);
    let (frames, odd) = (between / FRAME_BYTES as u64, between % FRAME_BYTES as u64);
    missing == 0 || odd == 0 && missing <= frames && frames <= DAMAGED_MAX
}

/// What a board sends: the model of its transmitter.
#[derive(Clone, Debug, Default)]
pub struct Transmitter {
    /// Pairs sent.
    count: u32,
    /// Pairs since the last count; `None`: nothing was sent yet.
    since: Option<u32>,
}

impl Transmitter {
    /// A transmitter that has sent nothing.
    pub fn new() -> Self {
        Transmitter::default()
    }

    /// Pairs sent, modulo 2^32.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Sends a pair of SMI `smi` (1 to 15), with a count before it if one is due.
    pub fn pair(&mut self, smi: u8, pair: Pair, line: &mut impl Extend<u8>) {
        if self.since.is_none_or(|since| since >= COUNT_EVERY) {
            self.idle(line);
        }
        line.extend(Frame::Pair { smi, pair, sequence: self.count as u8 }.pack());
        self.count = self.count.wrapping_add(1);
        self.since = self.since.map(|since| since + 1);
    }

    /// Sends a count, since nothing waits.
    pub fn idle(&mut self, line: &mut impl Extend<u8>) {
        line.extend(Frame::Count(self.count).pack());
        self.since = Some(0);
    }
}
