//! The ends of supersteps: [`testbed_protocol::superstep`] made real. A process that has arrived
//! waits in a state of its own; while what it has for others leaves, it is in the queue of those
//! whose messages leave. Its pages stay where they are, since nobody but its one thread uses them.
//! How that leaves, and where it goes, is in [`crate::services::extended::pieces`].

use core::mem::MaybeUninit;
use testbed_definitions::event::{self, DIAG_PROFILE};
use testbed_definitions::exchange as record;
use testbed_definitions::ids::ProcessId;
use testbed_definitions::limits::{GROUP_MEMBERS, SEGMENTS};
use testbed_definitions::mpc::{self, superstep as layout};
use testbed_definitions::syscall::{self, Error};
use testbed_kernel_core::page_map::{READ, WRITE};
use testbed_kernel_core::queue::NONE;
use testbed_protocol::superstep::{Arrival, Begin, Rank, Refusal};
use testbed_protocol::Processor;

use crate::drivers::events;
use crate::drivers::packet::Packet;
use crate::services::extended::pieces::segment_of;
use crate::services::extended::through::words_told;
use crate::state::call::{Access, Outcome};
use crate::state::extended::groups::GroupRecord;
use crate::state::kernel::{Index, Kernel};
use crate::state::thread::State;

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
        // The words ahead of the room, too.
        let ahead = 4 * record::AHEAD_WORDS as u32;
        match self.ensure(index, room_at.wrapping_sub(ahead), room.saturating_add(ahead), WRITE) {
            Access::Here => {}
            Access::Coming => return Ok(Outcome::Waits),
            Access::Refused(error) => return Err(error),
        }
        let enlarged = said & record::ENLARGED != 0;
        let said = Said { rank, signs: said as u8, enlarged, room_at, room, segments_at, segments };
        if segments == 0 {
            self.come(group, index, &said, &[])
        } else {
            self.come_with_segments(group, index, &said)
        }
    }

    /// A member comes that has something for others: adds up what, and sees to it that the pages are
    /// here. Those of one that has more room now may not be, although they were when it arrived: it
    /// may have moved since.
    #[inline(never)]
    fn come_with_segments(&mut self, group: GroupRecord, index: Index, said: &Said) -> Result<Outcome, Error> {
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
        self.come(group, index, said, sums)
    }

    #[inline(always)]
    fn come(&mut self, group: GroupRecord, index: Index, said: &Said, sums: &[u32]) -> Result<Outcome, Error> {
        if said.enlarged {
            self.enlarge(group, index, said)
        } else {
            self.arrive(group, index, said, sums)
        }
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
        group.local(rank).arrive(index, (said.segments_at, said.segments), said.room_at);
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
        group.local(rank).arrive(index, (said.segments_at, said.segments), said.room_at);
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
        if let Some(rounds) = self.groups.rounds {
            let traffic = group.group().traffic(layout::PIECE_BYTES as u32);
            group.open_rounds(rounds, traffic);
        }
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
                if self.groups.rounds.is_some() {
                    self.begin_rounds(group, rank, bytes);
                }
                if !group.local(rank).has_left() {
                    tcb.exchange();
                    self.transmitting.push_back(self.tcbs, index);
                }
                self.look_if_through(group, rank);
            }
        }
    }

    /// Members here that wait because another one had no room look again. Those that have arrived at
    /// the next superstep meanwhile wait for something else.
    fn resume_senders(&mut self, mut group: GroupRecord) {
        for rank in 0..group.members() {
            let local = group.local(rank);
            let (index, has_left) = (local.index, local.has_left());
            let waits = index != NONE && !has_left && group.group().exchanges(rank);
            if waits && self.tcb_of(index).state() == State::Synchronizing {
                if group.local(rank).rounds.is_some() {
                    self.give_time(group, rank);
                }
                self.tcb_of(index).exchange();
                self.transmitting.push_back(self.tcbs, index);
            }
        }
    }
}

impl Kernel {
    /// A packet of a group. Arrivals are what there are most of.
    #[inline]
    pub fn serve_superstep(&mut self, packet: &Packet) {
        if self.groups.is_announced(packet.source()) {
            return self.serve_stream_data(packet);
        }
        let first = packet.word(layout::ADDRESS);
        match (mpc::operation(first), self.groups.find(first & 0x00ff_ffff)) {
            (layout::ARRIVE, Some(group)) => self.serve_arrive(group, packet),
            (operation, group) => self.serve_other(operation, group, packet),
        }
    }

    #[inline(never)]
    fn serve_other(&mut self, operation: u8, group: Option<GroupRecord>, packet: &Packet) {
        let Some(mut group) = group else {
            if operation == layout::FORM {
                self.serve_form(packet.word(layout::ADDRESS) & 0x00ff_ffff, packet);
            }
            return;
        };
        match operation {
            layout::DATA => self.serve_data(group, packet),
            layout::STREAM => self.serve_stream(group, packet),
            layout::ENLARGE => {
                let word = packet.word(layout::RANK);
                let member = (word as u8 as Rank, ProcessId::from_bits((word >> 16) as u16));
                if group.group().enlarge(member, packet.source(), packet.word(layout::ROOM)) == Ok(true) {
                    self.resume_senders(group);
                }
            }
            layout::BREAK => {
                group.group().break_up();
                self.release_all(group);
            }
            // A kernel sends no other.
            _ => {}
        }
    }

    #[inline(always)]
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
}
