//! What is explored: a group's processes, what they have for each other, and what gets lost.

use testbed_protocol::Processor;

use crate::members::wanted;

/// A mistake that a kernel could make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A receiver takes a packet for one of the superstep that is open, whatever its label says.
    AnyStepIsTaken,
    /// A receiver acknowledges only what is new.
    AnswerOnlyNew,
    /// A receiver acknowledges a packet in one round, and in no later one.
    AnswerInOneRound,
    /// What comes again is taken in again.
    TakeAgain,
    /// A receiver forgets what has come as soon as its member goes on.
    ForgetTable,
    /// A receiver still has the rounds of the superstep before when an exchange begins.
    KeepTable,
    /// A packet counts as acknowledged when its last copy has left.
    LeftIsAcknowledged,
    /// An acknowledgment of an older superstep counts.
    AnyStepAcknowledges,
    /// A member goes on when all of its own has left once.
    GoOnWhenLeft,
    /// A member goes on when all is acknowledged, though it should wait for the round's end.
    GoOnInRound,
    /// A member goes on when all of its own is acknowledged, whatever has not come for it.
    GoOnWithoutReceiving,
    /// What leaves again goes to where its member has arrived at the next superstep, if that is
    /// another processor than the sender's.
    FollowMember,
    /// The same if that is the sender's processor: it is taken for there, as what was copied.
    FollowMemberHere,
    /// A member's packets are counted while another one has no room, which may move yet.
    CountBeforeRoom,
    /// A piece for a member on the same processor is copied in each round.
    CopyInEachRound,
    /// A round whose time is over does not begin again.
    OneRound,
}

/// A configuration.
#[derive(Clone, Debug)]
pub struct Setup {
    pub processors: u8,
    /// Where each process begins.
    pub at: Vec<Processor>,
    pub supersteps: u8,
    /// Bytes from each process to each, in the supersteps in turn.
    pub bytes: Vec<Vec<Vec<u32>>>,
    /// Bytes for which there is room at first.
    pub room: u32,
    /// Bytes of data in a packet.
    pub piece: u32,
    pub copies: u16,
    /// Who sends goes on at the end of a round's time only.
    pub whole: bool,
    /// How often processes may move, datagrams get lost, and rounds end while datagrams are on
    /// their way.
    pub moves: u32,
    pub losses: u32,
    pub early: u32,
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
        self.bytes[step as usize % self.bytes.len()][from][to]
    }
    /// All that a process gets, in order: from whom, and bytes.
    pub fn wanted(&self, step: u8, to: usize) -> Vec<(usize, u32)> {
        wanted(self.members(), |from| self.sent(step, from, to))
    }
    /// What a process has for others, in the order in which it leaves: to whom, which place in what
    /// it has for that one, and bytes.
    pub fn pieces(&self, step: u8, from: usize) -> Vec<(usize, u32, u32)> {
        let to = (from + 1..self.members()).chain(0..=from);
        let cut = |to| {
            let bytes = self.sent(step, from, to);
            (0..bytes).step_by(self.piece as usize).map(move |at| (to, at, (bytes - at).min(self.piece)))
        };
        to.flat_map(cut).collect()
    }
    /// The most packets that one process has in a superstep, and the most bytes that one gets.
    pub fn most(&self) -> (usize, u32) {
        let (mut packets, mut bytes) = (0, 0);
        for step in 0..self.bytes.len() as u8 {
            for rank in 0..self.members() {
                packets = packets.max(self.pieces(step, rank).len());
                bytes = bytes.max(self.wanted(step, rank).iter().map(|wanted| wanted.1).sum());
            }
        }
        (packets, bytes)
    }
}
