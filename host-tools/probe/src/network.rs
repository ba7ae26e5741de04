//! `network.toml`: what was measured, as other commands take it. The keys above the tables are of
//! one packet size, and means over the peers.

use serde::Serialize;

use crate::estimate::{Bandwidth, Estimate};
use crate::statistics::proportion::Bounded;

/// The file's name in the output folder.
pub const NETWORK: &str = "network.toml";
/// The largest packet that most networks carry in one piece: the size that counts unless another is chosen.
const UNFRAGMENTED: u16 = 1_472;

/// The file's top.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Network {
    pub packet_bytes: u16,
    /// The probability that a packet is lost, in either direction.
    pub loss: f64,
    pub loss_bounds: [f64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_bounds_seconds: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bounds_bytes_per_second: Option<[f64; 2]>,
    /// The time of a packet at that bandwidth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha_bounds_seconds: Option<[f64; 2]>,
    /// The round trip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_bounds_seconds: Option<[f64; 2]>,
    /// No test of any peer at this size speaks against independent losses.
    pub losses_are_independent: bool,
    /// The bandwidth is a lower bound: trains came as fast as this computer sent them.
    pub bandwidth_is_at_least: bool,
    /// All parts of the measurement are done.
    pub complete: bool,
    pub peers: usize,
    /// Each peer at each size.
    pub size: Vec<Row>,
}

/// One peer at one packet size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    pub host: String,
    pub packet_bytes: u16,
    pub loss: f64,
    pub loss_bounds: [f64; 2],
    pub forward_loss: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round_trip_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_second: Option<f64>,
    pub losses_are_independent: bool,
}

impl Network {
    /// The size that counts unless another is chosen: the largest that most networks carry in one
    /// piece, or else the smallest.
    pub fn usual_size(estimates: &[Estimate]) -> Option<u16> {
        let sizes = || estimates.iter().map(|estimate| estimate.packet_bytes);
        sizes().filter(|size| *size <= UNFRAGMENTED).max().or_else(|| sizes().min())
    }

    /// What was measured, at this packet size; `None` if nothing was measured at it.
    pub fn of(estimates: &[Estimate], packet_bytes: u16, complete: bool) -> Option<Network> {
        let of_size: Vec<&Estimate> =
            estimates.iter().filter(|estimate| estimate.packet_bytes == packet_bytes).collect();
        let mean = |of: &dyn Fn(&Estimate) -> Option<Bounded>| {
            Bounded::mean(&of_size.iter().filter_map(|estimate| of(estimate)).collect::<Vec<_>>())
        };
        let loss = mean(&|estimate| Some(estimate.loss))?;
        let round_trip = mean(&|estimate| estimate.round_trip.map(|times| times.median));
        let bandwidths: Vec<Bandwidth> = of_size.iter().filter_map(|estimate| estimate.bandwidth()).collect();
        let bandwidth = mean(&|estimate| estimate.bandwidth().map(|bandwidth| bandwidth.rate));
        let alpha = bandwidth.map(|rate| rate.map(|rate| f64::from(packet_bytes) / rate));
        let (value, bounds) = (|one: Bounded| one.value, |one: Bounded| [one.low, one.high]);
        Some(Network {
            packet_bytes,
            loss: loss.value,
            loss_bounds: bounds(loss),
            round_trip_seconds: round_trip.map(value),
            round_trip_bounds_seconds: round_trip.map(bounds),
            bandwidth_bytes_per_second: bandwidth.map(value),
            bandwidth_bounds_bytes_per_second: bandwidth.map(bounds),
            alpha_seconds: alpha.map(value),
            alpha_bounds_seconds: alpha.map(bounds),
            beta_seconds: round_trip.map(value),
            beta_bounds_seconds: round_trip.map(bounds),
            losses_are_independent: !of_size.iter().any(|estimate| estimate.is_dependent()),
            bandwidth_is_at_least: bandwidths.iter().any(|bandwidth| bandwidth.at_least),
            complete,
            peers: of_size.len(),
            size: estimates.iter().map(row).collect(),
        })
    }

    /// The file.
    ///
    /// # Errors
    /// A figure that TOML does not have; there is none.
    pub fn toml(&self) -> Result<String, toml::ser::Error> {
        let head = "# What `testbed probe` has measured; docs/probe.md says what each figure means.\n";
        Ok(format!("{head}{}", toml::to_string(self)?))
    }
}

fn row(estimate: &Estimate) -> Row {
    Row {
        host: estimate.host.clone(),
        packet_bytes: estimate.packet_bytes,
        loss: estimate.loss.value,
        loss_bounds: [estimate.loss.low, estimate.loss.high],
        forward_loss: estimate.forward.loss.value,
        backward_loss: estimate.backward.as_ref().map(|back| back.loss.value),
        round_trip_seconds: estimate.round_trip.map(|times| times.median.value),
        bandwidth_bytes_per_second: estimate.bandwidth().map(|bandwidth| bandwidth.rate.value),
        losses_are_independent: !estimate.is_dependent(),
    }
}
