//! What stands behind the header: cookies, what a client is going to send, what has arrived.

use crate::bits::Bits;
use crate::packet::{BYTES_MAX, BYTES_MIN};
use crate::train::{Gaps, TRAIN_PACKETS_MAX};

/// Bytes of a cookie.
pub const COOKIE_BYTES: usize = 16;
/// Probes of a session, at most.
pub const PROBES_MAX: usize = 2_048;
/// Trains of a session, at most.
pub const TRAINS_MAX: usize = 16;
/// Bytes of a question, and so of its answer.
pub const ASK_BYTES: usize = 640;

/// What a client is going to send in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// Bytes of each probe and of each packet of a train.
    pub bytes: u16,
    pub probes: u16,
    pub trains: u8,
    pub train_packets: u8,
}

/// Bytes of a [`Series`].
const SERIES_BYTES: usize = 6;

impl Series {
    /// As a body.
    pub fn write(&self) -> [u8; SERIES_BYTES] {
        let ([a, b], [c, d]) = (self.bytes.to_be_bytes(), self.probes.to_be_bytes());
        [a, b, c, d, self.trains, self.train_packets]
    }

    /// Reads a series that a server may take.
    pub fn parse(body: &[u8]) -> Option<Series> {
        let &[a, b, c, d, trains, train_packets] = body.first_chunk::<SERIES_BYTES>()?;
        let series =
            Series { bytes: u16::from_be_bytes([a, b]), probes: u16::from_be_bytes([c, d]), trains, train_packets };
        series.is_possible().then_some(series)
    }

    pub fn is_possible(&self) -> bool {
        (BYTES_MIN..=BYTES_MAX).contains(&self.bytes.into())
            && usize::from(self.probes) <= PROBES_MAX
            && usize::from(self.trains) <= TRAINS_MAX
            && usize::from(self.train_packets) <= TRAIN_PACKETS_MAX
            && (self.trains == 0 || self.train_packets >= 2)
    }

    /// Bytes that the whole series has.
    pub fn whole(&self) -> u64 {
        let packets = u64::from(self.probes) + u64::from(self.trains) * u64::from(self.train_packets);
        packets * u64::from(self.bytes)
    }
}

/// The cookie that a body begins with.
pub fn cookie(body: &[u8]) -> Option<&[u8; COOKIE_BYTES]> {
    body.first_chunk()
}

/// What a server has seen of a series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Probes that arrived again.
    pub duplicates: u32,
    /// Probes that arrived behind a later one.
    pub reordered: u32,
    pub arrived: Bits,
    /// A line a train.
    pub trains: Vec<Gaps>,
}

impl Report {
    /// As a body.
    pub fn write(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(ASK_BYTES);
        body.extend_from_slice(&self.duplicates.to_be_bytes());
        body.extend_from_slice(&self.reordered.to_be_bytes());
        for gaps in &self.trains {
            body.extend_from_slice(&gaps.count.to_be_bytes());
            body.extend_from_slice(&gaps.nanoseconds.to_be_bytes());
        }
        body.extend_from_slice(self.arrived.bytes());
        body
    }

    /// Reads the report on a series.
    pub fn parse(body: &[u8], series: &Series) -> Option<Report> {
        let (duplicates, rest) = body.split_first_chunk()?;
        let (reordered, mut rest) = rest.split_first_chunk()?;
        let mut trains = Vec::new();
        for _ in 0..series.trains {
            let (count, more) = rest.split_first_chunk()?;
            let (nanoseconds, more) = more.split_first_chunk()?;
            trains.push(Gaps { count: u32::from_be_bytes(*count), nanoseconds: u64::from_be_bytes(*nanoseconds) });
            rest = more;
        }
        Some(Report {
            duplicates: u32::from_be_bytes(*duplicates),
            reordered: u32::from_be_bytes(*reordered),
            arrived: Bits::of_bytes(series.probes.into(), rest)?,
            trains,
        })
    }
}
