//! The way back of a station whose processor runs ahead of the others.

use super::station::{Change, Station};
use super::Network;
use testbed_definitions::packet::STATIONS_MAX;

/// How a station stood when its processor set out.
pub enum Mark {
    /// The processor does not run ahead.
    None,
    /// There was nothing in it, and its processor has only looked at it since: `now` is all that has changed.
    Still {
        now: u64,
    },
    Whole(Box<Station>),
}

impl Mark {
    /// More of the station is about to change than `now`.
    pub fn complete(&mut self, station: &Station) {
        if let Mark::Still { now } = *self {
            *self = Mark::Whole(Box::new(station.clone()));
            if let Mark::Whole(station) = self {
                station.now = now;
            }
        }
    }
}

impl Network {
    /// The station's processor may have to go back to where it is now.
    pub fn set_out(&mut self, station: usize) {
        let stands = &self.stations[station];
        self.marks[station] =
            if stands.is_still() { Mark::Still { now: stands.now } } else { Mark::Whole(Box::new(stands.clone())) };
    }

    /// Whose processors have a packet to take, as far as that is known.
    pub fn expecting(&self) -> [bool; STATIONS_MAX] {
        std::array::from_fn(|number| self.stations.get(number).is_some_and(Station::expects))
    }

    /// Puts the station back to where its processor set out.
    pub fn go_back(&mut self, station: usize) {
        match std::mem::replace(&mut self.marks[station], Mark::None) {
            Mark::None => {}
            Mark::Still { now } => self.stations[station].now = now,
            Mark::Whole(stood) => self.stations[station] = *stood,
        }
    }

    /// What the processors have done is certain.
    pub fn arrive(&mut self) {
        self.marks.fill_with(|| Mark::None);
    }
}

impl Station {
    fn expects(&self) -> bool {
        self.has_packet() || self.changes.iter().any(|(_, change)| matches!(change, Change::Received(_)))
    }

    /// Whether nothing is under way: while software only looks at it, nothing changes.
    pub fn is_still(&self) -> bool {
        self.changes.is_empty()
            && self.queue.is_empty()
            && self.offer.is_none()
            && self.bursts.is_empty()
            && self.occupied.is_empty()
    }
}
