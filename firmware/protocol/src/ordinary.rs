//! What most components are: those that the steps of [`crate::channel`] answer in one way, so that
//! who serves them need not be ready for anything else. `tests/ordinary.rs` holds the steps to what
//! is said here.

use crate::block::{Ccb, Receiver, Sender};
use crate::mpc::Token;
use crate::{Processor, ThreadNumber};

/// Whether the receiver waits here, at processor `me`, for just this token:
/// [`focus`](crate::channel::focus) asks its sender for the bytes, and says nothing else.
#[inline(always)]
pub fn is_awaited(ccb: &Ccb, me: Processor, token: Token) -> bool {
    (ccb.sender_thread == token.sender || ccb.sender_thread == ThreadNumber::NOBODY)
        && ccb.sender == Sender::Away
        && ccb.receiver == Receiver::Waiting
        && token.sequence == ccb.received
        && token.at != me
}

/// Whether the sender waits here for this receiver's request for `length` bytes of communication
/// `sequence`: [`rtr`](crate::channel::rtr) wants room for them, and says nothing else.
#[inline(always)]
pub fn is_offered(ccb: &Ccb, receiver: ThreadNumber, sequence: u32, length: u32) -> bool {
    (ccb.receiver_thread == receiver || ccb.receiver_thread == ThreadNumber::NOBODY)
        && ccb.sender == Sender::Waiting
        && ccb.sent == sequence
        && length <= ccb.length
        && ccb.receiver == Receiver::Away
}

/// Whether a fragment from processor `from` is all of the message that the receiver has asked for,
/// `bytes` bytes: [`msg`](crate::channel::msg) delivers it and releases the receiver.
#[inline(always)]
pub fn is_whole(ccb: &Ccb, from: Processor, (total, offset, bytes): (u32, u32, u32)) -> bool {
    (total, offset) == (bytes, 0)
        && ccb.receiver == Receiver::Collecting
        && (ccb.from, ccb.capacity, ccb.collected) == (from, bytes, 0)
}
