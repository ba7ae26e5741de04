//! The policies. [`gain`] is the Testbed's own; the others are the report's and those of the
//! literature, to compare it with.

#[cfg(feature = "parse")]
pub mod boxed;
pub mod diffusion;
pub mod gain;
pub mod greedy_refine;
pub mod none;
pub mod placement;
pub mod random;
pub mod report;

pub use diffusion::Diffusion;
pub use gain::Gain;
pub use greedy_refine::GreedyRefine;
pub use none::None;
pub use placement::Placement;
pub use random::Random;
pub use report::Report;

use testbed_definitions::load::DEFAULT_PERIOD_US;

/// Each policy's name, and what it does.
pub const DESCRIBED: [(&str, &str); 8] = [
    ("none", "nothing"),
    ("random", "moves each thread once, to a slave drawn at random"),
    ("report", "one request a period, for the most loaded link or queue above a threshold"),
    ("acknowledged", "the same, the next one as soon as the last is answered"),
    ("diffusion", "levels the queues of all pairs of slaves at once"),
    ("greedy-refine", "places the heaviest thread first, keeps what needn't move"),
    ("static", "moves each thread to its place in a file"),
    ("gain", "moves what it predicts to be worth it"),
];

/// Names of all policies.
pub const NAMES: &[&str] = &{
    let mut names = [""; DESCRIBED.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = DESCRIBED[index].0;
        index += 1;
    }
    names
};

/// The period of samples that a policy likes best, in microseconds.
pub fn period_us(policy: &str) -> u32 {
    match policy {
        "gain" => 200_000,
        _ => DEFAULT_PERIOD_US,
    }
}

/// Random numbers that a seed decides: Marsaglia's xorshift with 32 bits.
#[derive(Clone, Debug)]
pub struct Rng(u32);

impl Rng {
    /// Any seed will do.
    pub fn new(seed: u32) -> Self {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995);
        if rng.0 == 0 {
            rng.0 = 1;
        }
        for _ in 0..4 {
            rng.bits();
        }
        rng
    }
    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        (u64::from(self.bits()) * u64::from(limit) >> 32) as u32
    }
}
