//! What is explored: a group's processes, and what they have for each other.

use testbed_protocol::Processor;

use crate::members::wanted;

/// A mistake that a kernel, or the bus, could make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A member sends when it has arrived, not when all have.
    SendBeforeOpen,
    /// Packets are served in any order.
    NotInOrder,
    /// A broadcast reaches some processors before others.
    OneByOne,
    /// A process moves that has arrived.
    MoveWhileWaiting,
    /// Data are sent to a member that has no room.
    IgnoreClosed,
    /// A processor without members does not look at arrivals.
    OnlyWhereMembersAre,
    /// Senders don't look again when a member has more room.
    ForgetSenders,
    /// When a member has more room, those look again too that have arrived at the next superstep.
    ResumeArrived,
    /// Nobody is released when a member ends.
    EndUnnoticed,
    /// A member goes on when it has all, though not all of its own has left.
    GoOnWithoutSending,
    /// A member goes on when all of its own has left.
    GoOnWithoutReceiving,
}

/// A configuration.
#[derive(Clone, Debug)]
pub struct Setup {
    pub processors: u8,
    /// Where each process begins.
    pub at: Vec<Processor>,
    pub supersteps: u8,
    /// Bytes from each process to each, in even and in odd supersteps.
    pub bytes: [Vec<Vec<u32>>; 2],
    /// Bytes for which there is room at first.
    pub room: u32,
    /// Bytes of data in a packet.
    pub piece: u32,
    /// How often processes may move, and end.
    pub moves: u8,
    pub ends: u8,
    pub bug: Option<Bug>,
}

impl Setup {
    pub fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
    /// All processors.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Processor> {
        (0..self.processors).map(Processor::new)
    }
    pub fn members(&self) -> usize {
        self.at.len()
    }
    /// Bytes from one to another in a superstep.
    pub fn sent(&self, step: u8, from: usize, to: usize) -> u32 {
        self.bytes[step as usize & 1][from][to]
    }
    /// All that a process gets, in order: from whom, and bytes.
    pub fn wanted(&self, step: u8, to: usize) -> Vec<(usize, u32)> {
        wanted(self.members(), |from| self.sent(step, from, to))
    }
    /// What a process says of itself.
    pub fn signs(&self, step: u8, rank: usize) -> u8 {
        1 << ((step as usize + rank) % 3)
    }
}
