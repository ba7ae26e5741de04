//! Series of the recent past: equal pieces of time, as many as are kept.

use std::collections::VecDeque;

/// Pieces that are kept.
pub const KEPT: usize = 128;
/// Pieces of the window that was asked for, once they have their full length.
const WINDOW: u64 = 16;
/// How often a piece's length may double.
const DOUBLINGS: u32 = 10;

/// The length of the pieces. It begins small and doubles until 16 of them make the window that was
/// asked for, so that short runs show their course too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Cycles of a piece.
    pub piece: u64,
    window: u64,
    doublings: u32,
}

impl Scale {
    /// For windows of about `window` cycles.
    pub fn new(window: u64) -> Self {
        // A short window needs no doubling.
        let doublings = if window < WINDOW << DOUBLINGS { 0 } else { DOUBLINGS };
        Scale { piece: window.div_ceil(WINDOW << doublings).max(1), window, doublings }
    }

    /// The piece in which a cycle lies.
    pub fn number(&self, cycle: u64) -> u64 {
        cycle / self.piece
    }

    /// Doubles the length if it is due at this cycle. Returns whether it did.
    pub fn grow(&mut self, cycle: u64) -> bool {
        let due = self.doublings > 0 && self.number(cycle) >= KEPT as u64;
        if due {
            self.piece *= 2;
            self.doublings -= 1;
        }
        due
    }

    /// The cycle at which the window begins that ends in this one: a whole number of pieces before
    /// the present one's end, and what is kept at most.
    pub fn window_from(&self, cycle: u64) -> u64 {
        let pieces = (self.window / self.piece).clamp(1, KEPT as u64);
        (self.number(cycle) + 1).saturating_sub(pieces) * self.piece
    }
}

/// What is counted in a piece.
pub trait Piece: Default + Clone {
    /// Takes in what was counted in the piece behind this one.
    fn join(&mut self, other: &Self);
}

impl Piece for u64 {
    fn join(&mut self, other: &Self) {
        *self += other;
    }
}

impl<const N: usize> Piece for [u64; N]
where
    [u64; N]: Default,
{
    fn join(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(sum, more)| *sum += more);
    }
}

/// A series. What is older than the pieces kept is forgotten.
#[derive(Clone, Debug)]
pub struct Recent<T> {
    /// Number of the first piece.
    first: u64,
    pieces: VecDeque<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { first: 0, pieces: VecDeque::new() }
    }
}

impl<T: Piece> Recent<T> {
    /// The piece of this number; `None` if it has been forgotten.
    pub fn at(&mut self, number: u64) -> Option<&mut T> {
        if self.pieces.is_empty() {
            self.first = number;
        }
        let end = self.first + self.pieces.len() as u64;
        if number >= end + KEPT as u64 {
            self.pieces.clear();
            self.first = number;
        }
        while number >= self.first + self.pieces.len() as u64 {
            if self.pieces.len() == KEPT {
                self.pieces.pop_front();
                self.first += 1;
            }
            self.pieces.push_back(T::default());
        }
        while number < self.first && self.pieces.len() < KEPT {
            self.pieces.push_front(T::default());
            self.first -= 1;
        }
        self.pieces.get_mut(number.checked_sub(self.first)? as usize)
    }

    /// Gives every piece that `from` to `to` touches its share, in cycles.
    pub fn spread(&mut self, scale: Scale, from: u64, to: u64, mut give: impl FnMut(&mut T, u64)) {
        if to <= from {
            return;
        }
        let newest = scale.number(to - 1);
        let mut at = from.max((newest + 1).saturating_sub(KEPT as u64) * scale.piece);
        while at < to {
            let number = scale.number(at);
            let end = ((number + 1) * scale.piece).min(to);
            if let Some(piece) = self.at(number) {
                give(piece, end - at);
            }
            at = end;
        }
    }

    /// Two pieces become one.
    pub fn double(&mut self) {
        let first = self.first / 2;
        let mut joined: VecDeque<T> = VecDeque::with_capacity(self.pieces.len() / 2 + 1);
        for (number, piece) in (self.first..).zip(&self.pieces) {
            match joined.get_mut((number / 2 - first) as usize) {
                Some(sum) => sum.join(piece),
                None => joined.push_back(piece.clone()),
            }
        }
        (self.first, self.pieces) = (first, joined);
    }

    /// All pieces from this number on, together.
    pub fn sum_from(&self, number: u64) -> T {
        let passed = number.saturating_sub(self.first) as usize;
        self.pieces.iter().skip(passed).fold(T::default(), |mut sum, piece| {
            sum.join(piece);
            sum
        })
    }

    /// The piece of this number, if something was counted in it or after it.
    pub fn get(&self, number: u64) -> Option<&T> {
        self.pieces.get(number.checked_sub(self.first)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_spread_and_old_ones_forgotten() {
        let scale = Scale { piece: 10, window: 160, doublings: 0 };
        let mut recent: Recent<u64> = Recent::default();
        let add = |sum: &mut u64, cycles| *sum += cycles;
        recent.spread(scale, 15, 35, add);
        let pieces = |recent: &Recent<u64>| (0..4).map(|number| recent.get(number).copied()).collect::<Vec<_>>();
        assert_eq!(pieces(&recent), [None, Some(5), Some(10), Some(5)]);
        // A late one.
        recent.spread(scale, 0, 5, add);
        assert_eq!(pieces(&recent), [Some(5), Some(5), Some(10), Some(5)]);
        assert_eq!((recent.sum_from(0), recent.sum_from(2)), (25, 15));
        // One so long that only its end is kept, and one that comes too late.
        recent.spread(scale, 40, 10_000, add);
        recent.spread(scale, 0, 5, add);
        assert_eq!((recent.sum_from(0), recent.sum_from(999), recent.get(1_000)), (1_280, 10, None));
        assert_eq!(recent.get(1_000 - KEPT as u64 - 1), None);
        *recent.at(10_000).unwrap() += 1;
        assert_eq!(recent.sum_from(0), 1);
    }

    #[test]
    fn doubling_keeps_sums() {
        let scale = Scale { piece: 10, window: 160, doublings: 0 };
        for start in [0, 10, 35] {
            let mut recent: Recent<u64> = Recent::default();
            recent.spread(scale, start, start + 55, |sum, cycles| *sum += cycles);
            recent.double();
            assert_eq!(recent.sum_from(0), 55, "from {start}");
            let whole = Scale { piece: 20, ..scale };
            let mut again: Recent<u64> = Recent::default();
            again.spread(whole, start, start + 55, |sum, cycles| *sum += cycles);
            assert_eq!(
                (0..8).map(|n| recent.get(n)).collect::<Vec<_>>(),
                (0..8).map(|n| again.get(n)).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn the_scale_grows_to_the_window_and_no_further() {
        let mut scale = Scale::new(25_000_000);
        assert_eq!(scale.piece, 1526);
        for cycle in (0..1_000_000_000).step_by(100_000) {
            scale.grow(cycle);
        }
        assert_eq!(scale.piece, 1526 << 10);
        // 15 pieces of 62.5 ms, and the one that goes on.
        assert_eq!(scale.window_from(100 * scale.piece), 86 * scale.piece);
        assert_eq!((Scale::new(25_000_000).window_from(150_000), Scale::new(1_600).window_from(150_000)), (0, 148_500));
        assert_eq!(Scale::new(1_600).piece, 100);
        assert_eq!(Scale::new(0).piece, 1);
    }
}
