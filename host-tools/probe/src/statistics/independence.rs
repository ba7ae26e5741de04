//! Whether losses are independent of each other, as the model of lossy supersteps assumes.
//!
//! The test is Wald and Wolfowitz's: given how many packets were lost, independent losses lie in any
//! order with the same probability, so the number of runs of lost and of arrived packets has a
//! distribution that is known exactly. Too few runs are bursts. Beside it stands the likelihood
//! ratio of Gilbert's model of two states, in which a packet's loss depends on that of the one
//! before, against one probability for all packets.

use serde::Serialize;
use statrs::function::erf::erfc;
use statrs::function::factorial::ln_binomial;

/// The probability at which independent losses are called dependent.
pub const SIGNIFICANCE: f64 = 0.01;

/// Losses, and arrivals, of which an order says something: of fewer, where they happen to lie would
/// be called a pattern.
const LEAST: u64 = 5;

/// What the test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing speaks against independent losses.
    Independent,
    /// Losses come together.
    Bursts,
    /// Losses keep apart, as those of a queue that drops every tenth packet.
    Regular,
    /// So few were lost, or arrived, that no order of them would say anything.
    TooFew,
}

/// How losses follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Independence {
    pub verdict: Verdict,
    /// The probability of as extreme a number of runs if losses are independent.
    pub probability: f64,
    /// Runs of lost and of arrived packets.
    pub runs: u64,
    /// As many are expected of independent losses.
    pub expected_runs: f64,
    /// Twice the logarithm of the likelihood ratio of Gilbert's model, and how probable one as large
    /// is if losses are independent.
    pub likelihood_ratio: f64,
    pub ratio_probability: f64,
    /// Probabilities of a loss behind a packet that arrived, and behind one that was lost.
    pub after_arrival: Option<f64>,
    pub after_loss: Option<f64>,
    /// Lost packets of a run of losses, on average.
    pub burst_packets: Option<f64>,
    /// As many are expected of independent losses.
    pub independent_burst_packets: f64,
}

impl Independence {
    /// How many packets in a row say as much about the loss as one independent packet: 1 unless the
    /// test has found bursts. In Gilbert's model the correlation falls by the same factor from
    /// packet to packet.
    pub fn inflation(&self) -> f64 {
        match (self.verdict, self.after_arrival, self.after_loss) {
            (Verdict::Bursts, Some(enter), Some(stay)) => {
                let correlation = (stay - enter).clamp(0.0, 0.999);
                (1.0 + correlation) / (1.0 - correlation)
            }
            _ => 1.0,
        }
    }
}

/// Tests outcomes in the order of sending, `true` for lost. Each segment was sent without a break;
/// no transition is counted from one to the next. `None` of nothing.
pub fn independence(segments: &[Vec<bool>]) -> Option<Independence> {
    let all: Vec<bool> = segments.concat();
    let (total, lost) = (all.len() as u64, all.iter().filter(|lost| **lost).count() as u64);
    if total == 0 {
        return None;
    }
    let runs = runs(&all);
    let (fewer, more) = tails(runs, lost, total - lost);
    let probability = (2.0 * fewer.min(more)).min(1.0);
    // Of so few that even all losses in one row would not be significant nothing is said either.
    let is_enough = lost.min(total - lost) >= LEAST && 2.0 * tails(2, lost, total - lost).0 < SIGNIFICANCE;
    let verdict = match (is_enough, probability < SIGNIFICANCE) {
        (false, _) => Verdict::TooFew,
        (true, false) => Verdict::Independent,
        (true, true) if fewer < more => Verdict::Bursts,
        (true, true) => Verdict::Regular,
    };
    let transitions = Transitions::of(segments);
    let likelihood_ratio = transitions.likelihood_ratio();
    let share = lost as f64 / total as f64;
    let bursts: u64 = segments.iter().map(|segment| bursts(segment)).sum();
    Some(Independence {
        verdict,
        probability,
        runs,
        expected_runs: 1.0 + 2.0 * lost as f64 * (1.0 - share),
        likelihood_ratio,
        ratio_probability: erfc((likelihood_ratio / 2.0).sqrt()),
        after_arrival: transitions.after(0),
        after_loss: transitions.after(1),
        burst_packets: (bursts > 0).then(|| lost as f64 / bursts as f64),
        independent_burst_packets: 1.0 / (1.0 - share).max(1.0 / total as f64),
    })
}

/// Runs of equal outcomes.
fn runs(outcomes: &[bool]) -> u64 {
    let changes = outcomes.windows(2).filter(|pair| pair[0] != pair[1]).count();
    changes as u64 + u64::from(!outcomes.is_empty())
}

/// Runs of losses.
fn bursts(outcomes: &[bool]) -> u64 {
    let begins = outcomes.windows(2).filter(|pair| !pair[0] && pair[1]).count();
    begins as u64 + u64::from(outcomes.first() == Some(&true))
}

/// Probabilities of at most and of at least so many runs in an order drawn by lot.
fn tails(runs: u64, one: u64, other: u64) -> (f64, f64) {
    if one == 0 || other == 0 {
        return (1.0, 1.0);
    }
    let most = 2 * one.min(other) + 1;
    let of = |from: u64, to: u64| (from..=to.min(most)).map(|runs| probability(runs, one, other)).sum::<f64>().min(1.0);
    (of(2, runs), of(runs.max(2), most))
}

/// The probability of exactly so many runs.
fn probability(runs: u64, one: u64, other: u64) -> f64 {
    let ways = |of_one: u64, of_other: u64| {
        let possible = (1..=one).contains(&of_one) && (1..=other).contains(&of_other);
        let logarithm =
            || ln_binomial(one - 1, of_one - 1) + ln_binomial(other - 1, of_other - 1) - ln_binomial(one + other, one);
        if possible {
            logarithm().exp()
        } else {
            0.0
        }
    };
    let half = runs / 2;
    match runs % 2 {
        0 => 2.0 * ways(half, half),
        _ => ways(half + 1, half) + ways(half, half + 1),
    }
}

/// How often which outcome follows which: `0` arrived, `1` lost.
#[derive(Default)]
struct Transitions([[u64; 2]; 2]);

impl Transitions {
    fn of(segments: &[Vec<bool>]) -> Transitions {
        let mut counts = Transitions::default();
        for pair in segments.iter().flat_map(|segment| segment.windows(2)) {
            counts.0[usize::from(pair[0])][usize::from(pair[1])] += 1;
        }
        counts
    }

    /// The probability of a loss behind this outcome, if there was one such.
    fn after(&self, outcome: usize) -> Option<f64> {
        let [arrived, lost] = self.0[outcome];
        (arrived + lost > 0).then(|| lost as f64 / (arrived + lost) as f64)
    }

    /// Twice the logarithm by which Gilbert's model explains the transitions better than one
    /// probability does.
    fn likelihood_ratio(&self) -> f64 {
        let total: u64 = self.0.iter().flatten().sum();
        let mut sum = 0.0;
        for from in 0..2 {
            for to in 0..2 {
                let count = self.0[from][to] as f64;
                let (row, column) = (self.0[from].iter().sum::<u64>() as f64, (self.0[0][to] + self.0[1][to]) as f64);
                if count > 0.0 {
                    sum += count * (count * total as f64 / (row * column)).ln();
                }
            }
        }
        (2.0 * sum).max(0.0)
    }
}
