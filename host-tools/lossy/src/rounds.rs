//! How often packets leave until all of them have been acknowledged (sections III and IV).
//!
//! Each of `c` packets leaves in a round, `k` copies of it; each copy of it, and of its
//! acknowledgment, is lost with probability `p`, independently. What was not acknowledged leaves
//! again in the next round.

/// The probability that a packet is through in a round: at least one copy arrives, and one of its
/// acknowledgment: `(1 - p^k)^2`.
pub fn success(loss: f64, copies: u32) -> f64 {
    1.0 - failure(loss, copies)
}

/// The probability that it is not, which is also the fraction of packets that have to leave again:
/// `1 - (1 - q)^2 = q (2 - q)` with `q = p^k`, which loses no digits where `q` is small.
pub fn failure(loss: f64, copies: u32) -> f64 {
    let lost = loss.powi(copies as i32);
    lost * (2.0 - lost)
}

/// The probability that all of `packets` are through by the end of a round, the first being 1.
pub fn done_by(failure: f64, packets: f64, round: u32) -> f64 {
    (packets * (-failure.powi(round as i32)).ln_1p()).exp()
}

/// The rounds that `packets` take on average: the paper's rho, `1 + sum over i of (1 - (1 - f^i)^c)`,
/// i from 1 on; 1 if there are no packets. Exact to 1e-9 up to 2^60 packets and a failure of 0.99.
///
/// The paper's sum over i of i times the probability that it is i has the same value, and small
/// differences of numbers near 1. The terms from the i-th on are at most `c f^i / (1 - f)`, so the
/// sum ends where that is lost in rounding.
pub fn rounds(failure: f64, packets: f64) -> f64 {
    let (mut sum, mut correction) = (1.0, 0.0);
    let mut power = failure;
    while packets * power / (1.0 - failure) > sum * f64::EPSILON / 4.0 {
        let term = -(packets * (-power).ln_1p()).exp_m1() - correction;
        let next = sum + term;
        (correction, sum) = ((next - sum) - term, next);
        power *= failure;
    }
    sum
}

/// The variance of the rounds that `packets` take.
pub fn variance(failure: f64, packets: f64) -> f64 {
    // The mean square is the sum over i of (2 i + 1) times the probability that it takes more than i.
    let (mut square, mut power, mut i) = (1.0, failure, 1.0);
    loop {
        let more = -(packets * (-power).ln_1p()).exp_m1();
        let term = (2.0 * i + 1.0) * more;
        square += term;
        power *= failure;
        i += 1.0;
        if term <= square * f64::EPSILON * (1.0 - failure) && packets * power < 1.0 {
            let mean = rounds(failure, packets);
            return (square - mean * mean).max(0.0);
        }
    }
}

/// Packets that leave in all rounds together, on average and without copies: each leaves until it is
/// through.
pub fn transmissions(failure: f64, packets: f64) -> f64 {
    packets / (1.0 - failure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn choose(n: u32, k: u32) -> f64 {
        (0..k).fold(1.0, |product, i| product * f64::from(n - i) / f64::from(i + 1))
    }

    /// By inclusion and exclusion, which needs no sum to infinity.
    fn exact(failure: f64, packets: u32) -> f64 {
        let term = |k: u32| {
            let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
            sign * choose(packets, k) / (1.0 - failure.powi(k as i32))
        };
        (1..=packets).map(term).sum()
    }

    #[test]
    fn one_packet_leaves_as_often_as_a_geometric_distribution_says() {
        for loss in [0.0, 1e-9, 0.05, 0.5, 0.9] {
            let failure = failure(loss, 1);
            let wanted = 1.0 / ((1.0 - loss) * (1.0 - loss));
            assert!((rounds(failure, 1.0) / wanted - 1.0).abs() < 1e-12, "{loss}");
        }
    }

    #[test]
    fn one_packet_varies_as_a_geometric_distribution_does() {
        for loss in [0.0, 1e-6, 0.05, 0.5, 0.9] {
            let f = failure(loss, 1);
            let wanted = f / (1.0 - f) / (1.0 - f);
            assert!((variance(f, 1.0) - wanted).abs() <= 1e-9 * wanted + 1e-12, "{loss}");
        }
    }

    #[test]
    fn rounds_grow_with_the_logarithm_of_many_packets() {
        let f = failure(0.1, 1);
        let more = rounds(f, 2f64.powi(60)) - rounds(f, 2f64.powi(59));
        assert!((more + 2f64.ln() / f.ln()).abs() < 0.02, "{more}");
    }

    proptest! {
        #[test]
        fn rounds_are_those_of_inclusion_and_exclusion(loss in 1e-6f64..0.9, copies in 1u32..6, packets in 1u32..16) {
            let failure = failure(loss, copies);
            let (found, wanted) = (rounds(failure, f64::from(packets)), exact(failure, packets));
            prop_assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
        }

        #[test]
        fn rounds_are_the_sum_of_what_is_not_done(loss in 1e-6f64..0.7, packets in 1u32..1000) {
            let failure = failure(loss, 1);
            let sum: f64 = (0..2_000).map(|round| match round {
                0 => 1.0,
                round => 1.0 - done_by(failure, f64::from(packets), round),
            }).sum();
            prop_assert!((rounds(failure, f64::from(packets)) / sum - 1.0).abs() < 1e-9);
        }
    }
}
