//! Requests to a slave to move one of its threads (report, section 4.2), as they stand in a system
//! call and a packet.

use crate::ids::{Processor, ThreadNumber};

/// A slave drops a request that it couldn't serve within so many timer interrupts.
pub const EXPIRY_INTERRUPTS: u32 = 25;
/// The same in microseconds.
pub const EXPIRY_US: u32 = EXPIRY_INTERRUPTS * crate::limits::TIME_SLICE_US;
/// Requests that a slave keeps at a time; it refuses more.
pub const KEPT: usize = 16;

/// Bits of a word below the kind.
const KIND_SHIFT: u32 = 16;
const COMPUTE: u32 = 0;
const LINK: u32 = 1;
const THREAD: u32 = 2;
const PRINTED: u32 = 3;
const NEW: u32 = 4;
const CREATED: u32 = 5;
/// In the place of a processor's number: no link.
const NO_LINK: u16 = 0x100;

/// Processors as a set: a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Places(u16);

impl Places {
    /// None.
    pub const NONE: Places = Places(0);

    /// Processors 1 to `slaves`.
    pub const fn slaves(slaves: u8) -> Places {
        Places(((2u32 << slaves) - 2) as u16)
    }

    /// Those whose bits are set.
    pub const fn from_bits(bits: u16) -> Places {
        Places(bits)
    }

    /// A bit for each.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a processor is one of them.
    pub const fn has(self, processor: Processor) -> bool {
        processor.number() < 16 && self.0 >> processor.number() & 1 != 0
    }

    /// These and another one.
    pub const fn with(self, processor: Processor) -> Places {
        Places(self.0 | (1u32 << processor.number()) as u16)
    }

    /// These without another one.
    pub const fn without(self, processor: Processor) -> Places {
        Places(self.0 & !((1u32 << processor.number()) as u16))
    }

    /// Those that are in both sets.
    pub const fn and(self, other: Places) -> Places {
        Places(self.0 & other.0)
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = Processor> {
        (0..16).map(Processor::new).filter(move |&processor| self.has(processor))
    }

    /// The next one of them after a processor, round and round; that one itself if there is no
    /// other.
    pub const fn after(self, processor: Processor) -> Processor {
        let turned = self.0.rotate_right(processor.number() as u32 + 1);
        Processor::new(((turned.trailing_zeros() + processor.number() as u32 + 1) % 16) as u8)
    }
}

/// Which thread a request wants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wanted {
    /// Any ready thread.
    Compute,
    /// One that used the link to this processor, else one whose last communication was remote.
    Link(Processor),
    /// The one with this number.
    Thread(ThreadNumber),
    /// Chosen by the loop of the report's Figure 40 as it is printed, which is not as it is
    /// described: for the link to this processor, or if there is none any ready thread.
    Printed(Option<Processor>),
    /// A ready thread that was created there, has never moved, and has not been seen to
    /// communicate; one that has not even run, if there is any. Refused at once if there is none.
    New,
    /// A *standing* request: threads that are created there, and would start there, start on these
    /// processors in turn, from the request's destination on. It is answered at once, and holds
    /// until another one comes, one without any processors too, or for [`EXPIRY_INTERRUPTS`].
    Created(Places),
}

impl Wanted {
    /// The word that stands for it.
    pub const fn pack(self) -> u32 {
        match self {
            Wanted::Compute => COMPUTE << KIND_SHIFT,
            Wanted::Link(processor) => LINK << KIND_SHIFT | processor.number() as u32,
            Wanted::Thread(number) => THREAD << KIND_SHIFT | number.bits() as u32,
            Wanted::Printed(None) => PRINTED << KIND_SHIFT | NO_LINK as u32,
            Wanted::Printed(Some(processor)) => PRINTED << KIND_SHIFT | processor.number() as u32,
            Wanted::New => NEW << KIND_SHIFT,
            Wanted::Created(places) => CREATED << KIND_SHIFT | places.bits() as u32,
        }
    }

    /// What a word stands for; `None` if nothing.
    #[inline]
    pub const fn unpack(word: u32) -> Option<Wanted> {
        match (word >> KIND_SHIFT, word as u16) {
            (COMPUTE, 0) => Some(Wanted::Compute),
            (LINK, processor @ 0..=0xff) => Some(Wanted::Link(Processor::new(processor as u8))),
            (THREAD, number) if number != 0 => Some(Wanted::Thread(ThreadNumber::from_bits(number))),
            (PRINTED, NO_LINK) => Some(Wanted::Printed(None)),
            (PRINTED, processor @ 0..=0xff) => Some(Wanted::Printed(Some(Processor::new(processor as u8)))),
            (NEW, 0) => Some(Wanted::New),
            (CREATED, places) => Some(Wanted::Created(Places::from_bits(places))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_nothing_else() {
        for word in (0..8 << KIND_SHIFT).chain([u32::MAX, 1 << 31]) {
            if let Some(wanted) = Wanted::unpack(word) {
                assert_eq!(wanted.pack(), word);
            }
        }
        assert_eq!(Wanted::unpack(1), None);
        assert_eq!(Wanted::unpack(LINK << KIND_SHIFT | 0x100), None);
        let link = |processor| Wanted::Link(Processor::new(processor));
        let thread = |number| Wanted::Thread(ThreadNumber::from_bits(number));
        let printed = |processor: Option<u8>| Wanted::Printed(processor.map(Processor::new));
        let printed = [printed(None), printed(Some(15))];
        let created = |bits: u16| Wanted::Created(Places::from_bits(bits));
        let all = [Wanted::Compute, link(0), link(15), thread(1), thread(u16::MAX), Wanted::New];
        let all = all.into_iter().chain([created(0), created(u16::MAX)]);
        for wanted in all.chain(printed) {
            assert_eq!(Wanted::unpack(wanted.pack()), Some(wanted));
        }
    }

    #[test]
    fn places_go_round() {
        let places = [1, 3, 15].into_iter().fold(Places::NONE, |places, at| places.with(Processor::new(at)));
        let after: [u8; 16] = core::array::from_fn(|at| places.after(Processor::new(at as u8)).number());
        assert_eq!(after, [1, 3, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 1]);
        let one = Places::NONE.with(Processor::new(4));
        assert_eq!((one.after(Processor::new(4)).number(), one.without(Processor::new(4))), (4, Places::NONE));
        assert_eq!(Places::slaves(5).bits(), 0b11_1110);
        assert_eq!(Places::slaves(15).bits(), 0xfffe);
        assert_eq!(places.and(Places::slaves(5)).bits(), 0b1010);
    }
}
