//! The machine's state.

use testbed_protocol::superstep::Group;
use testbed_protocol::Processor;

use crate::members::{self, Known};
use crate::setup::Setup;

/// What a processor has of the group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    pub known: Known,
    /// Members that wait here.
    pub locals: Vec<Option<Local>>,
    /// Members that have something to send, in turn.
    pub sending: Vec<usize>,
    /// Packets that wait for the bus, and those that have come.
    pub leaving: Vec<Packet>,
    pub come: Vec<Packet>,
}

/// A member that waits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    /// What it has for others and has not left: to whom, from which place on, bytes.
    pub segments: Vec<(usize, u32, u32)>,
    pub begun: bool,
    /// What has come: from whom, place in its room, bytes.
    pub got: Vec<(usize, u32, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Doing {
    Computes,
    Waits,
    /// It is on its way to another processor.
    Moves,
    /// It has been told that so many bytes come.
    Short(u32),
    /// All supersteps are over.
    Over,
    /// Another member has ended.
    Released,
    /// It has ended itself.
    Ended,
}

pub type Process = members::Process<Doing>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    Arrive {
        rank: usize,
        room: u32,
        signs: u8,
        sent: Option<Vec<u32>>,
    },
    Enlarge {
        rank: usize,
        room: u32,
    },
    /// `step` is for the check only.
    Data {
        to: usize,
        from: usize,
        offset: u32,
        bytes: u32,
        step: u8,
    },
    End {
        rank: usize,
    },
    /// A process that moves, with what it does, and what it waited for if that is what is wrong.
    Thread {
        rank: usize,
        doing: Doing,
        local: Option<Local>,
    },
}

pub type Packet = members::Packet<Content>;

/// What must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrong {
    /// Data have come for a member that is not there, or that they don't fit.
    Lost,
    /// An arrival is refused.
    Refused,
    /// A member goes on without all that is for it, or with something else.
    Data,
    /// A member goes on before others have come.
    Early,
    /// It is told something else than the members have said.
    Signs,
    /// A member goes on, of which not all has left.
    Unsent,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub kernels: Vec<Kernel>,
    pub processes: Vec<Process>,
    pub moves: u8,
    pub ends: u8,
    pub wrong: Option<Wrong>,
}

impl Kernel {
    fn new(setup: &Setup) -> Kernel {
        let members = setup.members();
        Kernel {
            known: Known::new(members),
            locals: vec![None; members],
            sending: vec![],
            leaving: vec![],
            come: vec![],
        }
    }

    pub fn group(&mut self) -> Group<'_> {
        self.known.group()
    }
}

impl State {
    pub fn new(setup: &Setup) -> State {
        let process = |at: &Processor| Process { at: *at, step: 0, doing: Doing::Computes };
        State {
            kernels: vec![Kernel::new(setup); setup.processors as usize],
            processes: setup.at.iter().map(process).collect(),
            moves: setup.moves,
            ends: setup.ends,
            wrong: None,
        }
    }

    pub fn fail(&mut self, wrong: Wrong) {
        self.wrong = self.wrong.or(Some(wrong));
    }
}
