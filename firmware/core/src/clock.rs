//! Milliseconds from a cycle counter, without the 64-bit division that a call would wait for.

/// Counts whole milliseconds since cycle 0.
#[derive(Clone, Copy, Debug)]
pub struct Milliseconds {
    cycles_per_ms: u32,
    count: u32,
    /// Cycle in which millisecond `count` began.
    since: u64,
}

impl Milliseconds {
    /// A clock for a processor of `hertz`; below 1 kHz every cycle counts as a millisecond.
    pub const fn new(hertz: u32) -> Self {
        let cycles = hertz / 1000;
        Milliseconds { cycles_per_ms: if cycles == 0 { 1 } else { cycles }, count: 0, since: 0 }
    }

    /// Milliseconds at cycle `now`, which never goes back; they wrap after 49 days.
    pub fn at(&mut self, now: u64) -> u32 {
        let elapsed = now - self.since;
        let passed = match u32::try_from(elapsed) {
            Ok(elapsed) => elapsed / self.cycles_per_ms,
            // Not asked for minutes: once, slowly.
            Err(_) => (elapsed / u64::from(self.cycles_per_ms)) as u32,
        };
        self.since += u64::from(passed) * u64::from(self.cycles_per_ms);
        self.count = self.count.wrapping_add(passed);
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::Milliseconds;

    #[test]
    fn equals_the_division() {
        for hertz in [1, 999, 1_000, 25_000_000, 100_000_001] {
            let mut clock = Milliseconds::new(hertz);
            let mut now = 0u64;
            for step in (0..2_000u64).map(|n| n * n * 7919 % 90_000_001).chain([1 << 33, 5, 1 << 36, 0]) {
                now += step;
                assert_eq!(clock.at(now), (now / u64::from((hertz / 1000).max(1))) as u32, "{hertz} Hz, cycle {now}");
            }
        }
    }
}
