//! Time from a cycle counter, without the 64-bit division that a call would wait for.

/// Counts whole milliseconds since cycle 0.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    cycles_per_ms: u32,
    count: u32,
    /// Cycle in which millisecond `count` began.
    since: u64,
}

impl Clock {
    /// A clock for a processor of `hertz`; below 1 kHz every cycle counts as a millisecond.
    pub const fn new(hertz: u32) -> Self {
        let cycles = hertz / 1000;
        Clock { cycles_per_ms: if cycles == 0 { 1 } else { cycles }, count: 0, since: 0 }
    }

    /// Milliseconds and microseconds at cycle `now`, which never goes back; they wrap after 49 days
    /// and 71 minutes.
    pub fn at(&mut self, now: u64) -> (u32, u32) {
        while now - self.since > u64::from(u32::MAX) {
            // Not asked for minutes.
            self.advance(u32::MAX / self.cycles_per_ms);
        }
        let mut rest = (now - self.since) as u32;
        if rest >= self.cycles_per_ms {
            self.advance(rest / self.cycles_per_ms);
            rest = (now - self.since) as u32;
        }
        (self.count, self.count.wrapping_mul(1000).wrapping_add(rest * 1000 / self.cycles_per_ms))
    }

    fn advance(&mut self, milliseconds: u32) {
        self.since += u64::from(milliseconds) * u64::from(self.cycles_per_ms);
        self.count = self.count.wrapping_add(milliseconds);
    }
}

/// Cycles that times in microseconds take.
#[derive(Clone, Copy, Debug)]
pub struct Cycles {
    /// Whole cycles a microsecond, and 4,096ths beside.
    whole: u32,
    rest: u32,
}

impl Cycles {
    pub const fn new(hertz: u32) -> Self {
        Cycles { whole: hertz / 1_000_000, rest: ((hertz % 1_000_000) << 12).div_ceil(1_000_000) }
    }

    /// Cycles that `microseconds` take at least; at most a four thousandth of a cycle too many for
    /// each of them.
    pub const fn of(self, microseconds: u32) -> u64 {
        let fraction = microseconds as u64 * self.rest as u64 + 4095;
        microseconds as u64 * self.whole as u64 + (fraction >> 12)
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Cycles};

    #[test]
    fn equals_the_division() {
        for hertz in [1, 999, 1_000, 25_000_000, 100_000_001] {
            let mut clock = Clock::new(hertz);
            let mut now = 0u64;
            for step in (0..2_000u64).map(|n| n * n * 7919 % 90_000_001).chain([1 << 33, 5, 1 << 36, 0]) {
                now += step;
                let per_ms = u64::from((hertz / 1000).max(1));
                let us = (now / per_ms * 1000 + now % per_ms * 1000 / per_ms) as u32;
                assert_eq!(clock.at(now), ((now / per_ms) as u32, us), "{hertz} Hz, cycle {now}");
            }
        }
    }

    #[test]
    fn never_too_few_cycles() {
        for hertz in [1, 32_768, 25_000_000, 33_333_333, 100_000_001] {
            for microseconds in [0, 1, 2, 999, 1_000_001, u32::MAX] {
                let exact = (u128::from(microseconds) * u128::from(hertz)).div_ceil(1_000_000) as u64;
                let cycles = Cycles::new(hertz).of(microseconds);
                let most = exact + u64::from(microseconds) / 4096 + 1;
                assert!((exact..=most).contains(&cycles), "{hertz} Hz, {microseconds} us: {cycles}, not {exact}");
            }
        }
    }
}
