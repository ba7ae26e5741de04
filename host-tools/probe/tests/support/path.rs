//! One direction of a network.

use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Which packets are lost.
#[derive(Clone, Copy, Debug)]
pub enum Loss {
    /// Each with this probability.
    Bernoulli(f64),
    /// Gilbert's model: in its bad state all are lost. Probabilities of entering and of staying.
    Gilbert { enter: f64, stay: f64 },
    /// Each one whose number is divisible by this.
    Every(u64),
}

impl Loss {
    /// The share that is lost in the long run.
    pub fn share(self) -> f64 {
        match self {
            Loss::Bernoulli(share) => share,
            Loss::Gilbert { enter, stay } => enter / (enter + 1.0 - stay),
            Loss::Every(number) => 1.0 / number as f64,
        }
    }
}

/// What a path does.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    pub loss: Loss,
    pub delay: Duration,
    /// Added to the delay, evenly from none to this.
    pub jitter: Duration,
    pub duplicated: f64,
    /// Packets that take this much longer, with their probability.
    pub late: (f64, Duration),
    /// What fits through, with a queue without end.
    pub bytes_per_second: Option<f64>,
}

impl Traits {
    pub fn new(loss: Loss, delay: Duration) -> Traits {
        let none = Duration::ZERO;
        Traits { loss, delay, jitter: none, duplicated: 0.0, late: (0.0, none), bytes_per_second: None }
    }
}

/// A path, and what it has done: the truth.
#[derive(Debug)]
pub struct Path {
    traits: Traits,
    random: ChaCha8Rng,
    is_bad: bool,
    /// When the link has sent all that is in its queue.
    free: Duration,
    pub carried: u64,
    pub lost: u64,
    pub duplicated: u64,
    pub late: u64,
}

impl Path {
    pub fn new(traits: Traits, seed: u64) -> Path {
        let random = ChaCha8Rng::seed_from_u64(seed);
        Path { traits, random, is_bad: false, free: Duration::ZERO, carried: 0, lost: 0, duplicated: 0, late: 0 }
    }

    /// The clock begins anew, with nothing in the queue.
    pub fn restart(&mut self) {
        self.free = Duration::ZERO;
    }

    /// When the copies of a packet arrive that is handed over now: none if it is lost.
    pub fn carry(&mut self, now: Duration, bytes: usize) -> Vec<Duration> {
        self.carried += 1;
        if self.is_lost() {
            self.lost += 1;
            return Vec::new();
        }
        let through = match self.traits.bytes_per_second {
            Some(rate) => {
                self.free = self.free.max(now) + Duration::from_secs_f64(bytes as f64 / rate);
                self.free
            }
            None => now,
        };
        let jitter = self.traits.jitter.mul_f64(self.random.random::<f64>());
        let (late, by) = self.traits.late;
        let is_late = self.random.random::<f64>() < late;
        self.late += u64::from(is_late);
        let arrival = through + self.traits.delay + jitter + if is_late { by } else { Duration::ZERO };
        let is_double = self.random.random::<f64>() < self.traits.duplicated;
        self.duplicated += u64::from(is_double);
        vec![arrival; if is_double { 2 } else { 1 }]
    }

    fn is_lost(&mut self) -> bool {
        let draw = self.random.random::<f64>();
        match self.traits.loss {
            Loss::Bernoulli(share) => draw < share,
            Loss::Every(number) => self.carried % number == 0,
            Loss::Gilbert { enter, stay } => {
                self.is_bad = draw < if self.is_bad { stay } else { enter };
                self.is_bad
            }
        }
    }
}
