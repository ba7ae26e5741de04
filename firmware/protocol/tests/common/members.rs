//! What models of groups share: members, and what processors know of them.

use testbed_definitions::ids::ProcessId;
use testbed_protocol::superstep::{words, Group, Head, Member};
use testbed_protocol::Processor;

/// The process of a rank, as kernels name it.
pub const fn process(rank: usize) -> ProcessId {
    ProcessId::from_bits(100 + rank as u16)
}

/// What a processor knows of the group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Known {
    head: Head,
    members: Vec<Member>,
    counts: Vec<u32>,
}

impl Known {
    pub fn new(members: usize) -> Known {
        let counts = vec![0; words(members)];
        Known { head: Head::default(), members: (0..members).map(|rank| Member::new(process(rank))).collect(), counts }
    }

    pub fn group(&mut self) -> Group<'_> {
        Group { head: &mut self.head, members: &mut self.members, counts: &mut self.counts }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Process<Doing> {
    pub at: Processor,
    pub step: u8,
    pub doing: Doing,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Packet<Content> {
    pub from: Processor,
    /// `None`: to all others.
    pub to: Option<Processor>,
    pub content: Content,
}

/// All that a member gets, in order: from whom, and bytes, of which each other one has so many.
pub fn wanted(members: usize, sent: impl Fn(usize) -> u32) -> Vec<(usize, u32)> {
    let all = (0..members).map(|from| (from, sent(from)));
    all.filter(|(_, bytes)| *bytes != 0).collect()
}
