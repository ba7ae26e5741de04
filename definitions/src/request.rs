//! Requests to a slave to move one of its threads (report, section 4.2), as they stand in a system
//! call and a packet.

use crate::ids::{Processor, ThreadNumber};
use crate::processors::Processors;

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
    Created(Processors),
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
            (CREATED, places) => Some(Wanted::Created(Processors::from_bits(places))),
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
        let created = |bits: u16| Wanted::Created(Processors::from_bits(bits));
        let all = [Wanted::Compute, link(0), link(15), thread(1), thread(u16::MAX), Wanted::New];
        let all = all.into_iter().chain([created(0), created(u16::MAX)]);
        for wanted in all.chain(printed) {
            assert_eq!(Wanted::unpack(wanted.pack()), Some(wanted));
        }
    }
}
