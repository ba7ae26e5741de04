//! What a client has seen of its own probes and trains.

use std::time::Duration;

use crate::bits::Bits;
use crate::body::{Report, Series};
use crate::tally::{Disorder, Tally, TrainTally};
use crate::train::{Gaps, Train};

/// Probes and trains that were sent, and what came back.
#[derive(Debug)]
pub struct Seen {
    returned: Bits,
    /// Nanoseconds of each probe that came back.
    round_trips: Vec<u64>,
    disorder: Disorder,
    /// One more than the latest place in the server's order that came back.
    behind: u32,
    sent: Vec<Gaps>,
    trains: Vec<Train>,
    longest: Duration,
}

impl Seen {
    pub fn new(series: &Series) -> Seen {
        let trains = usize::from(series.trains);
        Seen {
            returned: Bits::new(series.probes.into()),
            round_trips: vec![0; series.probes.into()],
            disorder: Disorder::default(),
            behind: 0,
            sent: vec![Gaps::default(); trains],
            trains: vec![Train::default(); trains],
            longest: Duration::ZERO,
        }
    }

    /// Whether all probes and trains have come back.
    pub fn is_whole(&self, series: &Series) -> bool {
        let mut trains = self.trains.iter();
        self.returned.count() == self.returned.length()
            && trains.all(|train| train.count() == u32::from(series.train_packets))
    }

    /// The longest round trip so far.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// A train was sent in this time, from its first packet to its last.
    pub fn sent(&mut self, train: usize, packets: u32, time: Duration) {
        if let Some(gaps) = self.sent.get_mut(train) {
            *gaps = Gaps { count: packets.saturating_sub(1), nanoseconds: nanoseconds(time) };
        }
    }

    /// A probe comes back: its number, its place in the server's order, when it was sent.
    pub fn echo(&mut self, number: u32, place: u32, sent: Duration, now: Duration) {
        if self.returned.contains(number as usize) {
            self.disorder.duplicates = self.disorder.duplicates.saturating_add(1);
            return;
        }
        if !self.returned.insert(number as usize) {
            return;
        }
        let time = now.saturating_sub(sent);
        self.longest = self.longest.max(time);
        self.round_trips[number as usize] = nanoseconds(time);
        self.disorder.reordered += u32::from(place < self.behind);
        self.behind = self.behind.max(place.saturating_add(1));
    }

    /// A packet of a train comes back.
    pub fn train_back(&mut self, train: u32, place: u32, now: Duration) {
        if let Some(train) = self.trains.get_mut(train as usize) {
            train.arrive(place, now);
        }
    }

    /// The tally, with what the server has reported. A probe that has come back had arrived.
    pub fn tally(&self, series: &Series, report: &Report) -> Tally {
        let mut arrived = report.arrived.clone();
        let mut round_trips = Vec::with_capacity(self.returned.count());
        for number in (0..self.returned.length()).filter(|number| self.returned.contains(*number)) {
            arrived.insert(number);
            round_trips.push(self.round_trips[number]);
        }
        let trains = self.sent.iter().zip(&report.trains).zip(&self.trains);
        Tally {
            packet_bytes: series.bytes.into(),
            arrived,
            returned: self.returned.clone(),
            round_trips,
            forward: Disorder { duplicates: report.duplicates, reordered: report.reordered },
            backward: self.disorder,
            trains: trains
                .map(|((sent, forward), back)| TrainTally { sent: *sent, forward: *forward, backward: back.gaps() })
                .collect(),
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
