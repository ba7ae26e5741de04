//! The ends of supersteps: [`testbed_protocol::superstep`] made real. A process that has arrived
//! waits in a state of its own; while what it has for others leaves, it is in the queue of those
//! whose messages leave. Its pages stay where they are, since nobody but its one thread uses them.

use core::mem::MaybeUninit;
use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::ids::ProcessId;
use testbed_definitions::limits::{GROUP_MEMBERS, SEGMENTS};
use testbed_definitions::mpc::{self, superstep as layout};
use testbed_definitions::syscall::{self, superstep as record, Error};
use testbed_kernel_core::page_map::{READ, WRITE};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::superstep::{Arrival, Begin, Rank, Refusal};
use testbed_protocol::Processor;

use crate::arch::extended::between::copy_between;
use crate::drivers::centrenet::Packet;
use crate::drivers::events;
use crate::services::extended::runs::{gather, scatter};
use crate::state::call::{Access, Outcome};
use crate::state::extended::groups::{GroupRecord, Local};
use crate::state::kernel::{Index, Kernel};
use crate::state::process::Process;
use crate::state::thread::{State, Tcb};
use crate::state::user::read_user;

/// Bytes that are copied at once from a process to another one here.
const PIECE_BYTES: u32 = layout::PIECE_BYTES as u32;
/// Pieces that are copied before others have their turn, so that the kernel isn't long away.
const PIECES_A_TURN: usize = 4;

/// Bytes as words, as events tell them.
fn words_told(bytes: u32) -> u16 {
    event::words_argument(bytes.div_ceil(4))
}

/// Words of a user's memory.
fn read_words<const N: usize>(process: Process, address: u32) -> Result<[u32; N], Error> {
    let mut words = [0u32; N];
    // SAFETY: words are bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr() as *mut u8, 4 * N) };
    read_user(process, address, bytes)?;
    Ok(words)
}

/// Why a member's arrival is not taken, as its call tells.
fn why(refusal: Refusal) -> Error {
    match refusal {
        Refusal::Stranger => Error::NoPermission,
        Refusal::Phase => Error::NotReady,
        Refusal::Broken => Error::Killed,
    }
}

/// What a member says when it arrives.
struct Said {
    rank: Rank,
    signs: u8,
    enlarged: bool,
    room_at: u32,
    room: u32,
    segments_at: u32,
    segments: u32,
}

impl Said {
    fn local(&self, index: Index) -> Local {
        let &Said { segments_at, segments, room_at, .. } = self;
        Local { index, segments_at, segments, room_at, ..Local::NONE }
    }
}

impl Kernel {
    /// `exchange(member, said, room, bytes, segments)`.
    pub fn exchange(
        &mut self,
        index: Index,
        [member, said, room_at, room, segments_at]: [u32; 5],
    ) -> Result<Outcome, Error> {
        let tcb = self.tcb_of(index);
        if !tcb.is_first() || tcb.has_children() {
            return Err(Error::NotReady);
        }
        if self.processors > 1 && self.net.free_buffer().is_none() {
            return Ok(Outcome::Again);
        }
        let (rank, segments) = ((member >> 24) as Rank, said >> 16);
        let mut group = self.groups.find(member & 0x00ff_ffff).ok_or(Error::NoProcess)?;
        let id = tcb.process().id();
        if group.group().members.get(rank).is_none_or(|member| member.process != id) {
            return Err(Error::NoPermission);
        }
        match self.ensure(index, room_at, room, WRITE) {
            Access::Here => {}
            Access::Coming => return Ok(Outcome::Waits),
            Access::Refused(error) => return Err(error),
        }
        let enlarged = said & record::ENLARGED != 0;
        let said = Said { rank, signs: said as u8, enlarged, room_at, room, segments_at, segments };
        if said.enlarged {
            self.enlarge(group, index, &said)
        } else if segments == 0 {
            self.arrive(group, index, &said, &[])
        } else {
            self.arrive_with_segments(group, index, &said)
        }
    }

    /// A member arrives that has something for others: adds up what, and sees to it that the pages
    /// are here.
    #[inline(never)]
    fn arrive_with_segments(&mut self, group: GroupRecord, index: Index, said: &Said) -> Result<Outcome, Error> {
        let process = self.tcb_of(index).process();
        if said.segments > SEGMENTS as u32 {
            return Err(Error::BadLength);
        }
        let table = 4 * said.segments * record::SEGMENT_WORDS as u32;
        match self.ensure(index, said.segments_at, table, READ) {
            Access::Here => {}
            Access::Coming => return Ok(Outcome::Waits),
            Access::Refused(error) => return Err(error),
        }
        let mut bytes = [const { MaybeUninit::<u32>::uninit() }; GROUP_MEMBERS];
        let sums = &mut bytes[..group.members()];
        sums.iter_mut().for_each(|sum| *sum = MaybeUninit::new(0));
        // SAFETY: each was just written.
        let sums = unsafe { &mut *(sums as *mut [MaybeUninit<u32>] as *mut [u32]) };
        for number in 0..said.segments {
            let segment = segment_of(process, said.segments_at, number)?;
            let sum = sums.get_mut(segment[record::TO] as usize).ok_or(Error::BadChannel)?;
            match self.ensure(index, segment[record::AT], segment[record::BYTES], READ) {
                Access::Here => {}
                Access::Coming => return Ok(Outcome::Waits),
                Access::Refused(error) => return Err(error),
            }
            *sum = u32::checked_add(*sum, segment[record::BYTES]).ok_or(Error::BadLength)?;
        }
        self.arrive(group, index, said, sums)
    }

    /// A member arrives: nothing can go wrong any more but that the group is broken. `sums`: bytes
    /// for each member, or nothing if there are none.
    #[inline(always)]
    fn arrive(&mut self, mut group: GroupRecord, index: Index, said: &Said, sums: &[u32]) -> Result<Outcome, Error> {
        let tcb = self.tcb_of(index);
        let (id, rank) = (tcb.process().id(), said.rank);
        let sent = (!sums.is_empty()).then(|| sums.iter().copied());
        let arrival = group.group().arrive((rank, id), self.me, (said.room, said.signs), sent);
        let arrival = arrival.map_err(why)?;
        let address = group.address();
        let owner = mpc::process_channel(address).0;
        events::emit_with(DIAG_PROFILE, event::SYNC, event::member_argument(owner.bits(), rank as u8));
        if events::enabled(DIAG_PROFILE) {
            let all = sums.iter().fold(0, |all: u32, sum| all.saturating_add(*sum));
            events::emit_with(DIAG_PROFILE, event::SENT, words_told(all));
        }
        *group.local(rank) = said.local(index);
        tcb.synchronize();
        if self.processors > 1 {
            let head = [
                (layout::ARRIVE as u32) << 24 | address,
                rank as u32 | (said.signs as u32) << 8 | (id.bits() as u32) << 16,
                said.room,
            ];
            self.tell_arrival(head, sums);
        }
        if arrival == Arrival::Opens {
            self.open_exchange(group);
        }
        Ok(Outcome::Waits)
    }

    fn tell_arrival(&mut self, head: [u32; layout::COUNTS], counts: &[u32]) {
        if counts.is_empty() {
            return self.net.queue_token(Processor::ALL_OTHERS, mpc::SUPERSTEP, head, 4 * layout::COUNTS);
        }
        let length = 4 * (layout::COUNTS + counts.len()) as u32;
        let packet = self.net.queue_buffer(Processor::ALL_OTHERS, mpc::SUPERSTEP, length) as *mut u32;
        for (place, word) in head.iter().chain(counts).enumerate() {
            // SAFETY: the buffer is the driver's, not issued yet, and has room for a packet.
            unsafe { packet.add(place).write_volatile(*word) };
        }
    }

    /// A member that was told to have more room has it.
    #[cold]
    fn enlarge(&mut self, mut group: GroupRecord, index: Index, said: &Said) -> Result<Outcome, Error> {
        let tcb = self.tcb_of(index);
        let (id, rank, room) = (tcb.process().id(), said.rank, said.room);
        if !group.group().enlarge((rank, id), self.me, room).map_err(why)? {
            let bytes = self.bytes_for_closed(group, rank);
            return Ok(Outcome::Both(Error::BadLength.code() as u32, bytes));
        }
        *group.local(rank) = said.local(index);
        tcb.synchronize();
        events::emit_with(DIAG_PROFILE, event::BLOCKED, syscall::EXCHANGE as u16);
        if self.processors > 1 {
            let words =
                [(layout::ENLARGE as u32) << 24 | group.address(), rank as u32 | (id.bits() as u32) << 16, room];
            self.net.queue_token(Processor::ALL_OTHERS, mpc::SUPERSTEP, words, layout::ENLARGE_BYTES);
        }
        self.begin_exchange(group, rank);
        self.resume_senders(group);
        Ok(Outcome::Waits)
    }

    fn bytes_for_closed(&self, mut group: GroupRecord, rank: Rank) -> u32 {
        match group.group().begin(rank) {
            Begin::Closed { bytes } => bytes,
            Begin::Nothing | Begin::Exchange { .. } => 0,
        }
    }

    /// All members have arrived: those that are here begin.
    fn open_exchange(&mut self, mut group: GroupRecord) {
        for rank in 0..group.members() {
            if group.local(rank).index != NONE {
                self.begin_exchange(group, rank);
            }
        }
    }

    fn begin_exchange(&mut self, mut group: GroupRecord, rank: Rank) {
        let begin = group.group().begin(rank);
        let local = group.local(rank);
        let index = local.index;
        let tcb = self.tcb_of(index);
        match begin {
            Begin::Nothing => self.through(group, rank),
            Begin::Closed { bytes } => {
                local.index = NONE;
                tcb.context().answer_also(bytes);
                self.finish(index, Err(Error::BadLength));
            }
            Begin::Exchange { bytes } => {
                local.bytes = bytes;
                if !local.has_sent() {
                    tcb.exchange();
                    self.transmitting.push_back(self.tcbs, index);
                }
                self.look_if_through(group, rank);
            }
        }
    }

    /// A member goes on if it has sent and received all.
    fn look_if_through(&mut self, mut group: GroupRecord, rank: Rank) {
        if group.local(rank).has_sent() && group.group().has_all(rank) {
            self.through(group, rank);
        }
    }

    fn through(&mut self, mut group: GroupRecord, rank: Rank) {
        let agreed = group.group().agreed();
        let Local { index, bytes, .. } = core::mem::replace(group.local(rank), Local::NONE);
        let tcb = self.tcb_of(index);
        tcb.context().answer_also(bytes);
        events::emit_with(DIAG_PROFILE, event::THROUGH, tcb.number().bits());
        events::emit_with(DIAG_PROFILE, event::RECEIVED, words_told(bytes));
        self.finish(index, Ok(agreed.any as u32 | (agreed.all as u32) << 8));
    }

    /// Members here that wait because another one had no room look again. Those that have arrived at
    /// the next superstep meanwhile wait for something else.
    fn resume_senders(&mut self, mut group: GroupRecord) {
        for rank in 0..group.members() {
            let local = group.local(rank);
            let (index, has_sent) = (local.index, local.has_sent());
            let waits = index != NONE && !has_sent && group.group().exchanges(rank);
            if waits && self.tcb_of(index).state() == State::Synchronizing {
                self.tcb_of(index).exchange();
                self.transmitting.push_back(self.tcbs, index);
            }
        }
    }
}

/// A segment of a member's.
fn segment_of(process: Process, segments_at: u32, number: u32) -> Result<[u32; record::SEGMENT_WORDS], Error> {
    read_words(process, segments_at.wrapping_add(4 * number * record::SEGMENT_WORDS as u32))
}

/// Sees to it that the segment that leaves has bytes that have not left; `false` if all have.
fn load_segment(process: Process, local: &mut Local) -> bool {
    while local.left == 0 {
        if local.segments == 0 {
            return false;
        }
        // It was here when the member arrived.
        let [to, at, bytes] = segment_of(process, local.segments_at, 0).unwrap_or_default();
        if to != local.to as u32 {
            (local.to, local.offset) = (to as u16, 0);
        }
        (local.at, local.left) = (at, bytes);
        local.segments_at += 4 * record::SEGMENT_WORDS as u32;
        local.segments -= 1;
    }
    true
}

/// So many bytes have left.
fn pass(local: &mut Local, bytes: u32) {
    (local.at, local.left, local.offset) = (local.at + bytes, local.left - bytes, local.offset + bytes);
}

impl Kernel {
    /// What is first in the queue of those whose messages leave is a member that exchanges: as much
    /// of it leaves as there are buffers for. `true`: it is not in the queue any more.
    pub fn pump_exchange(&mut self, tcb: &Tcb) -> bool {
        let index = tcb.index();
        let found = self.groups.iter().find_map(|mut group| group.rank_of(index).map(|rank| (group, rank)));
        let Some((mut group, rank)) = found else {
            self.transmitting.remove(self.tcbs, index);
            return true;
        };
        let process = tcb.process();
        let mut turn = PIECES_A_TURN;
        while load_segment(process, group.local(rank)) {
            let to = group.local(rank).to as Rank;
            match group.group().destination(to) {
                None => {
                    // Until it has room.
                    self.leave_queue(tcb);
                    return true;
                }
                Some(at) if at == self.me => {
                    let Some(left) = turn.checked_sub(1) else { return false };
                    turn = left;
                    self.copy_here(group, rank, process);
                }
                Some(at) if self.net.free_buffer().is_some() => self.send_pieces(group, rank, at, process),
                Some(_) => return false,
            }
        }
        self.leave_queue(tcb);
        self.look_if_through(group, rank);
        true
    }

    fn leave_queue(&mut self, tcb: &Tcb) {
        self.transmitting.remove(self.tcbs, tcb.index());
        tcb.synchronize();
    }

    /// Fills a packet with what leaves next for one member, which is at a processor.
    fn send_pieces(&mut self, mut group: GroupRecord, rank: Rank, at: Processor, process: Process) {
        let Some(packet) = self.net.free_buffer() else { return };
        let address = group.address();
        let local = group.local(rank);
        let (to, offset) = (local.to, local.offset);
        let data = packet + 4 * layout::DATA_WORD as u32;
        let mut filled = 0;
        while filled < PIECE_BYTES && load_segment(process, local) && local.to == to {
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

    /// Copies a piece to a member that is here too.
    fn copy_here(&mut self, mut group: GroupRecord, rank: Rank, process: Process) {
        let local = group.local(rank);
        let (to, from, offset, bytes) = (local.to as Rank, local.at, local.offset, local.left.min(PIECE_BYTES));
        pass(local, bytes);
        let Ok(place) = group.group().take((to, rank), (offset, bytes)) else { return };
        let there = *group.local(to);
        if there.index == NONE {
            return;
        }
        let map = self.tcb_of(there.index).process().map();
        // What is not here can't be: the room was here when the member arrived.
        let _ = copy_between((process.map(), from), (map, there.room_at + place), bytes);
        if to != rank {
            self.look_if_through(group, to);
        }
    }

    /// A packet of a group.
    pub fn serve_superstep(&mut self, packet: &Packet) {
        let first = packet.word(layout::ADDRESS);
        let (operation, address) = (mpc::operation(first), first & 0x00ff_ffff);
        if operation == layout::FORM {
            return self.serve_form(address, packet);
        }
        let Some(mut group) = self.groups.find(address) else { return };
        match operation {
            layout::ARRIVE => self.serve_arrive(group, packet),
            layout::ENLARGE => {
                let word = packet.word(layout::RANK);
                let member = (word as u8 as Rank, ProcessId::from_bits((word >> 16) as u16));
                if group.group().enlarge(member, packet.source(), packet.word(layout::ROOM)) == Ok(true) {
                    self.resume_senders(group);
                }
            }
            layout::DATA => self.serve_data(group, packet),
            layout::BREAK => {
                group.group().break_up();
                self.release_all(group);
            }
            // A kernel sends no other.
            _ => {}
        }
    }

    fn serve_arrive(&mut self, mut group: GroupRecord, packet: &Packet) {
        let [_, word, room] = packet.words::<{ layout::COUNTS }>();
        let member = (word as u8 as Rank, ProcessId::from_bits((word >> 16) as u16));
        let said = (room, (word >> 8) as u8);
        let has_counts = packet.header.payload_words() == layout::COUNTS + group.members();
        let counts = layout::COUNTS..layout::COUNTS + group.members();
        let sent = has_counts.then(|| counts.map(|index| packet.word(index)));
        let arrival = group.group().arrive(member, packet.source(), said, sent);
        if arrival == Ok(Arrival::Opens) {
            self.open_exchange(group);
        }
    }

    fn serve_data(&mut self, mut group: GroupRecord, packet: &Packet) {
        let ranks = packet.word(layout::RANKS);
        let (rank, source) = (ranks as u8 as Rank, (ranks >> 8) as u8 as Rank);
        let bytes = (packet.header.length as u32).saturating_sub(4 * layout::DATA_WORD as u32);
        let Ok(place) = group.group().take((rank, source), (packet.word(layout::OFFSET), bytes)) else { return };
        let local = *group.local(rank);
        if local.index == NONE {
            return;
        }
        let (map, mut to) = (self.tcb_of(local.index).process().map(), local.room_at + place);
        for (from, part) in packet.pieces(layout::DATA_WORD, bytes) {
            // SAFETY: the piece is in the receive ring. The room was here when the member arrived.
            unsafe { scatter(from, map, to, part) };
            to += part;
        }
        self.look_if_through(group, rank);
    }
}
