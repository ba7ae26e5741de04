//! What this processor knows of groups whose members exchange at the ends of supersteps
//! ([`testbed_protocol::superstep`]): a row of pages for each.

use core::cell::Cell;
use core::mem::{align_of, size_of};

use testbed_definitions::boot;
use testbed_definitions::ids::{ProcessId, Processor};
use testbed_definitions::mpc::superstep as layout;
use testbed_definitions::packet::STATIONS_MAX;
use testbed_definitions::page::{DATA_BASE, PAGE_BYTES, VIRTUAL_BYTES};
use testbed_kernel_core::pages::Pages;
use testbed_kernel_core::queue::NONE;
use testbed_protocol::lossy::{self, Sender};
use testbed_protocol::superstep::{words, Group, Head, Member, Rank, Traffic};

use crate::arch::memory;
use crate::state::thread::Index;

/// All groups: a list.
pub struct Groups {
    first: Option<GroupRecord>,
    /// What each processor has announced, and a bit for each of those of which not all has come.
    streams: [Stream; STATIONS_MAX],
    announced: u32,
    /// How what members have for each other leaves where packets are lost.
    pub rounds: Option<Rounds>,
}

/// What members have for each other leaves as datagrams, in rounds ([`testbed_protocol::lossy`]).
#[derive(Clone, Copy)]
pub struct Rounds {
    /// Copies of each packet.
    pub copies: u16,
    /// Who has sent goes on at the end of a round's time.
    pub whole: bool,
}

impl Rounds {
    fn of(word: u32) -> Option<Rounds> {
        let copies = word & 0xff;
        (copies != 0).then_some(Rounds { copies: copies as u16, whole: word & boot::WHOLE_ROUNDS != 0 })
    }

    /// Cycles that a round of so many members is given. Kernels open an exchange one after the other,
    /// and look at each pair of members for it.
    fn time(self, traffic: Traffic, members: usize) -> u32 {
        let Traffic { all, most } = traffic;
        let delay = layout::ROUND_DELAY_CYCLES + (members * members) as u32 * layout::ROUND_PAIR_CYCLES;
        let packets = most.saturating_mul(layout::ROUND_OWN_CYCLES) + all.saturating_mul(layout::ROUND_BUS_CYCLES);
        packets.saturating_mul(self.copies as u32).saturating_add(delay).saturating_mul(2)
    }
}

/// Packets of which a member can keep what was acknowledged. Who has more for others in one
/// superstep sends them as packets that are not lost.
pub const PACKETS_KEPT: usize = 1024;

/// Words of a member's table: bits of what it sends, and a half-word for each packet that can come.
const fn table_words(members: usize) -> usize {
    let places = lossy::places(members, VIRTUAL_BYTES - DATA_BASE, layout::PIECE_BYTES as u32);
    lossy::bits_words(PACKETS_KEPT) + places.div_ceil(2)
}

/// Bytes for a member that come in packets of their own.
#[derive(Clone, Copy)]
pub struct Stream {
    /// Its group, and the ranks of destination and source, as the announcement has them.
    pub address: u32,
    pub ranks: u16,
    /// The place of the next ones in what the source has for the member.
    pub offset: u32,
    /// Bytes that have not come.
    pub left: u32,
    /// Where in the member's memory the next ones go; `None`: into its room.
    pub to: Option<u32>,
}

impl Stream {
    const NONE: Stream = Stream { address: 0, ranks: 0, offset: 0, left: 0, to: None };
}

/// A member that is here and has arrived.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Local {
    /// Its thread's control block; [`NONE`] if it computes or is elsewhere.
    pub index: Index,
    /// For whom the segment is that leaves, and what has not left of it: where, and bytes.
    pub to: u16,
    pub at: u32,
    pub left: u32,
    /// All bytes of the segment, and where it belongs at the member.
    pub segment: u32,
    pub destination: u32,
    /// Bytes that have left for the same member.
    pub offset: u32,
    /// Where the segments behind it are, and how many.
    pub segments_at: u32,
    pub segments: u32,
    /// Where all of them are, and how many.
    all_segments: (u32, u32),
    pub room_at: u32,
    /// Packets have its memory as payload: until they have left, the memory must not change.
    pub in_place: bool,
    /// Bytes that come for it.
    pub bytes: u32,
    /// What it sends leaves in rounds: this is what is known of them.
    pub rounds: Option<Sender>,
    /// When its round has begun, in cycles modulo 2^32, and how many it is given.
    pub round_began: u32,
    pub round_given: u32,
}

impl Local {
    pub const NONE: Local = Local {
        index: NONE,
        to: 0,
        at: 0,
        left: 0,
        segment: 0,
        destination: 0,
        offset: 0,
        segments_at: 0,
        segments: 0,
        all_segments: (0, 0),
        room_at: 0,
        in_place: false,
        bytes: 0,
        rounds: None,
        round_began: 0,
        round_given: 0,
    };

    /// It has arrived with so many segments, and room. Field by field, which takes less than to copy
    /// all of it.
    #[inline(always)]
    pub fn arrive(&mut self, index: Index, (segments_at, segments): (u32, u32), room_at: u32) {
        (self.index, self.room_at, self.bytes) = (index, room_at, 0);
        (self.segments_at, self.segments) = (segments_at, segments);
        (self.to, self.left, self.offset, self.in_place) = (0, 0, 0, false);
        (self.all_segments, self.rounds) = ((segments_at, segments), None);
    }

    /// All that it has for others leaves once more.
    pub fn start_again(&mut self) {
        (self.segments_at, self.segments) = self.all_segments;
        (self.to, self.left, self.offset) = (0, 0, 0);
    }

    /// It goes on: whose thread it is, and the bytes that have come for it.
    #[inline(always)]
    pub fn leave(&mut self) -> (Index, u32) {
        (core::mem::replace(&mut self.index, NONE), self.bytes)
    }

    /// Whether all that it has for others has left, though it may have to leave again.
    pub fn has_left(&self) -> bool {
        self.left == 0 && self.segments == 0
    }

    /// Whether all that it has for others is there, or will be.
    pub fn has_sent(&self) -> bool {
        self.has_left() && self.rounds.is_none_or(|rounds| rounds.is_over())
    }
}

/// What stands ahead of a group's lists.
#[repr(C)]
struct Record {
    next: Cell<Option<GroupRecord>>,
    /// `mpc::superstep::group` of the process that it belongs to, and which of its groups it is.
    address: u32,
    members: u16,
    pages: u16,
    head: Head,
    /// Cycles that a round of the exchange that is open is given.
    round_cycles: Cell<u32>,
    /// The lists, which lie behind this, and the members' tables, if what they send leaves in rounds.
    lists: (*mut Member, *mut Local, *mut u32),
    tables: *mut u32,
}

const _: () = assert!(
    size_of::<Record>() % align_of::<Member>() == 0
        && size_of::<Member>() % align_of::<Local>() == 0
        && size_of::<Local>() % align_of::<u32>() == 0,
    "the lists lie one behind the other"
);

/// A group: a pointer to its record, which lives until the process has ended that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct GroupRecord(core::ptr::NonNull<Record>);

impl GroupRecord {
    fn record(&self) -> &Record {
        // SAFETY: made by `Groups::add`; it lives as long as it is in the list.
        unsafe { self.0.as_ref() }
    }

    /// `mpc::superstep::group` of the process that it belongs to, and which of its groups it is.
    pub fn address(&self) -> u32 {
        self.record().address
    }
    pub fn members(&self) -> usize {
        self.record().members as usize
    }

    fn lists(&self) -> (*mut Member, *mut Local, *mut u32) {
        self.record().lists
    }

    /// The group for the protocol. Nothing else may hold it at the same time; the kernel holds it
    /// during one step.
    pub fn group(&mut self) -> Group<'_> {
        let (members, _, counts) = self.lists();
        let count = self.members();
        // SAFETY: the record's own memory, written when it was made; one step holds it at a time.
        unsafe {
            Group {
                head: &mut (*self.0.as_ptr()).head,
                members: core::slice::from_raw_parts_mut(members, count),
                counts: core::slice::from_raw_parts_mut(counts, words(count)),
            }
        }
    }

    /// What is known of a member that has arrived here.
    pub fn local(&mut self, rank: Rank) -> &mut Local {
        assert!(rank < self.members(), "no such member");
        // SAFETY: as for `group`.
        unsafe { &mut *self.lists().1.add(rank) }
    }

    /// A member's table: a bit for each packet that it sends, and the round of each that has come.
    pub fn table(&mut self, rank: Rank) -> (&mut [u32], &mut [u16]) {
        let record = self.record();
        let (tables, words) = (record.tables, table_words(record.members as usize));
        if tables.is_null() || rank >= record.members as usize {
            return (&mut [], &mut []);
        }
        let bits = lossy::bits_words(PACKETS_KEPT);
        // SAFETY: the record's own memory, written when it was made; one step holds it at a time.
        unsafe {
            let table = tables.add(rank * words);
            let places = table.add(bits) as *mut u16;
            (core::slice::from_raw_parts_mut(table, bits), core::slice::from_raw_parts_mut(places, 2 * (words - bits)))
        }
    }

    /// The exchange is open, and so many packets are to leave in rounds.
    pub fn open_rounds(&mut self, rounds: Rounds, traffic: Traffic) {
        self.record().round_cycles.set(rounds.time(traffic, self.record().members as usize));
    }

    /// Cycles that a round is given.
    pub fn round_cycles(&self) -> u32 {
        self.record().round_cycles.get()
    }

    /// The rank of the member whose thread this is.
    pub fn rank_of(&mut self, index: Index) -> Option<Rank> {
        (0..self.members()).find(|&rank| self.local(rank).index == index)
    }
}

/// A processor's bit.
fn bit(source: Processor) -> u32 {
    1 << (source.index() % STATIONS_MAX)
}

impl Groups {
    pub const NONE: Groups = Groups { first: None, streams: [Stream::NONE; STATIONS_MAX], announced: 0, rounds: None };

    /// What the boot block says of rounds, before there is a group.
    pub fn allow_rounds(&mut self, word: u32) {
        self.rounds = Rounds::of(word);
    }

    /// Whether the next packet from a processor is one that it has announced.
    #[inline(always)]
    pub fn is_announced(&self, source: Processor) -> bool {
        self.announced != 0 && self.announced & bit(source) != 0
    }

    /// Where bytes that a processor announces go, if they are the next ones after those that it has
    /// announced last.
    pub fn continued(&self, source: Processor, next: (u32, u16, u32)) -> Option<Option<u32>> {
        let last = &self.streams[source.index() % STATIONS_MAX];
        ((last.address, last.ranks, last.offset) == next).then_some(last.to)
    }

    /// A processor has announced bytes.
    pub fn announce(&mut self, source: Processor, stream: Stream) {
        self.streams[source.index() % STATIONS_MAX] = stream;
        if stream.left != 0 {
            self.announced |= bit(source);
        }
    }

    /// So many of the bytes that a processor has announced are here: which they are.
    pub fn come(&mut self, source: Processor, bytes: u32) -> Stream {
        let next = &mut self.streams[source.index() % STATIONS_MAX];
        let these = *next;
        next.left = next.left.saturating_sub(bytes);
        (next.offset, next.to) = (next.offset + bytes, next.to.map(|to| to + bytes));
        if next.left == 0 {
            self.announced &= !bit(source);
        }
        these
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// All groups. One may be removed meanwhile.
    pub fn iter(&self) -> impl Iterator<Item = GroupRecord> {
        let mut next = self.first;
        core::iter::from_fn(move || {
            let group = next?;
            next = group.record().next.get();
            Some(group)
        })
    }

    /// The group in which a thread waits, and its rank there.
    pub fn member(&self, index: Index) -> Option<(GroupRecord, Rank)> {
        self.iter().find_map(|mut group| group.rank_of(index).map(|rank| (group, rank)))
    }

    pub fn find(&self, address: u32) -> Option<GroupRecord> {
        self.iter().find(|group| group.address() == address)
    }

    /// Adds a group whose members' processes these are; `None` if there is no memory.
    pub fn add(
        &mut self,
        address: u32,
        count: usize,
        process: impl Fn(Rank) -> ProcessId,
        pages: &mut Pages,
    ) -> Option<GroupRecord> {
        let lists = size_of::<Record>() + count * (size_of::<Member>() + size_of::<Local>()) + 4 * words(count);
        let table_words = if self.rounds.is_some() { count * table_words(count) } else { 0 };
        let bytes = lists + 4 * table_words;
        let needed = (bytes as u32).div_ceil(PAGE_BYTES);
        let row = memory::page_address(pages.take_row(needed, 1)?) as *mut Record;
        // SAFETY: the row was just taken and has room; every field and list is written.
        unsafe {
            let next = Cell::new(self.first);
            let members = row.add(1) as *mut Member;
            let locals = members.add(count) as *mut Local;
            let (counts, head) = (locals.add(count) as *mut u32, Head::default());
            let lists = (members, locals, counts);
            let tables = if table_words == 0 { core::ptr::null_mut() } else { counts.add(words(count)) };
            (0..table_words).for_each(|word| tables.add(word).write(0));
            let (members_here, pages, round_cycles) = (count as u16, needed as u16, Cell::new(0));
            row.write(Record { next, address, members: members_here, pages, head, round_cycles, lists, tables });
            let group = GroupRecord(core::ptr::NonNull::new_unchecked(row));
            for rank in 0..count {
                members.add(rank).write(Member::new(process(rank)));
                locals.add(rank).write(Local::NONE);
            }
            (0..words(count)).for_each(|word| counts.add(word).write(0));
            self.first = Some(group);
            Some(group)
        }
    }

    /// The group is no more.
    pub fn remove(&mut self, group: GroupRecord, pages: &mut Pages) {
        let next = group.record().next.get();
        match self.iter().find(|other| other.record().next.get() == Some(group)) {
            Some(before) => before.record().next.set(next),
            None => self.first = next,
        }
        let first = memory::page_of(group.0.as_ptr() as u32);
        pages.release(first, first + group.record().pages as u32);
    }
}
