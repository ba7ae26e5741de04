//! What the followers of a trace find out, one fact at a time, and analyses take.

use serde::{Deserialize, Serialize};

use super::exchange::Exchange;
use super::measure::{Mark, Span};
use super::protocol::{Phase, Protocol};

/// What a processor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// A thread runs, its calls that no event tells of included (console, files, clock).
    User,
    /// A request to communicate is being serviced: TRAP7 to TRAP70 or TRAP72.
    Request,
    /// A message from another processor is being serviced: RX_MPC to its end.
    Message,
    /// A page fault is being serviced: PAGE_FAULT to PAGE_BLOCKED.
    Fault,
    /// The end of a time-slice: TIMER to TIMER_END.
    Timer,
    /// A thread is being packed: PACK to PACKED.
    Packing,
    /// The kernel between services, while a thread is ready or a message is handed to Centrenet.
    Kernel,
    /// No thread is ready, and no service goes on. What has no event of its own (birth of a thread,
    /// files, console) is in it.
    Idle,
    /// Any of user, kernel and idle: a thread has made a call that no event tells of, or nobody can
    /// say who is ready after a loss.
    Untold,
    /// Events were lost, or none has come yet.
    Unknown,
}

impl Doing {
    pub const ALL: [Doing; 10] = [
        Doing::User,
        Doing::Request,
        Doing::Message,
        Doing::Fault,
        Doing::Timer,
        Doing::Packing,
        Doing::Kernel,
        Doing::Idle,
        Doing::Untold,
        Doing::Unknown,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        ["user", "request", "message", "fault", "timer", "packing", "kernel", "idle", "untold", "unknown"]
            [self as usize]
    }
}

/// Cycles by [`Doing`].
pub type Times = [u64; Doing::ALL.len()];

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadState {
    Running,
    /// It runs no more because its processor serves a message; it goes on afterwards.
    Interrupted,
    /// In the ready queue.
    Ready,
    /// Its request or fault is being serviced.
    Serviced,
    /// Blocked on a channel.
    Channel,
    /// Blocked on a page.
    Page,
    /// It waits for its children, or has done so and is ready.
    Children,
    /// It waits in a call that has no events of its own, or has done so and is ready: for console
    /// input, a time, an answer.
    Call,
    /// Packed, on its way, or being unpacked.
    Moving,
    /// It gave the processor up and no event tells why: ready after a yield, or after a time-slice
    /// where class `timer` is off.
    Untold,
    /// Events of its processor were lost.
    Unknown,
}

impl ThreadState {
    pub const ALL: [ThreadState; 11] = [
        ThreadState::Running,
        ThreadState::Interrupted,
        ThreadState::Ready,
        ThreadState::Serviced,
        ThreadState::Channel,
        ThreadState::Page,
        ThreadState::Children,
        ThreadState::Call,
        ThreadState::Moving,
        ThreadState::Untold,
        ThreadState::Unknown,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        let names = ["running", "interrupted", "ready", "serviced", "channel", "page", "children", "call"];
        names.into_iter().chain(["moving", "untold", "unknown"]).nth(self as usize).unwrap_or_default()
    }

    /// Its letter in a time-line.
    pub fn letter(self) -> char {
        ['#', '+', 'r', 's', 'c', 'p', 'w', 'k', 'm', '?', '!'][self as usize]
    }
}

/// What a thread is blocked on, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum On {
    Nothing,
    /// It sends or receives on the channel.
    Send(u8),
    Receive(u8),
    /// The first channel of the list from which it receives.
    Alternative(u8),
    /// The event class that tells the channel (`detail`) is off.
    SomeChannel,
    Page(u16),
    /// The number of the system call in which it waits; [`awaited`](testbed_definitions::event::awaited) says for what.
    Call(u16),
}

/// How a request to communicate was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Met {
    /// By a partner on the same processor that came later, or had come before.
    LocalFirst,
    LocalSecond,
    RemoteSend,
    RemoteReceive,
    /// Refused, timed out, or met by a partner whom no event names.
    Otherwise,
}

/// One phase of an [`Episode`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    pub phase: Phase,
    /// Where it passes; of a flight the destination.
    pub processor: u8,
    pub from: Mark,
    pub to: Mark,
    pub span: Span,
    /// What the processor that received a flight did meanwhile.
    pub busy: Option<Times>,
}

/// A communication, migration or page's way, from its first event to its last.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    pub protocol: Protocol,
    pub channel: Option<u8>,
    /// Sender and receiver; the thread that moves or that wants the page, twice.
    pub threads: (u16, u16),
    /// One after the other, without holes: their lengths add up to the episode's.
    pub stages: Vec<Stage>,
    /// Phases that passed beside these: the request of a receiver that was there first.
    pub beside: Vec<Stage>,
}

impl Episode {
    pub fn from(&self) -> u64 {
        self.stages.first().map_or(0, |stage| stage.from.cycle)
    }
    pub fn to(&self) -> u64 {
        self.stages.last().map_or(0, |stage| stage.to.cycle)
    }
    /// All stages together.
    pub fn span(&self) -> Span {
        self.stages.iter().map(|stage| stage.span).sum()
    }
}

/// A packet that is served from now on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// Number of its TX_MPC in the trace.
    pub number: u64,
    pub sent: Mark,
    pub served: Mark,
    pub kind: u8,
    pub channel: u8,
    /// What the processor that serves it did meanwhile.
    pub busy: Times,
}

/// A thread's wait: for a partner, for a page, for its new processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    pub thread: u16,
    pub what: Waited,
    /// From its call or fault, to where it is ready; `None` if no event says when that was.
    pub begun: Mark,
    pub ready: Option<Mark>,
    /// It runs again.
    pub runs: Mark,
}

/// What a [`Wait`] was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Waited {
    Communication(Met, On),
    Page,
    Migration,
}

/// Something that a trace says.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A processor did this, from one cycle to another.
    Processor {
        processor: u8,
        doing: Doing,
        from: u64,
        to: u64,
    },
    /// A thread was in this state.
    Thread {
        thread: u16,
        processor: u8,
        state: ThreadState,
        on: On,
        from: u64,
        to: u64,
    },
    /// A thread is first heard of, or has ended.
    Born {
        thread: u16,
        cycle: u64,
    },
    Died {
        thread: u16,
        cycle: u64,
    },
    /// Threads in a processor's ready queue from here on, the running one not counted; `untold`
    /// more may be. `None`: unknown after a loss.
    Queue {
        processor: u8,
        cycle: u64,
        length: Option<u32>,
        untold: u32,
    },
    /// A packet leaves; `to` is 15 for all.
    Sent {
        mark: Mark,
        to: u8,
        kind: u8,
        channel: u8,
    },
    /// A packet is served. `flight` is `None` where its sending is not known.
    Served {
        mark: Mark,
        from: u8,
        kind: u8,
        channel: u8,
        flight: Option<Flight>,
    },
    /// A thread has received a message from another processor, whole.
    Received {
        from: u8,
        to: u8,
        cycle: u64,
    },
    /// Behind the facts about the thread's state until then.
    Exchange {
        processor: u8,
        cycle: u64,
        what: Exchange,
    },
    /// Events of a processor are missing that happened after `from`.
    Lost {
        processor: u8,
        from: u64,
    },
    Wait(Wait),
    Episode(Episode),
    /// One that was begun and can't be followed to its end, and why.
    LeftOut {
        protocol: Protocol,
        cycle: u64,
        reason: &'static str,
    },
    /// A thread's wait whose end or beginning is not known.
    WaitLeftOut {
        cycle: u64,
        reason: &'static str,
    },
    /// A ready queue's event contradicts what it held.
    QueueContradiction {
        cycle: u64,
        reason: &'static str,
    },
}

/// What a thread does since some cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadNow {
    pub thread: u16,
    pub processor: u8,
    pub state: ThreadState,
    pub on: On,
    /// Since this cycle.
    pub since: u64,
}
