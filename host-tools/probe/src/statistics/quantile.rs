//! Quantiles between order statistics: no distribution is assumed.

use super::proportion::{Bounded, DEVIATIONS};

/// A quantile of sorted figures, between the figures that enclose the true one with 95 % confidence;
/// of few figures, for which there are none such, between the first and the last. `None` of nothing.
pub fn quantile(sorted: &[f64], share: f64) -> Option<Bounded> {
    let count = sorted.len() as f64;
    let last = sorted.len().checked_sub(1)?;
    let middle = count * share;
    let half = DEVIATIONS * (count * share * (1.0 - share)).sqrt();
    // Ranks count from 1; the interval of a binomial variable is widened to whole ranks.
    let low = (middle - half).floor() as isize - 1;
    let high = (middle + half).ceil() as isize;
    let at = |index: isize| sorted[index.clamp(0, last as isize) as usize];
    Some(Bounded { value: interpolated(sorted, share), low: at(low), high: at(high) }).map(|found| Bounded {
        low: found.low.min(found.value),
        high: found.high.max(found.value),
        ..found
    })
}

/// The quantile itself, between the two nearest figures.
fn interpolated(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// Sorts figures, none of which is not a number.
pub fn sorted(figures: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut figures: Vec<f64> = figures.into_iter().filter(|figure| !figure.is_nan()).collect();
    figures.sort_by(f64::total_cmp);
    figures
}
