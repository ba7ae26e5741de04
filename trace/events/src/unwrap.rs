//! Epochs of one SMI's pairs, from its wrap markers.
//!
//! The hardware puts a marker 0xAAnn into the queue at every wrap, ahead of every event stamped
//! after it, nn being the wraps modulo
//! 256. Where the queue is full, waiting markers merge into one that shows the newest nn. So where
//!      nothing is missing an event's
//! epoch is that of the last marker before it. Behind a hole it lies between that marker's and the
//! next one's; at most as many wraps are hidden as pairs are missing, and the next marker says how
//! many, modulo 256.
//!
//! Two successive markers fix the difference of their epochs modulo 256 only. Where the run was
//! long enough for 256 wraps more (16.8 s at 1 us), a difference of 1 is believed: while the MMI
//! polls, no marker waits that long. Any other difference without a hole, from merged markers,
//! leaves what follows ambiguous there.
//!
//! A stream of which nobody can say where pairs are missing is *unguarded*: an event's epoch is
//! that of the marker before it only if the next marker shows the next number and time did not run
//! backwards in between, and what looks like a marker there is believed by its neighbours alone
//! (`belief`).

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use testbed_definitions::monitor::{GAP_MARKER, WRAP_MARKER};

use crate::belief::{wraps_since, Belief};
use crate::{mark, Epoch, Hole, Span};

/// Words compared at a time for markers and for time that runs backwards.
const STRIDE: usize = 16;

/// Words that share their bounds, behind a hole or a fall of time.
struct Group {
    /// First word in [`Unwrap::held`].
    start: usize,
    index: u64,
    /// Times that ran backwards before it since the last marker.
    falls: u64,
    /// Upper bound of its epoch, as far as the holes before it bound it.
    high: Option<u64>,
    behind_hole: bool,
}

/// Words whose epoch has been found, on their way out.
#[derive(Default)]
struct Released {
    words: Vec<u32>,
    /// With the start of each in `words`.
    spans: VecDeque<(usize, Span)>,
    next: usize,
}

/// Finds the epochs of one SMI's pairs.
pub struct Unwrap {
    last_epoch: Option<u64>,
    guarded: bool,
    /// Words held back at most while their closing marker is awaited.
    limit: usize,
    /// Number of the next pair.
    index: u64,
    /// Bounds of the epoch behind the last marker, if it is one.
    low: u64,
    high: Option<u64>,
    belief: Belief,
    /// Bounds of the present epoch, if no hole lies behind the last marker.
    pinned: Option<Epoch>,
    /// Upper bound behind the last hole.
    reach: Option<u64>,
    /// Times that ran backwards since the last marker: each hides a wrap whose marker is missing.
    falls: u64,
    last_time: u16,
    /// No word came since the last hole.
    behind_hole: bool,
    /// The next pair is the first behind a hole: it may be the count of a loss, and look like a marker.
    first: bool,
    /// Time of a gap marker whose count is due.
    count_due: Option<u16>,
    held: Vec<u32>,
    groups: Vec<Group>,
    released: Released,
}

const fn time(word: u32) -> u16 {
    word as u16
}

/// Whether a word may be a marker: high byte 0xAA or 0xAB.
const fn is_marked(word: u32) -> bool {
    word >> 25 == (WRAP_MARKER >> 1) as u32
}

impl Unwrap {
    /// `guarded`: every hole is announced. `last_epoch`: the last one that the run can have reached, if that
    /// is known. `limit`: words held back at most.
    pub fn new(guarded: bool, last_epoch: Option<u64>, limit: usize) -> Self {
        let mut unwrap = Unwrap {
            last_epoch,
            guarded,
            limit,
            index: 0,
            low: 0,
            high: Some(0),
            belief: Belief::NEW,
            pinned: None,
            reach: None,
            falls: 0,
            last_time: 0,
            behind_hole: false,
            first: false,
            count_due: None,
            held: Vec::new(),
            groups: Vec::new(),
            released: Released::default(),
        };
        unwrap.pin();
        unwrap
    }

    /// Whether every hole is announced, and nothing contradicted that so far.
    pub fn is_guarded(&self) -> bool {
        self.guarded
    }

    /// Lower bound of the epoch of every word that has not come out yet.
    pub fn low(&self) -> u64 {
        self.belief.epoch()
    }

    /// Whether released words wait to be drained.
    pub fn has_released(&self) -> bool {
        !self.released.spans.is_empty()
    }

    /// Takes words from the front of `words` and passes them on with their epoch, or holds them
    /// back. Returns how many it took: fewer than all if held ones are released, which must then be
    /// drained first.
    pub fn feed(&mut self, words: &[u32], out: &mut impl FnMut(Span, &[u32])) -> usize {
        let mut done = 0;
        while done < words.len() && self.released.spans.is_empty() {
            let rest = &words[done..];
            let clean = self.clean(rest);
            done += match clean {
                0 => self.special(rest[0], out),
                _ => self.run(&rest[..clean], out),
            };
        }
        done
    }

    /// Passes on at most `limit` released words, if there are any.
    pub fn drain(&mut self, limit: usize, out: &mut impl FnMut(Span, &[u32])) -> bool {
        let Some(&(start, span)) = self.released.spans.front() else { return false };
        let end = self.released.spans.get(1).map_or(self.released.words.len(), |next| next.0);
        let from = self.released.next.max(start);
        let to = end.min(from + limit);
        let behind_hole = span.behind_hole && from == start;
        out(Span { index: span.index + (from - start) as u64, behind_hole, ..span }, &self.released.words[from..to]);
        self.released.next = to;
        if to == end {
            self.released.spans.pop_front();
        }
        true
    }

    /// Pairs may be missing from here on, up to the one that `hole` names.
    pub fn hole(&mut self, hole: Hole) {
        self.index = hole.index;
        self.count_due = None;
        let before = if self.pinned.take().is_some() { self.high } else { self.reach };
        self.reach = before.zip(hole.at_most).map(|(high, most)| high.saturating_add(most));
        self.behind_hole = true;
        self.first = true;
        self.group();
    }

    /// Nothing follows. Returns whether that released words.
    pub fn end(&mut self) -> bool {
        self.close(None);
        self.has_released()
    }

    /// Number of words at the front that are no markers and whose times don't fall.
    fn clean(&self, words: &[u32]) -> usize {
        if self.count_due.is_some() || time(words[0]) < self.last_time || is_marked(words[0]) {
            return 0;
        }
        let mut clean = 1;
        // Without a branch a word, so that it is done many words at a time.
        while let Some(stride) = words[clean - 1..].first_chunk::<{ STRIDE + 1 }>() {
            let found = stride
                .windows(2)
                .fold(false, |found, two| found | is_marked(two[1]) | ((two[1] & 0xffff) < (two[0] & 0xffff)));
            if found {
                break;
            }
            clean += STRIDE;
        }
        let rest = words[clean - 1..].windows(2).take_while(|two| !is_marked(two[1]) && time(two[1]) >= time(two[0]));
        clean + rest.count()
    }

    /// Words without markers in which time does not fall.
    fn run(&mut self, words: &[u32], out: &mut impl FnMut(Span, &[u32])) -> usize {
        self.first = false;
        if let (Some(epoch), true) = (self.pinned, self.guarded) {
            self.last_time = time(words[words.len() - 1]);
            out(Span { epoch, index: self.index, behind_hole: core::mem::take(&mut self.behind_hole) }, words);
            self.index += words.len() as u64;
            return words.len();
        }
        if self.held.len() >= self.limit {
            self.close(None);
            self.group();
            return 0;
        }
        let taken = words.len().min(self.limit - self.held.len());
        self.last_time = time(words[taken - 1]);
        if core::mem::take(&mut self.behind_hole) {
            self.groups.last_mut().expect("a hole begins a group").behind_hole = true;
        }
        self.held.extend_from_slice(&words[..taken]);
        self.index += taken as u64;
        taken
    }

    /// A word that may be a marker, the count of a gap, or the first after time ran backwards.
    fn special(&mut self, word: u32, out: &mut impl FnMut(Span, &[u32])) -> usize {
        let is_first = core::mem::take(&mut self.first);
        if is_first && is_marked(word) && time(word) == 0 {
            // Nobody can say whether it is a marker: it counts as missing.
            self.index += 1;
            self.reach = self.reach.map(|reach| reach.saturating_add(1));
            self.group();
            return 1;
        }
        let is_count = self.count_due.take() == Some(time(word)) || (is_first && mark(word) == WRAP_MARKER);
        if !is_count && mark(word) == WRAP_MARKER && time(word) != 0 {
            // No SMI makes such a marker: it is the count of a loss, the first half of which is missing.
            self.doubt();
        } else if !is_count && mark(word) == WRAP_MARKER {
            self.index += 1;
            self.marker((word >> 16) as u8);
            return 1;
        }
        if time(word) < self.last_time {
            if !self.behind_hole {
                self.doubt();
            }
            self.falls += 1;
            self.last_time = time(word);
            self.group();
        }
        if !is_count && mark(word) == GAP_MARKER {
            self.count_due = Some(time(word));
        }
        let taken = self.run(&[word], out);
        if taken == 0 {
            // It comes again when what was held has gone.
            self.count_due = is_count.then(|| time(word));
            self.first = is_first;
        }
        taken
    }

    /// From here on nobody knows where pairs are missing: it was said so, or the stream contradicts itself.
    pub fn doubt(&mut self) {
        if self.guarded {
            self.guarded = false;
            self.pinned = None;
            self.reach = None;
            self.group();
        }
    }

    /// The words from here on have bounds of their own.
    fn group(&mut self) {
        let (start, index, falls, high) = (self.held.len(), self.index, self.falls, self.reach);
        let group = Group { start, index, falls, high, behind_hole: false };
        match self.groups.last_mut() {
            Some(last) if last.start == self.held.len() => *last = group,
            _ => self.groups.push(group),
        }
    }

    fn marker(&mut self, wraps: u8) {
        let step = wraps_since(self.low, wraps);
        let next = self.belief.meet(self.low, wraps);
        // Greatest epoch that this marker can begin.
        let most = if !self.guarded {
            let successive = self.falls == 0 && step == 1;
            self.high.filter(|_| successive).map(|high| high + 1)
        } else if self.pinned.is_some() {
            self.high.filter(|_| step == 1).map(|high| high + 1)
        } else {
            self.reach.map(|reach| reach + 1)
        };
        let most = most.into_iter().chain(self.last(next)).min();
        let high = most.filter(|most| *most >= next).map(|most| next + (most - next) / 256 * 256);
        self.close(Some((step, high)));
        self.low = next;
        self.high = high;
        self.belief.pass(next, step == 1, self.guarded);
        self.falls = 0;
        self.last_time = 0;
        self.pin();
    }

    /// No hole lies behind the last marker.
    fn pin(&mut self) {
        let epoch = self.bounded(self.low, self.high);
        if self.guarded {
            self.pinned = Some(epoch);
        } else {
            self.reach = None;
            self.group();
        }
    }

    /// The epoch between these bounds, which the length of the run may narrow; if it contradicts
    /// them, the clock ran otherwise than the machine's description says, and it narrows nothing.
    fn bounded(&self, low: u64, high: Option<u64>) -> Epoch {
        match high {
            Some(high) if high == low => return Epoch::Certain(low),
            // Contradictions: nothing bounds it.
            Some(high) if high < low => return Epoch::Ambiguous { low: 0, high: None },
            _ => {}
        }
        match high.into_iter().chain(self.last(low)).min() {
            Some(high) if high == low => Epoch::Certain(low),
            high => Epoch::Ambiguous { low, high },
        }
    }

    /// The last epoch that the run can have reached, unless it has passed it.
    fn last(&self, reached: u64) -> Option<u64> {
        self.last_epoch.filter(|last| *last >= reached)
    }

    /// Releases what is held; with the closing marker's step and the greatest epoch that it can have begun.
    fn close(&mut self, marker: Option<(u64, Option<u64>)>) {
        if self.held.is_empty() {
            self.groups.clear();
            return;
        }
        let groups = core::mem::take(&mut self.groups);
        for group in groups.iter().filter(|group| group.start < self.held.len()) {
            let epoch = if self.guarded {
                self.between(group, marker)
            } else {
                self.guess(group, marker.map(|(step, _)| step))
            };
            let span = Span { epoch, index: group.index, behind_hole: group.behind_hole };
            self.released.spans.push_back((group.start, span));
        }
        self.groups = groups;
        self.groups.clear();
        self.released.next = 0;
        core::mem::swap(&mut self.held, &mut self.released.words);
        self.held.clear();
    }

    /// Epoch of words behind an announced hole.
    fn between(&self, group: &Group, marker: Option<(u64, Option<u64>)>) -> Epoch {
        let low = self.low + group.falls;
        let below = marker.and_then(|(_, high)| (high?).checked_sub(1 + self.falls - group.falls));
        let high = match (group.high, below) {
            (Some(high), Some(below)) => Some(high.min(below)),
            (high, below) => high.or(below),
        };
        self.bounded(low, high)
    }

    /// Epoch of words of an unguarded stream, from the closing marker's step.
    fn guess(&self, group: &Group, step: Option<u64>) -> Epoch {
        let within = match step {
            Some(1) if self.falls == 0 => Some(0),
            Some(step) if self.falls < step => Some(step - 1 - (self.falls - group.falls)),
            // Time ran backwards more often than the markers say: data are damaged, and the markers bound nothing.
            _ => None,
        };
        let high = within.and_then(|within| Some(self.high? + within));
        let begun = self.belief.begun(self.low, step.is_some());
        let low = within.map_or(begun, |within| begun + group.falls.min(within));
        match self.bounded(low, high) {
            // Equal bounds are no proof here unless the markers are successive.
            Epoch::Certain(epoch) if step != Some(1) || self.falls != 0 => {
                Epoch::Ambiguous { low: epoch, high: high.map(|high| high.max(epoch)) }
            }
            epoch => epoch,
        }
    }
}
