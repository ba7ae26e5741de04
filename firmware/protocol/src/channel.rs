//! The protocol of occam channels between threads that move (report, sections 2.1.3 and 2.2.2, and
//! footnote 1).
//!
//! A channel joins one sending and one receiving thread. Each *end* belongs to the thread that used
//! it first, for the rest of the program, and goes where the thread goes ([`crate::ends`]). Each
//! processor has a channel control block ([`Ccb`]) for every channel of a process, with the ends
//! that are here and what is known of the others.
//!
//! ```text
//! sender's processor                          receiver's processor
//! Waiting      --- focus (advert at first) -->  token kept
//!                                               (the receiver waits, now or later)
//! Transmitting <------------ rtr -------------  Collecting
//! Idle         --- msg, in fragments -------->  Idle
//! ```
//!
//! On one processor the second partner copies. The receiver is passive: it never looks for its
//! sender. Only threads that are ready move, so a sender that waits and a receiver that has
//! answered stay where they are; only tokens have to follow a receiver.
//!
//! Two numbers make that safe whatever overtakes what. The *sequence* counts a channel's
//! communications at both ends, and every token and answer carries it: what is late or double is
//! seen to be. The receiver's *epoch* counts its moves: of two beliefs about its place the one with
//! the greater epoch is newer, so a token is passed on to ever newer places, never in a circle.
//! Both wrap; they are compared as serial numbers (RFC 1982), so none may be 2^31 behind.
//!
//! Every function is one step: a change of the block, and outputs for [`Sink`]. Each pair of
//! processors is assumed to deliver messages once and in order; different pairs may overtake each
//! other; an advert reaches all other processors at one moment.

pub use crate::block::*;
use crate::mpc::Mpc;
pub use crate::mpc::Token;
use crate::{Processor, ThreadNumber};
use testbed_definitions::mpc::FRAGMENT_BYTES;

#[inline]
fn release(role: Role, thread: ThreadNumber, bytes: u32, sink: &mut impl Sink) {
    sink.put(Output::Release { thread, role, result: Ok(bytes) });
}

/// *FSend*: a thread of processor `me` requests to send `length` bytes.
#[inline(always)]
pub fn send(ccb: &mut Ccb, me: Processor, thread: ThreadNumber, length: u32, sink: &mut impl Sink) {
    let mine = ccb.sender_thread == thread || ccb.sender_thread == ThreadNumber::NOBODY;
    if !mine || ccb.receiver_thread == thread || !matches!(ccb.sender, Sender::Away | Sender::Idle) {
        return sink.put(Output::Reject { thread, misuse: Misuse::ChannelInUse });
    }
    ccb.sender_thread = thread;
    ccb.length = length;
    match ccb.receiver {
        Receiver::Waiting | Receiver::Alternative => {
            let receiver = ccb.receiver_thread;
            if ccb.receiver == Receiver::Alternative {
                sink.put(Output::Chosen { thread: receiver });
            }
            let bytes = copy(ccb, ccb.capacity, sink);
            release(Role::Receiver, receiver, bytes, sink);
            release(Role::Sender, thread, bytes, sink);
        }
        here => {
            ccb.sender = Sender::Waiting;
            sink.put(Output::Block { thread });
            if here == Receiver::Away {
                look_for_receiver(ccb, me, sink);
            }
        }
    }
}

/// Tells the receiver, wherever it is, that the sender waits here.
#[inline(always)]
fn look_for_receiver(ccb: &Ccb, me: Processor, sink: &mut impl Sink) {
    let token = Token { at: me, sender: ccb.sender_thread, length: ccb.length, sequence: ccb.sent };
    match ccb.place {
        Processor::NOWHERE => sink.put(Output::Transmit { to: Processor::NOWHERE, mpc: Mpc::Advert { token } }),
        // On its way here: it will find its sender.
        place if place == me => {}
        place => sink.put(Output::Transmit { to: place, mpc: Mpc::Focus { token, epoch: ccb.epoch } }),
    }
}

/// *FReceive*: a thread of processor `me` requests to receive at most `capacity` bytes.
#[inline(always)]
pub fn receive(ccb: &mut Ccb, me: Processor, thread: ThreadNumber, capacity: u32, sink: &mut impl Sink) {
    if !ccb.may_receive(thread) {
        return sink.put(Output::Reject { thread, misuse: Misuse::ChannelInUse });
    }
    ccb.claim_receiver(me, thread);
    if ccb.sender == Sender::Waiting {
        let sender = ccb.sender_thread;
        let bytes = copy(ccb, capacity, sink);
        release(Role::Sender, sender, bytes, sink);
        return release(Role::Receiver, thread, bytes, sink);
    }
    sink.put(Output::Block { thread });
    ccb.capacity = capacity;
    if ccb.has_token() {
        let token = ccb.token;
        return answer(ccb, token, sink);
    }
    ccb.receiver = Receiver::Waiting;
}

/// A thread's alternative includes this channel: claims it. `Ok(true)` if [`receive`] would not
/// have to wait for a sender.
#[inline]
pub fn poll(ccb: &mut Ccb, me: Processor, thread: ThreadNumber) -> Result<bool, Misuse> {
    if !ccb.may_receive(thread) {
        return Err(Misuse::ChannelInUse);
    }
    ccb.claim_receiver(me, thread);
    Ok(ccb.is_offered())
}

/// After [`poll`] has found no channel of the alternative ready, its thread is blocked on this one
/// among others.
#[inline]
pub fn enable(ccb: &mut Ccb, capacity: u32) {
    debug_assert!(ccb.receiver == Receiver::Idle);
    ccb.receiver = Receiver::Alternative;
    ccb.capacity = capacity;
}

/// The thread's alternative is over for this channel. No effect on a channel that the thread has
/// not enabled.
#[inline]
pub fn disable(ccb: &mut Ccb, thread: ThreadNumber) {
    if ccb.receiver == Receiver::Alternative && ccb.receiver_thread == thread {
        ccb.receiver = Receiver::Idle;
    }
}

/// Both partners are on this processor: the second one copies. Afterwards the one that waited goes
/// first. Returns the bytes.
#[inline(always)]
fn copy(ccb: &mut Ccb, capacity: u32, sink: &mut impl Sink) -> u32 {
    let bytes = ccb.length.min(capacity);
    ccb.sender = Sender::Idle;
    ccb.receiver = Receiver::Idle;
    ccb.sent = ccb.sent.wrapping_add(1);
    ccb.received = ccb.received.wrapping_add(1);
    sink.put(Output::Copy { sender: ccb.sender_thread, receiver: ccb.receiver_thread, bytes });
    bytes
}

/// A token and a receiver that waits with `ccb.capacity` have met: ask for the bytes.
#[inline(always)]
fn answer(ccb: &mut Ccb, token: Token, sink: &mut impl Sink) {
    let length = token.length.min(ccb.capacity);
    ccb.sender_thread = token.sender;
    ccb.receiver = Receiver::Collecting;
    (ccb.from, ccb.capacity, ccb.collected) = (token.at, length, 0);
    ccb.token = Token::NONE;
    let (thread, sequence, epoch) = (ccb.receiver_thread, ccb.received, ccb.epoch);
    sink.put(Output::Transmit { to: token.at, mpc: Mpc::Rtr { thread, length, sequence, epoch } });
}

/// A component has arrived at processor `me`: *FFocus*, *FRtr* or *FMsg*.
#[inline]
pub fn arrive(ccb: &mut Ccb, me: Processor, from: Processor, mpc: Mpc, sink: &mut impl Sink) {
    match mpc {
        Mpc::Focus { token, epoch } => focus(ccb, me, token, Some(epoch), sink),
        Mpc::Advert { token } => focus(ccb, me, token, None, sink),
        Mpc::Rtr { .. } => rtr(ccb, from, mpc, sink),
        Mpc::Msg { total, offset, bytes } => msg(ccb, from, (total, offset, bytes), sink),
        Mpc::Refuse { thread, sequence, owner } => refused(ccb, thread, sequence, owner, sink),
    }
}

/// *FFocus*: a sender elsewhere waits. `epoch` is what the token's sender knew of the receiver;
/// `None` is an advert.
#[inline]
pub fn focus(ccb: &mut Ccb, me: Processor, token: Token, epoch: Option<u32>, sink: &mut impl Sink) {
    if ccb.sender_thread != ThreadNumber::NOBODY && ccb.sender_thread != token.sender {
        let unproven =
            ccb.sender == Sender::Waiting && ccb.sent == 0 || ccb.receiver == Receiver::Collecting && ccb.received == 0;
        if !unproven || token.sequence == 0 {
            return refuse(token, sink);
        }
        // Who has communicated is right, not who only wants to.
        ccb.evict(Role::Sender, sink);
        ccb.sender_thread = token.sender;
    }
    // A sender that is here now, or was when it sent this: its receiver has found it here, or will.
    if token.at == me || ccb.sender != Sender::Away {
        return sink.put(Output::Ignored(Misuse::Late));
    }
    let expected = token.sequence == ccb.received;
    match ccb.receiver {
        // It follows the receiver; or it stays because the receiver is on its way here, or nothing
        // is known.
        Receiver::Away => {
            let gone = ccb.place != Processor::NOWHERE && ccb.place != me;
            if gone && epoch.is_some_and(|epoch| is_after(ccb.epoch, epoch)) {
                let mpc = Mpc::Focus { token, epoch: ccb.epoch };
                return sink.put(Output::Transmit { to: ccb.place, mpc });
            }
        }
        _ if is_after(ccb.received, token.sequence) => return sink.put(Output::Ignored(Misuse::Late)),
        // The same token again, along another way.
        Receiver::Collecting if expected => return sink.put(Output::Ignored(Misuse::Late)),
        // The sender has moved and is faster than the end of its last message.
        Receiver::Collecting => {}
        // Not the sender's partner, who is on its way here.
        _ if !expected => {
            ccb.evict(Role::Receiver, sink);
            (ccb.receiver_thread, ccb.place) = (ThreadNumber::NOBODY, Processor::NOWHERE);
        }
        Receiver::Idle => {}
        waits => {
            if waits == Receiver::Alternative {
                sink.put(Output::Chosen { thread: ccb.receiver_thread });
            }
            return answer(ccb, token, sink);
        }
    }
    keep(ccb, token, sink);
}

/// Keeps a token, unless the one that is here is as new. Of two senders' tokens the older one is
/// refused.
#[inline]
fn keep(ccb: &mut Ccb, token: Token, sink: &mut impl Sink) {
    if ccb.token.exists() {
        let newer = is_after(token.sequence, ccb.token.sequence);
        if ccb.token.sender != token.sender {
            refuse(if newer { ccb.token } else { token }, sink);
        }
        if !newer {
            return sink.put(Output::Ignored(Misuse::Late));
        }
    }
    ccb.token = token;
}

/// The token's sender has no right to the channel.
#[cold]
#[inline(never)]
fn refuse(token: Token, sink: &mut impl Sink) {
    let mpc = Mpc::Refuse { thread: token.sender, sequence: token.sequence, owner: ThreadNumber::NOBODY };
    sink.put(Output::Transmit { to: token.at, mpc });
}

/// *FRtr*: the receiver waits elsewhere and asks for bytes.
#[inline]
pub fn rtr(ccb: &mut Ccb, from: Processor, mpc: Mpc, sink: &mut impl Sink) {
    let Mpc::Rtr { thread, length, sequence, epoch } = mpc else { return };
    let known = ccb.receiver_thread == ThreadNumber::NOBODY || ccb.receiver_thread == thread;
    let waits = ccb.sender == Sender::Waiting && ccb.sent == sequence && length <= ccb.length;
    if !known || !waits || ccb.receiver != Receiver::Away {
        // Who has communicated has the end for as long as the process runs.
        let is_certain = if ccb.receiver == Receiver::Away { ccb.sent != 0 } else { ccb.received != 0 };
        let owner =
            if is_certain && ccb.receiver_thread != thread { ccb.receiver_thread } else { ThreadNumber::NOBODY };
        return sink.put(Output::Transmit { to: from, mpc: Mpc::Refuse { thread, sequence, owner } });
    }
    (ccb.receiver_thread, ccb.place, ccb.epoch) = (thread, from, epoch);
    ccb.sender = Sender::Transmitting;
    (ccb.to, ccb.length, ccb.offset) = (from, length, 0);
    sink.put(Output::WantRoom { thread: ccb.sender_thread });
}

/// Where in its message the fragment begins that [`room`] would let leave, and its bytes. For a
/// sender that transmits.
#[inline]
pub fn next_fragment(ccb: &Ccb) -> (u32, u32) {
    (ccb.offset, (ccb.length - ccb.offset).min(FRAGMENT_BYTES as u32))
}

/// The next fragment leaves; after the last one the sender is ready.
#[inline]
pub fn room(ccb: &mut Ccb, sink: &mut impl Sink) {
    if ccb.sender == Sender::Transmitting {
        let (_, bytes) = next_fragment(ccb);
        room_for(ccb, bytes, sink);
    }
}

/// As [`room`], for the first `bytes` bytes of the fragment, at least one if it has any: the rest
/// is not there yet. Or for several fragments that leave one after the other, or for none.
#[inline]
pub fn room_for(ccb: &mut Ccb, bytes: u32, sink: &mut impl Sink) {
    if ccb.sender != Sender::Transmitting {
        return;
    }
    let Ccb { to, sender_thread: thread, length: total, offset, .. } = *ccb;
    sink.put(Output::Fragment { to, thread, total, offset, bytes });
    ccb.offset = offset + bytes;
    if ccb.offset == total {
        ccb.sender = Sender::Idle;
        ccb.sent = ccb.sent.wrapping_add(1);
        release(Role::Sender, thread, total, sink);
    }
}

/// *FMsg*: a fragment of the message asked for.
#[inline]
pub fn msg(ccb: &mut Ccb, from: Processor, (total, offset, bytes): (u32, u32, u32), sink: &mut impl Sink) {
    let right = ccb.receiver == Receiver::Collecting
        && (ccb.from, ccb.capacity, ccb.collected) == (from, total, offset)
        && bytes <= total - offset;
    if !right {
        return sink.put(Output::Ignored(Misuse::Unexpected));
    }
    let thread = ccb.receiver_thread;
    sink.put(Output::Deliver { thread, offset, bytes });
    ccb.collected = offset + bytes;
    if ccb.collected == total {
        ccb.receiver = Receiver::Idle;
        ccb.received = ccb.received.wrapping_add(1);
        release(Role::Receiver, thread, total, sink);
    }
}

/// Another processor refuses this one's request: the channel's end is not its thread's. The
/// receiving end is `owner`'s, unless that is nobody: no token may come any more that a later
/// request here could be refused by.
#[inline]
pub fn refused(ccb: &mut Ccb, thread: ThreadNumber, sequence: u32, owner: ThreadNumber, sink: &mut impl Sink) {
    if ccb.sender == Sender::Waiting && (ccb.sender_thread, ccb.sent) == (thread, sequence) {
        ccb.evict(Role::Sender, sink);
        ccb.sender_thread = ThreadNumber::NOBODY;
        return;
    }
    let collecting = ccb.receiver == Receiver::Collecting && ccb.collected == 0;
    if collecting && (ccb.receiver_thread, ccb.received) == (thread, sequence) {
        ccb.evict(Role::Receiver, sink);
        // Moves are still counted, for there are beliefs about its place; a token that came
        // meanwhile is for the right receiver.
        *ccb = Ccb { epoch: ccb.epoch, token: ccb.token, receiver_thread: owner, ..Ccb::default() };
        return;
    }
    sink.put(Output::Ignored(Misuse::Late));
}
