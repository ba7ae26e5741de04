//! The way back of a station whose processor runs ahead of the others.

use super::station::{Change, Station};

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
    /// What the station goes back to.
    pub fn of(station: &Station) -> Self {
        match station.is_still() {
            true => Mark::Still { now: station.now },
            false => Mark::Whole(Box::new(station.clone())),
        }
    }

    /// Puts the station back.
    pub fn put_back(self, station: &mut Station) {
        match self {
            Mark::None => {}
            Mark::Still { now } => station.now = now,
            Mark::Whole(stood) => *station = *stood,
        }
    }

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

impl Station {
    /// Whether its processor has a packet to take, as far as that is known.
    pub fn expects(&self) -> bool {
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
