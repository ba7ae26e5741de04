//! What is measured over a network whose truth is known, in simulated time.

use std::time::Duration;

use testbed_probe::client::settings::{Failure, Part, Patience};
use testbed_probe::estimate::{estimate, Estimate};
use testbed_probe::statistics::independence::{Verdict, SIGNIFICANCE};
use testbed_probe::tally::Tally;

use crate::support::path::{Loss, Path, Traits};
use crate::support::simulated::Network;
use crate::support::{ms, part};

/// Ten parts of 1,000 probes over one network.
fn measured(there: Traits, back: Traits, seed: u64) -> (Estimate, Network, Vec<Tally>) {
    let mut network = Network::new(there, back, seed);
    let tallies: Vec<Tally> = (0..10).map(|_| network.measure(part(512, 1_000, 2)).unwrap()).collect();
    let found = estimate("peer", 512, &tallies.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(found.forward.sent, 10_000);
    (found, network, tallies)
}

/// How far a figure is from the truth, in points of a per cent.
fn off(found: f64, truth: f64) -> f64 {
    100.0 * (found - truth).abs()
}

#[test]
fn losses_of_both_directions_are_told_apart() {
    for (seed, there, back) in [(1, 0.05, 0.15), (2, 0.0, 0.02), (3, 0.10, 0.0), (4, 0.15, 0.05)] {
        let of = |share| Traits::new(Loss::Bernoulli(share), ms(10));
        let (found, network, _) = measured(of(there), of(back), seed);
        // The truth of the run itself, which also carried cookies and trains.
        let share = |path: &Path| path.lost as f64 / path.carried as f64;
        let backward = found.backward.as_ref().unwrap();
        for (direction, truth) in [(&found.forward, share(&network.there)), (backward, share(&network.back))] {
            assert!(off(direction.loss.value, truth) < 0.5, "{there}, {back}: {direction:?}, truly {truth}");
            assert!(direction.loss.contains(truth), "{there}, {back}: {direction:?}, truly {truth}");
            assert_eq!((direction.duplicates, direction.reordered), (0, 0));
            let verdict = direction.independence.verdict;
            let expected = if truth == 0.0 { Verdict::TooFew } else { Verdict::Independent };
            assert_eq!(verdict, expected, "{:?}", direction.independence);
        }
        let either = 1.0 - ((1.0 - share(&network.there)) * (1.0 - share(&network.back))).sqrt();
        assert!(off(found.loss.value, either) < 0.5 && found.loss.contains(either), "{:?}, truly {either}", found.loss);
    }
}

#[test]
fn bursts_are_called_bursts_and_widen_the_bounds() {
    let (enter, stay) = (0.02, 0.75);
    let gilbert = Traits::new(Loss::Gilbert { enter, stay }, ms(10));
    let clean = Traits::new(Loss::Bernoulli(0.05), ms(10));
    for (seed, is_there) in [(5, true), (6, false)] {
        let (there, back) = if is_there { (gilbert, clean) } else { (clean, gilbert) };
        let (found, _, _) = measured(there, back, seed);
        let backward = found.backward.as_ref().unwrap();
        let (bursty, other) = if is_there { (&found.forward, backward) } else { (backward, &found.forward) };
        let test = bursty.independence;
        assert_eq!(test.verdict, Verdict::Bursts, "{test:?}");
        assert!(test.probability < SIGNIFICANCE && test.ratio_probability < SIGNIFICANCE, "{test:?}");
        assert!((test.burst_packets.unwrap() - 1.0 / (1.0 - stay)).abs() < 0.5, "{test:?}");
        assert!((test.after_loss.unwrap() - stay).abs() < 0.05, "{test:?}");
        assert!((test.after_arrival.unwrap() - enter).abs() < 0.01, "{test:?}");
        assert!(bursty.loss.contains(gilbert.loss.share()), "{:?}", bursty.loss);
        assert!(test.inflation() > 4.0, "{test:?}");
        assert_eq!(other.independence.verdict, Verdict::Independent, "{:?}", other.independence);
        assert!(found.is_dependent());
    }
}

#[test]
fn losses_that_keep_apart_are_not_independent_either() {
    let (found, _, _) = measured(Traits::new(Loss::Every(10), ms(5)), Traits::new(Loss::Bernoulli(0.0), ms(5)), 7);
    assert_eq!(found.forward.independence.verdict, Verdict::Regular, "{:?}", found.forward.independence);
    assert!(found.is_dependent());
}

#[test]
fn duplicates_and_reordering_are_counted_by_direction() {
    let clean = Traits::new(Loss::Bernoulli(0.0), ms(5));
    let there = Traits { duplicated: 0.03, late: (0.04, ms(4)), ..clean };
    let back = Traits { duplicated: 0.01, late: (0.02, ms(4)), ..clean };
    let (found, _, _) = measured(there, back, 8);
    let backward = found.backward.as_ref().unwrap();
    for (direction, duplicated, late) in [(&found.forward, 300.0, 400.0), (backward, 100.0, 200.0)] {
        assert_eq!(direction.lost, 0);
        assert!((direction.duplicates as f64 - duplicated).abs() < 60.0, "{direction:?}");
        assert!((direction.reordered as f64 - late).abs() < 80.0, "{direction:?}");
    }
}

#[test]
fn round_trips_lie_within_their_bounds() {
    let there = Traits { jitter: ms(4), ..Traits::new(Loss::Bernoulli(0.05), ms(5)) };
    let back = Traits { jitter: ms(4), ..Traits::new(Loss::Bernoulli(0.05), ms(9)) };
    let (found, _, tallies) = measured(there, back, 9);
    let times = found.round_trip.unwrap();
    // Two even delays of 4 ms make a triangle of 8 ms: its quantiles above the middle.
    let quantile = |share: f64| 0.014 + 0.008 - (2.0 * (1.0 - share) * 0.004 * 0.004).sqrt();
    for (bounded, truth) in [(times.median, 0.018), (times.p95, quantile(0.95)), (times.p99, quantile(0.99))] {
        assert!((bounded.value / truth - 1.0).abs() < 0.05 && bounded.contains(truth), "{bounded:?}, truly {truth}");
    }
    assert!((times.mean / 0.018 - 1.0).abs() < 0.05 && times.least >= 0.014, "{times:?}");
    let returned: usize = tallies.iter().map(|tally| tally.returned.count()).sum();
    assert_eq!(returned, tallies.iter().map(|tally| tally.round_trips.len()).sum::<usize>());
}

#[test]
fn bandwidth_of_each_direction_comes_of_trains() {
    let of = |rate| Traits { bytes_per_second: Some(rate), ..Traits::new(Loss::Bernoulli(0.1), ms(5)) };
    let (found, _, _) = measured(of(4e6), of(1e6), 10);
    let (there, back) = (found.forward_bandwidth.unwrap(), found.backward_bandwidth.unwrap());
    for (bandwidth, truth) in [(there, 4e6), (back, 1e6)] {
        assert!((bandwidth.rate.value / truth - 1.0).abs() < 0.05, "{bandwidth:?}, truly {truth}");
        assert!(!bandwidth.at_least && bandwidth.trains > 5, "{bandwidth:?}");
    }
    assert_eq!(found.bandwidth(), Some(back));
}

#[test]
fn large_packets_over_a_lossy_network_come_to_an_end() {
    let lossy = Traits::new(Loss::Bernoulli(0.4), ms(30));
    let mut network = Network::new(lossy, lossy, 11);
    let series = testbed_probe::body::Series { bytes: 65_507, probes: 200, trains: 2, train_packets: 3 };
    let tally = network.measure(Part { series, ..part(64, 1, 0) }).unwrap();
    assert_eq!((tally.packet_bytes, tally.arrived.length()), (65_507, 200));
    assert_eq!(tally.wrong(65_507, 200), None);
}

#[test]
fn nobody_who_answers_is_said_after_a_bounded_time() {
    let none = Traits::new(Loss::Bernoulli(1.0), ms(1));
    let clean = Traits::new(Loss::Bernoulli(0.0), ms(1));
    for (there, back) in [(none, clean), (clean, none)] {
        let mut network = Network::new(there, back, 12);
        assert_eq!(network.measure(part(64, 10, 0)), Err(Failure::Silent));
        assert_eq!(network.there.carried, u64::from(Patience::default().tries));
    }
}

/// The paths' own figures, so that a test that agrees with them means something.
#[test]
fn the_paths_do_what_they_say() {
    for loss in [Loss::Bernoulli(0.1), Loss::Gilbert { enter: 0.02, stay: 0.75 }, Loss::Every(10)] {
        let mut path = Path::new(Traits::new(loss, ms(3)), 13);
        for number in 0..200_000u64 {
            let now = Duration::from_micros(number);
            assert!(path.carry(now, 64).iter().all(|arrival| *arrival == now + ms(3)));
        }
        assert!(off(path.lost as f64 / path.carried as f64, loss.share()) < 0.4, "{loss:?}: {}", path.lost);
    }
}
