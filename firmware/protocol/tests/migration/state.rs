//! What a machine's state is made of.

use testbed_protocol::channel::{Ccb, Output, Sink};
use testbed_protocol::ends::End;
use testbed_protocol::mpc::Mpc;
use testbed_protocol::{Channel, Processor, ThreadNumber};

/// What must never be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrong {
    /// A message has been skipped.
    Lost,
    /// A message has come again.
    Duplicated,
    /// A message with other bytes than were sent, or another length.
    Content,
    /// A thread or an end is in two places, or in none.
    Copies,
    /// A thread is released, copied from or to, or asked for fragments, that doesn't wait for it.
    Release,
    /// `Reject`, `Refuse` or `Unexpected` for a correct thread; a false precondition.
    Refused,
    /// A thread has used an end that isn't its own.
    Rogue,
    /// A token is passed on to a place that is not newer.
    Circle,
    /// One token has become two: kept and passed on, or answered, or passed on twice.
    Doubled,
    /// A sender sends more than it has.
    Overrun,
    /// All is quiet, and the ends don't agree about how many messages there were.
    Counts,
    /// All is quiet, and a belief about the receiver's place doesn't lead to it, or a waiting
    /// sender's token not to its receiver.
    Belief,
    /// Nothing can happen any more, and a script has not ended.
    Deadlock,
}

pub const ALL_WRONG: [(Wrong, &str); 13] = [
    (Wrong::Lost, "no message is lost"),
    (Wrong::Duplicated, "no message is duplicated"),
    (Wrong::Content, "every message is what was sent"),
    (Wrong::Copies, "one copy of each thread and end"),
    (Wrong::Release, "threads are released once"),
    (Wrong::Refused, "nothing is refused"),
    (Wrong::Rogue, "nobody uses another's end"),
    (Wrong::Circle, "tokens go to newer places"),
    (Wrong::Counts, "the ends' counts agree"),
    (Wrong::Belief, "beliefs lead to the receiver"),
    (Wrong::Deadlock, "every script ends"),
    (Wrong::Doubled, "a token stays one"),
    (Wrong::Overrun, "nobody sends more than is there"),
];

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Run {
    /// Between two operations; moves may happen.
    Ready,
    Sending {
        channel: Channel,
        left: u32,
    },
    Receiving {
        channel: Channel,
        got: u32,
    },
    /// Waits on several channels.
    Choosing,
    /// Leaves; its ends are packed one by one.
    Leaving {
        to: Processor,
        exits: bool,
    },
    /// Has exited; its ends are at home or on their way.
    Gone,
    /// Its script is over.
    Ended,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Task {
    /// Its processor; [`Processor::NOWHERE`]: it is in a packet.
    pub at: Processor,
    pub run: Run,
    pub next: u8,
    /// The channels that remain of an `Each`.
    pub set: u32,
    /// The alternative may time out.
    pub timed: bool,
    /// Requests that were refused.
    pub refused: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Load {
    /// With the message's number, for `Msg`.
    Mpc {
        channel: Channel,
        mpc: Mpc,
        number: u8,
    },
    Ends(ThreadNumber, Vec<(Channel, End)>),
    Thread(ThreadNumber, Vec<(Channel, End)>),
    /// The ends of a thread that has exited.
    Exited(ThreadNumber, Vec<(Channel, End)>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Packet {
    pub from: Processor,
    pub to: Processor,
    pub load: Load,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// The thread executes its next operation.
    Run(ThreadNumber),
    /// The thread's alternative times out.
    Timeout(ThreadNumber),
    Move(ThreadNumber, Processor),
    /// An end of a thread that leaves is packed, or when none is left the thread.
    Pack(ThreadNumber),
    /// A thread with the number of one that has exited is created.
    Create(ThreadNumber, Processor),
    /// The oldest packet between two processors arrives.
    Arrive(Processor, Processor),
    /// A fragment leaves.
    Room(Processor, Channel),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    /// Channel `c` at processor `p` has the place `p * channels + c`.
    pub ccbs: Vec<Ccb>,
    pub tasks: Vec<Task>,
    /// By source and destination, oldest first.
    pub packets: Vec<Packet>,
    /// Messages of each channel whose sender, and whose receiver, has been released.
    pub sent: Vec<u8>,
    pub received: Vec<u8>,
    pub moves: u16,
    pub wrong: Option<Wrong>,
}

#[derive(Default)]
pub struct Outputs(pub Vec<Output>);

impl Sink for Outputs {
    fn put(&mut self, output: Output) {
        self.0.push(output);
    }
}

impl Packet {
    pub fn is_fragment(&self) -> bool {
        matches!(self.load, Load::Mpc { mpc: Mpc::Msg { .. }, .. })
    }
}
