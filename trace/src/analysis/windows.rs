//! Equal pieces of the observed time.

use super::measure::Range;

/// More windows than that are refused: their series would be longer than the trace.
pub const WINDOWS_MAX: u64 = 100_000;

/// A series with one entry a window. Entries are made when they are needed.
#[derive(Clone, Debug)]
pub struct Windows<T> {
    range: Range,
    window: u64,
    series: Vec<T>,
}

impl<T: Default + Clone> Windows<T> {
    /// Windows of `window` cycles, at least 1; the last one may be shorter.
    pub fn new(range: Range, window: u64) -> Self {
        Windows { range, window: window.max(1), series: Vec::new() }
    }

    fn count(&self) -> usize {
        self.range.cycles().div_ceil(self.window) as usize
    }

    fn entry(&mut self, index: usize) -> &mut T {
        if self.series.len() <= index {
            self.series.resize(index + 1, T::default());
        }
        &mut self.series[index]
    }

    /// Gives every window that `from` to `to` touches its share, in cycles.
    pub fn spread(&mut self, from: u64, to: u64, mut give: impl FnMut(&mut T, u64)) {
        let (from, to) = (from.max(self.range.from_cycle), to.min(self.range.to_cycle));
        let mut at = from;
        while at < to {
            let index = (at - self.range.from_cycle) / self.window;
            // The last window may end behind the greatest cycle that there can be.
            let end = self.range.from_cycle.saturating_add((index + 1).saturating_mul(self.window)).min(to);
            give(self.entry(index as usize), end - at);
            at = end;
        }
    }

    /// The window of a moment; `None` outside the range.
    pub fn at(&mut self, cycle: u64) -> Option<&mut T> {
        let index = (cycle.checked_sub(self.range.from_cycle)? / self.window) as usize;
        self.range.contains(cycle).then(|| self.entry(index))
    }

    /// The whole series.
    pub fn finish(mut self) -> Vec<T> {
        let count = self.count();
        self.series.resize(count, T::default());
        self.series
    }
}

/// A window for tables: about `rows` in `cycles`, a round number of microseconds (1, 2 or 5 and
/// zeros), at least one tick.
pub fn round_window(cycles: u64, rows: u64, clock_hz: u32, tick_cycles: u64) -> u64 {
    let microsecond = (f64::from(clock_hz) / 1e6).max(1e-9);
    let wanted = cycles as f64 / rows as f64 / microsecond;
    let decade = 10f64.powf(wanted.max(1.0).log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * decade).find(|round| *round >= wanted);
    ((round.unwrap_or(wanted) * microsecond).round() as u64).max(tick_cycles).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_spread_over_its_windows() {
        let mut windows: Windows<u64> = Windows::new(Range { from_cycle: 100, to_cycle: 350 }, 100);
        windows.spread(50, 320, |window, cycles| *window += cycles);
        *windows.at(349).unwrap() += 1;
        assert!(windows.at(350).is_none() && windows.at(99).is_none());
        assert_eq!(windows.finish(), [100, 100, 21]);
    }

    #[test]
    fn a_window_may_end_behind_all_cycles() {
        let range = Range { from_cycle: 7, to_cycle: u64::MAX };
        let mut windows: Windows<u64> = Windows::new(range, u64::MAX / 3);
        windows.spread(0, u64::MAX, |window, cycles| *window += cycles);
        assert_eq!(windows.finish().into_iter().map(u128::from).sum::<u128>(), u128::from(range.cycles()));
    }

    #[test]
    fn windows_are_round() {
        assert_eq!(round_window(25_000_000, 60, 25_000_000, 25), 20_000 * 25);
        assert_eq!(round_window(10, 60, 25_000_000, 25), 25);
    }
}
