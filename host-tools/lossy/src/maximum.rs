//! Where a function of a number of nodes is greatest.

/// Steps of the first look in a doubling.
const STEPS: u32 = 8;
/// A golden section leaves less than a billionth of such a step after so many cuts.
const CUTS: u32 = 60;

/// The `x` from 1 to `most` at which `of` is greatest, and if several are, the smallest; real, by a look
/// at eight places in each doubling and a golden section around the best of them. Functions that have
/// several peaks within an eighth of a doubling are not its matter.
pub fn maximum(most: f64, of: impl Fn(f64) -> f64) -> f64 {
    let step = 1.0 / f64::from(STEPS);
    let end = most.log2();
    let places = (0..).map(|i| f64::from(i) * step).take_while(|place| *place < end).chain([end]);
    let mut best = (0.0, f64::NEG_INFINITY);
    for place in places {
        let value = of(place.exp2());
        if value > best.1 {
            best = (place, value);
        }
    }
    let (mut low, mut high) = ((best.0 - step).max(0.0), (best.0 + step).min(end));
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..CUTS {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if of(left.exp2()) < of(right.exp2()) {
            low = left;
        } else {
            high = right;
        }
    }
    let ends = [low, (low + high) / 2.0, high, best.0].map(f64::exp2);
    ends.into_iter().reduce(|best, other| if of(other) > of(best) { other } else { best }).unwrap_or(1.0)
}

/// The whole number from 1 to `most` at which `of` is greatest, next to the real one.
pub fn whole_maximum(most: u64, of: impl Fn(f64) -> f64) -> u64 {
    let real = maximum(most as f64, &of);
    let near = [real.floor() - 1.0, real.floor(), real.ceil(), real.ceil() + 1.0];
    let whole = near.map(|x| (x as u64).clamp(1, most));
    whole.into_iter().reduce(|best, other| if of(other as f64) > of(best as f64) { other } else { best }).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_peak_is_found_wherever_it_is(peak in 1f64..1e9) {
            let found = maximum(2f64.powi(30), |x| -(x.ln() - peak.ln()).powi(2));
            prop_assert!((found / peak - 1.0).abs() < 1e-6, "{found} {peak}");
        }

        #[test]
        fn a_whole_number_is_the_best_of_all(peak in 1f64..300.0) {
            let of = |x: f64| -(x - peak).powi(2);
            let wanted = (1..=256).max_by(|a, b| of(f64::from(*a)).total_cmp(&of(f64::from(*b)))).unwrap();
            prop_assert_eq!(of(whole_maximum(256, of) as f64), of(f64::from(wanted)));
        }
    }

    #[test]
    fn what_only_grows_or_only_falls_is_greatest_at_an_end() {
        assert_eq!(whole_maximum(1_000, |x| x), 1_000);
        assert_eq!(whole_maximum(1_000, |x| -x), 1);
        assert_eq!(whole_maximum(1, |x| x), 1);
    }
}
