//! Sets of processors.

use crate::ids::Processor;

/// A set of processors, a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Processors(u16);

impl Processors {
    /// None.
    pub const NONE: Processors = Processors(0);

    /// Processors 1 to `slaves`.
    pub const fn slaves(slaves: u8) -> Self {
        Processors(((2u32 << slaves) - 2) as u16)
    }

    /// Those whose bits are set.
    pub const fn from_bits(bits: u16) -> Self {
        Processors(bits)
    }

    /// A bit for each.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The number of a processor's bit.
    const fn bit(processor: Processor) -> u8 {
        processor.number() & 0xf
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a processor is one of them.
    pub const fn has(self, processor: Processor) -> bool {
        self.0 >> Self::bit(processor) & 1 != 0
    }

    /// These and another one.
    #[must_use]
    pub const fn with(self, processor: Processor) -> Self {
        Processors(self.0 | 1 << Self::bit(processor))
    }

    /// These without another one.
    #[must_use]
    pub const fn without(self, processor: Processor) -> Self {
        Processors(self.0 & !(1 << Self::bit(processor)))
    }

    /// Those that are in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Processors(self.0 | other.0)
    }

    /// Those that are in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Processors(self.0 & other.0)
    }

    /// The lowest one (16 if there is none).
    pub const fn lowest(self) -> Processor {
        // Of 32 bits, which takes a core without an instruction for it a third of the time.
        Processor::new((self.0 as u32 | 1 << 16).trailing_zeros() as u8)
    }

    /// The next one of them after a processor, round and round; that one itself if there is no
    /// other. There must be one.
    pub const fn after(self, last: Processor) -> Processor {
        let above = Processors(self.0 & (!1 << Self::bit(last)));
        if above.is_empty() {
            self.lowest()
        } else {
            above.lowest()
        }
    }

    /// All of them, in order.
    pub fn iter(self) -> impl Iterator<Item = Processor> {
        (0..16).map(Processor::new).filter(move |&processor| self.has(processor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_go_round() {
        let some = [1, 3, 15].into_iter().fold(Processors::NONE, |some, at| some.with(Processor::new(at)));
        let after: [u8; 16] = core::array::from_fn(|at| some.after(Processor::new(at as u8)).number());
        assert_eq!(after, [1, 3, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 1]);
        let one = Processors::NONE.with(Processor::new(4));
        assert_eq!((one.after(Processor::new(4)).number(), one.without(Processor::new(4))), (4, Processors::NONE));
        assert_eq!(Processors::slaves(5).bits(), 0b11_1110);
        assert_eq!(Processors::slaves(15).bits(), 0xfffe);
        assert_eq!((some.and(Processors::slaves(5)).bits(), one.or(some).bits()), (0b1010, 0x801a));
        assert!(some.iter().map(Processor::number).eq([1, 3, 15]));
    }
}
