//! Bands of a time-line: what something was, from when to when, in bounded memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Stands for a time of which a lane says nothing: a thread before its first event, or between two lives of its number.
pub const NOTHING: u8 = 255;

/// What goes with a cell besides its state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// The processor; `None` if it is several, or none is meant.
    pub at: Option<u8>,
    /// Number of a text in the time-line's list: what a thread is blocked on.
    pub on: Option<u32>,
}

/// A piece of a lane.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    to: u64,
    /// Cycles by state; one entry where the cell is exact.
    shares: Vec<(u8, u64)>,
    tag: Tag,
}

impl Cell {
    fn absorb(&mut self, other: Cell) {
        for (state, cycles) in other.shares {
            match self.shares.iter_mut().find(|(mine, _)| *mine == state) {
                Some((_, sum)) => *sum += cycles,
                None => self.shares.push((state, cycles)),
            }
        }
        self.to = other.to;
        self.tag = Tag {
            at: self.tag.at.filter(|at| Some(*at) == other.tag.at),
            on: self.tag.on.filter(|on| Some(*on) == other.tag.on),
        };
    }

    fn is_pure(&self) -> bool {
        self.shares.len() == 1
    }
}

/// One band, without holes from its beginning on.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    from: u64,
    cells: Vec<Cell>,
}

impl Lane {
    pub fn new(from: u64) -> Self {
        Lane { from, cells: Vec::new() }
    }

    fn end(&self) -> u64 {
        self.cells.last().map_or(self.from, |cell| cell.to)
    }

    fn beginning(&self, index: usize) -> u64 {
        index.checked_sub(1).map_or(self.from, |before| self.cells[before].to)
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether `from` to `to` lies in one bucket of `resolution` cycles.
    fn fits(from: u64, to: u64, resolution: u64) -> bool {
        resolution > 0 && from / resolution == (to - 1) / resolution
    }

    /// Appends a cell, or makes it a part of the last one: if both are the same, or lie in one
    /// bucket of `resolution` cycles.
    fn put(&mut self, from: u64, cell: Cell, resolution: u64) {
        let before = self.cells.len().checked_sub(1).map(|last| self.beginning(last));
        if let (Some(before), Some(last)) = (before, self.cells.last_mut()) {
            let same = last.is_pure() && cell.is_pure() && last.shares[0].0 == cell.shares[0].0 && last.tag == cell.tag;
            if same || (Self::fits(before, cell.to, resolution) && last.to == from) {
                return last.absorb(cell);
            }
        }
        self.cells.push(cell);
    }

    /// Something was in this state from one cycle to another, later than all before. What is not
    /// said between is [`NOTHING`].
    pub fn push(&mut self, from: u64, to: u64, state: u8, tag: Tag, resolution: u64) {
        let end = self.end();
        let from = from.max(end);
        if to <= from {
            return;
        }
        if from > end {
            let nothing = Cell { to: from, shares: vec![(NOTHING, from - end)], tag: Tag::default() };
            self.put(end, nothing, resolution);
        }
        self.put(from, Cell { to, shares: vec![(state, to - from)], tag }, resolution);
    }

    /// Merges what lies in one bucket of `resolution` cycles.
    pub fn coarsen(&mut self, resolution: u64) {
        let mut from = self.from;
        for cell in std::mem::take(&mut self.cells) {
            let to = cell.to;
            self.put(from, cell, resolution);
            from = to;
        }
    }

    /// The lane as columns.
    pub fn columns(self) -> Columns {
        let mut columns = Columns { from: self.from, ..Columns::default() };
        let (mut from, mut at, mut on) = (self.from, None, None);
        for (index, cell) in self.cells.into_iter().enumerate() {
            columns.cycles.push(cell.to - from);
            from = cell.to;
            match cell.shares[..] {
                [(state, _)] => columns.state.push(i32::from(state)),
                _ => {
                    columns
                        .mixed
                        .push(cell.shares.iter().flat_map(|(state, cycles)| [u64::from(*state), *cycles]).collect());
                    columns.state.push(-(columns.mixed.len() as i32));
                }
            }
            if cell.tag.at != at {
                at = cell.tag.at;
                columns.at.push((index as u32, at));
            }
            if cell.tag.on != on {
                on = cell.tag.on;
                columns.on.push((index as u32, on));
            }
        }
        columns
    }
}

/// A lane as a page holds it: one entry a cell in `cycles` and `state`, and changes of what goes with cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// Where the first cell begins, in cycles; each other one begins where the one before ends.
    pub from: u64,
    pub cycles: Vec<u64>,
    /// The state, or -1 for the first of `mixed`, -2 for the second…
    pub state: Vec<i32>,
    /// States and their cycles in turn, of cells in which several states are merged.
    pub mixed: Vec<Vec<u64>>,
    /// From which cell on the processor is which; `None`: several, or none.
    pub at: Vec<(u32, Option<u8>)>,
    /// From which cell on a thread is blocked on what.
    pub on: Vec<(u32, Option<u32>)>,
}

impl Columns {
    /// Cycles by state: what has to be kept, however coarse the lane is.
    pub fn sums(&self) -> BTreeMap<u8, u64> {
        let mut sums = BTreeMap::new();
        for (cycles, state) in self.cycles.iter().zip(&self.state) {
            match u8::try_from(*state) {
                Ok(state) => *sums.entry(state).or_default() += cycles,
                Err(_) => {
                    for pair in self.mixed[(-state - 1) as usize].chunks(2) {
                        *sums.entry(pair[0] as u8).or_default() += pair[1];
                    }
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(at: u8) -> Tag {
        Tag { at: Some(at), on: None }
    }

    #[test]
    fn cells_are_exact_until_they_are_coarsened() {
        let mut lane = Lane::new(100);
        for (from, to, state) in [(100, 110, 1), (110, 120, 1), (130, 131, 2), (131, 900, 3), (900, 905, 1)] {
            lane.push(from, to, state, tag(1), 0);
        }
        let exact = lane.clone().columns();
        assert_eq!(
            (exact.cycles.as_slice(), exact.state.as_slice()),
            (&[20, 10, 1, 769, 5][..], &[1, 255, 2, 3, 1][..])
        );
        assert_eq!(exact.at, [(0, Some(1)), (1, None), (2, Some(1))]);
        lane.coarsen(1 << 7);
        let coarse = lane.columns();
        // 100 to 128 is not the bucket of 130; what crosses a bucket's edge stays alone.
        assert_eq!(coarse.cycles, [20, 10, 1, 769, 5]);
        let mut lane = Lane::new(0);
        for step in 0..100 {
            lane.push(step * 10, step * 10 + 10, (step % 3) as u8, tag((step / 50) as u8), 0);
        }
        let exact = lane.clone().columns();
        lane.coarsen(100);
        let coarse = lane.columns();
        assert_eq!((exact.cycles.len(), coarse.cycles.len()), (100, 10));
        assert_eq!(exact.sums(), coarse.sums());
        assert_eq!(coarse.at, [(0, Some(0)), (5, Some(1))]);
    }

    #[test]
    fn a_coarse_lane_is_bounded_by_its_buckets_and_keeps_all_time() {
        let (mut early, mut exact) = (Lane::new(0), Lane::new(0));
        let mut at = 0;
        for step in 0..10_000u64 {
            let to = at + step * step % 37;
            early.push(at, to, (step % 4) as u8, Tag::default(), 64);
            exact.push(at, to, (step % 4) as u8, Tag::default(), 0);
            at = to + step % 2;
        }
        let mut late = exact.clone();
        late.coarsen(64);
        let most = 2 * (at as usize / 64 + 1);
        assert!(exact.len() > 2 * most && early.len() <= most && late.len() <= most);
        let sums = exact.columns().sums();
        assert_eq!((early.columns().sums(), late.columns().sums()), (sums.clone(), sums));
    }
}
