//! The machine's state.

use testbed_protocol::lossy::{bits_words, places, Label, Sender};
use testbed_protocol::superstep::Group;
use testbed_protocol::Processor;

use crate::members::{self, Known};
use crate::setup::Setup;

/// What a processor has of the group.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    pub known: Known,
    /// A bit for each packet that a member sends, and the round of each that comes for it. They
    /// stay when the member goes.
    pub bits: Vec<Vec<u32>>,
    pub answered: Vec<Vec<u16>>,
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
    pub begun: bool,
    /// Which of its [pieces](Setup::pieces) leaves next, and how many there are.
    pub next: usize,
    pub pieces: usize,
    /// What it knows of its rounds, if its pieces leave as datagrams.
    pub sender: Option<Sender>,
    /// A round's time is over, at the end of which all was acknowledged.
    pub ended: bool,
    /// What has come: place in its room, from whom, bytes.
    pub got: Vec<(u32, usize, u32)>,
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
}

pub type Process = members::Process<Doing>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    pub to: usize,
    pub from: usize,
    pub offset: u32,
    pub bytes: u32,
    /// For the check only.
    pub step: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    Arrive {
        rank: usize,
        room: u32,
        sent: Option<Vec<u32>>,
    },
    Enlarge {
        rank: usize,
        room: u32,
    },
    /// Data that can't get lost.
    Data(Part),
    /// A process that moves, and what it does.
    Thread {
        rank: usize,
        doing: Doing,
    },
    /// Datagrams: data, and the acknowledgment of what `from` has sent.
    Datagram(Part, Label),
    Acknowledgment {
        from: usize,
        label: Label,
    },
}

impl Content {
    pub fn is_datagram(&self) -> bool {
        matches!(self, Content::Datagram(..) | Content::Acknowledgment { .. })
    }
}

pub type Packet = members::Packet<Content>;

/// What must not happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrong {
    /// Data are taken in for a member that is not there, that have come before, or that are of
    /// another superstep.
    Lost,
    /// An arrival is refused.
    Refused,
    /// A member goes on without all that is for it, or with something else.
    Data,
    /// A member goes on before others have come.
    Early,
    /// A member goes on, of whose packets not all were taken in.
    Unsent,
    /// A member goes on before a round's time is over, though it should wait for that.
    InRound,
    /// A round begins though nothing was lost, and no round has ended early: so there is no end.
    Endless,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub kernels: Vec<Kernel>,
    pub processes: Vec<Process>,
    /// What may happen yet, as [`Setup`] has it.
    pub moves: u32,
    pub losses: u32,
    pub early: u32,
    /// Losses and early ends that no further round has begun for.
    pub causes: u32,
    pub wrong: Option<Wrong>,
}

impl Kernel {
    fn new(setup: &Setup) -> Kernel {
        let members = setup.members();
        let (packets, bytes) = setup.most();
        Kernel {
            known: Known::new(members),
            bits: vec![vec![0; bits_words(packets)]; members],
            answered: vec![vec![0; places(members, bytes, setup.piece)]; members],
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
            losses: setup.losses,
            early: setup.early,
            causes: 0,
            wrong: None,
        }
    }

    pub fn fail(&mut self, wrong: Wrong) {
        self.wrong = self.wrong.or(Some(wrong));
    }

    /// Whether no datagram is on its way.
    pub fn is_quiet(&self) -> bool {
        let mut packets = self.kernels.iter().flat_map(|kernel| kernel.leaving.iter().chain(&kernel.come));
        !packets.any(|packet| packet.content.is_datagram())
    }
}
