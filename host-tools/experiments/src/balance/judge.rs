//! How good a metric is: how late it is, and how well it tells the phases of `multi-phase` apart.

/// Correlation of two series over several places (processors or links), the second one so many slots
/// later than the first; 0 where one of them does not change.
fn correlation(truth: &[Vec<f64>], shown: &[Vec<f64>], late: usize) -> f64 {
    let pairs: Vec<(f64, f64)> = truth
        .iter()
        .zip(shown)
        .flat_map(|(truth, shown)| truth.iter().copied().zip(shown.iter().skip(late).copied()))
        .collect();
    let count = pairs.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (first, second) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut both, mut own, mut other) = (0.0, 0.0, 0.0);
    for (x, y) in &pairs {
        both += (x - first) * (y - second);
        own += (x - first).powi(2);
        other += (y - second).powi(2);
    }
    if own * other > 0.0 {
        both / (own * other).sqrt()
    } else {
        0.0
    }
}

/// By how many slots a metric lags behind the truth: where their correlation is greatest, up to
/// `most` slots; and that correlation. `None` if there is none.
pub fn lag(truth: &[Vec<f64>], shown: &[Vec<f64>], most: usize) -> Option<(usize, f64)> {
    let all = (0..=most).map(|late| (late, correlation(truth, shown, late)));
    // The first of equal ones.
    all.fold(None, |best: Option<(usize, f64)>, one| match best {
        Some(best) if best.1 >= one.1 => Some(best),
        _ if one.1 > 0.0 => Some(one),
        best => best,
    })
}

/// What a metric shows in a slot (a value for each place), and in which phase that was, from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    pub phase: usize,
    pub values: Vec<f64>,
}

/// How well phases are told apart, each in per cent of the slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relevance {
    /// The right phase of all eight.
    pub phases: f64,
    /// Computing or communicating, local or remote, short or long messages: Table 5's three bits.
    pub kinds: f64,
    pub places: f64,
    pub lengths: f64,
}

/// Bits of a phase's number in Table 5, from 0.
const COMMUNICATES: usize = 4;
const REMOTE: usize = 2;
const LONG: usize = 1;

/// Tells slots by the nearest of the phases' mean values: each half of every phase by what the other
/// half is like, since neighbouring slots are alike anyway. Every phase weighs the same, however long
/// it lasts. `None` without two slots in each of the eight phases.
pub fn relevance(sights: &[Sight]) -> Option<Relevance> {
    let phases: Vec<Vec<&Sight>> =
        (0..8).map(|phase| sights.iter().filter(|sight| sight.phase == phase).collect()).collect();
    if phases.iter().any(|own| own.len() < 2) {
        return None;
    }
    let scales = scales(sights);
    let half = |later: bool| -> Vec<&[&Sight]> {
        let split = |own: &'_ Vec<&Sight>| own.len() / 2;
        phases.iter().map(|own| if later { &own[split(own)..] } else { &own[..split(own)] }).collect()
    };
    let mut rights = [0.0; 4];
    for later in [false, true] {
        let means: Vec<Vec<f64>> = half(!later).iter().map(|own| mean(own)).collect();
        for (phase, own) in half(later).into_iter().enumerate() {
            for sight in own {
                let told = nearest(&means, &sight.values, &scales);
                let weight = 100.0 / (16.0 * own.len() as f64);
                let right = |bits: usize| if (told ^ phase) & bits == 0 { weight } else { 0.0 };
                for (sum, bits) in rights.iter_mut().zip([7, COMMUNICATES, REMOTE, LONG]) {
                    *sum += right(bits);
                }
            }
        }
    }
    let [phases, kinds, places, lengths] = rights;
    Some(Relevance { phases, kinds, places, lengths })
}

fn mean(sights: &[&Sight]) -> Vec<f64> {
    let places = sights.first().map_or(0, |sight| sight.values.len());
    let of = |place: usize| sights.iter().map(|sight| sight.values[place]).sum::<f64>() / sights.len() as f64;
    (0..places).map(of).collect()
}

/// The standard deviation at each place, by which values are divided.
fn scales(sights: &[Sight]) -> Vec<f64> {
    let all: Vec<&Sight> = sights.iter().collect();
    let means = mean(&all);
    let deviation = |(place, mean): (usize, &f64)| {
        let sum: f64 = all.iter().map(|sight| (sight.values[place] - mean).powi(2)).sum();
        (sum / all.len().max(1) as f64).sqrt()
    };
    means.iter().enumerate().map(deviation).collect()
}

fn nearest(means: &[Vec<f64>], values: &[f64], scales: &[f64]) -> usize {
    let distance = |mean: &Vec<f64>| -> f64 {
        let places = mean.iter().zip(values).zip(scales);
        places.map(|((mean, value), scale)| if *scale > 0.0 { ((mean - value) / scale).powi(2) } else { 0.0 }).sum()
    };
    let keyed = means.iter().map(distance).enumerate();
    keyed.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(0, |(phase, _)| phase)
}

#[cfg(test)]
mod tests {
    use super::super::metrics::{sampled, trailing};
    use super::*;
    use proptest::prelude::*;
    use testbed_trace::synthetic::Random;

    /// Humps of random heights and lengths.
    fn humps(seed: u64) -> Vec<Vec<f64>> {
        let mut random = Random::new(seed);
        let mut place = || -> Vec<f64> {
            let mut values = Vec::new();
            while values.len() < 2_000 {
                let (height, length) = (f64::from(random.below(100)), 20 + random.below(200));
                values.extend((0..length).map(|_| height));
            }
            values
        };
        (0..5).map(|_| place()).collect()
    }

    proptest! {
        // Each is half a million products.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_delay_is_found(seed: u64, late in 0usize..60) {
            let truth = humps(seed);
            let shown: Vec<Vec<f64>> = truth
                .iter()
                .map(|own| std::iter::repeat_n(0.0, late).chain(own.iter().copied()).collect())
                .collect();
            let (found, correlation) = lag(&truth, &shown, 100).unwrap();
            prop_assert_eq!(found, late);
            prop_assert!(correlation > 0.999);
        }

        #[test]
        fn a_window_lags_by_half_of_it(seed: u64, half in 1usize..15) {
            let truth = humps(seed);
            let width = 2 * half + 1;
            let shown: Vec<_> = truth.iter().map(|own| trailing(own, width)).collect();
            let (found, _) = lag(&truth, &shown, 100).unwrap();
            prop_assert!(found.abs_diff(half) <= 1, "{} for a window of {}", found, width);
        }

        #[test]
        fn phases_that_differ_are_told_apart_and_others_are_not(seed: u64) {
            let mut random = Random::new(seed);
            let mut noise = |most: u32| f64::from(random.below(1_000)) / 1_000.0 * f64::from(most);
            let mut sights = |of: fn(usize) -> f64, most| -> Vec<Sight> {
                let one = |phase| Sight { phase, values: vec![of(phase) + noise(most), 0.0] };
                (0..8 * 40).map(|slot| slot / 40).map(one).collect()
            };
            let all = relevance(&sights(|phase| 10.0 * phase as f64, 4)).unwrap();
            prop_assert_eq!(all, Relevance { phases: 100.0, kinds: 100.0, places: 100.0, lengths: 100.0 });
            let one = relevance(&sights(|phase| 10.0 * (phase / 4) as f64, 4)).unwrap();
            prop_assert_eq!(one.kinds, 100.0);
            prop_assert!(one.phases < 60.0 && one.places < 75.0 && one.lengths < 75.0, "{:?}", one);
        }
    }

    #[test]
    fn a_sample_is_late_by_its_period() {
        let truth = humps(3);
        let periods: Vec<Vec<f64>> =
            truth.iter().map(|own| own.chunks_exact(10).map(|ten| ten.iter().sum()).collect()).collect();
        let shown: Vec<_> = periods.iter().zip(&truth).map(|(own, all)| sampled(own, 10, all.len())).collect();
        let (found, _) = lag(&truth, &shown, 100).unwrap();
        assert!(found.abs_diff(9) <= 1, "{found}");
    }

    #[test]
    fn without_all_phases_nothing_is_said() {
        assert_eq!(relevance(&[Sight { phase: 0, values: vec![1.0] }]), None);
        assert_eq!(lag(&[vec![1.0; 9]], &[vec![2.0; 9]], 3), None);
    }
}
