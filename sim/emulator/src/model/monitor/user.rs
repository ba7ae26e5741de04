//! How a store to USER_EVENT goes on from cycle to cycle.

use testbed_definitions::map::smi::USER_FIRST;
use testbed_definitions::monitor::is_reserved;

/// Cycles from the first word to the datum: as far apart two words fit whatever else is enqueued.
const PAUSE: u64 = 2;

/// What the cycle does in which the store is made, or repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// It is recognised.
    #[default]
    Begins,
    /// It emits the code of programs' events.
    Code,
    /// It emits the datum, and is over.
    Datum,
    /// Its datum is one of a marker's: it is refused as a whole, and over.
    Refused,
}

impl Part {
    /// What it emits of a store of `datum`.
    pub fn word(self, datum: u16) -> Option<u16> {
        match self {
            Part::Begins => None,
            Part::Code => Some(USER_FIRST),
            Part::Datum | Part::Refused => Some(datum),
        }
    }

    /// What follows once that is done, and so many cycles later; `None` if the store is over.
    pub fn next(self, datum: u16) -> Option<(Part, u64)> {
        match self {
            Part::Begins if is_reserved(datum) => Some((Part::Refused, 1)),
            Part::Begins => Some((Part::Code, 1)),
            Part::Code => Some((Part::Datum, PAUSE)),
            Part::Datum | Part::Refused => None,
        }
    }
}

/// An SMI's stores to USER_EVENT.
#[derive(Clone, Debug, Default)]
pub struct UserStores {
    on: bool,
    part: Part,
    /// The cycle in which the store goes on.
    due: u64,
    /// Its first word was lost.
    forfeits: bool,
}

impl UserStores {
    /// Whether they do anything from now on.
    pub fn switch(&mut self, on: bool) {
        self.on = on;
    }

    /// Where the store stands; `None` if such stores do nothing.
    pub fn part(&self) -> Option<Part> {
        self.on.then_some(self.part)
    }

    /// Whether the datum is to be lost as the word before it.
    pub fn forfeits(&self) -> bool {
        self.forfeits
    }

    /// What a store of `datum` emits in `cycle`.
    pub fn word(&self, datum: u16, cycle: u64) -> Option<u16> {
        if self.on && cycle >= self.due {
            self.part.word(datum)
        } else {
            None
        }
    }

    /// It has emitted that, or `lost` it. The cycle in which it goes on; `None` if it is over.
    pub fn go_on(&mut self, datum: u16, cycle: u64, lost: bool) -> Option<u64> {
        if !self.on {
            return None;
        }
        if cycle < self.due {
            return Some(self.due);
        }
        self.forfeits = lost && self.part == Part::Code;
        let next = self.part.next(datum).map(|(part, cycles)| (part, cycle + cycles));
        (self.part, self.due) = next.unwrap_or_default();
        next.map(|(_, due)| due)
    }
}
