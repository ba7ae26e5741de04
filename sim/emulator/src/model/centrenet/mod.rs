//! Arithmetic model of Centrenet, exact to the cycle against the RTL (`docs/centrenet.md`).
//!
//! Nothing here ticks. A bus transaction is decided as a whole when the bus grants it, and leaves behind time-stamped
//! changes for the stations that take part; a DMA burst is a description that is carried out when somebody could
//! see the difference. So an idle network costs a comparison a window, and a packet costs a loop over its words.
//!
//! # How an emulator uses it
//!
//! Processors run one after the other, each through the same window:
//!
//! ```text
//! loop {
//!     network.advance(start_of_window, &mut memory);
//!     for each processor: run it until the end of the window, and on the way
//!         load from the station            network.load(station, offset, x_cycle)
//!         store to the station             network.store(station, offset, value, x_cycle)
//!         is `external` high in cycle d?   network.external_from(station, d) == Some(d)
//!         fetch, load or store in RAM      if network.hazards(station).contains(offset): network.catch_up(..) first
//! }
//! ```
//!
//! No processor may pass [`Network::known_until`], and calls for one station come in order of cycle. That is at
//! least `LOOKAHEAD` cycles ahead; where it is more, a store to TX_COMMAND may bring it nearer, so whoever goes farther
//! than `LOOKAHEAD` cycles must be able to go back ([`Network::set_out`], [`Network::go_back`]). [`Hazards`] of a
//! station change only by `advance` and by that station's `store` (they shrink by `catch_up`), so a copy may be kept
//! between those.

mod ahead;
mod burst;
mod dma;
mod history;
mod station;

#[cfg(test)]
mod tests;

use crate::engine::StationCounters;
use ahead::Mark;
use burst::Burst;
pub use burst::{DmaMemory, Hazards};
use station::{Change, Offer, Sent, Station, POP_LATENCY};
use std::sync::Arc;
use testbed_definitions::map::centrenet::{CONFIRM_CYCLES, RETRY_CYCLES, TX_COMMAND};
use testbed_definitions::packet::{Header, BROADCAST, STATIONS_MAX};
use testbed_definitions::timing::LOOKAHEAD;

/// Bus and stations of one node.
pub struct Network {
    stations: Vec<Station>,
    /// What the stations go back to.
    marks: Vec<Mark>,
    /// First cycle in which the bus can grant again.
    free: u64,
    last_grantee: usize,
    /// All stations and their RAM have been brought here.
    reached: u64,
    /// See [`Network::known_until`].
    known: u64,
    /// Nothing happens at all unless somebody stores.
    idle: bool,
}

/// Cycles from a grant to the first in which a station could show what it has led to: from then on receivers accept.
const GRANT_UNSEEN: u64 = 3;

/// Cycles at least from a store to TX_COMMAND to the request of a packet without payload.
const REQUEST_LATENCY: u64 = POP_LATENCY + 1 + LOOKAHEAD;

impl Network {
    /// `stations` (1 to 16) with `ram_bytes` (a power of two) of RAM each.
    ///
    /// # Panics
    /// If the numbers are outside these limits.
    pub fn new(stations: usize, ram_bytes: u32) -> Self {
        assert!((1..=STATIONS_MAX).contains(&stations), "a bus has 1 to 16 stations");
        assert!(ram_bytes.is_power_of_two() && ram_bytes >= 4, "RAM is a power of two bytes");
        Network {
            stations: (0..stations).map(|number| Station::new(number, stations, ram_bytes)).collect(),
            marks: (0..stations).map(|_| Mark::None).collect(),
            free: 0,
            last_grantee: stations - 1,
            reached: 0,
            known: u64::MAX,
            idle: true,
        }
    }

    /// Brings all stations and their RAM to the start of cycle `reached`, and decides all transactions that are
    /// certain by then. All stores to stations and to RAM in earlier cycles must have been made.
    pub fn advance(&mut self, reached: u64, memory: &mut impl DmaMemory) {
        if self.idle {
            self.reached = self.reached.max(reached);
            return;
        }
        loop {
            // No burst must run ahead of a transaction that is yet to be decided.
            let step = reached.min(self.known);
            self.settle(step, memory);
            self.reached = step;
            self.decide();
            if step == reached {
                return;
            }
        }
    }

    /// Decides the transactions that depend on nothing that is yet to come.
    fn decide(&mut self) {
        while let Some((grant, sender)) = self.next_grant() {
            // A pop that is yet to come leads to no request before `reached` and more than these; and what the answers
            // of cycle grant + 2 depend on must have been stored.
            if grant >= self.reached + LOOKAHEAD || history::shown_from(grant + 2) > self.reached {
                break;
            }
            self.transact(grant, sender);
        }
        let request = self.stations.iter().map(Station::request_from).min().unwrap_or(u64::MAX);
        self.known = self.seen_from(request);
        self.idle = request == u64::MAX && self.stations.iter().all(Station::is_still);
    }

    /// The first cycle in which a station could show that there was a request in cycle `request` or later.
    fn seen_from(&self, request: u64) -> u64 {
        self.free.max(request).saturating_add(GRANT_UNSEEN)
    }

    /// Before this cycle nothing comes to a station that is not known, unless somebody stores to TX_COMMAND;
    /// `u64::MAX` if nothing is to be sent. A store in cycle *t* leaves it at *t* + `LOOKAHEAD` or more.
    #[inline]
    pub fn known_until(&self) -> u64 {
        self.known
    }

    /// A load from the station's device port, its read strobe in `cycle`.
    pub fn load(&mut self, station: usize, offset: u32, cycle: u64) -> u32 {
        self.stations[station].load(offset, cycle)
    }

    /// A store to the station's device port in `cycle`.
    pub fn store(&mut self, station: usize, offset: u32, value: u32, cycle: u64) {
        self.marks[station].complete(&self.stations[station]);
        self.stations[station].store(offset, value, cycle);
        if offset & !3 == TX_COMMAND {
            let request = cycle + REQUEST_LATENCY + Header::unpack(value).payload_words() as u64;
            self.known = self.known.min(self.seen_from(request));
            self.idle = false;
        }
    }

    /// The earliest cycle >= `from` in which the station's external line is high; it is low in all
    /// cycles before that. Certain up to `known_until`, and until the station's own processor stores to it. `None`: low
    /// for all that is known.
    #[inline]
    pub fn external_from(&self, station: usize, from: u64) -> Option<u64> {
        self.stations[station].external_from(from)
    }

    /// Where this station's RAM may still be read or written by bursts that have begun or are queued.
    pub fn hazards(&self, station: usize) -> Hazards {
        self.stations[station].hazards()
    }

    /// Whether there can be any such place.
    #[inline]
    pub fn has_dma(&self, station: usize) -> bool {
        self.stations[station].has_dma()
    }

    /// Carries out this station's DMA reads of cycles <= `cycle` and DMA writes of cycles <
    /// `cycle`: to be called before its core reads or writes a hazardous word in `cycle`.
    pub fn catch_up(&mut self, station: usize, cycle: u64, memory: &mut impl DmaMemory) {
        let this = &mut self.stations[station];
        this.sync(cycle);
        this.run_dma(cycle + 1, cycle, memory);
    }

    /// The first cycle in which DMA may read or write the station's RAM, as far as that is known;
    /// `u64::MAX` if there is none to come. It may be later by what is yet to be decided, never
    /// earlier.
    pub fn dma_from(&mut self, station: usize) -> u64 {
        self.stations[station].dma_from()
    }

    /// The station's processor may have to go back to where it is now.
    pub fn set_out(&mut self, station: usize) {
        self.marks[station] = Mark::of(&self.stations[station]);
    }

    /// Puts the station back to where its processor set out.
    pub fn go_back(&mut self, station: usize) {
        std::mem::replace(&mut self.marks[station], Mark::None).put_back(&mut self.stations[station]);
    }

    /// What the processors have done is certain.
    pub fn arrive(&mut self) {
        self.marks.fill_with(|| Mark::None);
    }

    /// Whose processors have a packet to take, as far as that is known.
    pub fn expecting(&self) -> [bool; STATIONS_MAX] {
        std::array::from_fn(|number| self.stations.get(number).is_some_and(Station::expects))
    }

    /// The counters as a load in `cycle` would find them, and whether the station is receiving then.
    pub fn counters(&self, station: usize, cycle: u64) -> StationCounters {
        // What is known to happen until then may not have been applied yet; that is left to those who may change it.
        let mut station = self.stations[station].clone();
        station.sync(cycle);
        StationCounters { receiving: station.is_receiving(cycle).into(), ..station.counters }
    }

    /// Brings all stations and their RAM to the start of `cycle`, which is not after [`Network::known_until`]. All
    /// stores of earlier cycles must have been made. For who looks at RAM between two windows.
    pub fn settle(&mut self, cycle: u64, memory: &mut impl DmaMemory) {
        for station in &mut self.stations {
            station.sync(cycle);
            station.run_dma(cycle, cycle, memory);
        }
    }

    /// The next grant: its cycle and whom it goes to.
    fn next_grant(&self) -> Option<(u64, usize)> {
        let first = self.stations.iter().filter_map(Station::request).min()?;
        let grant = first.max(self.free);
        let count = self.stations.len();
        let turn = (1..=count).map(|step| (self.last_grantee + step) % count);
        let requests = |&number: &usize| self.stations[number].request().is_some_and(|request| request <= grant);
        turn.into_iter().find(requests).map(|number| (grant, number))
    }

    /// One transaction, from its grant to its end.
    fn transact(&mut self, grant: u64, sender: usize) {
        self.last_grantee = sender;
        let offer = self.stations[sender].offer.as_ref().expect("only who requests is granted");
        let header = Header::unpack(offer.header);
        let words = header.payload_words();
        let (mut takers, mut refused) = (vec![], false);
        for number in (0..self.stations.len()).filter(|&number| number != sender) {
            let addressed = header.destination == BROADCAST || usize::from(header.destination) == number;
            if addressed && self.stations[number].receives(grant + 2) {
                if self.stations[number].has_room(grant + 2, words) {
                    takers.push(number);
                } else {
                    refused = true;
                }
            }
        }
        let verdict = grant + 4;
        if refused {
            self.free = verdict;
            for &taker in &takers {
                self.stations[taker].occupied.push_back((grant + 3, verdict));
            }
            self.stations[sender].refuse(verdict + 1, verdict + u64::from(RETRY_CYCLES));
        } else if takers.is_empty() {
            self.free = verdict;
            self.stations[sender].finish(verdict + 1, Change::NoStation);
        } else {
            let end = verdict + 2 + words as u64;
            self.free = end;
            let Offer { spoilt, confirmed, .. } = *offer;
            let sent = Sent { spoilt, broadcast: header.destination == BROADCAST, confirmed };
            // The sender has registered the CRC word in the cycle before `end - 1`.
            let told = end - 1 + u64::from(CONFIRM_CYCLES);
            let sender = &mut self.stations[sender];
            let offer = if confirmed && spoilt {
                sender.resend((end - 1, sent), told, told - 1 + LOOKAHEAD)
            } else {
                let offer = sender.finish(end - 1, Change::Sent(sent));
                if confirmed {
                    sender.confirm(told);
                }
                offer
            };
            debug_assert_eq!(offer.words.len(), words, "the last read was LOOKAHEAD cycles ago");
            let packet = Arc::new(offer.words);
            for &taker in &takers {
                let burst = Burst::new(verdict + 1, offer.header, packet.clone());
                self.stations[taker].take(grant, end, burst, offer.spoilt);
            }
        }
    }
}
