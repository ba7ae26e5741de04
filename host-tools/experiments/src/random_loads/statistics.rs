//! What many pairs of times say: means of ratios, quartiles, and the sign test.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Binomial, DiscreteCDF};

/// The geometric mean: of ratios the one that says the same of their reciprocals. 1 of none.
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (sum / ratios.len().max(1) as f64).exp()
}

/// How likely it is that of so many fair coins the sides differ in number at least as much as wins and
/// losses do: the sign test, two-sided. 1 without any.
pub fn sign_test(wins: u64, losses: u64) -> f64 {
    match Binomial::new(0.5, wins + losses) {
        Ok(coins) if wins + losses > 0 => (2.0 * coins.cdf(wins.min(losses))).min(1.0),
        _ => 1.0,
    }
}

/// How values are spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub least: f64,
    pub quartiles: [f64; 3],
    pub most: f64,
}

impl Spread {
    /// `None` of no values.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (least, most) = (*sorted.first()?, *sorted.last()?);
        // Linear between the two nearest values.
        let quantile = |part: f64| {
            let at = part * (sorted.len() - 1) as f64;
            let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
            below + (above - below) * at.fract()
        };
        Some(Spread { least, quartiles: [0.25, 0.5, 0.75].map(quantile), most })
    }
}

/// The part of the values up to each of them, as points of steps.
pub fn distribution(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    (1..).zip(&sorted).map(|(rank, &value)| (value, f64::from(rank) / count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_is_that_of_the_tables() {
        for (wins, losses, p) in [(0, 0, 1.0), (5, 5, 1.0), (10, 0, 0.001_953), (8, 2, 0.109_375), (2, 8, 0.109_375)] {
            assert!((sign_test(wins, losses) - p).abs() < 1e-6, "{wins}, {losses}: {}", sign_test(wins, losses));
        }
        assert!(sign_test(100, 0) < 1e-29);
    }

    #[test]
    fn means_and_quartiles() {
        assert!((geometric_mean(&[0.5, 2.0]) - 1.0).abs() < 1e-12);
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
        let spread = Spread::of(&[5.0, 1.0, 2.0, 4.0, 3.0, 10.0]).unwrap();
        assert_eq!(spread, Spread { least: 1.0, quartiles: [2.25, 3.5, 4.75], most: 10.0 });
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(distribution(&[2.0, 1.0]), [(1.0, 0.5), (2.0, 1.0)]);
    }
}
