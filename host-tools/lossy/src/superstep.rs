//! The L-BSP model (sections III and IV): a superstep computes, and then sends its packets in rounds
//! of a fixed time until nothing is missing.

use serde::Serialize;

use crate::conceptual;
use crate::maximum::whole_maximum;
use crate::pattern::Pattern;
use crate::rounds::{failure, rounds};

/// More copies of a packet are not looked at.
pub const COPIES_MOST: u32 = 64;

/// What the network does to packets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Network {
    /// The probability that a packet or an acknowledgment is lost.
    pub loss: f64,
    /// The paper's alpha: seconds that a packet takes a node to send.
    pub alpha: f64,
    /// The paper's beta: seconds until a packet's acknowledgment is there.
    pub beta: f64,
}

/// What leaves again after a round in which something was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resend {
    /// All packets, until they are all through in one round: `1 / p_s` rounds.
    All,
    /// What was not acknowledged: the rounds of [`crate::rounds`].
    Missing,
}

/// A superstep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Superstep {
    pub nodes: f64,
    /// c(n), of all nodes together and without copies.
    pub packets: f64,
    /// k, how often each packet leaves in a round.
    pub copies: u32,
    /// w, seconds of computing on one node.
    pub work: f64,
}

impl Superstep {
    /// tau, half the time of a round: `k c(n) / n alpha + beta`.
    ///
    /// A round of `2 tau` waits `2 beta`, although beta already is the way there and back; who wants to
    /// count it once gives half of it.
    pub fn tau(&self, network: &Network) -> f64 {
        f64::from(self.copies) * self.packets / self.nodes * network.alpha + network.beta
    }

    /// G, computing by communicating: `w / (2 n tau)`.
    pub fn granularity(&self, network: &Network) -> f64 {
        self.work / (2.0 * self.nodes * self.tau(network))
    }

    /// The logarithm of rho, the rounds on average.
    pub fn ln_rounds(&self, loss: f64, resend: Resend) -> f64 {
        match resend {
            Resend::All => -conceptual::ln_success(loss, self.copies, self.packets),
            Resend::Missing => rounds(failure(loss, self.copies), self.packets).ln(),
        }
    }

    /// rho, the rounds on average; infinity where an `f64` does not hold them.
    pub fn rounds(&self, loss: f64, resend: Resend) -> f64 {
        match resend {
            Resend::All => self.ln_rounds(loss, resend).exp(),
            Resend::Missing => rounds(failure(loss, self.copies), self.packets),
        }
    }

    /// T_R, its expected time: `w / n + 2 rho tau`.
    pub fn time(&self, network: &Network, resend: Resend) -> f64 {
        self.work / self.nodes + 2.0 * self.rounds(network.loss, resend) * self.tau(network)
    }

    /// The logarithm of the expected speed-up, `n G / (G + rho)` (equations 4 and 5).
    pub fn ln_speedup(&self, network: &Network, resend: Resend) -> f64 {
        // ln(1 + e^x) of what communicating takes by what computing takes.
        let x = self.ln_rounds(network.loss, resend) - self.granularity(network).ln();
        let slower = if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() };
        self.nodes.ln() - slower
    }

    /// The expected speed-up over one node.
    pub fn speedup(&self, network: &Network, resend: Resend) -> f64 {
        self.ln_speedup(network, resend).exp()
    }

    /// The two terms of equation (6) beside 1: `2 k rho c(n) alpha / w` and `2 n rho beta / w`.
    pub fn terms(&self, network: &Network, resend: Resend) -> [f64; 2] {
        let twice = 2.0 * self.rounds(network.loss, resend) / self.work;
        [twice * f64::from(self.copies) * self.packets * network.alpha, twice * self.nodes * network.beta]
    }

    /// The limit that the paper has for many copies of packets that take no time:
    /// `n / (2 n beta / w + 1)`.
    pub fn limit(&self, network: &Network) -> f64 {
        self.nodes / (2.0 * self.nodes * network.beta / self.work + 1.0)
    }
}

/// The whole number of nodes, from 1 to `most`, with the greatest speed-up.
pub fn best_nodes(pattern: Pattern, work: f64, copies: u32, network: &Network, resend: Resend, most: u64) -> u64 {
    whole_maximum(most, |nodes| {
        Superstep { nodes, packets: pattern.packets(nodes), copies, work }.ln_speedup(network, resend)
    })
}

/// The best numbers of copies by the paper's two criteria, which differ: its text minimises `k rho`, the
/// packets that would leave if all did in each round, and its Table II has what maximises speed-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BestCopies {
    /// The k that minimises `k rho`.
    pub fewest_packets: u32,
    /// The k that makes it fastest.
    pub fastest: u32,
}

impl BestCopies {
    /// The best k for these functions of it, rho and the time. If several are equal it is the smallest.
    pub fn of(rounds: impl Fn(u32) -> f64, time: impl Fn(u32) -> f64) -> BestCopies {
        let least = |of: &dyn Fn(u32) -> f64| {
            (2..=COPIES_MOST).fold((1, of(1)), |best, k| if of(k) < best.1 { (k, of(k)) } else { best }).0
        };
        BestCopies { fewest_packets: least(&|k| f64::from(k) * rounds(k)), fastest: least(&time) }
    }
}

impl Superstep {
    /// The best numbers of copies for this superstep.
    pub fn best_copies(&self, network: &Network, resend: Resend) -> BestCopies {
        let with = |copies| Superstep { copies, ..*self };
        BestCopies::of(|k| with(k).ln_rounds(network.loss, resend).exp(), |k| -with(k).ln_speedup(network, resend))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NETWORK: Network = Network { loss: 0.1, alpha: 0.0037, beta: 0.069 };

    fn superstep(nodes: f64, pattern: Pattern, copies: u32, work: f64) -> Superstep {
        Superstep { nodes, packets: pattern.packets(nodes), copies, work }
    }

    proptest! {
        #[test]
        fn the_speed_up_is_one_nodes_time_by_that_of_all(
            nodes in 1f64..1e6, which in 0usize..6, copies in 1u32..6, work in 1f64..1e6, loss in 1e-9f64..0.9,
        ) {
            let one = superstep(nodes, Pattern::ALL[which], copies, work);
            let network = Network { loss, ..NETWORK };
            let speedup = one.speedup(&network, Resend::Missing);
            prop_assert!((speedup * one.time(&network, Resend::Missing) / work - 1.0).abs() < 1e-11);
            let terms: f64 = one.terms(&network, Resend::Missing).iter().sum();
            prop_assert!((speedup * (1.0 + terms) / nodes - 1.0).abs() < 1e-11);
        }

        #[test]
        fn what_is_missing_is_never_slower_to_send_than_all(
            nodes in 1f64..1e6, which in 0usize..6, copies in 1u32..6, work in 1f64..1e6, loss in 1e-9f64..0.9,
        ) {
            let one = superstep(nodes, Pattern::ALL[which], copies, work);
            let of = |resend| one.ln_speedup(&Network { loss, ..NETWORK }, resend);
            prop_assert!(of(Resend::All) <= of(Resend::Missing) + 1e-12);
        }

        #[test]
        fn no_other_number_of_nodes_is_faster(which in 0usize..6, loss in 1e-3f64..0.5, work in 10f64..1e5, other in 1u64..100_000) {
            let pattern = Pattern::ALL[which];
            let network = Network { loss, ..NETWORK };
            let best = best_nodes(pattern, work, 2, &network, Resend::Missing, 100_000);
            let of = |nodes: u64| superstep(nodes as f64, pattern, 2, work).speedup(&network, Resend::Missing);
            prop_assert!(of(best) >= of(other) * (1.0 - 1e-9), "{pattern}: {best} {}, {other} {}", of(best), of(other));
        }
    }

    #[test]
    fn the_criteria_for_copies_differ() {
        // Table II's bitonic sort: 5 copies send the fewest packets, 6 are faster.
        let one = Superstep { nodes: 2f64.powi(17), packets: 2f64.powi(17), copies: 1, work: 1.0 };
        let network = Network { loss: 0.045, ..NETWORK };
        assert_eq!(one.best_copies(&network, Resend::Missing), BestCopies { fewest_packets: 5, fastest: 6 });
    }

    #[test]
    fn many_copies_that_take_no_time_reach_the_limit() {
        let one = superstep(1024.0, Pattern::Quadratic, 40, 3600.0);
        let network = Network { alpha: 0.0, ..NETWORK };
        assert!((one.speedup(&network, Resend::Missing) / one.limit(&network) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn rounds_that_no_number_holds_make_it_infinitely_slow() {
        let one = superstep(2f64.powi(30), Pattern::Quadratic, 1, 3600.0);
        assert_eq!((one.rounds(0.9, Resend::All), one.speedup(&NETWORK, Resend::All)), (f64::INFINITY, 0.0));
        assert!(one.ln_speedup(&NETWORK, Resend::All) < -1e17);
    }
}
