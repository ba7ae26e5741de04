//! How fast a run goes on, or is read, in our own time.

use std::time::{Duration, Instant};

/// Rates are taken over so long.
const RATED: Duration = Duration::from_millis(1_500);

/// Moments of the recent past, with the cycle and the number of events then.
#[derive(Clone, Debug, Default)]
pub struct Rates(Vec<(Instant, u64, u64)>);

impl Rates {
    /// Notes where it is now.
    pub fn note(&mut self, now: Instant, cycle: u64, events: u64) {
        self.0.push((now, cycle, events));
        let old = self.0.iter().take_while(|(then, ..)| now.duration_since(*then) > RATED).count();
        self.0.drain(..old);
    }

    /// Cycles and events per second; `None` as long as too little time has passed to tell.
    pub fn per_second(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.0.first()?, self.0.last()?);
        let seconds = last.0.duration_since(first.0).as_secs_f64();
        let rate = |from: u64, to: u64| to.saturating_sub(from) as f64 / seconds;
        (seconds > 0.1).then(|| (rate(first.1, last.1), rate(first.2, last.2)))
    }
}
