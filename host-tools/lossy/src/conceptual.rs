//! The conceptual approach (section II-A): communication takes no time, and a superstep is done again,
//! with its computation, until no packet of it was lost.
//!
//! All packets are through with probability `p_s = (1 - p^k)^(2 c(n))`, so the speed-up is `n p_s`.
//! With `a = -2 ln(1 - p^k)` that is `n e^(-a c(n))`, and the best n have closed forms in a; the paper
//! gives them with `2 p^k` in its place, which is the first term of a.

use lambert_w::lambert_w0;

use crate::pattern::Pattern;

/// What each packet adds to the logarithm of the expected repetitions: `-2 ln(1 - p^k)`.
pub fn decay(loss: f64, copies: u32) -> f64 {
    -2.0 * (-loss.powi(copies as i32)).ln_1p()
}

/// The logarithm of p_s, the probability that `packets` and their acknowledgments are all through in a
/// round: of p_s itself nothing is left where packets are many.
pub fn ln_success(loss: f64, copies: u32, packets: f64) -> f64 {
    -decay(loss, copies) * packets
}

/// The paper's rho of equation (1): how often a superstep is done on average, `1 / p_s`.
pub fn repetitions(loss: f64, copies: u32, packets: f64) -> f64 {
    (decay(loss, copies) * packets).exp()
}

/// The expected time of `supersteps` with `work` seconds each on one node: `w r / (n p_s)`. The paper's
/// first form of it lacks the n.
pub fn time(work: f64, supersteps: f64, nodes: f64, packets: f64, loss: f64, copies: u32) -> f64 {
    work * supersteps / nodes * repetitions(loss, copies, packets)
}

/// The logarithm of the expected speed-up, `n p_s`.
pub fn ln_speedup(pattern: Pattern, nodes: f64, loss: f64, copies: u32) -> f64 {
    nodes.ln() + ln_success(loss, copies, pattern.packets(nodes))
}

/// The expected speed-up.
pub fn speedup(pattern: Pattern, nodes: f64, loss: f64, copies: u32) -> f64 {
    ln_speedup(pattern, nodes, loss, copies).exp()
}

/// The paper's approximation for small losses, `n e^(-2 p^k c(n))`.
pub fn approximate_speedup(pattern: Pattern, nodes: f64, loss: f64, copies: u32) -> f64 {
    (nodes.ln() - 2.0 * loss.powi(copies as i32) * pattern.packets(nodes)).exp()
}

/// The exponent e of a speed-up `n^e` with log n packets: `1 - a / ln 2`. The paper prints `1 - 2 p^k`,
/// without the logarithm of the base.
pub fn log_exponent(loss: f64, copies: u32) -> f64 {
    1.0 - decay(loss, copies) / std::f64::consts::LN_2
}

/// The number of nodes with the greatest speed-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Best {
    /// More are always better.
    Grows,
    /// e to this power; the number itself may be greater than an `f64` holds.
    At { ln_nodes: f64 },
}

impl Best {
    fn at(nodes: f64) -> Best {
        Best::At { ln_nodes: nodes.ln().max(0.0) }
    }

    /// The number, infinity if it is too great for an `f64` or there is none.
    pub fn nodes(self) -> f64 {
        match self {
            Best::Grows => f64::INFINITY,
            Best::At { ln_nodes } => ln_nodes.exp(),
        }
    }

    /// The whole number: that of both beside it which is faster; `None` where there is none, or whole
    /// numbers are no longer told apart.
    pub fn whole(self, pattern: Pattern, loss: f64, copies: u32) -> Option<u64> {
        let nodes = self.nodes();
        if nodes >= 2f64.powi(53) {
            return None;
        }
        let of = |n: f64| ln_speedup(pattern, n, loss, copies);
        // The number is known to some bits less than whole numbers need where it is great.
        let near = [-1.0, 0.0, 1.0, 2.0].map(|more| (nodes.floor() + more).max(1.0));
        near.into_iter().reduce(|best, n| if of(n) > of(best) { n } else { best }).map(|n| n as u64)
    }
}

/// The best number of nodes, at least 1, in closed form: of `1 = a n c'(n)`.
///
/// For n log n that is `n (ln n + 1) = ln 2 / a = y`, so `n = y / W(e y)` with Lambert's W; the paper
/// says that there is no such form.
pub fn best_nodes(pattern: Pattern, loss: f64, copies: u32) -> Best {
    let a = decay(loss, copies);
    let ln2 = std::f64::consts::LN_2;
    if a == 0.0 {
        return Best::Grows;
    }
    match pattern {
        Pattern::Constant => Best::Grows,
        Pattern::Log if a < ln2 => Best::Grows,
        Pattern::Log => Best::at(1.0),
        Pattern::LogSquared => Best::At { ln_nodes: ln2 * ln2 / (2.0 * a) },
        Pattern::Linear => Best::at(1.0 / a),
        Pattern::LinearLog => {
            let y = ln2 / a;
            Best::at(y / lambert_w0(std::f64::consts::E * y))
        }
        Pattern::Quadratic => Best::at(1.0 / (2.0 * a).sqrt()),
    }
}

/// The best number of nodes as the paper prints it, rounded down; `None` where it prints no number.
pub fn printed_best_nodes(pattern: Pattern, loss: f64, copies: u32) -> Option<f64> {
    let lost = loss.powi(copies as i32);
    let ln2 = std::f64::consts::LN_2;
    match pattern {
        Pattern::Constant | Pattern::Log | Pattern::LinearLog => None,
        Pattern::LogSquared => Some((ln2 * ln2 / (4.0 * lost)).exp().floor()),
        Pattern::Linear => Some((1.0 / (2.0 * lost)).floor()),
        Pattern::Quadratic => Some((1.0 / (2.0 * lost.sqrt())).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maximum::maximum;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_closed_forms_are_where_the_speed_up_is_greatest(loss in 1e-3f64..0.9, copies in 1u32..4, which in 0usize..6) {
            let pattern = Pattern::ALL[which];
            let most = 2f64.powi(60);
            let found = maximum(most, |n| ln_speedup(pattern, n, loss, copies));
            let wanted = best_nodes(pattern, loss, copies).nodes().min(most);
            // Around a maximum a function is flat: its place is known to half the digits of its value.
            prop_assert!((found / wanted).ln().abs() < 1e-5, "{pattern} {found} {wanted}");
        }

        #[test]
        fn whole_numbers_beside_it_are_no_faster(loss in 1e-3f64..0.5, which in 3usize..6) {
            let pattern = Pattern::ALL[which];
            let best = best_nodes(pattern, loss, 1).whole(pattern, loss, 1).unwrap() as f64;
            let of = |n: f64| speedup(pattern, n, loss, 1);
            prop_assert!(of(best) >= of(best + 1.0) && of(best) >= of((best - 1.0).max(1.0)));
        }

        #[test]
        fn more_copies_never_make_it_slower(loss in 1e-6f64..0.9, copies in 1u32..8, nodes in 1f64..1e6, which in 0usize..6) {
            let of = |copies| ln_speedup(Pattern::ALL[which], nodes, loss, copies);
            prop_assert!(of(copies) <= of(copies + 1));
        }

        #[test]
        fn the_approximation_is_that_of_small_losses(loss in 1e-9f64..1e-4, nodes in 1f64..1e3) {
            let (exact, near) = (speedup(Pattern::Linear, nodes, loss, 1), approximate_speedup(Pattern::Linear, nodes, loss, 1));
            prop_assert!((near / exact - 1.0).abs() <= 2.0 * nodes * loss * loss + 1e-14);
        }
    }

    #[test]
    fn the_speed_up_with_log_n_packets_is_a_power_of_n() {
        let (loss, copies) = (0.05, 1);
        let grown = ln_speedup(Pattern::Log, 2e6, loss, copies) - ln_speedup(Pattern::Log, 1e6, loss, copies);
        assert!((grown / 2f64.ln() - log_exponent(loss, copies)).abs() < 1e-12);
        // With a loss of more than 1 - 1/sqrt 2 even that gets slower with each node.
        assert_eq!(best_nodes(Pattern::Log, 0.3, 1), Best::At { ln_nodes: 0.0 });
        assert_eq!(best_nodes(Pattern::Log, 0.29, 1), Best::Grows);
    }

    #[test]
    fn what_overflows_has_a_logarithm() {
        let best = best_nodes(Pattern::LogSquared, 1e-9, 1);
        assert!(matches!(best, Best::At { ln_nodes } if (ln_nodes / 1.2011325e8 - 1.0).abs() < 1e-7), "{best:?}");
        assert_eq!((best.nodes(), best.whole(Pattern::LogSquared, 1e-9, 1)), (f64::INFINITY, None));
        assert!((ln_speedup(Pattern::Quadratic, 2f64.powi(30), 0.9, 1) / -5.309e18 - 1.0).abs() < 1e-3);
    }
}
