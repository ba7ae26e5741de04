//! What [`syscall::EXCHANGE`](crate::syscall::EXCHANGE) is told and tells.

use crate::ids::ProcessId;

/// The second argument: what the caller says of itself in bits 7:0, [`ENLARGED`], and how many
/// segments there are in 31:16.
pub const fn said(signs: u8, segments: usize) -> u32 {
    signs as u32 | (segments as u32) << 16
}
/// The caller has arrived before, and has more room now.
pub const ENLARGED: u32 = 1 << 8;
/// The first argument: which group, as in word 0 of a [`crate::mpc::SUPERSTEP`], and the caller's
/// rank in bits 31:24.
pub const fn member(process: ProcessId, which: u8, rank: u8) -> u32 {
    crate::mpc::superstep::group(process, which) | (rank as u32) << 24
}

/// Words of a segment: for which rank it is, where it is, its bytes, and where it belongs there.
/// What a rank gets is its segments in their order, with nobody else's between them.
pub const TO: usize = 0;
pub const AT: usize = 1;
pub const BYTES: usize = 2;
/// 0: only the place in the room. Otherwise [`in_area`] or [`at_address`]: the bytes may be put
/// there instead, while their place in the room stays as it is. If they were, the word ahead of
/// that, which belongs to the segment before, is [`DEPOSITED`] when the call is over.
pub const DESTINATION: usize = 3;
pub const SEGMENT_WORDS: usize = 4;

/// Words ahead of the room: where a list of areas is, each an address and bytes, and how many
/// there are.
pub const AREAS: usize = 0;
pub const AREA_COUNT: usize = 1;
pub const AHEAD_WORDS: usize = 2;

/// Areas that a segment can name.
pub const AREAS_MAX: usize = 256;
const IN_AREA: u32 = 1 << 31;
const AT_ADDRESS: u32 = 1 << 30;
const SHIFT: u32 = crate::page::VIRTUAL_BYTES.trailing_zeros();

/// From a place in one of the destination's areas on, which it has told with its room.
pub const fn in_area(area: usize, offset: u32) -> Option<u32> {
    if area < AREAS_MAX && offset >> SHIFT == 0 {
        Some(IN_AREA | (area as u32) << SHIFT | offset)
    } else {
        None
    }
}
/// From an address of the destination's on.
pub const fn at_address(address: u32) -> Option<u32> {
    if address >> SHIFT == 0 {
        Some(AT_ADDRESS | address)
    } else {
        None
    }
}

/// Where a segment belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    Room,
    Area { area: usize, offset: u32 },
    Address(u32),
}
pub const fn destination(word: u32) -> Destination {
    let low = word & ((1 << SHIFT) - 1);
    if word & IN_AREA != 0 {
        Destination::Area { area: (word >> SHIFT) as usize % AREAS_MAX, offset: low }
    } else if word & AT_ADDRESS != 0 {
        Destination::Address(low)
    } else {
        Destination::Room
    }
}
pub const DEPOSITED: u32 = 1;

/// The first result: what at least one member has said of itself in bits 7:0, and what all have in
/// 15:8.
pub const fn signs(result: u32) -> (u8, u8) {
    (result as u8, (result >> 8) as u8)
}
