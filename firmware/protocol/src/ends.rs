//! Ends of channels that move with their threads (report, section 2.2.2: a shared CCB is split, two
//! CCBs become one).

use crate::channel::{is_after, Ccb, Receiver, Role, Sender, Sink, Token};
use crate::{Channel, Processor, ThreadNumber};
use testbed_definitions::mpc::end as layout;

/// One end of a channel, on its way to another processor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    Sender {
        /// Communications until now.
        sent: u32,
        /// Where the receiver is believed to be, since which of its moves, and who it is.
        place: Processor,
        epoch: u32,
        receiver: ThreadNumber,
    },
    Receiver {
        received: u32,
        /// Moves, this one included.
        epoch: u32,
        /// For its next communication, if its sender is known to wait.
        token: Token,
        sender: ThreadNumber,
    },
}

impl End {
    /// The end's words in a packet (`definitions::mpc::end`), and how many they are.
    #[inline(always)]
    pub fn pack(self, channel: Channel) -> ([u32; layout::WORDS_MAX], usize) {
        let first = |role: u32, place: Processor, partner: ThreadNumber| {
            channel.number() as u32 | role | (place.number() as u32) << 8 | (partner.bits() as u32) << 16
        };
        match self {
            End::Sender { sent, place, epoch, receiver } => {
                ([first(0, place, receiver), sent, epoch, 0, 0, 0], layout::WORDS)
            }
            End::Receiver { received, epoch, token, sender } => {
                let words = [
                    first(layout::RECEIVER, token.at, sender),
                    received,
                    epoch,
                    token.length,
                    token.sequence,
                    token.sender.bits() as u32,
                ];
                (words, if token.exists() { layout::WORDS_MAX } else { layout::WORDS })
            }
        }
    }

    /// The end whose words `word` gives, its channel, and how many words it has. `None` if `left`
    /// words, all that there are, are too few.
    #[inline(always)]
    pub fn unpack(left: usize, word: impl Fn(usize) -> u32) -> Option<(Channel, End, usize)> {
        if left < layout::WORDS {
            return None;
        }
        let (first, count, epoch) = (word(layout::FIRST), word(layout::COUNT), word(layout::EPOCH));
        let channel = Channel::new(first as u8 & !(layout::RECEIVER as u8));
        let (place, partner) = (Processor::new((first >> 8) as u8), ThreadNumber::from_bits((first >> 16) as u16));
        if first & layout::RECEIVER == 0 {
            return Some((channel, End::Sender { sent: count, place, epoch, receiver: partner }, layout::WORDS));
        }
        let (token, words) = if place == Processor::NOWHERE {
            (Token::NONE, layout::WORDS)
        } else if left < layout::WORDS_MAX {
            return None;
        } else {
            let (length, sequence) = (word(layout::LENGTH), word(layout::SEQUENCE));
            let sender = ThreadNumber::from_bits(word(layout::SENDER) as u16);
            (Token { at: place, sender, length, sequence }, layout::WORDS_MAX)
        };
        Some((channel, End::Receiver { received: count, epoch, token, sender: partner }, words))
    }
}

/// Takes the end of `thread` out of the block, because the thread leaves `me` for `to`. `None` if
/// it has no end here, or one that is in use: the thread is blocked then and must not move.
#[inline(always)]
pub fn leave(ccb: &mut Ccb, me: Processor, to: Processor, thread: ThreadNumber) -> Option<End> {
    if ccb.sender == Sender::Idle && ccb.sender_thread == thread {
        let place = if ccb.receiver == Receiver::Away { ccb.place } else { me };
        ccb.sender = Sender::Away;
        return Some(End::Sender { sent: ccb.sent, place, epoch: ccb.epoch, receiver: ccb.receiver_thread });
    }
    if ccb.receiver == Receiver::Idle && ccb.receiver_thread == thread {
        let token = match ccb.sender {
            Sender::Waiting => Token { at: me, sender: ccb.sender_thread, length: ccb.length, sequence: ccb.sent },
            _ if ccb.has_token() => ccb.token,
            _ => Token::NONE,
        };
        ccb.token = Token::NONE;
        ccb.receiver = Receiver::Away;
        ccb.place = to;
        ccb.epoch = ccb.epoch.wrapping_add(1);
        return Some(End::Receiver { received: ccb.received, epoch: ccb.epoch, token, sender: ccb.sender_thread });
    }
    None
}

/// Puts the end of `thread`, which has come to `me`, into the block. If another thread has used the
/// end here, or an end that is not the partner's, the one that has communicated is right: the
/// others' requests end with an error.
#[inline(always)]
pub fn join(ccb: &mut Ccb, me: Processor, thread: ThreadNumber, end: End, sink: &mut impl Sink) {
    match end {
        End::Sender { sent, place, epoch, receiver } => {
            if ccb.sender_thread != ThreadNumber::NOBODY && ccb.sender_thread != thread {
                if sent == 0 {
                    return;
                }
                ccb.evict(Role::Sender, sink);
            }
            (ccb.sender, ccb.sender_thread, ccb.sent) = (Sender::Idle, thread, sent);
            // It was of a communication that is over, for the sender is not waiting.
            ccb.token = Token::NONE;
            if sent != 0 && ccb.receiver_thread != receiver && receiver != ThreadNumber::NOBODY {
                ccb.evict(Role::Receiver, sink);
                ccb.place = Processor::NOWHERE;
            }
            let newer = ccb.place == Processor::NOWHERE || is_after(epoch, ccb.epoch);
            if ccb.receiver == Receiver::Away && place != Processor::NOWHERE && newer {
                (ccb.place, ccb.epoch) = (place, epoch);
            }
            if ccb.receiver == Receiver::Away && receiver != ThreadNumber::NOBODY {
                ccb.receiver_thread = receiver;
            }
        }
        End::Receiver { received, epoch, token, sender } => {
            if ccb.receiver_thread != ThreadNumber::NOBODY && ccb.receiver_thread != thread {
                // Of two that have not, who knows of a sender.
                let rival = ccb.receiver != Receiver::Away && ccb.received == 0;
                if received == 0 && !(rival && token.exists()) {
                    return;
                }
                ccb.evict(Role::Receiver, sink);
            }
            (ccb.receiver, ccb.receiver_thread, ccb.place) = (Receiver::Idle, thread, me);
            (ccb.received, ccb.epoch) = (received, epoch);
            if sender != ThreadNumber::NOBODY
                && ccb.sender_thread != sender
                && (received != 0 || ccb.sender_thread == ThreadNumber::NOBODY)
            {
                ccb.evict(Role::Sender, sink);
                ccb.sender_thread = sender;
            }
            // What the end brings, or what has waited for it here.
            if !ccb.has_token() {
                ccb.token = if token.at == me { Token::NONE } else { token };
            }
        }
    }
}
