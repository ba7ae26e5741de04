//! What members of a group send each other at the end of a superstep. What is short is copied into
//! packets and, there, into the destination's room. What is long leaves as it lies in the process's
//! memory, announced by a packet of its own, and is put where it belongs if its source has said
//! where, and the pages are here.

use core::mem::size_of_val;

use testbed_definitions::exchange::{self as record, Destination};
use testbed_definitions::mpc::{self, superstep as layout};
use testbed_definitions::packet::PAYLOAD_BYTES_MAX;
use testbed_definitions::syscall::Error;
use testbed_kernel_core::page_map::{allows, run, READ, WRITE};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::superstep::{Rank, Refusal};
use testbed_protocol::Processor;

use crate::arch::memory;
use crate::drivers::packet::Packet;
use crate::services::extended::runs::{gather, scatter};
use crate::state::effects::LEAVING;
use crate::state::extended::groups::{GroupRecord, Local, Stream};
use crate::state::kernel::Kernel;
use crate::state::process::Process;
use crate::state::thread::Tcb;
use crate::state::user::{read_user, write_user};

/// Bytes that are copied at once from a process to another one here, or into a packet.
pub const PIECE_BYTES: u32 = layout::PIECE_BYTES as u32;
/// Pieces that are copied before others have their turn, so that the kernel isn't long away.
pub const PIECES_A_TURN: usize = 4;
/// Bytes from which on what leaves is not copied: announcing it costs less.
const LONG_BYTES: u32 = 512;
/// Packets that one announcement is about, at most: fewer than
/// [`has_room`](crate::drivers::centrenet::Centrenet::has_room) leaves.
const PACKETS_ANNOUNCED: usize = 4;

/// Words of a user's memory.
fn read_words<const N: usize>(process: Process, address: u32) -> Result<[u32; N], Error> {
    let mut words = [0u32; N];
    // SAFETY: words are bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr() as *mut u8, size_of_val(&words)) };
    read_user(process, address, bytes)?;
    Ok(words)
}

/// A segment of a member's.
pub fn segment_of(process: Process, segments_at: u32, number: u32) -> Result<[u32; record::SEGMENT_WORDS], Error> {
    read_words(process, segments_at.wrapping_add(4 * number * record::SEGMENT_WORDS as u32))
}

/// Sees to it that the segment that leaves has bytes that have not left; `false` if all have.
///
/// The table was looked at when the member arrived, and an arrival with a bad one is refused. But it
/// stays in the member's memory, where what comes in the same exchange may overwrite it: any word
/// may be here. A segment for a rank that no member has, or a long one in memory that is not there,
/// is passed over as one that has gone: whoever waits for its bytes waits until the group is broken.
pub fn load_segment(process: Process, local: &mut Local) -> bool {
    while local.left == 0 {
        if local.segments == 0 {
            return false;
        }
        // It was here when the member arrived.
        let [to, at, bytes, destination] = segment_of(process, local.segments_at, 0).unwrap_or_default();
        if to != local.to as u32 {
            (local.to, local.offset) = (to.min(u16::MAX as u32) as u16, 0);
        }
        (local.at, local.left, local.segment, local.destination) = (at, bytes, bytes, destination);
        local.segments_at += 4 * record::SEGMENT_WORDS as u32;
        local.segments -= 1;
    }
    true
}

/// So many bytes have left.
pub fn pass(local: &mut Local, bytes: u32) {
    (local.at, local.left, local.offset) = (local.at + bytes, local.left - bytes, local.offset + bytes);
}

/// Whether the segment that leaves is not copied: it is long, and has whole words.
fn leaves_in_place(local: &Local) -> bool {
    local.segment >= LONG_BYTES && (local.at | local.segment) % 4 == 0
}

/// Which part of a segment leaves next, as [`layout::PART`] says it.
fn part(local: &Local) -> u32 {
    match local.segment - local.left {
        0 => local.segment | layout::FIRST,
        before => before,
    }
}

impl Kernel {
    /// `pump_exchange` for a member whose packets can't be lost.
    pub fn pump_pieces(&mut self, mut group: GroupRecord, rank: Rank, tcb: &Tcb) -> bool {
        let process = tcb.process();
        let mut turn = PIECES_A_TURN;
        while load_segment(process, group.local(rank)) {
            let local = group.local(rank);
            let (to, in_place) = (local.to as Rank, leaves_in_place(local));
            match group.group().destination(to) {
                Err(Refusal::Phase) => {
                    // Until it has room.
                    self.leave_queue(tcb);
                    return true;
                }
                Err(_) => group.local(rank).left = 0,
                Ok(at) if at == self.me => {
                    let Some(left) = turn.checked_sub(1) else { return false };
                    turn = left;
                    self.copy_here(group, rank, process);
                }
                Ok(at) if in_place && self.net.has_room() => self.send_in_place(group, rank, at, process),
                Ok(at) if !in_place && self.net.free_buffer().is_some() => self.send_copy(group, rank, at, process),
                Ok(_) => return false,
            }
        }
        self.leave_queue(tcb);
        self.look_if_through(group, rank);
        true
    }

    pub fn leave_queue(&mut self, tcb: &Tcb) {
        self.transmitting.remove(self.tcbs, tcb.index());
        tcb.synchronize();
    }

    /// Fills a packet with what leaves next for one member, which is at a processor.
    fn send_copy(&mut self, mut group: GroupRecord, rank: Rank, at: Processor, process: Process) {
        let Some(packet) = self.net.free_buffer() else { return };
        let address = group.address();
        let local = group.local(rank);
        let (to, offset) = (local.to, local.offset);
        let data = packet + 4 * layout::DATA_WORD as u32;
        let mut filled = 0;
        while filled < PIECE_BYTES && load_segment(process, local) && local.to == to {
            if leaves_in_place(local) {
                break;
            }
            let bytes = local.left.min(PIECE_BYTES - filled);
            // SAFETY: the buffer is the driver's, free, and has room for so much. What is not here
            // any more, since the process has let others use its memory, leaves as it is.
            unsafe { gather(process.map(), local.at, data + filled, bytes) };
            filled += bytes;
            pass(local, bytes);
        }
        let head = [(layout::DATA as u32) << 24 | address, to as u32 | (rank as u32) << 8, offset];
        for (place, word) in head.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { (packet as *mut u32).add(place).write_volatile(word) };
        }
        self.net.queue_buffer(at, mpc::SUPERSTEP, 4 * layout::DATA_WORD as u32 + filled);
    }

    /// Announces what leaves next of a long segment, and lets it leave as it lies there.
    fn send_in_place(&mut self, mut group: GroupRecord, rank: Rank, at: Processor, process: Process) {
        let address = group.address();
        let local = group.local(rank);
        let head = [(layout::STREAM as u32) << 24 | address, local.to as u32 | (rank as u32) << 8, local.offset];
        let tail = [local.destination, part(local)];
        let token = self.net.queue_words(at, mpc::SUPERSTEP, 4 * layout::STREAM_WORDS as u32);
        let mut announced = 0;
        for _ in 0..PACKETS_ANNOUNCED {
            let bytes = local.left.min(PAYLOAD_BYTES_MAX as u32);
            if bytes == 0 {
                break;
            }
            // Pages that were here when the member arrived stay, but the segment may be another one.
            let piece = run(process.map(), local.at, bytes, READ);
            if piece.bytes == 0 {
                local.left = 0;
                break;
            }
            self.net.queue_memory(at, mpc::SUPERSTEP, piece.start, piece.bytes);
            announced += piece.bytes;
            pass(local, piece.bytes);
        }
        local.in_place = true;
        self.effects.note(LEAVING);
        let words = head.into_iter().chain([announced]).chain(tail);
        for (place, word) in words.enumerate() {
            // SAFETY: the place is the driver's, not issued yet, and has room for so many words.
            unsafe { token.add(place).write_volatile(word) };
        }
    }

    /// Copies a piece to a member that is here too.
    pub fn copy_here(&mut self, mut group: GroupRecord, rank: Rank, process: Process) {
        let local = group.local(rank);
        let (to, from, offset, bytes) = (local.to as Rank, local.at, local.offset, local.left.min(PIECE_BYTES));
        let (destination, part) = (local.destination, part(local));
        pass(local, bytes);
        let deposit = self.deposit(group, (to, rank), offset, (destination, part));
        let Ok(place) = group.group().take((to, rank), (offset, bytes)) else { return };
        let there = *group.local(to);
        if there.index == NONE {
            return;
        }
        let map = self.tcb_of(there.index).process().map();
        let target = deposit.unwrap_or(there.room_at.wrapping_add(place));
        // What is not here can't be: the room was here when the member arrived.
        let _ = memory::copy_pieces((process.map(), from), (map, target), bytes);
        if to != rank {
            self.look_if_through(group, to);
        }
    }

    /// Where a part of a segment goes for a member that is here, if not into its room: `offset` is
    /// its place in what the source has for it, [`layout::PART`] says which part it is. With the
    /// first one it is decided for all, and told by the word ahead of the segment's place.
    fn deposit(
        &mut self,
        mut group: GroupRecord,
        (rank, source): (Rank, Rank),
        offset: u32,
        (destination, part): (u32, u32),
    ) -> Option<u32> {
        let wanted = record::destination(destination);
        if wanted == Destination::Room || rank >= group.members() || group.local(rank).index == NONE {
            return None;
        }
        let is_first = part & layout::FIRST != 0;
        let before = if is_first { 0 } else { part };
        let place = group.group().place((rank, source), offset.checked_sub(before)?).ok()?;
        let local = *group.local(rank);
        let process = self.tcb_of(local.index).process();
        let mark = local.room_at.wrapping_add(place.checked_sub(4)?);
        let start = match wanted {
            Destination::Room => return None,
            Destination::Address(address) => (address, u32::MAX),
            Destination::Area { area, offset } => place_in_area(process, local.room_at, area, offset)?,
        };
        if is_first {
            let bytes = part & !layout::FIRST;
            if bytes > start.1 || !allows(process.map(), start.0, bytes, WRITE) {
                return None;
            }
            write_user(process, mark, &[record::DEPOSITED]).ok()?;
        } else if read_words(process, mark) != Ok([record::DEPOSITED]) {
            return None;
        }
        Some(start.0 + before)
    }

    /// The next packets from a processor are bytes for a member.
    pub fn serve_stream(&mut self, group: GroupRecord, packet: &Packet) {
        let [_, ranks, offset, bytes, destination, part] = packet.words::<{ layout::STREAM_WORDS }>();
        let (rank, source) = (ranks as u8 as Rank, (ranks >> 8) as u8 as Rank);
        let (address, ranks) = (group.address(), ranks as u16);
        let continued = match part & layout::FIRST {
            0 => self.groups.continued(packet.source(), (address, ranks, offset)),
            _ => None,
        };
        let to = continued.unwrap_or_else(|| self.deposit(group, (rank, source), offset, (destination, part)));
        let stream = Stream { address, ranks, offset, left: bytes, to };
        self.groups.announce(packet.source(), stream);
    }

    /// Bytes that were announced.
    pub fn serve_stream_data(&mut self, packet: &Packet) {
        let bytes = packet.header.length as u32;
        let Stream { address, ranks, offset, to, .. } = self.groups.come(packet.source(), bytes);
        if let Some(group) = self.groups.find(address) {
            self.unpack_piece(group, ranks as u32, (offset, bytes), (packet, 0), to);
        }
    }

    pub fn serve_data(&mut self, group: GroupRecord, packet: &Packet) {
        let (ranks, offset) = (packet.word(layout::RANKS), packet.word(layout::OFFSET));
        let bytes = (packet.header.length as u32).saturating_sub(4 * layout::DATA_WORD as u32);
        self.unpack_piece(group, ranks, (offset, bytes), (packet, layout::DATA_WORD), None);
    }

    /// Puts bytes of a packet, from a word of its on, to this address of the member's, or to their
    /// place in its room.
    pub fn unpack_piece(
        &mut self,
        mut group: GroupRecord,
        ranks: u32,
        (offset, bytes): (u32, u32),
        (packet, word): (&Packet, usize),
        to: Option<u32>,
    ) {
        let (rank, source) = (ranks as u8 as Rank, (ranks >> 8) as u8 as Rank);
        let Ok(place) = group.group().take((rank, source), (offset, bytes)) else { return };
        let local = *group.local(rank);
        if local.index == NONE {
            return;
        }
        let map = self.tcb_of(local.index).process().map();
        let mut to = to.unwrap_or(local.room_at.wrapping_add(place));
        for (from, piece) in packet.pieces(word, bytes) {
            // SAFETY: the piece is in the receive ring. Room and destination were here when the
            // member arrived, and when the destination was chosen.
            unsafe { scatter(from, map, to, piece) };
            to += piece;
        }
        self.look_if_through(group, rank);
    }
}

/// A place in an area that a member has told with its room, and how many bytes there are from there
/// on.
fn place_in_area(process: Process, room_at: u32, area: usize, offset: u32) -> Option<(u32, u32)> {
    let ahead = room_at.wrapping_sub(4 * record::AHEAD_WORDS as u32);
    let words = read_words::<{ record::AHEAD_WORDS }>(process, ahead).ok()?;
    if area as u32 >= words[record::AREA_COUNT] {
        return None;
    }
    let [start, bytes] = read_words(process, words[record::AREAS].wrapping_add(8 * area as u32)).ok()?;
    Some((start.checked_add(offset)?, bytes.checked_sub(offset)?))
}
