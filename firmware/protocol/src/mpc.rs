//! Message protocol components as values, and their words in a packet.

use testbed_definitions::mpc as layout;

/// What a processor tells another one about a channel. Lengths are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mpc {
    /// The sender waits with this many bytes; the receiver is known to be at the destination.
    Focus { length: u32 },
    /// As `Focus`, to every processor: the sender does not know where the receiver is.
    Advert { length: u32 },
    /// The receiver waits and takes this many bytes (never more than were offered).
    Rtr { length: u32 },
    /// `bytes` bytes of a message of `total`, starting at `offset`.
    Msg { total: u32, offset: u32, bytes: u32 },
    /// The request at the destination is a misuse of the channel.
    Refuse,
}

impl Mpc {
    /// Packet type.
    pub const fn kind(self) -> u8 {
        match self {
            Mpc::Focus { .. } => layout::FOCUS,
            Mpc::Advert { .. } => layout::ADVERT,
            Mpc::Rtr { .. } => layout::RTR,
            Mpc::Msg { .. } => layout::MSG,
            Mpc::Refuse => layout::REFUSE,
        }
    }

    /// Words `LENGTH` and `OFFSET` of the payload; the second one is present in `Msg` only.
    pub const fn words(self) -> (u32, u32) {
        match self {
            Mpc::Focus { length } | Mpc::Advert { length } | Mpc::Rtr { length } => (length, 0),
            Mpc::Msg { total, offset, .. } => (total, offset),
            Mpc::Refuse => (0, 0),
        }
    }

    /// The component of packet type `kind` with these words and `payload` bytes of payload in all.
    /// `None` if the type is not an MPC's or the payload has a wrong length.
    pub const fn decode(kind: u8, payload: usize, length: u32, offset: u32) -> Option<Mpc> {
        if kind == layout::MSG {
            if payload < layout::MSG_HEADER_BYTES {
                return None;
            }
            let bytes = (payload - layout::MSG_HEADER_BYTES) as u32;
            return Some(Mpc::Msg { total: length, offset, bytes });
        }
        if payload != layout::TOKEN_BYTES {
            return None;
        }
        match kind {
            layout::FOCUS => Some(Mpc::Focus { length }),
            layout::ADVERT => Some(Mpc::Advert { length }),
            layout::RTR => Some(Mpc::Rtr { length }),
            layout::REFUSE => Some(Mpc::Refuse),
            _ => None,
        }
    }
}
