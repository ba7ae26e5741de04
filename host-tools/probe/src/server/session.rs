//! One session: what a client may send, what of it has arrived, and how much may be answered.

use std::net::SocketAddr;
use std::time::Duration;

use crate::bits::Bits;
use crate::body::{Report, Series};
use crate::train::Train;

/// Bytes that an address has sent and that it was sent. No answer leaves without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    received: u64,
    sent: u64,
}

impl Budget {
    /// The budget of a datagram from an address that has no session.
    pub fn of(received: usize) -> Budget {
        Budget { received: received as u64, sent: 0 }
    }

    pub fn receive(&mut self, bytes: usize) {
        self.received += bytes as u64;
    }

    pub fn received(&self) -> u64 {
        self.received
    }

    /// Takes so many bytes out, if they are there: what is sent never exceeds what has come.
    #[must_use]
    pub fn spend(&mut self, bytes: usize) -> bool {
        let sent = self.sent + bytes as u64;
        let is_there = sent <= self.received;
        if is_there {
            self.sent = sent;
        }
        is_there
    }
}

/// A session and its tallies: some 3 KiB at most.
#[derive(Debug)]
pub struct Session {
    pub address: SocketAddr,
    pub series: Series,
    pub opened: Duration,
    /// When something last came.
    pub last: Duration,
    pub budget: Budget,
    arrived: Bits,
    /// Probes that have arrived, each counted once.
    order: u32,
    /// One more than the latest probe that has arrived.
    behind: u32,
    duplicates: u32,
    reordered: u32,
    trains: Vec<Train>,
    /// The latest question; only later ones are answered.
    question: u32,
}

impl Session {
    pub fn new(address: SocketAddr, series: Series, now: Duration) -> Session {
        Session {
            address,
            series,
            opened: now,
            last: now,
            budget: Budget::default(),
            arrived: Bits::new(series.probes.into()),
            order: 0,
            behind: 0,
            duplicates: 0,
            reordered: 0,
            trains: vec![Train::default(); series.trains.into()],
            question: 0,
        }
    }

    /// A probe arrives: its place in the order of arrival, or `None` if it is none or has arrived before.
    pub fn probe(&mut self, number: u32) -> Option<u32> {
        if self.arrived.contains(number as usize) {
            self.duplicates = self.duplicates.saturating_add(1);
            return None;
        }
        if !self.arrived.insert(number as usize) {
            return None;
        }
        self.reordered += u32::from(number < self.behind);
        self.behind = self.behind.max(number + 1);
        self.order += 1;
        Some(self.order - 1)
    }

    /// A packet of a train arrives: `None` if it is none or has arrived before, and else how many
    /// packets are to go back, which is none until the train's last one is here.
    pub fn train(&mut self, train: u32, place: u32, now: Duration) -> Option<u32> {
        let packets = u32::from(self.series.train_packets);
        let train = self.trains.get_mut(train as usize).filter(|_| place < packets)?;
        let is_new = train.arrive(place, now);
        is_new.then(|| if place + 1 == packets { train.count() } else { 0 })
    }

    /// Whether a question is a new one.
    pub fn asks(&mut self, question: u32) -> bool {
        let is_new = question > self.question;
        self.question = self.question.max(question);
        is_new
    }

    pub fn report(&self) -> Report {
        Report {
            duplicates: self.duplicates,
            reordered: self.reordered,
            arrived: self.arrived.clone(),
            trains: self.trains.iter().map(Train::gaps).collect(),
        }
    }
}
