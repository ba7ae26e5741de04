//! Little programs, and the machine that they run on.

use testbed_protocol::{Channel, Processor, ThreadNumber};

/// What a thread does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    /// Send so many bytes on a channel.
    Send(u8, u32),
    /// Receive at most so many bytes from a channel.
    Receive(u8, u32),
    /// One message from each channel of the set (bit `c`: channel `c`), in whatever order alternatives choose them.
    Each(u32, u32),
    /// As `Each`, but the first alternative may time out; it is tried again without a limit.
    EachTimed(u32, u32),
    /// Exit. A thread of the same number is created later, somewhere, and goes on with the script.
    Exit,
    /// Go on once so many messages of a channel have been received.
    Await(u8, u8),
}

/// What is wrong with the machine: each would be a bug of the protocol or the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// A receiver that leaves carries no token.
    DropCarriedToken,
    /// A token is passed on to the believed place whatever its sender knew.
    ForwardWithoutEpoch,
    /// A receiver that leaves doesn't count the move.
    DontCountMoves,
    /// A late token is taken for one of the next communication.
    ForgetSequence,
    /// A processor keeps the ends of a thread that leaves.
    KeepEnds,
    /// A processor keeps a thread that leaves.
    KeepThread,
    /// A token is answered twice.
    AnswerTwice,
    /// An alternative that has been chosen leaves its other channels enabled.
    DontDisable,
    /// An advert doesn't reach the processor with the greatest number.
    AdvertMissesOne,
    /// A fragment overtakes the one before it.
    OvertakeFragment,
    /// All fragments are put at the buffer's start.
    ForgetOffset,
    /// A fragment is read from the sender's buffer after the sender has gone on.
    ReadLate,
    /// A fragment leaves before its bytes are in the packet, which still holds the message before.
    TransmitEarly,
    /// After a local copy the block says that the receiver still waits.
    CopyKeepsReceiver,
    /// A receiver is released but not put into the ready queue.
    ForgetReady,
    /// An end that arrives starts to count anew.
    ForgetCount,
    /// A processor keeps a token that it passes on.
    KeepForwarded,
    /// A token is passed on twice.
    ForwardTwice,
    /// A sender sends as many bytes as it is asked for, whatever it has offered.
    BelieveLength,
}

/// Those that a correct program shows: a correct receiver never asks for more than was offered.
pub const ALL_BUGS: [Bug; 18] = [
    Bug::DropCarriedToken,
    Bug::ForwardWithoutEpoch,
    Bug::DontCountMoves,
    Bug::ForgetSequence,
    Bug::KeepEnds,
    Bug::KeepThread,
    Bug::AnswerTwice,
    Bug::DontDisable,
    Bug::AdvertMissesOne,
    Bug::OvertakeFragment,
    Bug::ForgetOffset,
    Bug::ReadLate,
    Bug::TransmitEarly,
    Bug::CopyKeepsReceiver,
    Bug::ForgetReady,
    Bug::ForgetCount,
    Bug::KeepForwarded,
    Bug::ForwardTwice,
];

/// A machine and its program.
#[derive(Clone, Debug)]
pub struct Setup {
    pub processors: u8,
    pub channels: usize,
    /// One for each thread; thread `t` has number `t + 1`.
    pub scripts: Vec<Vec<Op>>,
    /// Moves of threads, all together.
    pub moves: u16,
    /// Where the ends of a thread that exits are kept.
    pub home: Processor,
    /// Ends leave one by one, in packets of their own ahead of the thread.
    pub ends_ahead: bool,
    /// Threads (bit `t`: number `t`) that use other threads' ends of channels.
    pub rogues: u32,
    /// Nobody's rights are settled: all that is checked is what the kernel relies on,
    pub lawless: bool,
    /// and that at the end nobody waits who could be served.
    pub served: bool,
    /// Receivers ask for a byte more than was offered.
    pub greedy: bool,
    /// Fragments leave page by page, as they do whose pages are not all there.
    pub by_pages: bool,
    /// What sequences and epochs start from.
    pub base: u32,
    pub bug: Option<Bug>,
}

impl Setup {
    pub fn new(processors: u8, scripts: &[&[Op]], moves: u16) -> Self {
        let scripts: Vec<Vec<Op>> = scripts.iter().map(|script| script.to_vec()).collect();
        let channels = scripts.iter().flatten().map(|op| op.channels()).fold(0, |all, set| all | set);
        let channels = 32 - channels.leading_zeros() as usize;
        Setup {
            processors,
            channels,
            scripts,
            moves,
            home: Processor::new(0),
            ends_ahead: false,
            rogues: 0,
            lawless: false,
            served: true,
            greedy: false,
            by_pages: false,
            base: 0,
            bug: None,
        }
    }

    pub fn all_processors(&self) -> impl DoubleEndedIterator<Item = Processor> {
        (0..self.processors).map(Processor::new)
    }

    pub fn all_channels(&self) -> impl Iterator<Item = Channel> {
        (0..self.channels as u8).map(Channel::new)
    }

    /// Bytes offered by the `count`th message of `channel`.
    pub fn length(&self, channel: Channel, count: u8) -> Option<u32> {
        let sends = |op: &Op| match *op {
            Op::Send(c, length) if c == channel.number() => Some(length),
            _ => None,
        };
        self.scripts.iter().flatten().filter_map(sends).nth(count as usize)
    }

    pub fn is_rogue(&self, thread: ThreadNumber) -> bool {
        self.rogues >> thread.bits() & 1 != 0
    }

    pub fn exits(&self) -> bool {
        self.scripts.iter().flatten().any(|op| *op == Op::Exit)
    }
}

/// Where a thread's script and its task are.
pub fn index_of(thread: ThreadNumber) -> usize {
    thread.bits() as usize - 1
}

/// The thread whose script and task are there.
pub fn thread_of(index: usize) -> ThreadNumber {
    ThreadNumber::from_bits(index as u16 + 1)
}

impl Op {
    fn channels(self) -> u32 {
        match self {
            Op::Send(channel, _) | Op::Receive(channel, _) => 1 << channel,
            Op::Each(set, _) | Op::EachTimed(set, _) => set,
            Op::Exit | Op::Await(..) => 0,
        }
    }
}
