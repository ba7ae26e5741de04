//! What one part of a measurement has counted: one packet size, one session.

use serde::{Deserialize, Serialize};

use crate::bits::Bits;
use crate::train::Gaps;

/// The raw results of a part, from which all figures are computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Bytes of each packet, without the headers of IP and UDP.
    pub packet_bytes: usize,
    /// Which probes arrived at the server, by its report.
    pub arrived: Bits,
    /// Which came back.
    pub returned: Bits,
    /// Nanoseconds from sending to return, of those that came back, in the order of their numbers.
    pub round_trips: Vec<u64>,
    pub forward: Disorder,
    pub backward: Disorder,
    pub trains: Vec<TrainTally>,
}

/// Packets that came more than once, or behind a later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disorder {
    pub duplicates: u32,
    pub reordered: u32,
}

/// A train: how fast it was sent, how fast it arrived, and how fast it came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainTally {
    pub sent: Gaps,
    pub forward: Gaps,
    pub backward: Gaps,
}

impl Tally {
    /// Why this can't be the tally of so many probes of this size; `None` if it can.
    pub fn wrong(&self, packet_bytes: usize, probes: usize) -> Option<&'static str> {
        let is_subset = self.arrived.iter().zip(self.returned.iter()).all(|(arrived, returned)| arrived || !returned);
        [
            (self.packet_bytes != packet_bytes, "it is of another packet size"),
            (self.arrived.length() != probes || self.returned.length() != probes, "it is of another number of probes"),
            (!is_subset, "probes came back that had not arrived"),
            (
                self.round_trips.len() != self.returned.count(),
                "there are not as many round trips as probes that came back",
            ),
        ]
        .into_iter()
        .find_map(|(is_wrong, what)| is_wrong.then_some(what))
    }
}
