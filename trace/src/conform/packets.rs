//! Packets between two processors: one after the other, none lost, none from nowhere.

use std::collections::{HashMap, VecDeque};

use itertools::Itertools;

use crate::order::Event;

/// A packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    pub kind: u8,
    pub channel: u8,
    /// Its TX_MPC, with its number in the trace.
    pub sent: Event,
    pub number: u64,
}

/// All packets under way, by sender and receiver.
#[derive(Debug, Default)]
pub struct Packets {
    queues: HashMap<(u8, u8), VecDeque<Packet>>,
    /// Type of the last packet sent, also if it has been served.
    last: HashMap<(u8, u8), u8>,
}

/// What the service of a packet shows.
#[derive(Debug, PartialEq, Eq)]
pub enum Served {
    /// It is the next one.
    Next(Packet),
    /// It was sent, but these before it have not been served.
    Skips(Packet, Vec<Packet>),
    /// It was not sent.
    Unsent,
}

impl Packets {
    pub fn send(&mut self, from: u8, to: u8, packet: Packet) {
        self.last.insert((from, to), packet.kind);
        self.queues.entry((from, to)).or_default().push_back(packet);
    }

    pub fn serve(&mut self, from: u8, to: u8, kind: u8, channel: u8) -> Served {
        let Some(queue) = self.queues.get_mut(&(from, to)) else { return Served::Unsent };
        let Some(place) = queue.iter().position(|packet| (packet.kind, packet.channel) == (kind, channel)) else {
            return Served::Unsent;
        };
        let mut taken: Vec<_> = queue.drain(..=place).collect();
        match taken.pop() {
            Some(packet) if taken.is_empty() => Served::Next(packet),
            Some(packet) => Served::Skips(packet, taken),
            None => Served::Unsent,
        }
    }

    /// Type of the last packet sent between two processors.
    pub fn last(&self, from: u8, to: u8) -> Option<u8> {
        self.last.get(&(from, to)).copied()
    }

    /// How many are on their way from one processor to another.
    pub fn under_way(&self, from: u8, to: u8) -> usize {
        self.queues.get(&(from, to)).map_or(0, VecDeque::len)
    }

    /// Follows the oldest packet of a pair no further.
    pub fn drop_oldest(&mut self, from: u8, to: u8) {
        self.queues.get_mut(&(from, to)).and_then(VecDeque::pop_front);
    }

    /// Nothing is known any more of packets from or to a processor.
    pub fn forget(&mut self, processor: u8) {
        self.queues.retain(|&(from, to), _| from != processor && to != processor);
    }

    /// All that are still under way, in order of sending.
    pub fn rest(&self) -> Vec<(u8, u8, Packet)> {
        let queues = self.queues.iter();
        let rest = queues.flat_map(|(&(from, to), queue)| queue.iter().map(move |packet| (from, to, *packet)));
        rest.sorted_by_key(|(from, to, packet)| (packet.number, *from, *to)).collect()
    }
}
