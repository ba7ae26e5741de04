//! Who is who: types that tell numbers of threads and of processes apart from other numbers, and
//! take them to pieces. What they are in packets, in events and in registers are their bits
//! ([`crate::event::thread_number`], [`crate::process`]).

use crate::{event, process};

/// A process's id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ProcessId(u16);

impl ProcessId {
    /// The process with these bits; 0 is none.
    pub const fn from_bits(bits: u16) -> Self {
        ProcessId(bits)
    }
    pub const fn bits(self) -> u16 {
        self.0
    }
    /// The processor on which it was invoked.
    pub const fn home(self) -> u8 {
        process::home(self.0)
    }
    /// Its place there.
    pub const fn place(self) -> u8 {
        process::place(self.0)
    }
    /// The number of its thread with this id.
    pub const fn thread(self, id: u8) -> ThreadNumber {
        ThreadNumber(event::thread_number(self.home(), self.place(), id))
    }
}

/// A thread's number, unique in the machine among processes that run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct ThreadNumber(u16);

impl ThreadNumber {
    /// Bits of the id within its process.
    const ID_BITS: u32 = crate::limits::THREADS.trailing_zeros();

    /// The thread with these bits; 0 is none.
    pub const fn from_bits(bits: u16) -> Self {
        ThreadNumber(bits)
    }
    pub const fn bits(self) -> u16 {
        self.0
    }
    /// Its id within its process, below [`crate::limits::THREADS`]; 0 is no thread's.
    #[inline(always)]
    pub const fn id(self) -> usize {
        self.0 as usize % crate::limits::THREADS
    }
    /// Home and place of its process, as [`process::index`] has them.
    pub const fn process(self) -> u16 {
        self.0 >> Self::ID_BITS
    }
    /// The processor on which its process was invoked.
    pub const fn home(self) -> u8 {
        process::home(self.process())
    }
    /// The place of its process there.
    pub const fn place(self) -> u8 {
        process::place(self.process())
    }
    /// Whether two threads are of processes with one home and place.
    pub const fn is_beside(self, other: ThreadNumber) -> bool {
        self.process() == other.process()
    }
    /// Whether it can be a thread of this process: home and place are the same.
    pub const fn belongs_to(self, process: ProcessId) -> bool {
        self.process() as usize == process::index(process.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::THREADS;

    #[test]
    fn numbers_are_taken_to_pieces() {
        for (home, place, id) in [(0, 1, 1), (15, 15, 63), (7, 0, 32)] {
            let process = ProcessId::from_bits(process::id(home, place, 5) | process::OPERATOR);
            assert_eq!((process.home(), process.place()), (home, place));
            let thread = process.thread(id);
            assert_eq!(thread.bits(), event::thread_number(home, place, id));
            assert_eq!((thread.id(), thread.belongs_to(process)), (id as usize, true));
            assert_eq!((thread.home(), thread.place()), (home, place));
            let other = ProcessId::from_bits(process::id(home ^ 1, place, 5));
            assert!(!thread.belongs_to(other) && !thread.is_beside(other.thread(id)));
        }
        assert_eq!(1 << ThreadNumber::ID_BITS, THREADS);
    }
}
