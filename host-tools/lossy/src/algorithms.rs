//! Fundamental algorithms in the L-BSP model (section V): what they compute and what they send.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::rounds::{failure, rounds};
use crate::superstep::{BestCopies, Network};

/// Bytes of a matrix element and of a key, of a complex number, and of a mesh point.
const ELEMENT: f64 = 4.0;
const COMPLEX: f64 = 16.0;
const POINT: f64 = 8.0;
/// Diagonals of the matrix of Laplace's equation.
const DIAGONALS: f64 = 5.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// The product of two matrices of N x N (V-A).
    Matrix,
    /// Batcher's bitonic sort of N keys (V-B).
    Bitonic,
    /// The Fourier transform of N complex numbers by two transpositions (V-C).
    Fft,
    /// Laplace's equation on a mesh of N x N, by Jacobi's method (V-D).
    Laplace,
    /// A message of one packet to all, by a binomial tree (V-E).
    Broadcast,
    /// A packet from each node to all, around a ring (V-F).
    AllGather,
}

/// A text names none of them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{name}` is no algorithm that the model knows\n  help: there are {}",
    Algorithm::ALL.map(Algorithm::name).join(", ")
)]
pub struct UnknownAlgorithm {
    name: String,
}

/// Supersteps that have the same number of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchange {
    pub supersteps: f64,
    /// c(P) of each of them.
    pub packets: f64,
}

/// What an algorithm does on so many nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub nodes: f64,
    /// Floating-point operations on one node alone, and on each of all; 0 for what only communicates.
    pub alone: f64,
    pub each: f64,
    /// Bytes that a node sends another in a superstep; `None` if that is a packet, whatever its size.
    pub message: Option<f64>,
    pub exchanges: Vec<Exchange>,
}

/// What that costs, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    pub nodes: f64,
    /// rho, over all supersteps.
    pub rounds: f64,
    /// w_s: on one node.
    pub alone: f64,
    /// w_p: computing on each of all nodes.
    pub computing: f64,
    pub communicating: f64,
}

impl Cost {
    pub fn total(&self) -> f64 {
        self.computing + self.communicating
    }

    pub fn speedup(&self) -> f64 {
        self.alone / self.total()
    }

    pub fn efficiency(&self) -> f64 {
        self.speedup() / self.nodes
    }
}

impl Algorithm {
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Matrix,
        Algorithm::Bitonic,
        Algorithm::Fft,
        Algorithm::Laplace,
        Algorithm::Broadcast,
        Algorithm::AllGather,
    ];

    /// What it does on `nodes` with a problem of this size, the paper's N or m; a collective has none.
    pub fn plan(self, size: f64, nodes: f64) -> Plan {
        let log = nodes.log2();
        let per_node = size / nodes;
        let one = |supersteps, packets| vec![Exchange { supersteps, packets }];
        let plan = |alone, each, message, exchanges| Plan { nodes, alone, each, message, exchanges };
        match self {
            Algorithm::Matrix => {
                let alone = 2.0 * size.powi(3) - size * size;
                let packets = 2.0 * (nodes.powf(1.5) - nodes);
                plan(alone, alone / nodes, Some(ELEMENT * size * per_node), one(1.0, packets))
            }
            Algorithm::Bitonic => {
                let merges = log * (log + 1.0) / 2.0;
                let each = per_node * per_node.log2() + merges * (2.0 * per_node - 1.0);
                plan(size * size.log2(), each, Some(ELEMENT * per_node), one(merges, nodes))
            }
            Algorithm::Fft => {
                let each = 10.0 * per_node * per_node.log2();
                let message = COMPLEX * per_node / nodes;
                plan(5.0 * size * size.log2(), each, Some(message), one(2.0, nodes * (nodes - 1.0)))
            }
            Algorithm::Laplace => {
                let alone = 2.0 * DIAGONALS * log * (size - 1.0).powi(2);
                plan(alone, alone / nodes, Some(3.0 * POINT), one(log, 2.0 * (nodes - 1.0)))
            }
            Algorithm::Broadcast => plan(0.0, 0.0, None, tree(nodes)),
            Algorithm::AllGather => plan(0.0, 0.0, None, one(nodes - 1.0, nodes)),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Algorithm::Matrix => "matrix",
            Algorithm::Bitonic => "bitonic",
            Algorithm::Fft => "fft",
            Algorithm::Laplace => "laplace",
            Algorithm::Broadcast => "broadcast",
            Algorithm::AllGather => "all-gather",
        }
    }
}

/// The steps of a binomial tree: twice as many nodes have the packet after each, the last time at most.
fn tree(nodes: f64) -> Vec<Exchange> {
    let mut exchanges = Vec::new();
    let mut have = 1.0;
    while have < nodes {
        let packets = f64::min(have, nodes - have);
        exchanges.push(Exchange { supersteps: 1.0, packets });
        have += packets;
    }
    exchanges
}

impl Plan {
    /// gamma, the packets that a message is cut into, each of which goes in a superstep of its own.
    pub fn pieces(&self, packet_bytes: f64) -> f64 {
        self.message.map_or(1.0, |bytes| (bytes / packet_bytes).ceil().max(1.0))
    }

    /// Supersteps, if a message fits into a packet.
    pub fn supersteps(&self) -> f64 {
        self.exchanges.iter().map(|exchange| exchange.supersteps).sum()
    }

    /// What it costs with so many copies of each packet and so many pieces of each message, on nodes
    /// with this many floating-point operations a second.
    pub fn cost(&self, copies: u32, network: &Network, pieces: f64, flops: f64) -> Cost {
        let failure = failure(network.loss, copies);
        let (mut all_rounds, mut communicating) = (0.0, 0.0);
        for Exchange { supersteps, packets } in &self.exchanges {
            let rounds = supersteps * rounds(failure, *packets);
            let tau = f64::from(copies) * packets / self.nodes * network.alpha + network.beta;
            all_rounds += rounds;
            communicating += 2.0 * pieces * rounds * tau;
        }
        Cost {
            nodes: self.nodes,
            rounds: if self.exchanges.is_empty() { 1.0 } else { all_rounds / self.supersteps() },
            alone: self.alone / flops,
            computing: self.each / flops,
            communicating,
        }
    }

    /// The best numbers of copies.
    pub fn best_copies(&self, network: &Network, pieces: f64, flops: f64) -> BestCopies {
        let cost = |copies| self.cost(copies, network, pieces, flops);
        BestCopies::of(|k| cost(k).rounds, |k| cost(k).total())
    }
}

/// The broadcast's cost as the paper prints it, negative where many nodes have a slow network: the sum
/// over its steps has the wrong sign and lacks the last one, and counts tau once instead of twice.
pub fn printed_broadcast(nodes: f64, copies: u32, network: &Network, rounds: f64) -> f64 {
    let steps = nodes.log2().ceil();
    let sending = f64::from(copies) * network.alpha / nodes * (1.0 - (steps - 1.0).exp2());
    (sending + network.beta * steps) * rounds
}

/// The all-gather's cost as the paper prints it: tau once instead of twice.
pub fn printed_all_gather(nodes: f64, copies: u32, network: &Network, rounds: f64) -> f64 {
    (f64::from(copies) * network.alpha + network.beta) * (nodes - 1.0) * rounds
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Self, UnknownAlgorithm> {
        let found = Algorithm::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| UnknownAlgorithm { name: text.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NETWORK: Network = Network { loss: 0.045, alpha: 0.0037, beta: 0.069 };

    #[test]
    fn algorithms_cost_what_section_5_says() {
        // The paper's own forms, written out.
        let (n, p, k, flops) = (32768f64, 65536f64, 7f64, 0.5e9);
        let Network { alpha, beta, .. } = NETWORK;
        let cost = Algorithm::Matrix.plan(n, p).cost(7, &NETWORK, 3.0, flops);
        let rho = rounds(failure(0.045, 7), 2.0 * (p.powf(1.5) - p));
        let wanted = 2.0 * 3.0 * rho * (2.0 * (p.sqrt() - 1.0) * k * alpha + beta);
        assert!((cost.communicating / wanted - 1.0).abs() < 1e-12);

        let (n, p, log) = (2f64.powi(31), 2f64.powi(17), 17.0);
        let cost = Algorithm::Bitonic.plan(n, p).cost(7, &NETWORK, 1.0, flops);
        let wanted = log * (log + 1.0) * (k * alpha + beta) * rounds(failure(0.045, 7), p);
        assert!((cost.communicating / wanted - 1.0).abs() < 1e-12);
        let wanted = (n / p * (n / p).log2() + log * (log + 1.0) * (n / p - 0.5)) / flops;
        assert!((cost.computing / wanted - 1.0).abs() < 1e-12);

        let (n, p) = (2f64.powi(34), 2f64.powi(15));
        let cost = Algorithm::Fft.plan(n, p).cost(7, &NETWORK, 2.0, flops);
        let wanted = 4.0 * 2.0 * rounds(failure(0.045, 7), p * (p - 1.0)) * (k * alpha * (p - 1.0) + beta);
        assert!((cost.communicating / wanted - 1.0).abs() < 1e-12);

        let p = 2f64.powi(17);
        let cost = Algorithm::Laplace.plan(2f64.powi(18), p).cost(7, &NETWORK, 1.0, flops);
        let each = 2.0 * (p - 1.0) / p;
        let wanted = 2.0 * 17.0 * rounds(failure(0.045, 7), 2.0 * (p - 1.0)) * (alpha * k * each + beta);
        assert!((cost.communicating / wanted - 1.0).abs() < 1e-12);
        assert!((cost.alone / cost.computing / p - 1.0).abs() < 1e-12);
    }

    #[test]
    fn messages_are_as_long_as_table_ii_says() {
        let bytes = |one: Algorithm, size: i32, nodes: i32| one.plan(2f64.powi(size), 2f64.powi(nodes)).message;
        assert_eq!(bytes(Algorithm::Matrix, 15, 16), Some(65536.0));
        assert_eq!(bytes(Algorithm::Bitonic, 31, 17), Some(65536.0));
        assert_eq!(bytes(Algorithm::Fft, 34, 15), Some(256.0));
        assert_eq!(bytes(Algorithm::Laplace, 18, 17), Some(24.0));
        assert_eq!(Algorithm::Matrix.plan(32768.0, 65536.0).pieces(40_000.0), 2.0);
    }

    #[test]
    fn a_broadcast_never_costs_less_than_nothing() {
        let network = Network { loss: 0.0, alpha: 1.0, beta: 0.1 };
        let printed = printed_broadcast(8.0, 1, &network, 1.0);
        assert!((printed + 0.075).abs() < 1e-12, "{printed}");
        let cost = Algorithm::Broadcast.plan(0.0, 8.0).cost(1, &network, 1.0, 1.0);
        assert!((cost.communicating - 2.0 * (7.0 / 8.0 + 0.3)).abs() < 1e-12);
        let cost = Algorithm::AllGather.plan(0.0, 8.0).cost(1, &network, 1.0, 1.0);
        assert!((cost.communicating / printed_all_gather(8.0, 1, &network, 1.0) - 2.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_tree_reaches_all(nodes in 1u32..5000) {
            let steps = tree(f64::from(nodes));
            prop_assert_eq!(steps.iter().map(|step| step.packets).sum::<f64>(), f64::from(nodes - 1));
            prop_assert_eq!(steps.len() as f64, f64::from(nodes).log2().ceil());
        }

        #[test]
        fn losses_and_slow_networks_cost_time(which in 0usize..6, log in 1i32..18, loss in 1e-6f64..0.5, more in 1.01f64..1.5) {
            let plan = Algorithm::ALL[which].plan(2f64.powi(30), 2f64.powi(log));
            let of = |network| plan.cost(2, &network, 1.0, 1e9).communicating;
            let base = of(Network { loss, ..NETWORK });
            prop_assert!(base >= 0.0);
            let more_loss = of(Network { loss: loss * more, ..NETWORK });
            let longer_way = of(Network { loss, beta: more, ..NETWORK });
            let slower = of(Network { loss, alpha: more, ..NETWORK });
            prop_assert!(base <= more_loss && base < longer_way && base < slower);
        }
    }

    #[test]
    fn algorithms_are_read_as_they_are_printed() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        let error = "sort".parse::<Algorithm>().unwrap_err().to_string();
        assert!(error.contains("`sort` is no algorithm") && error.contains("laplace, broadcast"), "{error}");
    }
}
