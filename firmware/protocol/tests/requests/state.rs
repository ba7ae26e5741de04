//! The machine's state.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::processors::Processors;
use testbed_definitions::request::Wanted;
use testbed_protocol::requests::{Asker, RequestsIn};
use testbed_protocol::{Processor, ThreadNumber};

use crate::setup::Setup;

/// Places for requests of a slave.
pub const PLACES: usize = 2;
pub const MASTER: Processor = Processor::MASTER;

/// Whether a thread can run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Run {
    /// It is in the ready queue.
    Ready,
    /// It has the processor.
    Running,
    Blocked,
    /// Its process is suspended; otherwise it would be ready.
    Held,
    /// It leaves.
    Moving,
}

/// A thread on a slave.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Local {
    pub number: ThreadNumber,
    /// How often the number has been given to another before: nobody may look at it.
    pub life: u8,
    pub run: Run,
    pub runs: u8,
    pub parent: bool,
    /// Its child has ended since it was put into the ready queue.
    pub freed: bool,
    /// When it leaves: where to, the packets that are left, and the request that moves it.
    pub to: Processor,
    pub parts: u8,
    pub request: Option<u8>,
}

/// What a standing request says, as somebody sees it who sees everything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Standing {
    pub places: Processors,
    pub first: Processor,
    pub until: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slave {
    pub requests: RequestsIn<PLACES>,
    /// Timer interrupts.
    pub now: u64,
    pub threads: Vec<Local>,
    /// The ready queue.
    pub ready: Vec<ThreadNumber>,
    /// The queue of threads whose packets wait for buffers.
    pub leaving: Vec<ThreadNumber>,
    pub buffers: u8,
    /// By process: which of those with its number is known, and whether it is suspended.
    pub processes: Vec<(u8, bool)>,
    /// The last standing request that has come.
    pub standing: Option<Standing>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    Moved(ThreadNumber),
    Stands,
    Expired,
    Refused,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// A packet of a thread that is not the last one.
    Part,
    /// The last one.
    Thread {
        number: ThreadNumber,
        generation: u8,
        life: u8,
        runs: u8,
        request: Option<u8>,
    },
    Move {
        wanted: Wanted,
        to: Processor,
        asker: Asker,
    },
    Moved {
        thread: ThreadNumber,
        asker: Asker,
    },
    Reply {
        asker: Asker,
        answer: Answer,
    },
    Migrate {
        thread: ThreadNumber,
        to: Processor,
    },
    Suspend {
        process: u8,
        suspended: bool,
    },
    /// The process has ended.
    Kill {
        process: u8,
    },
    /// Nothing of the process is left here.
    Killed {
        process: u8,
    },
    /// The thread has ended.
    Exited {
        thread: ThreadNumber,
        generation: u8,
    },
    Start {
        thread: ThreadNumber,
        life: u8,
    },
    /// A thread on this slave creates one.
    Birth {
        thread: ThreadNumber,
        life: u8,
    },
    /// The home is asked to have it start there.
    Create {
        thread: ThreadNumber,
        life: u8,
        generation: u8,
        to: Processor,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Packet {
    pub from: Processor,
    pub to: Processor,
    pub content: Content,
}

/// What the home knows of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Home {
    pub generation: u8,
    /// Slaves that have to say that nothing is left there, while it ends.
    pub ending: Option<u8>,
    pub suspended: bool,
}

/// A thread of the balancer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Balancing {
    /// Requests that it has made.
    pub next: u8,
    /// The one for whose answer it waits.
    pub waits: Option<u8>,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ledger {
    Unasked,
    /// It is on its way to the slave.
    Asked,
    Kept {
        deadline: u64,
        /// Which of those with its number the thread is that the request names.
        named: Option<u8>,
        /// The thread that leaves, or has left, for it.
        sent: Option<ThreadNumber>,
        arrived: bool,
    },
    Answered,
}

/// What a request must not lead to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrong {
    /// A request has been answered before, or a thread leaves for one that has been answered.
    Twice,
    /// MOVED before the thread has arrived where it was to go, or of another thread.
    NotArrived,
    /// Not MOVED, though a thread leaves or has left for it.
    MovedAfterAll,
    /// A second thread leaves for a request.
    TwoThreads,
    /// A thread leaves that leaves already, cannot run, or has children.
    MayNotLeave,
    /// A thread leaves that has only the number of the one that was named.
    Namesake,
    /// A request has expired before its time.
    Early,
    /// An answer has come to a thread that has not asked for it.
    Stranger,
    /// A thread starts elsewhere than where the last standing request says, as long as it holds.
    Misplaced,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    pub slaves: Vec<Slave>,
    pub homes: Vec<Home>,
    /// By thread, how often its number has been given to another, and whether it has ended.
    pub lives: Vec<(u8, bool)>,
    pub balancing: Vec<Balancing>,
    /// Which of the balancers it is that runs.
    pub balancer: ProcessId,
    /// Under way; in order for each pair of processors.
    pub packets: Vec<Packet>,
    /// By request.
    pub ledger: Vec<Ledger>,
    pub wrong: Option<Wrong>,
    /// Answers that found nobody.
    pub to_nobody: bool,
    /// A thread has started where a standing request said.
    pub placed: bool,
    pub orders: u8,
    pub kills: u8,
    pub balancer_kills: u8,
    pub suspends: u8,
    pub rebirths: u8,
}

impl Slave {
    fn new(setup: &Setup) -> Slave {
        Slave {
            requests: RequestsIn::NONE,
            now: 0,
            threads: vec![],
            ready: vec![],
            leaving: vec![],
            buffers: setup.buffers,
            processes: vec![(0, false); setup.processes()],
            standing: None,
        }
    }

    /// Whether a standing request holds.
    pub fn stands(&self) -> bool {
        self.standing.is_some_and(|standing| self.now < standing.until && !standing.places.is_empty())
    }

    pub fn find(&mut self, number: ThreadNumber) -> Option<&mut Local> {
        self.threads.iter_mut().find(|thread| thread.number == number)
    }
}

impl State {
    pub fn new(setup: &Setup) -> State {
        let requests: usize = setup.asks.iter().map(Vec::len).sum();
        let mut state = State {
            slaves: vec![Slave::new(setup); setup.slaves as usize],
            homes: vec![Home { generation: 0, ending: None, suspended: false }; setup.processes()],
            lives: setup.threads.iter().map(|plan| (0, plan.created)).collect(),
            balancing: vec![Balancing { next: 0, waits: None }; setup.asks.len()],
            balancer: ProcessId::NONE,
            packets: vec![],
            ledger: vec![Ledger::Unasked; requests],
            wrong: None,
            to_nobody: false,
            placed: false,
            orders: 0,
            kills: setup.kills,
            balancer_kills: setup.balancer_kills,
            suspends: setup.suspends,
            rebirths: setup.rebirths,
        };
        for number in setup.all_threads().filter(|&number| !setup.plan(number).created) {
            setup.start(&mut state, setup.plan(number).at, number, 0);
        }
        state
    }

    pub fn slave(&mut self, at: Processor) -> &mut Slave {
        &mut self.slaves[at.index() - 1]
    }

    /// Puts a packet behind all others from the same processor to the same.
    pub fn send(&mut self, from: Processor, to: Processor, content: Content) {
        let place = self.packets.partition_point(|packet| (packet.from, packet.to) <= (from, to));
        self.packets.insert(place, Packet { from, to, content });
    }

    /// Puts it before them.
    pub fn send_first(&mut self, from: Processor, to: Processor, content: Content) {
        let place = self.packets.partition_point(|packet| (packet.from, packet.to) < (from, to));
        self.packets.insert(place, Packet { from, to, content });
    }

    /// The next packet from one to the other.
    pub fn next(&self, from: Processor, to: Processor) -> Option<usize> {
        self.packets.iter().position(|packet| (packet.from, packet.to) == (from, to))
    }
}
