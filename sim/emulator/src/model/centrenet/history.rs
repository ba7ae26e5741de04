//! A register that software stores to, as the two strobe-loaded export registers show it.

use testbed_definitions::timing::LOOKAHEAD;

/// The last stores of the last three windows in which there were any, newest first: those of a window and of the one
/// before are not exported yet, the third is.
#[derive(Clone)]
pub struct History<T> {
    stores: [(u64, T); 3],
}

impl<T: Copy> History<T> {
    pub fn new(initial: T) -> Self {
        History { stores: [(0, initial); 3] }
    }

    /// A store of `value` in `cycle`.
    pub fn store(&mut self, cycle: u64, value: T) {
        let [last, before_last, _] = self.stores;
        if before(last.0, 0) != before(cycle, 0) {
            self.stores = [last, last, before_last];
        }
        self.stores[0] = (cycle, value);
    }

    /// What stores of cycles before `limit`, the first of a window, made it.
    fn at(&self, limit: u64) -> T {
        let [.., oldest] = self.stores;
        self.stores.iter().find(|&&(cycle, _)| cycle < limit).unwrap_or(&oldest).1
    }

    /// The first export register in `cycle`.
    pub fn once(&self, cycle: u64) -> T {
        self.at(before(cycle, 0))
    }

    /// The second one, which the bus sees, in `cycle`.
    pub fn exported(&self, cycle: u64) -> T {
        self.at(shown_from(cycle))
    }
}

/// What the bus sees in `cycle` is what stores of cycles before this one have made it.
pub fn shown_from(cycle: u64) -> u64 {
    before(cycle, 1)
}

/// First cycle of the window `windows` before that of `cycle`.
fn before(cycle: u64, windows: u64) -> u64 {
    (cycle / LOOKAHEAD).saturating_sub(windows) * LOOKAHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store of window 1 shows in window 2 and, exported, in window 3.
    #[test]
    fn stores_show_at_the_strobes() {
        let mut history = History::new(0);
        for (cycle, value) in [(0, 9), (32, 1), (63, 2), (64, 3), (95, 4)] {
            history.store(cycle, value);
        }
        assert_eq!([history.once(63), history.once(64), history.once(95), history.once(96)], [9, 2, 2, 4]);
        assert_eq!(
            [history.exported(95), history.exported(96), history.exported(127), history.exported(128)],
            [9, 2, 2, 4]
        );
    }

    #[test]
    fn before_the_second_window_it_is_the_initial_value() {
        let mut history = History::new(7);
        history.store(0, 8);
        assert_eq!([history.once(31), history.exported(31), history.once(32)], [7, 7, 8]);
        assert_eq!([history.exported(63), history.exported(64)], [7, 8]);
    }
}
