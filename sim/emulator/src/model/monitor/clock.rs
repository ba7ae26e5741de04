//! The global clock by arithmetic.

use super::late::seen_from;

/// A stretch of cycles with one tick length.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// First cycle.
    from: u64,
    /// Ticks (not wrapped to 16 bits) in the first cycle.
    ticks: u64,
    /// First cycle after `from` with a new time.
    next_tick: u64,
    /// Cycles a tick, at least 1.
    tick: u64,
}

impl Stretch {
    fn ticks_at(&self, cycle: u64) -> u64 {
        if cycle < self.next_tick {
            self.ticks
        } else {
            self.ticks + 1 + (cycle - self.next_tick) / self.tick
        }
    }

    /// First cycle with this number of ticks, which is above `self.ticks`.
    fn cycle_of(&self, ticks: u64) -> u64 {
        self.next_tick + (ticks - self.ticks - 1) * self.tick
    }

    /// Cycles since the last tick, in `cycle`, as the RTL counts them.
    fn count_at(&self, cycle: u64) -> u64 {
        if cycle < self.next_tick {
            // The tick is due when the count reaches its length: that many cycles are still missing.
            self.tick.saturating_sub(self.next_tick - cycle)
        } else {
            (cycle - self.next_tick) % self.tick
        }
    }
}

/// Time in every cycle, past and to come, as far as TICK_CYCLES is known.
#[derive(Clone, Debug)]
pub struct Clock {
    programmed: u32,
    version: u64,
    /// In order of `from`, never empty.
    stretches: Vec<Stretch>,
}

/// Bits of the time.
const TIME_BITS: u32 = 16;
const WRAP: u64 = 1 << TIME_BITS;

impl Clock {
    pub fn new(tick_cycles: u32) -> Self {
        let tick = u64::from(tick_cycles.max(1));
        Clock {
            programmed: tick_cycles,
            version: 0,
            stretches: vec![Stretch { from: 0, ticks: 0, next_tick: tick, tick }],
        }
    }

    /// Programs TICK_CYCLES in X-cycle `cycle`.
    pub fn set_tick(&mut self, value: u32, cycle: u64) {
        self.programmed = value;
        self.version += 1;
        let from = seen_from(cycle);
        let tick = u64::from(value.max(1));
        // A later store of the same window replaces an earlier one.
        self.stretches.retain(|s| s.from < from || s.from == 0);
        let before = self.stretch(from);
        let count = before.count_at(from);
        // A count already at or past the new length ends at once.
        let next_tick = from + tick.saturating_sub(count).max(1);
        let ticks = before.ticks_at(from);
        self.stretches.push(Stretch { from, ticks, next_tick, tick });
    }

    /// Changes with every programming.
    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn programmed(&self) -> u32 {
        self.programmed
    }

    fn stretch(&self, cycle: u64) -> &Stretch {
        let after = self.stretches.partition_point(|s| s.from <= cycle);
        &self.stretches[after.saturating_sub(1)]
    }

    /// Ticks since cycle 0: time in bits 15:0, wraps above.
    fn ticks(&self, cycle: u64) -> u64 {
        self.stretch(cycle).ticks_at(cycle)
    }

    pub fn time(&self, cycle: u64) -> u16 {
        self.ticks(cycle) as u16
    }

    pub fn wraps(&self, cycle: u64) -> u8 {
        (self.ticks(cycle) / WRAP) as u8
    }

    /// Time in bits 15:0, wraps in bits 23:16.
    pub fn extended(&self, cycle: u64) -> u32 {
        u32::from(self.time(cycle)) | u32::from(self.wraps(cycle)) << TIME_BITS
    }

    /// First wrap cycle at or after `cycle`.
    pub fn next_wrap(&self, cycle: u64) -> u64 {
        self.next_zero(cycle, TIME_BITS)
    }

    /// First cycle at or after `cycle` in which the time changes and its low `bits` bits become 0.
    pub fn next_zero(&self, cycle: u64, bits: u32) -> u64 {
        let before = if cycle == 0 { 0 } else { self.ticks(cycle - 1) };
        let due = ((before >> bits) + 1) << bits;
        let first = self.stretches.partition_point(|s| s.from <= cycle).saturating_sub(1);
        for (i, stretch) in self.stretches.iter().enumerate().skip(first) {
            let end = self.stretches.get(i + 1).map_or(u64::MAX, |s| s.from);
            // The stretch's own first cycle can be the wrap cycle.
            let at = if stretch.ticks >= due { stretch.from } else { stretch.cycle_of(due) };
            if at < end {
                return at;
            }
        }
        unreachable!("the last stretch has no end")
    }

    /// Whether there is something to forget.
    pub fn has_past(&self) -> bool {
        self.stretches.len() > 1
    }

    /// Forgets what is only needed for cycles before `cycle`.
    pub fn forget(&mut self, cycle: u64) {
        let keep = self.stretches.partition_point(|s| s.from <= cycle).saturating_sub(1);
        if keep > 0 {
            self.stretches.drain(..keep);
        }
    }
}
