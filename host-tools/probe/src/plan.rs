//! What is measured: packet sizes, how many packets, how fast, and in which parts.

use std::collections::BTreeSet;
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
/// Probes of a part, at most; it is repeated as a whole if it is interrupted.
pub const PART_PROBES: u32 = 1_000;
/// How long the probes of a part take, at most, and so does each train. A server waits longer.
const PART_TIME: Duration = Duration::from_secs(10);
/// Trains of a part.
const TRAINS: u8 = 4;
/// Bytes of a train, as far as its packets are enough to make gaps. Sockets take in about twice as
/// many before anybody reads them.
const TRAIN_BYTES: usize = 64 << 10;
/// Packets of a train, at least and at most.
const TRAIN_PACKETS: (usize, usize) = (3, 32);
/// From one train to the next, at least.
const TRAIN_PAUSE: Duration = Duration::from_millis(50);
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
    #[error("these are {0} parts of up to {PART_PROBES} packets, and at most {PARTS_MAX} can be measured")]
    Large(u64),
    #[error("at {rate} bytes a second a train of packets of {bytes} bytes takes more than {} s", PART_TIME.as_secs())]
    Slow { rate: u64, bytes: u16 },
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
        let mut known = BTreeSet::new();
        if let Some(host) = hosts.iter().find(|host| !known.insert(*host)) {
            return Err(PlanError::Twice(host.clone()));
        }
        let fits = |size: &u32| (BYTES_MIN..=BYTES_MAX).contains(&(*size as usize));
        let of = |size: &u32| u16::try_from(*size).ok().filter(|_| fits(size)).ok_or(PlanError::Size(*size));
        let mut sizes = sizes.iter().map(of).collect::<Result<Vec<u16>, _>>()?;
        sizes.sort_unstable();
        sizes.dedup();
        let plan = Plan { hosts, sizes, probes, rate };
        if let Some(&bytes) =
            plan.sizes.iter().find(|size| plan.at_rate(train_packets(**size) * usize::from(**size)) > PART_TIME)
        {
            return Err(PlanError::Slow { rate, bytes });
        }
        let of_peer: u64 = plan.sizes.iter().map(|size| u64::from(plan.rounds(*size))).sum();
        let parts = of_peer * plan.hosts.len() as u64;
        match parts > PARTS_MAX {
            true => Err(PlanError::Large(parts)),
            false => Ok(plan),
        }
    }

    /// How long so many bytes take at this rate.
    fn at_rate(&self, bytes: usize) -> Duration {
        Duration::from_secs_f64(bytes as f64 / self.rate as f64)
    }

    /// From one probe to the next.
    fn interval(&self, size: u16) -> Duration {
        self.at_rate(size.into()).max(Duration::from_secs_f64(1.0 / PROBES_A_SECOND))
    }

    /// Probes of a part of this size, but for the last one.
    fn part_probes(&self, size: u16) -> u32 {
        ((PART_TIME.as_secs_f64() / self.interval(size).as_secs_f64()) as u32).clamp(1, PART_PROBES)
    }

    /// Parts of this size to each peer.
    fn rounds(&self, size: u16) -> u32 {
        self.probes.div_ceil(self.part_probes(size))
    }

    /// All parts in order: peer by peer, and for each all sizes in turn, so that what changes with
    /// time changes all sizes.
    pub fn parts(&self) -> Vec<PartName> {
        let of_host = |host: &String| {
            let rounds = self.sizes.iter().map(|size| self.rounds(*size)).max().unwrap_or(0);
            let names = (0..rounds).flat_map(|number| {
                let sizes = self.sizes.iter().filter(move |size| number < self.rounds(**size));
                sizes.map(move |size| PartName { host: host.clone(), packet_bytes: *size, number })
            });
            names.collect::<Vec<_>>()
        };
        self.hosts.iter().flat_map(of_host).collect()
    }

    /// Probes of a part.
    pub fn probes_of(&self, part: &PartName) -> u32 {
        let probes = self.part_probes(part.packet_bytes);
        self.probes.saturating_sub(part.number.saturating_mul(probes)).min(probes)
    }

    /// How a part is sent.
    pub fn part(&self, part: &PartName) -> Part {
        let (size, train_packets) = (part.packet_bytes, train_packets(part.packet_bytes));
        Part {
            series: Series {
                bytes: size,
                probes: self.probes_of(part) as u16,
                trains: TRAINS,
                train_packets: train_packets as u8,
            },
            interval: self.interval(size),
            train_interval: self.at_rate(usize::from(size) * train_packets).max(TRAIN_PAUSE),
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

/// Packets of a train of this size.
fn train_packets(size: u16) -> usize {
    let (least, most) = TRAIN_PACKETS;
    (TRAIN_BYTES / usize::from(size)).clamp(least, most)
}
