//! What is measured: packet sizes, how many packets, how fast, and in which parts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::body::Series;
use crate::client::settings::{Part, Patience};
use crate::packet::{BYTES_MAX, BYTES_MIN};

/// Packet sizes unless others are given: the paper's up to 25 KB, one that fills an Ethernet frame,
/// and the largest that a datagram carries.
pub const SIZES: [u16; 10] = [64, 256, 512, 1_024, 1_472, 4_096, 8_192, 16_384, 25_600, BYTES_MAX as u16];
/// Those of a reduced measurement.
pub const REDUCED_SIZES: [u16; 3] = [64, 1_472, 8_192];
/// Probes of each size, and of a reduced measurement.
pub const PROBES: u32 = 1_000;
pub const REDUCED_PROBES: u32 = 200;
/// Bytes a second to and from the peer.
pub const RATE: u64 = 1 << 20;
/// Probes of a part, which is repeated as a whole if it is interrupted.
pub const PART_PROBES: u32 = 1_000;
/// Trains of a part.
const TRAINS: u8 = 4;
/// Bytes of a train, as far as its packets are enough to make gaps. Sockets take in about twice as
/// many before anybody reads them.
const TRAIN_BYTES: usize = 64 << 10;
/// Packets of a train, at least and at most.
const TRAIN_PACKETS: (usize, usize) = (3, 32);
/// Probes a second, at most: more of the smallest would measure this computer.
const PROBES_A_SECOND: f64 = 1_000.0;

/// Parts of a measurement, at most.
const PARTS_MAX: u64 = 1 << 17;

/// A measurement: it goes on after an interruption only as the same one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Peers, each with its port, in the order in which they are measured, one at a time.
    pub hosts: Vec<String>,
    /// Bytes of packets, ascending.
    pub sizes: Vec<u16>,
    /// Probes of each size to each peer.
    pub probes: u32,
    /// Bytes a second in each direction.
    pub rate: u64,
}

/// A part of a measurement, which one session makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartName {
    pub host: String,
    pub packet_bytes: u16,
    /// From 0.
    pub number: u32,
}

/// Characters of a peer's name and port, at most: those of a name and of a port, and a colon.
const NAME_LENGTH: usize = 253 + 6;

/// Whether this can be the name or the address of a computer, with its port.
fn is_name(host: &str) -> bool {
    let is_possible = |letter: char| letter.is_alphanumeric() || "-_.:[]%".contains(letter);
    (1..=NAME_LENGTH).contains(&host.chars().count()) && host.chars().all(is_possible)
}

/// Why something can't be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("a packet of {0} bytes can't be sent: UDP carries up to {BYTES_MAX}, and its headers take {BYTES_MIN}")]
    Size(u32),
    #[error("no peer is named")]
    NoHost,
    #[error("the {0}. peer's name is empty, too long or has characters that no name has")]
    Host(usize),
    #[error("the peer {0} is named twice")]
    Twice(String),
    #[error("the {what} is 0")]
    Nothing { what: &'static str },
    #[error("these are {0} parts of {PART_PROBES} packets, and at most {PARTS_MAX} can be measured")]
    Large(u64),
}

impl Plan {
    /// A plan that makes sense, with its sizes in order and each once.
    ///
    /// # Errors
    /// No peer or one twice, a size that can't be sent, a number that is 0.
    pub fn new(hosts: Vec<String>, sizes: &[u32], probes: u32, rate: u64) -> Result<Plan, PlanError> {
        let nothing = [(sizes.is_empty(), "number of sizes"), (probes == 0, "number of packets"), (rate == 0, "rate")];
        if let Some((_, what)) = nothing.into_iter().find(|(is_nothing, _)| *is_nothing) {
            return Err(PlanError::Nothing { what });
        }
        if hosts.is_empty() {
            return Err(PlanError::NoHost);
        }
        if let Some(at) = hosts.iter().position(|host| !is_name(host)) {
            return Err(PlanError::Host(at + 1));
        }
        if let Some(at) = (1..hosts.len()).find(|at| hosts[..*at].contains(&hosts[*at])) {
            return Err(PlanError::Twice(hosts[at].clone()));
        }
        let fits = |size: &u32| (BYTES_MIN..=BYTES_MAX).contains(&(*size as usize));
        let of = |size: &u32| u16::try_from(*size).ok().filter(|_| fits(size)).ok_or(PlanError::Size(*size));
        let mut sizes = sizes.iter().map(of).collect::<Result<Vec<u16>, _>>()?;
        sizes.sort_unstable();
        sizes.dedup();
        let parts = (hosts.len() * sizes.len()) as u64 * u64::from(probes.div_ceil(PART_PROBES));
        match parts > PARTS_MAX {
            true => Err(PlanError::Large(parts)),
            false => Ok(Plan { hosts, sizes, probes, rate }),
        }
    }

    /// All parts in order: peer by peer, and for each all sizes in turn, so that what changes with
    /// time changes all sizes.
    pub fn parts(&self) -> Vec<PartName> {
        let of_host = |host: &String| {
            let rounds = self.probes.div_ceil(PART_PROBES);
            let names = (0..rounds).flat_map(|number| {
                self.sizes.iter().map(move |size| PartName { host: host.clone(), packet_bytes: *size, number })
            });
            names.collect::<Vec<_>>()
        };
        self.hosts.iter().flat_map(of_host).collect()
    }

    /// Probes of a part.
    pub fn probes_of(&self, part: &PartName) -> u32 {
        let before = part.number.saturating_mul(PART_PROBES);
        self.probes.saturating_sub(before).min(PART_PROBES)
    }

    /// How a part is sent.
    pub fn part(&self, part: &PartName) -> Part {
        let bytes = usize::from(part.packet_bytes);
        let (least, most) = TRAIN_PACKETS;
        let train_packets = (TRAIN_BYTES / bytes).clamp(least, most);
        let at_rate = |bytes: usize| Duration::from_secs_f64(bytes as f64 / self.rate as f64);
        Part {
            series: Series {
                bytes: part.packet_bytes,
                probes: self.probes_of(part) as u16,
                trains: TRAINS,
                train_packets: train_packets as u8,
            },
            interval: at_rate(bytes).max(Duration::from_secs_f64(1.0 / PROBES_A_SECOND)),
            train_interval: at_rate(bytes * train_packets).max(Duration::from_millis(50)),
            patience: Patience::default(),
        }
    }

    /// Bytes that are sent, and about as many come back.
    pub fn bytes(&self) -> u64 {
        self.parts().iter().map(|name| self.part(name).series.whole()).sum()
    }

    /// About how long it takes.
    pub fn time(&self) -> Duration {
        let of = |name: &PartName| {
            let part = self.part(name);
            part.interval * u32::from(part.series.probes)
                + part.train_interval * u32::from(part.series.trains)
                + part.patience.tail.0
        };
        self.parts().iter().map(of).sum()
    }
}
