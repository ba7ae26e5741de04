//! What the tallies of one peer and one packet size say.

use serde::Serialize;

use crate::record::Line;
use crate::statistics::independence::{independence, Independence, Verdict};
use crate::statistics::proportion::{wilson, Bounded};
use crate::statistics::quantile::{quantile, sorted};
use crate::tally::Tally;

/// A train that is at least this share of the rate at which it was sent says nothing of the network
/// but that it is at least as fast.
const AS_SENT: f64 = 0.9;

/// A direction: what of it was lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Direction {
    pub sent: u64,
    pub lost: u64,
    pub loss: Bounded,
    pub duplicates: u64,
    pub reordered: u64,
    pub independence: Independence,
}

/// Times from sending to return, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoundTrip {
    pub least: f64,
    pub mean: f64,
    pub median: Bounded,
    pub p95: Bounded,
    pub p99: Bounded,
}

/// Bytes a second of trains, without the headers of IP and UDP.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bandwidth {
    pub rate: Bounded,
    /// The trains came as fast as they were sent: the network may be faster.
    pub at_least: bool,
    pub trains: usize,
}

/// One peer at one packet size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub host: String,
    pub packet_bytes: u16,
    pub forward: Direction,
    /// The way back of the packets that arrived; `None` if none did.
    pub backward: Option<Direction>,
    /// The loss of one direction that would lose as many round trips if both had the same: the one
    /// figure that the model of lossy supersteps wants.
    pub loss: Bounded,
    /// `None` if nothing came back.
    pub round_trip: Option<RoundTrip>,
    pub forward_bandwidth: Option<Bandwidth>,
    pub backward_bandwidth: Option<Bandwidth>,
}

impl Estimate {
    /// The slower direction.
    pub fn bandwidth(&self) -> Option<Bandwidth> {
        let slower = |one: Bandwidth, other: Bandwidth| if other.rate.value < one.rate.value { other } else { one };
        match (self.forward_bandwidth, self.backward_bandwidth) {
            (Some(one), Some(other)) => Some(slower(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// Directions with their names.
    pub fn directions(&self) -> impl Iterator<Item = (&'static str, &Direction)> {
        [Some(("there", &self.forward)), self.backward.as_ref().map(|direction| ("back", direction))]
            .into_iter()
            .flatten()
    }

    /// Whether losses of some direction are not independent.
    pub fn is_dependent(&self) -> bool {
        let depends = |verdict: Verdict| matches!(verdict, Verdict::Bursts | Verdict::Regular);
        self.directions().any(|(_, direction)| depends(direction.independence.verdict))
    }
}

/// Estimates of all peers and sizes, in the order of the plan's peers and of sizes.
pub fn estimates(hosts: &[String], done: &[Line]) -> Vec<Estimate> {
    let mut all = Vec::new();
    for host in hosts {
        let mut of_host: Vec<&Line> = done.iter().filter(|line| line.part.host == *host).collect();
        of_host.sort_by(|one, other| {
            (one.part.packet_bytes, one.part.number).cmp(&(other.part.packet_bytes, other.part.number))
        });
        for lines in of_host.chunk_by(|one, other| one.part.packet_bytes == other.part.packet_bytes) {
            let tallies: Vec<&Tally> = lines.iter().map(|line| &line.tally).collect();
            all.extend(estimate(host, lines[0].part.packet_bytes, &tallies));
        }
    }
    all
}

/// What the tallies of a peer and a size say; `None` if nothing was sent.
pub fn estimate(host: &str, packet_bytes: u16, tallies: &[&Tally]) -> Option<Estimate> {
    let lost_there: Vec<Vec<bool>> =
        tallies.iter().map(|tally| tally.arrived.iter().map(|arrived| !arrived).collect()).collect();
    let lost_back = tallies.iter().map(|tally| {
        let outcomes = tally.arrived.iter().zip(tally.returned.iter());
        outcomes.filter(|(arrived, _)| *arrived).map(|(_, returned)| !returned).collect::<Vec<bool>>()
    });
    let lost_back: Vec<Vec<bool>> = lost_back.collect();
    let sum = |of: fn(&Tally) -> u32| tallies.iter().map(|tally| u64::from(of(tally))).sum::<u64>();
    let disorder = (sum(|tally| tally.forward.duplicates), sum(|tally| tally.forward.reordered));
    let forward = direction(&lost_there, disorder)?;
    let disorder = (sum(|tally| tally.backward.duplicates), sum(|tally| tally.backward.reordered));
    let backward = direction(&lost_back, disorder);
    let inflation = backward.iter().chain([&forward]).map(|one| one.independence.inflation()).fold(1.0, f64::max);
    let returned = tallies.iter().map(|tally| tally.returned.count() as u64).sum();
    let both = wilson(returned, forward.sent, inflation)?;
    Some(Estimate {
        host: host.into(),
        packet_bytes,
        loss: both.map(|share| 1.0 - share.sqrt()),
        round_trip: round_trip(tallies),
        forward_bandwidth: bandwidth(tallies, packet_bytes, |tally| &tally.forward),
        backward_bandwidth: bandwidth(tallies, packet_bytes, |tally| &tally.backward),
        forward,
        backward,
    })
}

fn direction(lost: &[Vec<bool>], (duplicates, reordered): (u64, u64)) -> Option<Direction> {
    let independence = independence(lost)?;
    let sent = lost.iter().map(|segment| segment.len() as u64).sum();
    let count = lost.iter().flatten().filter(|lost| **lost).count() as u64;
    let loss = wilson(count, sent, independence.inflation())?;
    Some(Direction { sent, lost: count, loss, duplicates, reordered, independence })
}

fn round_trip(tallies: &[&Tally]) -> Option<RoundTrip> {
    let seconds = tallies.iter().flat_map(|tally| &tally.round_trips).map(|nanoseconds| *nanoseconds as f64 / 1e9);
    let seconds = sorted(seconds);
    Some(RoundTrip {
        least: *seconds.first()?,
        mean: seconds.iter().sum::<f64>() / seconds.len() as f64,
        median: quantile(&seconds, 0.5)?,
        p95: quantile(&seconds, 0.95)?,
        p99: quantile(&seconds, 0.99)?,
    })
}

/// The median of the trains of a direction.
fn bandwidth(
    tallies: &[&Tally],
    packet_bytes: u16,
    gaps: fn(&crate::tally::TrainTally) -> &crate::train::Gaps,
) -> Option<Bandwidth> {
    let bytes = usize::from(packet_bytes);
    let trains = || tallies.iter().flat_map(|tally| &tally.trains);
    let rates = sorted(trains().filter_map(|train| gaps(train).rate(bytes)));
    let sent = sorted(trains().filter_map(|train| train.sent.rate(bytes)));
    let rate = quantile(&rates, 0.5)?;
    let at_least = quantile(&sent, 0.5).is_some_and(|sent| rate.value >= AS_SENT * sent.value);
    Some(Bandwidth { rate, at_least, trains: rates.len() })
}
