//! Datagrams: a header, a body, filling, and an authentication code over all of it.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | `TBP` and the version, 1 |
//! | 4 | 1 | kind |
//! | 5 | 1 | packets of the train, in [`Kind::TrainBack`] only; else 0 |
//! | 6 | 2 | bytes of the datagram |
//! | 8 | 8 | session; up to [`Kind::Opened`] the number that the client has chosen |
//! | 16 | 4 | number: of the probe, the train, or the question |
//! | 20 | 4 | place: in the train, or in the order in which the server saw the probes |
//! | 24 | 8 | nanoseconds on the client's clock when it was sent, which an echo returns |
//! | 32 | | body, then filling |
//! | -16 | 16 | authentication code |
//!
//! Numbers have their most significant byte first. Kinds of the client and of the server differ, so
//! nothing that one end has sent is taken when it comes back to it.

use crate::key::{Key, MAC_BYTES};

/// Bytes that each datagram begins with.
const MAGIC: [u8; 4] = *b"TBP\x01";
/// Bytes ahead of the body.
pub const HEADER_BYTES: usize = 32;
/// The smallest datagram: room for a cookie.
pub const BYTES_MIN: usize = 64;
/// The largest datagram that UDP over IPv4 carries.
pub const BYTES_MAX: usize = 65_507;

/// What a datagram is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A client asks for a cookie.
    Hello = 1,
    /// The server's cookie, which proves that the client's address is the client's.
    Challenge = 2,
    /// A client returns the cookie and says what it is going to send.
    Open = 3,
    /// The session's number.
    Opened = 4,
    /// One of many packets, paced.
    Probe = 5,
    /// A probe that comes back.
    Echo = 6,
    /// One of several packets without pause between them.
    Train = 7,
    /// The same in the other direction.
    TrainBack = 8,
    /// A client asks what has arrived.
    Ask = 9,
    /// What has arrived.
    Report = 10,
    /// A client is done.
    Close = 11,
    /// The server has no room for a session.
    Busy = 12,
}

impl Kind {
    pub const ALL: [Kind; 12] = [
        Kind::Hello,
        Kind::Challenge,
        Kind::Open,
        Kind::Opened,
        Kind::Probe,
        Kind::Echo,
        Kind::Train,
        Kind::TrainBack,
        Kind::Ask,
        Kind::Report,
        Kind::Close,
        Kind::Busy,
    ];

    fn of(byte: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// What all datagrams have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub kind: Kind,
    /// Packets of the train that comes back.
    pub train: u8,
    pub session: u64,
    pub number: u32,
    pub place: u32,
    /// Nanoseconds on the client's clock.
    pub stamp: u64,
}

impl Header {
    /// A header with nothing but a kind and a session.
    pub fn new(kind: Kind, session: u64) -> Header {
        Header { kind, train: 0, session, number: 0, place: 0, stamp: 0 }
    }
}

/// A datagram that was read: its body is followed by filling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    pub header: Header,
    pub body: &'a [u8],
}

/// Why a datagram is none of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Too short or too long, without the magic bytes, of unknown kind, or not of the length that it says.
    Foreign,
    /// Its authentication code is wrong: another token, or damage.
    Mac,
}

/// Reads a datagram whose authentication code this key has made.
///
/// # Errors
/// It is none of ours, or was not made with this key.
pub fn parse<'a>(key: &Key, datagram: &'a [u8]) -> Result<Packet<'a>, Refusal> {
    let (header, body, mac) = split(datagram).ok_or(Refusal::Foreign)?;
    match key.verifies(&[&datagram[..datagram.len() - MAC_BYTES]], mac) {
        true => Ok(Packet { header, body }),
        false => Err(Refusal::Mac),
    }
}

/// The parts of a datagram, without a look at its authentication code.
fn split(datagram: &[u8]) -> Option<(Header, &[u8], &[u8; MAC_BYTES])> {
    if !(BYTES_MIN..=BYTES_MAX).contains(&datagram.len()) {
        return None;
    }
    let (head, rest) = datagram.split_first_chunk::<HEADER_BYTES>()?;
    let (body, mac) = rest.split_last_chunk::<MAC_BYTES>()?;
    let is_ours = head.starts_with(&MAGIC) && usize::from(u16::from_be_bytes([head[6], head[7]])) == datagram.len();
    let header = Header {
        kind: Kind::of(head[4]).filter(|_| is_ours)?,
        train: head[5],
        session: u64::from_be_bytes(head[8..16].try_into().ok()?),
        number: u32::from_be_bytes(head[16..20].try_into().ok()?),
        place: u32::from_be_bytes(head[20..24].try_into().ok()?),
        stamp: u64::from_be_bytes(head[24..32].try_into().ok()?),
    };
    Some((header, body, mac))
}

/// Writes a datagram of `length` bytes in the place of what `buffer` held. The length is put into
/// what a datagram can have, and is at least what header, body and authentication code take.
pub fn write(buffer: &mut Vec<u8>, key: &Key, header: Header, body: &[u8], length: usize) {
    let least = (HEADER_BYTES + body.len() + MAC_BYTES).max(BYTES_MIN);
    let length = length.clamp(least, BYTES_MAX);
    buffer.clear();
    buffer.extend_from_slice(&MAGIC);
    buffer.extend_from_slice(&[header.kind as u8, header.train]);
    buffer.extend_from_slice(&(length as u16).to_be_bytes());
    buffer.extend_from_slice(&header.session.to_be_bytes());
    buffer.extend_from_slice(&header.number.to_be_bytes());
    buffer.extend_from_slice(&header.place.to_be_bytes());
    buffer.extend_from_slice(&header.stamp.to_be_bytes());
    buffer.extend_from_slice(body);
    fill(buffer, header.session ^ u64::from(header.number) << 32 ^ u64::from(header.place), length - MAC_BYTES);
    let mac = key.mac(&[buffer]);
    buffer.extend_from_slice(&mac);
}

/// Fills a buffer up to a length with bytes that no link can compress (SplitMix64).
fn fill(buffer: &mut Vec<u8>, seed: u64, length: usize) {
    let mut state = seed;
    while buffer.len() < length {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bytes = (word ^ word >> 31).to_be_bytes();
        buffer.extend_from_slice(&bytes[..bytes.len().min(length - buffer.len())]);
    }
}
