//! How much the experiment runs.

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Turns of `multi-phase`.
    pub turns: u32,
    /// Milliseconds between its phases.
    pub pause_ms: u32,
    /// Rounds of each thread that computes, messages of each pair, additions, steps of the ocean.
    pub rounds: u32,
    pub messages: u32,
    pub additions: u32,
    pub steps: u32,
    /// Placements by lot.
    pub seeds: u32,
    /// Periods of samples with which each policy is run, in microseconds.
    pub periods_us: &'static [u32],
    /// Periods that are tried by a sweep, and how many values of each setting, at most.
    pub sweep_us: &'static [u32],
    pub values_most: usize,
}

impl Sizes {
    /// Sizes of the whole experiment, in which programs have about a minute of work, and of one that is
    /// over in seconds.
    pub const FULL: Sizes = Sizes {
        turns: 100,
        pause_ms: 1_000,
        rounds: 6_500,
        messages: 17_000,
        additions: 4_300,
        steps: 100,
        seeds: 20,
        periods_us: &[1_000_000, 200_000],
        sweep_us: &[100_000, 200_000, 500_000, 1_000_000, 2_000_000],
        values_most: usize::MAX,
    };
    pub const REDUCED: Sizes = Sizes {
        turns: 20,
        pause_ms: 100,
        rounds: 110,
        messages: 100,
        additions: 25,
        steps: 4,
        seeds: 3,
        periods_us: &[50_000],
        sweep_us: &[20_000],
        values_most: 1,
    };
}
