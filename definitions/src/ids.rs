//! Who is who: types that tell numbers of processors, of processes, of threads and of channels apart
//! from each other and from other numbers, and take them to pieces. What they are in packets, in
//! events and in registers are their bits ([`crate::event::thread_number`], [`crate::process`]), and
//! they become such bits only where a word is packed or unpacked.

use core::fmt;

use crate::{event, packet, process};

/// A processor's number, which is that of its station on Centrenet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Processor(u8);

impl Processor {
    /// The one with the console and the monitors' settings.
    pub const MASTER: Processor = Processor(0);
    /// As a destination: every processor but the one that sends.
    pub const ALL_OTHERS: Processor = Processor(packet::BROADCAST);
    /// No processor. It has the bits of [`Processor::ALL_OTHERS`], so that what is sent to a place
    /// that nobody knows comes to everybody.
    pub const NOWHERE: Processor = Processor::ALL_OTHERS;

    /// The processor with this number.
    #[inline(always)]
    pub const fn new(number: u8) -> Self {
        Processor(number)
    }
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.0
    }
    /// Its number, for a table of processors.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of a channel within its process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Channel(u8);

impl Channel {
    /// The channel with this number.
    #[inline(always)]
    pub const fn new(number: u8) -> Self {
        Channel(number)
    }
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.0
    }
    /// Its number, for a table of channels.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A process's id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ProcessId(u16);

impl ProcessId {
    /// No process.
    pub const NONE: ProcessId = ProcessId(0);

    /// The process of this generation that was invoked on `home` and has this place there.
    #[inline(always)]
    pub const fn new(home: Processor, place: u8, generation: u8) -> Self {
        ProcessId(process::id(home.0, place, generation))
    }
    /// The process with these bits; 0 is [`ProcessId::NONE`].
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        ProcessId(bits)
    }
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }
    /// The processor on which it was invoked.
    #[inline(always)]
    pub const fn home(self) -> Processor {
        Processor(process::home(self.0))
    }
    /// Its place there.
    #[inline(always)]
    pub const fn place(self) -> u8 {
        process::place(self.0)
    }
    /// Which of the processes it is that have had its place.
    #[inline(always)]
    pub const fn generation(self) -> u8 {
        process::generation(self.0)
    }
    /// Whether it has the right of a [`process::OPERATOR`].
    #[inline(always)]
    pub const fn is_operator(self) -> bool {
        process::is_operator(self.0)
    }
    /// The same process with this right ([`process::OPERATOR`] or 0) besides.
    #[must_use]
    #[inline(always)]
    pub const fn with_right(self, right: u16) -> ProcessId {
        ProcessId(self.0 | right)
    }
    /// Its home and place, for a table of processes ([`process::index`]).
    #[inline(always)]
    pub const fn index(self) -> usize {
        process::index(self.0)
    }
    /// The number of its thread with this id.
    #[inline(always)]
    pub const fn thread(self, id: u8) -> ThreadNumber {
        ThreadNumber(event::thread_number(self.home().0, self.place(), id))
    }
}

/// A thread's number, unique in the machine among processes that run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ThreadNumber(u16);

impl ThreadNumber {
    /// Bits of the id within its process.
    const ID_BITS: u32 = crate::limits::THREADS.trailing_zeros();

    /// No thread; no thread has this number.
    pub const NOBODY: ThreadNumber = ThreadNumber(0);

    /// The thread with these bits; 0 is [`ThreadNumber::NOBODY`].
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        ThreadNumber(bits)
    }
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }
    /// Its id within its process, below [`crate::limits::THREADS`]; 0 is no thread's.
    #[inline(always)]
    pub const fn id(self) -> usize {
        self.0 as usize % crate::limits::THREADS
    }
    /// Home and place of its process, as [`process::index`] has them.
    #[inline(always)]
    pub const fn process(self) -> u16 {
        self.0 >> Self::ID_BITS
    }
    /// The processor on which its process was invoked.
    #[inline(always)]
    pub const fn home(self) -> Processor {
        Processor(process::home(self.process()))
    }
    /// The place of its process there.
    #[inline(always)]
    pub const fn place(self) -> u8 {
        process::place(self.process())
    }
    /// Whether two threads are of processes with one home and place.
    #[inline(always)]
    pub const fn is_beside(self, other: ThreadNumber) -> bool {
        self.process() == other.process()
    }
    /// Whether it can be a thread of this process: home and place are the same.
    #[inline(always)]
    pub const fn belongs_to(self, process: ProcessId) -> bool {
        self.process() as usize == process.index()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::THREADS;
    use crate::process::{FIRST_GENERATION, OPERATOR};

    #[test]
    fn numbers_are_taken_to_pieces() {
        for (home, place, id) in [(0, 1, 1), (15, 15, 63), (7, 0, 32)] {
            let home = Processor::new(home);
            let process = ProcessId::new(home, place, 5).with_right(OPERATOR);
            assert_eq!(process.bits(), process::id(home.number(), place, 5) | OPERATOR);
            assert_eq!((process.home(), process.place(), process.generation()), (home, place, 5));
            assert_eq!((process.is_operator(), process.index()), (true, process::index(process.bits())));
            let thread = process.thread(id);
            assert_eq!(thread.bits(), event::thread_number(home.number(), place, id));
            assert_eq!((thread.id(), thread.belongs_to(process)), (id as usize, true));
            assert_eq!((thread.home(), thread.place()), (home, place));
            let other = ProcessId::new(Processor::new(home.number() ^ 1), place, 5);
            assert!(!thread.belongs_to(other) && !thread.is_beside(other.thread(id)) && !other.is_operator());
        }
        assert_eq!(1 << ThreadNumber::ID_BITS, THREADS);
    }

    #[test]
    fn nobody_is_anybody() {
        for number in 0..packet::STATIONS_MAX as u8 {
            let home = Processor::new(number);
            assert!(home != Processor::NOWHERE && home != Processor::ALL_OTHERS);
            assert_ne!(ProcessId::new(home, 0, FIRST_GENERATION), ProcessId::NONE);
        }
        let first = ProcessId::new(Processor::MASTER, process::FIRST_PLACE, FIRST_GENERATION);
        assert_ne!(first.thread(1), ThreadNumber::NOBODY);
    }
}
