//! Bounds enclose the truth as often as they say, and the test of independence errs as rarely.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use testbed_probe::statistics::independence::{independence, Verdict};
use testbed_probe::statistics::proportion::{wilson, Bounded};
use testbed_probe::statistics::quantile::{quantile, sorted};

const DRAWS: u64 = 1_000;

/// In how many of a thousand draws something holds.
fn share(mut holds: impl FnMut(&mut ChaCha8Rng) -> bool) -> f64 {
    let count = (0..DRAWS).filter(|seed| holds(&mut ChaCha8Rng::seed_from_u64(*seed))).count();
    count as f64 / DRAWS as f64
}

/// Outcomes of Gilbert's model; with `enter` equal to `stay` they are independent.
fn gilbert(random: &mut ChaCha8Rng, packets: usize, enter: f64, stay: f64) -> Vec<bool> {
    let mut lost = false;
    (0..packets)
        .map(|_| {
            lost = random.random::<f64>() < if lost { stay } else { enter };
            lost
        })
        .collect()
}

fn count(lost: &[bool]) -> u64 {
    lost.iter().filter(|lost| **lost).count() as u64
}

#[test]
fn wilson_s_interval_is_the_textbook_s() {
    // Of 10 of 100, as in Wilson 1927: 0.0552 to 0.1744.
    let found = wilson(10, 100, 1.0).unwrap();
    assert!((found.low - 0.05523).abs() < 1e-4 && (found.high - 0.17437).abs() < 1e-4, "{found:?}");
    let (none, all) = (wilson(0, 100, 1.0).unwrap(), wilson(100, 100, 1.0).unwrap());
    assert!(none.low == 0.0 && (none.high - 0.0370).abs() < 1e-4, "{none:?}");
    assert!((none.high - (1.0 - all.low)).abs() < 1e-12 && all.high == 1.0, "{all:?}");
    assert_eq!((wilson(0, 0, 1.0), wilson(2, 1, 1.0)), (None, None));
    let wide = wilson(10, 100, 4.0).unwrap();
    assert!(wide.low < found.low && wide.high > found.high, "{wide:?}");
}

#[test]
fn bounds_of_losses_enclose_the_truth_as_often_as_they_say() {
    for truth in [0.01, 0.05, 0.15] {
        let covered = share(|random| {
            let lost = gilbert(random, 2_000, truth, truth);
            wilson(count(&lost), 2_000, 1.0).unwrap().contains(truth)
        });
        assert!((0.93..0.975).contains(&covered), "{truth}: {covered}");
    }
}

#[test]
fn bounds_of_losses_in_bursts_enclose_the_truth_where_plain_ones_do_not() {
    let (enter, stay) = (0.02, 0.8);
    let truth = enter / (enter + 1.0 - stay);
    let covered = |with: bool| {
        share(|random| {
            let lost = gilbert(random, 5_000, enter, stay);
            let inflation = independence(std::slice::from_ref(&lost)).unwrap().inflation();
            wilson(count(&lost), 5_000, if with { inflation } else { 1.0 }).unwrap().contains(truth)
        })
    };
    let (with, without) = (covered(true), covered(false));
    assert!(with > 0.92 && without < 0.6, "{with} with, {without} without");
}

#[test]
fn bounds_of_quantiles_enclose_the_truth() {
    for quantile_of in [0.5, 0.95, 0.99] {
        let covered = share(|random| {
            let figures = sorted((0..1_000).map(|_| random.random::<f64>()));
            quantile(&figures, quantile_of).unwrap().contains(quantile_of)
        });
        assert!(covered >= 0.94, "{quantile_of}: {covered}");
    }
    assert_eq!(quantile(&[], 0.5), None);
    assert_eq!(quantile(&[2.0], 0.99), Some(Bounded { value: 2.0, low: 2.0, high: 2.0 }));
    assert_eq!(quantile(&sorted([3.0, f64::NAN, 1.0]), 0.5).unwrap().value, 2.0);
}

/// At 1 %, one in a hundred independent samples is called dependent, and no more.
#[test]
fn the_test_of_independence_errs_as_rarely_as_it_says() {
    for truth in [0.02, 0.1, 0.4] {
        let wrong = share(|random| {
            let segments: Vec<_> = (0..2).map(|_| gilbert(random, 500, truth, truth)).collect();
            matches!(independence(&segments).unwrap().verdict, Verdict::Bursts | Verdict::Regular)
        });
        assert!(wrong < 0.02, "{truth}: {wrong}");
    }
}

#[test]
fn bursts_are_found_where_they_matter() {
    for (enter, stay) in [(0.02, 0.5), (0.05, 0.3), (0.002, 0.9)] {
        let found = share(|random| {
            let lost = gilbert(random, 10_000, enter, stay);
            independence(&[lost]).unwrap().verdict == Verdict::Bursts
        });
        assert!(found > 0.99, "{enter}, {stay}: {found}");
    }
}

#[test]
fn the_distribution_of_runs_is_that_of_all_orders() {
    // All orders of 3 losses among 7 packets, counted by hand of the machine's.
    let orders: Vec<Vec<bool>> = (0u32..128)
        .filter(|bits| bits.count_ones() == 3)
        .map(|bits| (0..7).map(|at| bits >> at & 1 == 1).collect())
        .collect();
    assert_eq!(orders.len(), 35);
    let runs = |order: &[bool]| 1 + order.windows(2).filter(|pair| pair[0] != pair[1]).count();
    for order in &orders {
        let found = independence(std::slice::from_ref(order)).unwrap();
        assert_eq!(found.runs, runs(order) as u64);
        let at_most = orders.iter().filter(|other| runs(other) <= runs(order)).count() as f64;
        let at_least = orders.iter().filter(|other| runs(other) >= runs(order)).count() as f64;
        let expected = (2.0 * at_most.min(at_least) / 35.0).min(1.0);
        assert!((found.probability - expected).abs() < 1e-12, "{order:?}: {} and {expected}", found.probability);
    }
    let mean = orders.iter().map(|order| runs(order) as f64).sum::<f64>() / 35.0;
    assert!((independence(&orders[..1]).unwrap().expected_runs - mean).abs() < 1e-12);
}

#[test]
fn too_few_losses_say_nothing() {
    for lost in [0, 1, 4, 996, 1_000] {
        let outcomes: Vec<bool> = (0..1_000).map(|at| at < lost).collect();
        assert_eq!(independence(&[outcomes]).unwrap().verdict, Verdict::TooFew, "{lost}");
    }
    assert_eq!(independence(&[]), None);
    let five: Vec<bool> = (0..1_000).map(|at| at < 5).collect();
    assert_eq!(independence(&[five]).unwrap().verdict, Verdict::Bursts);
    let apart: Vec<bool> = (0..1_000).map(|at| at % 200 == 7).collect();
    assert_eq!(independence(&[apart]).unwrap().verdict, Verdict::Independent);
}

#[test]
fn no_transition_is_counted_from_one_segment_to_the_next() {
    let found = independence(&[vec![false, true], vec![true, false]]).unwrap();
    assert_eq!((found.after_arrival, found.after_loss), (Some(1.0), Some(0.0)));
    assert_eq!(found.burst_packets, Some(1.0));
}

#[test]
fn means_lie_between_the_means_of_bounds() {
    let of = |value: f64| Bounded { value, low: value - 1.0, high: value + 2.0 };
    assert_eq!(Bounded::mean(&[of(1.0), of(3.0)]), Some(of(2.0)));
    assert_eq!(Bounded::mean(&[]), None);
    assert_eq!(of(4.0).map(|one| -one), Bounded { value: -4.0, low: -6.0, high: -3.0 });
}
