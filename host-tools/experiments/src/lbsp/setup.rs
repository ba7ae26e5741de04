//! What is computed and sent, as the command line says it: a superstep, or an algorithm.

use clap::Args;
use testbed_lossy::algorithms::{Algorithm, Plan};
use testbed_lossy::paper::table_ii::{columns, FLOPS};
use testbed_lossy::pattern::Pattern;
use testbed_lossy::superstep::{Superstep, COPIES_MOST};

use super::network::{Known, NetworkOptions};
use super::quantities::{duration, speed, whole};
use crate::error::ExperimentError;

#[derive(Args, Clone, Debug)]
pub struct Setup {
    /// Nodes, such as 1024 or 2^17
    #[arg(long, default_value = "1024", value_parser = whole)]
    pub nodes: f64,
    /// Packets of a superstep of n nodes: 1, "log n", "log^2 n", n, "n log n" or n^2
    #[arg(long, value_name = "C(N)", default_value = "n")]
    pub packets: Pattern,
    /// Computing of a superstep, on one node
    #[arg(long, value_name = "TIME", default_value = "10h", value_parser = duration)]
    pub work: f64,
    /// How often each packet leaves in a round
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(COPIES_MOST)))]
    pub copies: u32,
    /// Instead of a superstep an algorithm: matrix, bitonic, fft, laplace, broadcast or all-gather
    #[arg(long, value_name = "NAME", conflicts_with_all = ["packets", "work"])]
    pub algorithm: Option<Algorithm>,
    /// The algorithm's size, such as 2^15 [default: that of the paper's Table II]
    #[arg(long, value_name = "N", value_parser = whole, requires = "algorithm")]
    pub size: Option<f64>,
    /// Floating-point operations a second of a node
    #[arg(long, default_value_t = FLOPS, value_parser = speed, requires = "algorithm")]
    pub flops: f64,
}

/// An algorithm on the command line's network.
pub struct Planned {
    pub plan: Plan,
    /// Packets that each message is cut into.
    pub pieces: f64,
    pub known: Known,
}

impl Setup {
    pub fn superstep(&self) -> Superstep {
        let Setup { nodes, packets, copies, work, .. } = *self;
        Superstep { nodes, packets: packets.packets(nodes), copies, work }
    }

    /// The size of an algorithm's problem.
    pub fn size_of(&self, algorithm: Algorithm) -> f64 {
        let usual = columns().into_iter().find(|column| column.algorithm == algorithm);
        self.size.unwrap_or_else(|| usual.map_or(1.0, |column| f64::from(column.size_log).exp2()))
    }

    /// What the algorithm does.
    ///
    /// # Errors
    /// As of [`NetworkOptions::known`]; there are more nodes than the problem has parts.
    pub fn plan(&self, algorithm: Algorithm, network: &NetworkOptions) -> Result<Planned, ExperimentError> {
        let size = self.size_of(algorithm);
        let plan = algorithm.plan(size, self.nodes);
        let parts = match algorithm {
            Algorithm::Matrix | Algorithm::Laplace => size * size,
            Algorithm::Bitonic | Algorithm::Fft => size,
            Algorithm::Broadcast | Algorithm::AllGather => f64::INFINITY,
        };
        if self.nodes > parts {
            return Err(ExperimentError::Option(format!(
                "--nodes: {algorithm} of size {size} can't be shared out to {} nodes\n  help: give at most {parts}",
                self.nodes
            )));
        }
        let pieces = plan.pieces(network.packet_bytes()?);
        Ok(Planned { known: network.known_for(plan.message)?, pieces, plan })
    }
}
