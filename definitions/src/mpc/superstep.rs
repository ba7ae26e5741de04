//! Operations and words of a [`SUPERSTEP`](super::SUPERSTEP). Word 0 has the process that the group belongs to, and in
//! bits 7:0 which of its groups it is.

use crate::ids::ProcessId;

/// Word 0 without its operation: which of a process's groups.
pub const fn group(process: ProcessId, which: u8) -> u32 {
    super::process_address(process) | which as u32
}

/// To all: there is a group. Words: address, how many members, the id of each one's process.
pub const FORM: u8 = 1;
/// To all: a member has arrived. Words: address, [`RANK`], bytes for which it has room; then bytes
/// for each member, if it has any for anybody.
pub const ARRIVE: u8 = 2;
/// To all: a member that has arrived has more room. Words: address, [`RANK`], bytes.
pub const ENLARGE: u8 = 3;
/// To where a member is: bytes for it. Words: address, [`RANKS`], their place in all that the
/// source has for it; then the bytes.
pub const DATA: u8 = 4;
/// To all: there is no memory for the group somewhere.
pub const BREAK: u8 = 5;
/// To where a member is: the next packets of this type from the same processor are bytes for it
/// and nothing else, so many in all. Words: address, [`RANKS`], their place, bytes,
/// [`DESTINATION`], [`PART`].
pub const STREAM: u8 = 6;
/// A datagram to where a member is, on a network that loses packets: bytes for it. Words: address,
/// [`RANKS`], their place in all that the source has for it, [`LABEL`]; then the bytes.
pub const PART_OF_ROUND: u8 = 7;
/// A datagram to where the source of such bytes is: they have come. Words: address, [`RANKS`],
/// [`ACKNOWLEDGED`].
pub const ACKNOWLEDGMENT: u8 = 8;

pub const ADDRESS: usize = 0;
/// Of [`FORM`].
pub const MEMBERS: usize = 1;
pub const PROCESSES: usize = 2;
/// The member's rank in bits 7:0, what it says of itself in 15:8, its process's id in 31:16.
pub const RANK: usize = 1;
pub const ROOM: usize = 2;
pub const COUNTS: usize = 3;
/// Rank of the destination in bits 7:0, of the source in 15:8.
pub const RANKS: usize = 1;
pub const OFFSET: usize = 2;
/// Of [`STREAM`]: bytes.
pub const STREAM_BYTES: usize = 3;
/// Where the member wants them, as its source says it
/// ([`segment`](crate::exchange::DESTINATION)).
pub const DESTINATION: usize = 4;
/// Which part of a segment they are: the bytes of the segment before them, or, with [`FIRST`],
/// its bytes in all.
pub const PART: usize = 5;
pub const FIRST: u32 = 1 << 31;
pub const STREAM_WORDS: usize = 6;
/// Of [`PART_OF_ROUND`]: the label that `testbed_protocol::lossy` makes.
pub const LABEL: usize = 3;
/// Of [`ACKNOWLEDGMENT`]: the label of what has come.
pub const ACKNOWLEDGED: usize = 2;
pub const ACKNOWLEDGMENT_BYTES: usize = 12;
/// A word is left out but in rounds, so that data begin at a multiple of eight bytes.
pub const DATA_WORD: usize = 4;
pub const ENLARGE_BYTES: usize = 12;
pub const BREAK_BYTES: usize = 4;
/// Bytes of data that a packet has at most.
pub const PIECE_BYTES: usize = crate::packet::PAYLOAD_BYTES_MAX - 4 * DATA_WORD;
/// The type of what may be lost.
pub const DATAGRAM: u8 = super::SUPERSTEP | crate::packet::DATAGRAM;

/// Time that a round takes, in cycles, as kernels reckon it: of a processor for each packet that its
/// members send or get, of the bus for each packet of all members, until an acknowledgment is
/// back, and to open the exchange, for each pair of members. Each copy counts. A round is given
/// twice as much.
pub const ROUND_OWN_CYCLES: u32 = 2_000;
pub const ROUND_BUS_CYCLES: u32 = 600;
pub const ROUND_DELAY_CYCLES: u32 = 3_000;
pub const ROUND_PAIR_CYCLES: u32 = 100;
/// Copies of a packet at most.
pub const COPIES_MAX: u32 = 8;
