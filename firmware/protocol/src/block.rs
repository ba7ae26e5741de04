//! A channel's control block and what a step of the protocol ([`crate::channel`]) says.

use crate::mpc::{Mpc, Token};
use crate::{Processor, ThreadNumber};

/// A sending end, as its processor sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sender {
    /// Not here.
    #[default]
    Away,
    Idle,
    /// Blocked; its partner has not answered.
    Waiting,
    /// Blocked while its message leaves in fragments.
    Transmitting,
}

/// A receiving end, as its processor sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Receiver {
    /// Not here.
    #[default]
    Away,
    Idle,
    /// Blocked; no partner has come.
    Waiting,
    /// As `Waiting`, on several channels at once: whichever is first disables the others.
    Alternative,
    /// Blocked; bytes were asked for.
    Collecting,
}

/// Channel control block: one channel as one processor sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ccb {
    pub sender: Sender,
    pub receiver: Receiver,
    /// Whose the ends are, as far as is known here.
    pub sender_thread: ThreadNumber,
    pub receiver_thread: ThreadNumber,
    /// Where the receiver is believed to be, unless it is here.
    pub place: Processor,
    /// The partner of `Transmitting`, and that of `Collecting`.
    pub to: Processor,
    pub from: Processor,
    /// The receiver's moves: until now if it is here, else until it came to `place`.
    pub epoch: u32,
    /// Communications of the sender, if it is here, and of the receiver, if it is here.
    pub sent: u32,
    pub received: u32,
    /// `Waiting`: bytes offered. `Transmitting`: bytes of the message, and how many have left.
    pub length: u32,
    pub offset: u32,
    /// `Waiting`, `Alternative`: most bytes to take. `Collecting`: bytes asked for, and how many
    /// are here.
    pub capacity: u32,
    pub collected: u32,
    /// The last token that came, or was left here, and has not been used. It may be out of date.
    pub token: Token,
}

impl Default for Ccb {
    fn default() -> Self {
        Ccb {
            sender: Sender::Away,
            receiver: Receiver::Away,
            sender_thread: ThreadNumber::NOBODY,
            receiver_thread: ThreadNumber::NOBODY,
            place: Processor::NOWHERE,
            to: Processor::NOWHERE,
            from: Processor::NOWHERE,
            epoch: 0,
            sent: 0,
            received: 0,
            length: 0,
            offset: 0,
            capacity: 0,
            collected: 0,
            token: Token::NONE,
        }
    }
}

/// Whether `a` comes after `b`, both as serial numbers.
#[inline]
pub const fn is_after(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 > 0
}

impl Ccb {
    /// Whether the token here is for the receiver's next communication.
    #[inline(always)]
    pub fn has_token(&self) -> bool {
        let known = self.sender_thread == ThreadNumber::NOBODY || self.sender_thread == self.token.sender;
        self.token.exists() && self.token.sequence == self.received && known && self.sender == Sender::Away
    }

    /// Whether a receiver that is here need not wait.
    #[inline]
    pub fn is_offered(&self) -> bool {
        self.sender == Sender::Waiting || self.has_token()
    }

    /// Whether `thread` may use the receiving end.
    #[inline(always)]
    pub(crate) fn may_receive(&self, thread: ThreadNumber) -> bool {
        (self.receiver_thread == thread || self.receiver_thread == ThreadNumber::NOBODY)
            && self.sender_thread != thread
            && matches!(self.receiver, Receiver::Away | Receiver::Idle)
            // Else it is for one who is on its way here.
            && !(self.token.exists() && is_after(self.token.sequence, self.received))
    }

    /// The end here is not its thread's: the thread goes on with an error if it waits.
    #[cold]
    #[inline(never)]
    pub(crate) fn evict(&mut self, role: Role, sink: &mut impl Sink) {
        let (thread, waits) = match role {
            Role::Sender => {
                let state = core::mem::take(&mut self.sender);
                (self.sender_thread, matches!(state, Sender::Waiting | Sender::Transmitting))
            }
            Role::Receiver => {
                let (state, thread) = (core::mem::take(&mut self.receiver), self.receiver_thread);
                if state == Receiver::Alternative {
                    sink.put(Output::Chosen { thread });
                }
                (thread, !matches!(state, Receiver::Away | Receiver::Idle))
            }
        };
        if waits {
            sink.put(Output::Release { thread, role, result: Err(Misuse::ChannelInUse) });
        }
    }

    /// The receiving end is this thread's from now on, if it isn't yet.
    pub(crate) fn claim_receiver(&mut self, me: Processor, thread: ThreadNumber) {
        if self.receiver == Receiver::Away {
            (self.receiver, self.receiver_thread, self.place) = (Receiver::Idle, thread, me);
        }
    }
}

/// Which end of the channel a thread has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    Sender,
    Receiver,
}

/// Why a request ends without a communication, or a component is ignored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Misuse {
    /// The end of the channel belongs to another thread.
    ChannelInUse,
    /// A component that the protocol does not allow in this state. The state is as before.
    Unexpected,
    /// A component that is out of date; nothing is wrong.
    Late,
}

/// What the processor has to do, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// The requesting thread waits until it is released.
    Block { thread: ThreadNumber },
    /// The request ends at once with an error.
    Reject { thread: ThreadNumber, misuse: Misuse },
    /// This channel has been chosen for the thread's alternative: [`crate::channel::disable`] its
    /// other channels. The outputs that follow are those of a receiver that was waiting.
    Chosen { thread: ThreadNumber },
    /// Copy from the sender's buffer to the receiver's; both are on this processor.
    Copy { sender: ThreadNumber, receiver: ThreadNumber, bytes: u32 },
    /// Transmit a component without data to one processor, or to all others ([`Processor::NOWHERE`]).
    Transmit { to: Processor, mpc: Mpc },
    /// The channel has fragments to send: call [`crate::channel::room`] while there is room, until
    /// it releases the sender.
    WantRoom { thread: ThreadNumber },
    /// Transmit a `Msg` with these bytes of the thread's buffer.
    Fragment { to: Processor, thread: ThreadNumber, total: u32, offset: u32, bytes: u32 },
    /// Copy the component's data to this offset in the thread's buffer.
    Deliver { thread: ThreadNumber, offset: u32, bytes: u32 },
    /// A thread is ready again; its request transferred so many bytes, or failed.
    Release { thread: ThreadNumber, role: Role, result: Result<u32, Misuse> },
    /// The component was ignored.
    Ignored(Misuse),
}

/// Takes a step's outputs one by one.
pub trait Sink {
    fn put(&mut self, output: Output);
}
