//! The protocol of occam channels (report, section 2.1.3 and footnote 1).
//!
//! A channel joins one sending and one receiving thread, reserved by their first requests and kept for ever after.
//! Each processor has a channel control block ([`Ccb`]) for every channel of a process. Two threads on one
//! processor meet in their shared CCB: the second partner copies. On different processors:
//!
//! ```text
//! sender's processor                          receiver's processor
//! Waiting      --- focus (advert at first) -->  Focused
//!                                               (the receiver waits, now or later)
//! Transmitting <------------ rtr -------------  Collecting
//! Idle         --- msg, in fragments -------->  Idle
//! ```
//!
//! The receiver is passive: it never looks for its sender. The sender knows where the receiver is after the first
//! `rtr`; before that it adverts to all processors. A processor that gets an advert remembers it, so it does not matter
//! whether the first receive or the advert comes first. Adverts that stay behind on processors that have no partner
//! are harmless: only a misuse could act on them, and it is refused.
//!
//! [`step`] is a function of the state and the input alone. Each pair of processors is assumed to deliver
//! messages once and in order; different pairs may overtake each other.

use crate::mpc::Mpc;
use crate::{Processor, Thread};
use testbed_definitions::mpc::FRAGMENT_BYTES;

/// What a processor knows of the sending end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sender {
    #[default]
    Unknown,
    /// A thread of this processor, not sending now.
    Idle { thread: Thread },
    /// A thread of this processor is blocked; its partner has not answered.
    Waiting { thread: Thread, length: u32 },
    /// A thread of this processor is blocked while its message leaves in fragments; `offset` bytes have left.
    Transmitting { thread: Thread, to: Processor, total: u32, offset: u32 },
    /// On another processor, and no token is here.
    Remote { at: Processor },
    /// On another processor, and its token with this length is here.
    Focused { at: Processor, length: u32 },
}

/// What a processor knows of the receiving end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Receiver {
    #[default]
    Unknown,
    /// A thread of this processor, not receiving now.
    Idle { thread: Thread },
    /// A thread of this processor is blocked; no partner has been found.
    Waiting { thread: Thread, capacity: u32 },
    /// A thread of this processor is blocked; `length` bytes were asked for, `received` of them are here.
    Collecting { thread: Thread, length: u32, received: u32 },
    /// On another processor.
    Remote { at: Processor },
}

/// Channel control block: one channel as one processor sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ccb {
    pub sender: Sender,
    pub receiver: Receiver,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Input {
    /// A thread of this processor requests to send `length` bytes.
    Send { thread: Thread, length: u32 },
    /// A thread of this processor requests to receive at most `capacity` bytes.
    Receive { thread: Thread, capacity: u32 },
    /// A component has arrived from another processor.
    Mpc { from: Processor, mpc: Mpc },
    /// There is room to transmit one fragment.
    Room,
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
}

/// What the processor has to do, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// The requesting thread waits until it is released.
    Block { thread: Thread },
    /// The request ends at once with an error.
    Reject { thread: Thread, misuse: Misuse },
    /// Copy from the sender's buffer to the receiver's; both are on this processor.
    Copy { sender: Thread, receiver: Thread, bytes: u32 },
    /// Transmit a component without data to one processor, or to all others.
    Transmit { to: Option<Processor>, mpc: Mpc },
    /// The channel has fragments to send: give it [`Input::Room`] while there is room, until it releases the sender.
    WantRoom { thread: Thread },
    /// Transmit a `Msg` with these bytes of the thread's buffer.
    Fragment { to: Processor, thread: Thread, total: u32, offset: u32, bytes: u32 },
    /// Copy the component's data to this offset in the thread's buffer.
    Deliver { thread: Thread, offset: u32, bytes: u32 },
    /// A thread is ready again; its request transferred so many bytes, or failed.
    Release { thread: Thread, role: Role, result: Result<u32, Misuse> },
    /// The component was ignored; it is a fault of another processor or of the network.
    Ignored(Misuse),
}

/// Most outputs of one step.
pub const OUTPUTS: usize = 3;

/// The outputs of one step, in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Outputs {
    list: [Option<Output>; OUTPUTS],
}

/// Takes a step's outputs one by one.
pub trait Sink {
    fn put(&mut self, output: Output);
}

impl Sink for Outputs {
    fn put(&mut self, output: Output) {
        if let Some(place) = self.list.iter_mut().find(|place| place.is_none()) {
            *place = Some(output);
        } else {
            debug_assert!(false, "a step has at most {OUTPUTS} outputs");
        }
    }
}

impl Outputs {
    pub fn iter(&self) -> impl Iterator<Item = Output> + '_ {
        self.list.iter().flatten().copied()
    }
}

/// One step of the protocol: the next state and what to do.
pub fn step(ccb: Ccb, input: Input) -> (Ccb, Outputs) {
    let mut next = ccb;
    let mut outputs = Outputs::default();
    step_with(&mut next, input, &mut outputs);
    (next, outputs)
}

/// [`step`] in place, with each output handed to `sink` as it is found. For the kernel, where no list is wanted.
#[inline]
pub fn step_with(ccb: &mut Ccb, input: Input, sink: &mut impl Sink) {
    match input {
        Input::Send { thread, length } => send(ccb, thread, length, sink),
        Input::Receive { thread, capacity } => receive(ccb, thread, capacity, sink),
        Input::Mpc { from, mpc } => arrive(ccb, from, mpc, sink),
        Input::Room => room(ccb, sink),
    }
}

/// *FSend*: a thread of this processor requests to send.
#[inline]
pub fn send(ccb: &mut Ccb, thread: Thread, length: u32, sink: &mut impl Sink) {
    let mine = match ccb.sender {
        Sender::Unknown => true,
        Sender::Idle { thread: owner } => owner == thread,
        _ => false,
    };
    if !mine || receiving_thread(ccb) == Some(thread) {
        return sink.put(Output::Reject { thread, misuse: Misuse::ChannelInUse });
    }
    if let Receiver::Waiting { thread: receiver, capacity } = ccb.receiver {
        copy(ccb, (thread, length), (receiver, capacity), sink);
        release(Role::Receiver, receiver, length.min(capacity), sink);
        return release(Role::Sender, thread, length.min(capacity), sink);
    }
    ccb.sender = Sender::Waiting { thread, length };
    sink.put(Output::Block { thread });
    match ccb.receiver {
        Receiver::Remote { at } => sink.put(Output::Transmit { to: Some(at), mpc: Mpc::Focus { length } }),
        Receiver::Unknown => sink.put(Output::Transmit { to: None, mpc: Mpc::Advert { length } }),
        _ => {}
    }
}

/// *FReceive*: a thread of this processor requests to receive.
#[inline]
pub fn receive(ccb: &mut Ccb, thread: Thread, capacity: u32, sink: &mut impl Sink) {
    let mine = match ccb.receiver {
        Receiver::Unknown => true,
        Receiver::Idle { thread: owner } => owner == thread,
        _ => false,
    };
    if !mine || sending_thread(ccb) == Some(thread) {
        return sink.put(Output::Reject { thread, misuse: Misuse::ChannelInUse });
    }
    match ccb.sender {
        Sender::Waiting { thread: sender, length } => {
            copy(ccb, (sender, length), (thread, capacity), sink);
            release(Role::Sender, sender, length.min(capacity), sink);
            release(Role::Receiver, thread, length.min(capacity), sink);
        }
        Sender::Focused { at, length } => {
            sink.put(Output::Block { thread });
            answer(ccb, at, thread, length.min(capacity), sink);
        }
        _ => {
            ccb.receiver = Receiver::Waiting { thread, capacity };
            sink.put(Output::Block { thread });
        }
    }
}

/// Both partners are on this processor: the second one copies. Afterwards the one that waited goes first.
#[inline]
fn copy(ccb: &mut Ccb, (sender, length): (Thread, u32), (receiver, capacity): (Thread, u32), sink: &mut impl Sink) {
    let bytes = length.min(capacity);
    ccb.sender = Sender::Idle { thread: sender };
    ccb.receiver = Receiver::Idle { thread: receiver };
    sink.put(Output::Copy { sender, receiver, bytes });
}

#[inline]
fn release(role: Role, thread: Thread, bytes: u32, sink: &mut impl Sink) {
    sink.put(Output::Release { thread, role, result: Ok(bytes) });
}

/// A token and a waiting receiver have met: ask for `length` bytes.
#[inline]
fn answer(ccb: &mut Ccb, at: Processor, thread: Thread, length: u32, sink: &mut impl Sink) {
    ccb.sender = Sender::Remote { at };
    ccb.receiver = Receiver::Collecting { thread, length, received: 0 };
    sink.put(Output::Transmit { to: Some(at), mpc: Mpc::Rtr { length } });
}

#[inline]
fn arrive(ccb: &mut Ccb, from: Processor, mpc: Mpc, sink: &mut impl Sink) {
    match mpc {
        Mpc::Focus { length } | Mpc::Advert { length } => focus(ccb, from, length, sink),
        Mpc::Rtr { length } => rtr(ccb, from, length, sink),
        Mpc::Msg { total, offset, bytes } => msg(ccb, from, (total, offset, bytes), sink),
        Mpc::Refuse => refused(ccb, sink),
    }
}

/// *FFocus*: a remote sender waits.
#[inline]
pub fn focus(ccb: &mut Ccb, from: Processor, length: u32, sink: &mut impl Sink) {
    let second = match ccb.sender {
        Sender::Unknown => false,
        Sender::Remote { at } => at != from,
        Sender::Focused { at, .. } if at == from => return sink.put(Output::Ignored(Misuse::Unexpected)),
        _ => true,
    };
    if second {
        return sink.put(Output::Transmit { to: Some(from), mpc: Mpc::Refuse });
    }
    match ccb.receiver {
        Receiver::Waiting { thread, capacity } => answer(ccb, from, thread, length.min(capacity), sink),
        Receiver::Unknown | Receiver::Idle { .. } => ccb.sender = Sender::Focused { at: from, length },
        Receiver::Collecting { .. } | Receiver::Remote { .. } => sink.put(Output::Ignored(Misuse::Unexpected)),
    }
}

/// *FRtr*: the remote receiver waits and asks for `length` bytes.
#[inline]
pub fn rtr(ccb: &mut Ccb, from: Processor, length: u32, sink: &mut impl Sink) {
    let known = match ccb.receiver {
        Receiver::Unknown => true,
        Receiver::Remote { at } => at == from,
        _ => false,
    };
    match ccb.sender {
        Sender::Waiting { thread, length: offered } if known && length <= offered => {
            ccb.receiver = Receiver::Remote { at: from };
            ccb.sender = Sender::Transmitting { thread, to: from, total: length, offset: 0 };
            sink.put(Output::WantRoom { thread });
        }
        _ if known && matches!(ccb.receiver, Receiver::Remote { .. }) => sink.put(Output::Ignored(Misuse::Unexpected)),
        _ => sink.put(Output::Transmit { to: Some(from), mpc: Mpc::Refuse }),
    }
}

/// The next fragment leaves; after the last one the sender is ready.
#[inline]
pub fn room(ccb: &mut Ccb, sink: &mut impl Sink) {
    let Sender::Transmitting { thread, to, total, offset } = ccb.sender else { return };
    let bytes = (total - offset).min(FRAGMENT_BYTES as u32);
    sink.put(Output::Fragment { to, thread, total, offset, bytes });
    let offset = offset + bytes;
    if offset < total {
        ccb.sender = Sender::Transmitting { thread, to, total, offset };
        return;
    }
    ccb.sender = Sender::Idle { thread };
    sink.put(Output::Release { thread, role: Role::Sender, result: Ok(total) });
}

/// *FMsg*: a fragment of the message asked for.
#[inline]
pub fn msg(ccb: &mut Ccb, from: Processor, (total, offset, bytes): (u32, u32, u32), sink: &mut impl Sink) {
    let Receiver::Collecting { thread, length, received } = ccb.receiver else {
        return sink.put(Output::Ignored(Misuse::Unexpected));
    };
    let right = ccb.sender == Sender::Remote { at: from } && total == length && offset == received;
    if !right || bytes > length - received {
        return sink.put(Output::Ignored(Misuse::Unexpected));
    }
    sink.put(Output::Deliver { thread, offset, bytes });
    let received = received + bytes;
    if received < length {
        ccb.receiver = Receiver::Collecting { thread, length, received };
        return;
    }
    ccb.receiver = Receiver::Idle { thread };
    sink.put(Output::Release { thread, role: Role::Receiver, result: Ok(length) });
}

/// Another processor refuses this one's request: the channel's end is not its thread's.
#[inline]
fn refused(ccb: &mut Ccb, sink: &mut impl Sink) {
    if let Sender::Waiting { thread, .. } = ccb.sender {
        ccb.sender = Sender::Unknown;
        return sink.put(Output::Release { thread, role: Role::Sender, result: Err(Misuse::ChannelInUse) });
    }
    if let Receiver::Collecting { thread, received: 0, .. } = ccb.receiver {
        *ccb = Ccb::default();
        return sink.put(Output::Release { thread, role: Role::Receiver, result: Err(Misuse::ChannelInUse) });
    }
    sink.put(Output::Ignored(Misuse::Unexpected));
}

/// The thread of this processor that has the sending end.
fn sending_thread(ccb: &Ccb) -> Option<Thread> {
    match ccb.sender {
        Sender::Idle { thread } | Sender::Waiting { thread, .. } | Sender::Transmitting { thread, .. } => Some(thread),
        _ => None,
    }
}

/// The thread of this processor that has the receiving end.
pub fn receiving_thread(ccb: &Ccb) -> Option<Thread> {
    match ccb.receiver {
        Receiver::Idle { thread } | Receiver::Waiting { thread, .. } | Receiver::Collecting { thread, .. } => {
            Some(thread)
        }
        _ => None,
    }
}
