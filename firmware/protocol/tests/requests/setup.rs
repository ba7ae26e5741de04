//! What is explored: the threads, the requests, and what happens besides.

use testbed_definitions::request::Wanted;
use testbed_protocol::{Processor, ThreadNumber};

/// The processor with this number.
pub const fn processor(number: u8) -> Processor {
    Processor::new(number)
}

/// The thread with this number.
pub const fn thread(number: u16) -> ThreadNumber {
    ThreadNumber::from_bits(number)
}

/// Where a thread's plan is.
pub fn index_of(thread: ThreadNumber) -> usize {
    thread.bits() as usize - 1
}

/// A thread as it begins. Its number is its place in [`Setup::threads`], counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    pub process: u8,
    pub at: Processor,
    /// How often the processor is given to it.
    pub runs: u8,
    /// The packets that it takes to move it.
    pub parts: u8,
    /// It begins in the ready queue; otherwise it waits for something.
    pub ready: bool,
    /// It has a child, which ends some time.
    pub parent: bool,
    /// The processor with which it has communicated.
    pub link: Option<Processor>,
    /// When it runs it may move itself there.
    pub leaves_to: Option<Processor>,
    /// When it runs it may end.
    pub exits: bool,
    /// It does not exist in the beginning: a thread on its processor creates it.
    pub created: bool,
}

impl Plan {
    /// A thread of process 0 that is ready and computes.
    pub const fn at(at: u8) -> Plan {
        let (at, link, leaves_to) = (processor(at), None, None);
        let (ready, parent, exits, created) = (true, false, false, false);
        Plan { process: 0, at, runs: 0, parts: 1, ready, parent, link, leaves_to, exits, created }
    }
}

/// A request as a balancer's thread makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ask {
    pub wanted: Wanted,
    pub from: Processor,
    pub to: Processor,
}

/// A machine with a master, where a balancer runs and all processes have their home, and slaves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setup {
    /// Processors 1 to this one are slaves.
    pub slaves: u8,
    pub threads: Vec<Plan>,
    /// What each of the balancer's threads asks, one request after the other.
    pub asks: Vec<Vec<Ask>>,
    /// Data buffers of a slave: each is in use until its packet has arrived.
    pub buffers: u8,
    /// Timer interrupts until a request expires.
    pub patience: u8,
    /// Moves that another thread orders (`MIGRATE`): which thread, where it is believed, where to.
    pub orders: Vec<(ThreadNumber, Processor, Processor)>,
    /// How often process 0 is killed, and how often the balancer.
    pub kills: u8,
    pub balancer_kills: u8,
    /// How often process 0 is suspended.
    pub suspends: u8,
    /// How often a process that has ended, or a thread, begins again with the same numbers.
    pub rebirths: u8,
    pub bug: Option<Bug>,
}

/// Mistakes that the slave's code, or what is wired to it, could have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bug {
    /// The destination is told when the thread begins to leave, not behind its last packet.
    FollowEarly,
    /// What tells the destination overtakes the thread's packets.
    FollowOvertakes,
    /// The slave that the thread leaves answers.
    AnswerAtSource,
    /// The destination answers twice.
    AnswerTwice,
    /// Nobody says that a thread has gone whose packets left at once.
    ForgetGoneAtOnce,
    /// Nobody says that a thread has ended that was about to leave.
    ForgetEnded,
    /// It is said to have gone.
    EndedIsGone,
    /// Nobody says that a thread has ended that was not about to leave.
    ForgetOthersEnded,
    /// Nobody says that a thread has gone that has not left for a request.
    ForgetOthersGone,
    /// Requests are not looked at when a thread becomes ready.
    NotOnReady,
    /// Requests are not looked at when a thread arrives.
    NotOnArrival,
    /// Requests are not looked at when their time is over.
    NotOnTime,
    /// Requests are taken to be over an interrupt too early.
    TooEarly,
    /// A request that is refused on arrival is not answered.
    SilentlyFull,
    /// A thread that leaves already is chosen.
    ChooseLeaving,
    /// A thread with children is chosen.
    ChooseParent,
    /// A named thread that is not here is waited for, however often its time is over.
    WaitForever,
    /// A request goes on waiting when its thread has been sent.
    KeepWaiting,
    /// A request is forgotten when its thread has been sent.
    ForgetSent,
    /// Any thread that has gone answers for the first that was sent.
    GoneIsAnyone,
    /// A request expires though its thread leaves.
    ExpireLeaving,
    /// The answer is given to the thread that has the number now.
    AnyGeneration,
    /// A standing request holds though its time is over.
    StandOn,
    /// A standing request holds though another one has come.
    KeepStanding,
    /// A standing request is not answered.
    StandSilently,
    /// A thread starts where the standing request of another slave says.
    StandElsewhere,
}

pub const ALL_BUGS: [Bug; 26] = [
    Bug::FollowEarly,
    Bug::FollowOvertakes,
    Bug::AnswerAtSource,
    Bug::AnswerTwice,
    Bug::ForgetGoneAtOnce,
    Bug::ForgetEnded,
    Bug::EndedIsGone,
    Bug::ForgetOthersEnded,
    Bug::ForgetOthersGone,
    Bug::NotOnReady,
    Bug::NotOnArrival,
    Bug::NotOnTime,
    Bug::TooEarly,
    Bug::SilentlyFull,
    Bug::ChooseLeaving,
    Bug::ChooseParent,
    Bug::WaitForever,
    Bug::KeepWaiting,
    Bug::ForgetSent,
    Bug::GoneIsAnyone,
    Bug::ExpireLeaving,
    Bug::AnyGeneration,
    Bug::StandOn,
    Bug::KeepStanding,
    Bug::StandSilently,
    Bug::StandElsewhere,
];

impl Setup {
    pub fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    pub fn plan(&self, thread: ThreadNumber) -> &Plan {
        &self.threads[index_of(thread)]
    }

    pub fn all_slaves(&self) -> impl Iterator<Item = Processor> {
        (1..=self.slaves).map(processor)
    }

    pub fn all_threads(&self) -> impl Iterator<Item = ThreadNumber> {
        (1..=self.threads.len() as u16).map(thread)
    }

    pub fn processes(&self) -> usize {
        self.threads.iter().map(|plan| plan.process as usize + 1).max().unwrap_or(0)
    }

    /// A request by its number among all of them.
    pub fn ask(&self, request: u8) -> Ask {
        self.asks.iter().flatten().copied().nth(request as usize).expect("a request of the setup")
    }

    /// The number of the request that a thread of the balancer makes after so many others.
    pub fn request(&self, asker: u8, next: u8) -> u8 {
        self.asks[..asker as usize].iter().map(|asks| asks.len() as u8).sum::<u8>() + next
    }
}
