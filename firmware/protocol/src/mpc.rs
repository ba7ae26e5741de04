//! Message protocol components as values, and their words in a packet.

use crate::{Processor, ThreadNumber};
use testbed_definitions::mpc as layout;

/// A sender elsewhere waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    /// Where it waits; [`Processor::NOWHERE`]: there is no token.
    pub at: Processor,
    pub sender: ThreadNumber,
    /// Bytes offered.
    pub length: u32,
    pub sequence: u32,
}

impl Token {
    pub const NONE: Token = Token { at: Processor::NOWHERE, sender: ThreadNumber::NOBODY, length: 0, sequence: 0 };
    pub fn exists(&self) -> bool {
        self.at != Processor::NOWHERE
    }
}

/// What a processor tells another one about a channel. Lengths are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mpc {
    /// The sender waits; the receiver is believed to be at the destination, since its move number
    /// `epoch`.
    Focus { token: Token, epoch: u32 },
    /// The sender waits, and does not know where the receiver is: to every processor.
    Advert { token: Token },
    /// The receiver waits and takes this many bytes (never more than were offered); it has moved
    /// `epoch` times.
    Rtr { thread: ThreadNumber, length: u32, sequence: u32, epoch: u32 },
    /// `bytes` bytes of a message of `total`, starting at `offset`.
    Msg { total: u32, offset: u32, bytes: u32 },
    /// The request of this thread at the destination is a misuse of the channel. `owner`: whose the
    /// receiving end is for certain, so that the destination can refuse the next request itself;
    /// nobody if that is not known.
    Refuse { thread: ThreadNumber, sequence: u32, owner: ThreadNumber },
}

impl Mpc {
    /// Packet type.
    pub const fn kind(self) -> u8 {
        match self {
            Mpc::Focus { .. } => layout::FOCUS,
            Mpc::Advert { .. } => layout::ADVERT,
            Mpc::Rtr { .. } => layout::RTR,
            Mpc::Msg { .. } => layout::MSG,
            Mpc::Refuse { .. } => layout::REFUSE,
        }
    }

    /// The payload's words from 1 on: all but the address. A `Msg` has the first two.
    pub const fn words(self) -> [u32; layout::token::WORDS - 1] {
        const fn place(token: Token) -> u32 {
            token.sender.bits() as u32 | (token.at.number() as u32) << 16
        }
        match self {
            Mpc::Focus { token, epoch } => [token.length, token.sequence, epoch, place(token)],
            Mpc::Advert { token } => [token.length, token.sequence, 0, place(token)],
            Mpc::Rtr { thread, length, sequence, epoch } => [length, sequence, epoch, thread.bits() as u32],
            Mpc::Msg { total, offset, .. } => [total, offset, 0, 0],
            Mpc::Refuse { thread, sequence, owner } => [0, sequence, owner.bits() as u32, thread.bits() as u32],
        }
    }

    /// The component of packet type `kind` with `payload` bytes of payload in all; `word` gives a
    /// word of it. `None` if the type is not an MPC's or the payload has a wrong length.
    #[inline]
    pub fn decode(kind: u8, payload: usize, word: impl Fn(usize) -> u32) -> Option<Mpc> {
        use layout::{msg, token};
        if kind == layout::MSG {
            let bytes = payload.checked_sub(layout::MSG_HEADER_BYTES)? as u32;
            return Some(Mpc::Msg { total: word(msg::TOTAL), offset: word(msg::OFFSET), bytes });
        }
        if payload != layout::TOKEN_BYTES {
            return None;
        }
        let (length, sequence) = (word(token::LENGTH), word(token::SEQUENCE));
        let (who, epoch) = (word(token::THREAD), word(token::EPOCH));
        let (thread, at) = (ThreadNumber::from_bits(who as u16), Processor::new((who >> 16) as u8));
        let offered = Token { at, sender: thread, length, sequence };
        match kind {
            layout::FOCUS => Some(Mpc::Focus { token: offered, epoch }),
            layout::ADVERT => Some(Mpc::Advert { token: offered }),
            layout::RTR => Some(Mpc::Rtr { thread, length, sequence, epoch }),
            layout::REFUSE => Some(Mpc::Refuse { thread, sequence, owner: ThreadNumber::from_bits(epoch as u16) }),
            _ => None,
        }
    }
}
