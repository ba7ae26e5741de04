//! Epochs of one SMI's pairs, from its wrap markers.
//!
//! The hardware puts a marker 0xAAnn into the queue at every wrap, ahead of every event stamped after it, nn being the wraps modulo
//! 256. Where the queue is full, waiting markers merge into one that shows the newest nn. So in a stream without holes an event's
//! epoch is that of the last marker before it. In a stream that may have holes it is only if the next marker shows the
//! next number and time did not run backwards in between.
//!
//! Two successive markers fix the difference of their epochs modulo 256 only. Where the run was long enough for 256 wraps more
//! (16.8 s at 1 us), a difference of 1 is believed: while the MMI polls, no marker waits that long.
//! Any other difference leaves what follows ambiguous there.

use std::collections::VecDeque;

use testbed_definitions::monitor::{Pair, GAP_MARKER, WRAP_MARKER};

use super::Epoch;

/// Pairs of one epoch that are held back at most while their closing marker is awaited; real ones are far fewer
/// (an SMI delivers at most one pair every two cycles), so only damaged streams reach it.
pub const SEGMENT_MAX: usize = 1 << 20;

/// What is known about a stream besides its pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Pairs from the start among which none is missing (see [`crate::capture::verify`]).
    pub intact: u64,
    /// The last epoch that the run can have reached.
    pub last_epoch: Option<u64>,
}

/// A word that is no wrap marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Datum(u16),
    /// The queue was full: so many events were discarded here; `None` if the count was cut off.
    Gap(Option<u32>),
}

/// A word with its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    pub epoch: Epoch,
    /// Ticks of the global clock within the epoch.
    pub time: u16,
    /// Number of the pair in its stream, from 0.
    pub index: u64,
    pub word: Word,
}

/// Iterator over the words of one SMI, from its pairs. An error of the source is passed on and ends it.
pub struct Unwrap<I> {
    pairs: I,
    proof: Proof,
    /// Pairs taken from the source.
    taken: u64,
    /// Lower bound of the epoch in which the present segment began, and by how much it may be more (`None`: unbounded).
    low: u64,
    spread: Option<u64>,
    /// Times that ran backwards in this segment: each hides a wrap whose marker is missing.
    falls: u64,
    last_time: u16,
    /// A gap marker whose count is due: index, time, high byte.
    gap: Option<(u64, u16, u8)>,
    /// Words of this segment that await its closing marker, with the falls before each.
    segment: Vec<(Stamped, u64)>,
    ready: VecDeque<Stamped>,
    ended: bool,
}

impl<I, E> Unwrap<I>
where
    I: Iterator<Item = Result<Pair, E>>,
{
    pub fn new(pairs: I, proof: Proof) -> Self {
        Unwrap {
            pairs,
            proof,
            taken: 0,
            low: 0,
            spread: Some(0),
            falls: 0,
            last_time: 0,
            gap: None,
            segment: Vec::new(),
            ready: VecDeque::new(),
            ended: false,
        }
    }

    /// Bound from the length of the run, never below `low`.
    fn bounded(&self, low: u64, high: Option<u64>) -> Epoch {
        let high = match (high, self.proof.last_epoch) {
            (Some(high), Some(last)) => Some(high.min(last)),
            (high, last) => high.or(last),
        };
        Epoch::new(low, high)
    }

    fn pair(&mut self, pair: Pair) {
        let index = self.taken;
        self.taken += 1;
        if let Some((at, time, high)) = self.gap.take() {
            if pair.time == time {
                self.word(at, time, Word::Gap(Some(u32::from(high) << 16 | u32::from(pair.datum))));
                return;
            }
            self.word(at, time, Word::Gap(None));
        }
        match (pair.datum >> 8) as u8 {
            WRAP_MARKER => self.marker(pair.datum as u8),
            GAP_MARKER => self.gap = Some((index, pair.time, pair.datum as u8)),
            _ => self.word(index, pair.time, Word::Datum(pair.datum)),
        }
    }

    fn word(&mut self, index: u64, time: u16, word: Word) {
        if time < self.last_time {
            self.falls += 1;
        }
        self.last_time = time;
        let stamped = Stamped { epoch: Epoch::Certain(self.low), time, index, word };
        // Proven: nothing is missing so far, so there is no need to wait for the next marker.
        if index < self.proof.intact && self.falls == 0 && self.segment.is_empty() {
            let epoch = self.bounded(self.low, self.spread.map(|spread| self.low + spread));
            self.ready.push_back(Stamped { epoch, ..stamped });
            return;
        }
        self.segment.push((stamped, self.falls));
        if self.segment.len() >= SEGMENT_MAX {
            self.close(None);
            self.spread = None;
        }
    }

    fn marker(&mut self, wraps: u8) {
        // 1 to 256 wraps since the last marker.
        let step = u64::from((u64::from(wraps).wrapping_sub(self.low) as u8).wrapping_sub(1)) + 1;
        let sound = self.falls == 0 && (step == 1 || self.taken <= self.proof.intact);
        self.close(Some(step));
        self.low += step;
        self.falls = 0;
        self.last_time = 0;
        let successive = sound && step == 1;
        if !successive && self.proof.last_epoch.is_none_or(|last| self.low + 256 <= last) {
            self.spread = None;
        }
    }

    /// Gives the words of the segment their epochs; `step` is how far its closing marker moves the epoch, if there is one.
    fn close(&mut self, step: Option<u64>) {
        let falls = self.falls;
        for (stamped, fallen) in std::mem::take(&mut self.segment) {
            let within = match step {
                Some(1) if falls == 0 => Some(0),
                Some(step) if falls < step => Some(step - 1 - (falls - fallen)),
                // Time ran backwards more often than the markers say: data are damaged, and the markers bound nothing.
                _ => None,
            };
            let high = within.and_then(|within| Some(self.low + within + self.spread?));
            let low = match within {
                Some(within) => self.low + fallen.min(within),
                None => self.low,
            };
            // Holes were seen (or can't be excluded): equal bounds are no proof here unless the markers are successive.
            let epoch = match self.bounded(low, high) {
                Epoch::Certain(epoch) if step != Some(1) || falls != 0 => {
                    Epoch::Ambiguous { low: epoch, high: Some(epoch.max(high.unwrap_or(epoch))) }
                }
                epoch => epoch,
            };
            self.ready.push_back(Stamped { epoch, ..stamped });
        }
    }

    fn end(&mut self) {
        self.ended = true;
        if let Some((index, time, _)) = self.gap.take() {
            self.word(index, time, Word::Gap(None));
        }
        self.close(None);
    }
}

impl<I, E> Iterator for Unwrap<I>
where
    I: Iterator<Item = Result<Pair, E>>,
{
    type Item = Result<Stamped, E>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(stamped) = self.ready.pop_front() {
                return Some(Ok(stamped));
            }
            if self.ended {
                return None;
            }
            match self.pairs.next() {
                Some(Ok(pair)) => self.pair(pair),
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => self.end(),
            }
        }
    }
}
