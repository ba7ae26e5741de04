//! Values behind the two strobe registers.

use std::collections::VecDeque;
use testbed_definitions::timing::LOOKAHEAD;

/// First cycle in which a store of cycle `cycle` is seen by the rest of the machine.
pub fn seen_from(cycle: u64) -> u64 {
    (cycle / LOOKAHEAD + 2) * LOOKAHEAD
}

/// Start of the window before the one of `cycle`: the rest of the machine sees there what was stored before.
pub fn horizon(cycle: u64) -> u64 {
    (cycle / LOOKAHEAD * LOOKAHEAD).saturating_sub(LOOKAHEAD)
}

/// A programmed value and the changes that have not yet arrived.
#[derive(Clone, Debug)]
pub struct Late {
    programmed: u32,
    late: u32,
    /// First cycle in which the value is seen, and the value. In order; one a window.
    coming: VecDeque<(u64, u32)>,
}

impl Late {
    pub fn new(reset: u32) -> Self {
        Late { programmed: reset, late: reset, coming: VecDeque::new() }
    }

    /// Programs `value` in X-cycle `cycle`.
    pub fn set(&mut self, value: u32, cycle: u64) {
        self.programmed = value;
        let seen = seen_from(cycle);
        match self.coming.back_mut() {
            Some(last) if last.0 == seen => last.1 = value,
            _ => self.coming.push_back((seen, value)),
        }
    }

    /// What was last programmed.
    pub fn programmed(&self) -> u32 {
        self.programmed
    }

    /// The value that is seen in `cycle`; cycles must not decrease.
    pub fn at(&mut self, cycle: u64) -> u32 {
        while self.coming.front().is_some_and(|&(from, _)| from <= cycle) {
            self.late = self.coming.pop_front().expect("looked at above").1;
        }
        self.late
    }

    /// The value at the last cycle given to [`Late::at`].
    pub fn last(&self) -> u32 {
        self.late
    }

    /// The first cycle after the last one given to [`Late::at`] in which the value changes.
    pub fn next_change(&self) -> Option<u64> {
        self.coming.front().map(|&(from, _)| from)
    }

    /// The changes to come after the last cycle given to [`Late::at`]: first cycle and value.
    pub fn changes(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.coming.iter().copied()
    }
}
