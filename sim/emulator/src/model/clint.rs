//! The core-local interruptor: `msip`, `mtime`, `mtimecmp`, by arithmetic.

use testbed_definitions::map::clint;

/// One processor's CLINT. Cycles are given with every access and never go back.
#[derive(Clone, Debug)]
pub struct Clint {
    msip: bool,
    mtimecmp: u64,
    /// `mtime` in cycle `t` is `t + offset`.
    offset: u64,
    last: Option<Store>,
}

/// The last store, and what held in its cycle, before it was seen.
#[derive(Clone, Copy, Debug)]
struct Store {
    cycle: u64,
    /// `mtime >= mtimecmp`.
    expired: bool,
    /// The timer line.
    timer: bool,
    /// The software line.
    software: bool,
}

impl Default for Clint {
    fn default() -> Self {
        Clint { msip: false, mtimecmp: u64::MAX, offset: 0, last: None }
    }
}

impl Clint {
    /// `mtime` in `cycle`.
    pub fn time(&self, cycle: u64) -> u64 {
        cycle.wrapping_add(self.offset)
    }

    /// What a load of the word at `offset` with its strobe in `cycle` reads.
    pub fn load(&self, offset: u32, cycle: u64) -> u32 {
        match offset & !3 {
            clint::MSIP => u32::from(self.msip),
            clint::MTIMECMP_LOW => self.mtimecmp as u32,
            clint::MTIMECMP_HIGH => (self.mtimecmp >> 32) as u32,
            clint::MTIME_LOW => self.time(cycle) as u32,
            clint::MTIME_HIGH => (self.time(cycle) >> 32) as u32,
            _ => 0,
        }
    }

    /// A store made in `cycle`, seen by the registers from the next cycle on.
    pub fn store(&mut self, offset: u32, value: u32, cycle: u64) {
        self.last = Some(Store {
            cycle,
            expired: self.expired(cycle),
            timer: self.timer_from(cycle) == Some(cycle),
            software: self.software_from(cycle) == Some(cycle),
        });
        match offset & !3 {
            clint::MSIP => self.msip = value & 1 != 0,
            clint::MTIMECMP_LOW => self.mtimecmp = set_half(self.mtimecmp, false, value),
            clint::MTIMECMP_HIGH => self.mtimecmp = set_half(self.mtimecmp, true, value),
            clint::MTIME_LOW => self.set_time(false, value, cycle),
            clint::MTIME_HIGH => self.set_time(true, value, cycle),
            _ => {}
        }
    }

    fn set_time(&mut self, high: bool, value: u32, cycle: u64) {
        let time = set_half(self.time(cycle), high, value);
        self.offset = time.wrapping_sub(cycle + 1);
    }

    fn expired(&self, cycle: u64) -> bool {
        self.time(cycle) >= self.mtimecmp
    }

    /// The first cycle not before `from` in which the software line is high, if no store comes in between.
    /// `from` must not be before the cycle of the last store.
    pub fn software_from(&self, from: u64) -> Option<u64> {
        match self.last {
            Some(store) if from <= store.cycle && store.software => Some(from),
            Some(store) if from <= store.cycle => self.msip.then_some(store.cycle + 1),
            _ => self.msip.then_some(from),
        }
    }

    /// The first cycle not before `from` in which the timer line is high, if no store comes in between.
    /// `from` must not be before the cycle of the last store.
    pub fn timer_from(&self, from: u64) -> Option<u64> {
        // The line in a cycle is the comparison of the cycle before.
        let mut compared = from.saturating_sub(1);
        if let Some(store) = self.last {
            if from <= store.cycle && store.timer {
                return Some(from);
            }
            if compared <= store.cycle {
                if store.expired {
                    return Some(from.max(store.cycle + 1));
                }
                compared = store.cycle + 1;
            }
        }
        let missing = self.mtimecmp.saturating_sub(self.time(compared));
        compared.checked_add(missing)?.checked_add(1).map(|cycle| cycle.max(from))
    }
}

/// `value` with its upper or lower 32 bits replaced.
pub(crate) fn set_half(value: u64, high: bool, half: u32) -> u64 {
    if high {
        value & 0xffff_ffff | u64::from(half) << 32
    } else {
        value & !0xffff_ffff | u64::from(half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers and the line as `docs/hardware.md` describes them, one cycle at a time.
    struct Ticking {
        time: u64,
        compare: u64,
        line: bool,
        software: bool,
    }

    impl Ticking {
        fn tick(&mut self, store: Option<(u32, u32)>) {
            self.line = self.time >= self.compare;
            let next = self.time.wrapping_add(1);
            self.time = match store {
                Some((clint::MTIME_LOW, value)) => set_half(self.time, false, value),
                Some((clint::MTIME_HIGH, value)) => set_half(self.time, true, value),
                _ => next,
            };
            match store {
                Some((clint::MTIMECMP_LOW, value)) => self.compare = set_half(self.compare, false, value),
                Some((clint::MTIMECMP_HIGH, value)) => self.compare = set_half(self.compare, true, value),
                Some((clint::MSIP, value)) => self.software = value & 1 != 0,
                _ => {}
            }
        }
    }

    #[test]
    fn agrees_with_a_ticking_clint() {
        let stores = [
            (3, clint::MTIMECMP_LOW, 20),
            (7, clint::MTIMECMP_HIGH, 0),
            (40, clint::MTIME_LOW, 5),
            (60, clint::MTIMECMP_LOW, 100),
            (63, clint::MTIME_LOW, 99),
            (90, clint::MTIME_HIGH, 1),
            (93, clint::MTIMECMP_HIGH, 1),
            (120, clint::MTIMECMP_LOW, 0x40),
            (130, clint::MSIP, 1),
            (132, clint::MTIMECMP_HIGH, 0),
            (134, clint::MTIMECMP_HIGH, 2),
            (136, clint::MSIP, 0),
            (138, clint::MSIP, 1),
        ];
        let mut ticking = Ticking { time: 0, compare: u64::MAX, line: false, software: false };
        let mut clint = Clint::default();
        let mut high = 0;
        for cycle in 0..200u64 {
            // Asked after the store of the cycle, as the core asks in the next one, and before it.
            let lines =
                |clint: &Clint| (clint.timer_from(cycle) == Some(cycle), clint.software_from(cycle) == Some(cycle));
            let expected = (ticking.line, ticking.software);
            assert_eq!(lines(&clint), expected, "lines in cycle {cycle}");
            high += usize::from(ticking.line);
            let low = clint.load(clint::MTIME_LOW, cycle);
            assert_eq!(u64::from(low) | u64::from(clint.load(clint::MTIME_HIGH, cycle)) << 32, ticking.time);
            let store = stores.iter().find(|store| store.0 == cycle).map(|store| (store.1, store.2));
            if let Some((offset, value)) = store {
                clint.store(offset, value, cycle);
                assert_eq!(lines(&clint), expected, "lines in cycle {cycle}, after its store");
            }
            ticking.tick(store);
        }
        assert!(high > 20 && high < 180, "the line must be seen both ways, was high {high} times");
    }

    #[test]
    fn the_first_cycle_of_the_line_is_found_ahead() {
        let mut clint = Clint::default();
        assert_eq!(clint.timer_from(2), None);
        clint.store(clint::MTIMECMP_LOW, 1000, 10);
        clint.store(clint::MTIMECMP_HIGH, 0, 13);
        assert_eq!(clint.timer_from(15), Some(1001));
        assert_eq!(clint.timer_from(5000), Some(5000));
    }
}
