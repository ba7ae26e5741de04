//! Requests to move a thread, and the answers to them (report, section 4.2).

use testbed_definitions::ids::{Processor, ThreadNumber};
use testbed_definitions::processors::Processors;
pub use testbed_definitions::request::{EXPIRY_INTERRUPTS, EXPIRY_US};

use crate::PROCESSORS;

/// An unordered pair of processors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    low: Processor,
    high: Processor,
}

impl Link {
    /// The link between two different processors.
    pub const fn between(a: Processor, b: Processor) -> Link {
        if a.number() < b.number() {
            Link { low: a, high: b }
        } else {
            Link { low: b, high: a }
        }
    }
    /// The processor with the lower number, and the other one.
    pub const fn ends(self) -> (Processor, Processor) {
        (self.low, self.high)
    }
    /// The numbers of [`Self::ends`].
    pub const fn numbers(self) -> (u8, u8) {
        (self.low.number(), self.high.number())
    }
    /// Its number among the links of processors 1 to `slaves`, from 1: 1-2, 1-3, …, 2-3, ….
    pub const fn number(self, slaves: u8) -> usize {
        let (low, high, slaves) = (self.low.index(), self.high.index(), slaves as usize);
        (low - 1) * (2 * slaves - low) / 2 + high - low
    }
    /// All links of processors 1 to `slaves`, in order of their numbers.
    pub fn all(slaves: u8) -> impl Iterator<Item = Link> {
        let link = |low, high| Link { low: Processor::new(low), high: Processor::new(high) };
        (1..=slaves).flat_map(move |low| (low + 1..=slaves).map(move |high| link(low, high)))
    }
}

/// Links that a machine can have.
pub const LINKS: usize = (PROCESSORS - 1) * (PROCESSORS - 2) / 2;

/// Why a thread should move, which decides the slave's choice ([`crate::candidate`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The processor has too much to compute: any ready thread.
    Compute,
    /// The link carries too much: a thread that used it.
    Link(Link),
    /// The policy knows which one.
    Thread(ThreadNumber),
    /// Nothing is known of its threads: one that was created there and has not communicated.
    New,
    /// A standing request, which moves no thread: those that are created there start on these
    /// processors in turn, from `to` on, for [`EXPIRY_INTERRUPTS`] or until the next one.
    Created(Processors),
}

/// A request to move one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    pub reason: Reason,
    pub from: u8,
    pub to: u8,
}

impl Request {
    /// Whether it moves no thread, but says where new ones start.
    pub fn is_standing(&self) -> bool {
        matches!(self.reason, Reason::Created(_))
    }
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This thread has arrived.
    Moved(ThreadNumber),
    /// No thread could be moved within [`EXPIRY_INTERRUPTS`].
    Expired,
    /// The standing request holds from now on.
    Stands,
    /// The slave can't serve it: the named thread isn't there or has children, or the destination
    /// is none.
    Refused,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_numbered_as_in_the_report() {
        let numbers: arrayvec::ArrayVec<_, 10> = Link::all(5).map(|link| (link.number(5), link.numbers())).collect();
        let pairs = [(1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)];
        for (at, (number, ends)) in numbers.into_iter().enumerate() {
            assert_eq!((number, ends), (at + 1, pairs[at]));
        }
        let (three, five) = (Processor::new(3), Processor::new(5));
        assert_eq!(Link::between(five, three), Link::between(three, five));
        assert_eq!(Link::all(PROCESSORS as u8 - 1).count(), LINKS);
    }
}
