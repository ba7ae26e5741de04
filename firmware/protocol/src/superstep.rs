//! The end of a superstep (Valiant's bulk-synchronous model): processes of a group wait for each
//! other and exchange what they have for each other.
//!
//! A process that has come to the end of its superstep *arrives*: its processor tells all others in
//! one broadcast where it is, how many bytes it has for each member, and for how many it has room.
//! When all have arrived the exchange is *open*: everybody knows what will come from whom, so each
//! byte has its place before it leaves, and nobody asks. A member is through when it has sent and
//! received all of its bytes; it does not wait for others to be.
//!
//! Two things make that safe. The bus delivers a broadcast to all stations at once, or to none yet,
//! and a station hands over packets in the order in which they came: so nobody can get data of an
//! exchange that it does not know to be open, and all arrivals at one superstep come before any at
//! the next. And a process that waits does not move: it is where its arrival came from until it is
//! through. What arrives at the next superstep while others still exchange is kept beside what they
//! need ([`Group::counts`] has both).
//!
//! A member whose room does not do is *closed*: nothing is sent to it. It is told how much it needs,
//! and opens when it has said that it has so much.
//!
//! Each processor keeps all of this of every group, whether or not a member is there: one may come.

use testbed_definitions::ids::ProcessId;
use testbed_definitions::packet::STATIONS_MAX;

use crate::lossy::packets;
use crate::Processor;

/// A member's number in its group.
pub type Rank = usize;

/// What a processor keeps of a group, besides the lists in [`Group`].
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct Head {
    /// The superstep that members arrive at, modulo 2^32. The one before it is what they exchange.
    step: u32,
    /// How many have arrived at it.
    arrived: u16,
    /// Some member has ended, or could not be taken in: the group never exchanges again.
    broken: bool,
    /// Somebody has something to send in the superstep before.
    moves: bool,
    /// Somebody has something to send in this one.
    will_move: bool,
    /// What at least one, and what all of the members have said of themselves: in this superstep,
    /// and in the one before.
    any: u8,
    all: u8,
    agreed: Signs,
}

/// What members say when they arrive, a bit for each thing: what at least one has said, and what
/// all have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct Signs {
    pub any: u8,
    pub all: u8,
}

/// What a processor keeps of a member.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Member {
    /// Its process's id.
    pub process: ProcessId,
    /// Where it was when it last arrived.
    at: Processor,
    /// Where it exchanges, or has exchanged, in the superstep that is open. It may have arrived at
    /// the next one from elsewhere while others still send again what they have sent there.
    exchanges_at: Processor,
    phase: Phase,
    /// Whether it has nothing for anybody, in two supersteps as in [`Group::counts`], where then
    /// stands what stood there before.
    silent: [bool; 2],
    /// Bytes for which it has room.
    room: u32,
    /// Bytes that the others will send to it in the superstep at which they arrive.
    coming: u32,
    /// Bytes that have to come yet, if it exchanges here.
    left: u32,
}

/// What a member does, as every processor sees it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
enum Phase {
    /// It computes; or it exchanges, and others may send to it.
    Open,
    /// It has arrived, and waits for the others.
    Arrived,
    /// All have arrived, but it has too little room.
    Closed,
}

impl Member {
    /// A member that has not arrived yet.
    pub const fn new(process: ProcessId) -> Member {
        let (at, exchanges_at) = (Processor::NOWHERE, Processor::NOWHERE);
        Member { process, at, exchanges_at, phase: Phase::Open, silent: [true; 2], room: 0, coming: 0, left: 0 }
    }
}

/// A group, as one processor knows it: made of lists that its owner has memory for.
pub struct Group<'a> {
    pub head: &'a mut Head,
    pub members: &'a mut [Member],
    /// Bytes from each member to each, of two supersteps: [`words`] of them.
    pub counts: &'a mut [u32],
}

/// Entries of [`Group::counts`] for so many members.
pub const fn words(members: usize) -> usize {
    2 * members * members
}

/// Packets of an exchange that members at different places have for each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    pub all: u32,
    /// The most that leave one place, or come there.
    pub most: u32,
}

/// Why an arrival, or a piece of data, is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// There is no such member, or it is another process.
    Stranger,
    /// The member has arrived already, or does not exchange.
    Phase,
    /// Some member has ended.
    Broken,
}

/// What an arrival has led to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arrival {
    /// Others are still on their way.
    Waits,
    /// It was the last one: each member that is here begins ([`Group::begin`]).
    Opens,
}

/// How a member's exchange begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Begin {
    /// Nobody sends anything.
    Nothing,
    /// So many bytes come.
    Exchange { bytes: u32 },
    /// So many bytes would come: it has too little room, and says so when it has more
    /// ([`Group::enlarge`]).
    Closed { bytes: u32 },
}

impl Group<'_> {
    /// A member has arrived with this much room: `sent` has the bytes for each member, in order of
    /// rank, or is `None` if it has none for anybody.
    #[inline(always)]
    pub fn arrive(
        &mut self,
        (rank, process): (Rank, ProcessId),
        at: Processor,
        (room, signs): (u32, u8),
        sent: Option<impl Iterator<Item = u32>>,
    ) -> Result<Arrival, Refusal> {
        self.check(rank, process)?;
        if self.members[rank].phase != Phase::Open {
            return Err(Refusal::Phase);
        }
        let step = self.head.step;
        self.members[rank].silent[step as usize & 1] = sent.is_none();
        if let Some(sent) = sent {
            let row = self.row(step, rank);
            for ((count, member), bytes) in self.counts[row].iter_mut().zip(&mut *self.members).zip(sent) {
                *count = bytes;
                member.coming = member.coming.saturating_add(bytes);
            }
            self.head.will_move = true;
        }
        let member = &mut self.members[rank];
        (member.at, member.phase, member.room) = (at, Phase::Arrived, room);
        let head = &mut *self.head;
        (head.any, head.all) = (head.any | signs, if head.arrived == 0 { signs } else { head.all & signs });
        head.arrived += 1;
        if (head.arrived as usize) < self.members.len() {
            return Ok(Arrival::Waits);
        }
        self.open();
        Ok(Arrival::Opens)
    }

    /// All have arrived.
    #[inline(always)]
    fn open(&mut self) {
        let head = &mut *self.head;
        head.agreed = Signs { any: head.any, all: head.all };
        (head.any, head.arrived) = (0, 0);
        head.moves = core::mem::take(&mut head.will_move);
        head.step = head.step.wrapping_add(1);
        for member in &mut *self.members {
            let fits = member.coming <= member.room;
            member.phase = if fits { Phase::Open } else { Phase::Closed };
            member.left = core::mem::take(&mut member.coming);
            member.exchanges_at = member.at;
        }
    }

    /// The exchange of a member that is here begins, when it is open, or when the member has more
    /// room. Once in each superstep of which it is through.
    pub fn begin(&mut self, rank: Rank) -> Begin {
        let bytes = self.members[rank].left;
        if self.members[rank].phase == Phase::Closed {
            return Begin::Closed { bytes };
        }
        if !self.head.moves {
            return Begin::Nothing;
        }
        // From here on each count of what comes to the member is where in its room that begins.
        let mut place = 0;
        let step = self.exchanged();
        for source in 0..self.members.len() {
            if !self.members[source].silent[step as usize & 1] {
                let count = self.row(step, source).start + rank;
                place += core::mem::replace(&mut self.counts[count], place);
            }
        }
        Begin::Exchange { bytes }
    }

    /// A closed member, which is there now, has this much room. `true`: it is open.
    pub fn enlarge(&mut self, (rank, process): (Rank, ProcessId), at: Processor, room: u32) -> Result<bool, Refusal> {
        self.check(rank, process)?;
        let member = &mut self.members[rank];
        if member.phase != Phase::Closed {
            return Err(Refusal::Phase);
        }
        (member.at, member.exchanges_at, member.room) = (at, at, room);
        if member.left <= room {
            member.phase = Phase::Open;
        }
        Ok(member.phase == Phase::Open)
    }

    /// Where data of the exchange that is open go for a member. [`Refusal::Phase`]: it is closed, and
    /// they wait until it has room. [`Refusal::Stranger`]: no member has this rank, which is read
    /// from the sender's memory, and may have been overwritten since the sender arrived.
    #[inline]
    pub fn destination(&self, rank: Rank) -> Result<Processor, Refusal> {
        let member = self.members.get(rank).ok_or(Refusal::Stranger)?;
        if member.phase == Phase::Closed {
            return Err(Refusal::Phase);
        }
        Ok(member.exchanges_at)
    }

    /// Whether some member lacks room for what comes in the exchange that is open.
    pub fn has_closed(&self) -> bool {
        self.members.iter().any(|member| member.phase == Phase::Closed)
    }

    /// Data have come for a member that is here, so many bytes from this place in what `source` has
    /// for it: where in its room they belong. The caller has [begun](Self::begin) the member's
    /// exchange.
    #[inline]
    pub fn take(&mut self, (rank, source): (Rank, Rank), (offset, bytes): (u32, u32)) -> Result<u32, Refusal> {
        let place = self.place((rank, source), offset)?;
        let member = &mut self.members[rank];
        if member.phase == Phase::Closed || bytes > member.left || place.saturating_add(bytes) > member.room {
            return Err(Refusal::Phase);
        }
        member.left -= bytes;
        Ok(place)
    }

    /// Where a place in what `source` has for a member that is here lies in its room.
    #[inline]
    pub fn place(&self, (rank, source): (Rank, Rank), offset: u32) -> Result<u32, Refusal> {
        let step = self.exchanged();
        let sends = self.members.get(source).is_some_and(|source| !source.silent[step as usize & 1]);
        if rank >= self.members.len() || !sends {
            return Err(Refusal::Stranger);
        }
        let start = self.counts[self.row(step, source).start + rank];
        Ok(start.saturating_add(offset))
    }

    /// Whether a member that waits does so in an exchange that is open, and not for one to open.
    pub fn exchanges(&self, rank: Rank) -> bool {
        self.members[rank].phase == Phase::Open
    }

    /// Whether all has come for a member whose exchange is open.
    #[inline]
    pub fn has_all(&self, rank: Rank) -> bool {
        self.members[rank].left == 0
    }

    /// What the members have said when they arrived at the superstep whose exchange is open.
    pub fn agreed(&self) -> Signs {
        self.head.agreed
    }

    /// A process has ended. `true`: it was a member, and the group is broken.
    pub fn end(&mut self, process: ProcessId) -> bool {
        let is_member = self.members.iter().any(|member| member.process == process);
        self.head.broken |= is_member;
        is_member
    }

    /// The group can't go on.
    pub fn break_up(&mut self) {
        self.head.broken = true;
    }

    /// Whether a member is missing for ever.
    pub fn is_broken(&self) -> bool {
        self.head.broken
    }

    fn check(&self, rank: Rank, process: ProcessId) -> Result<(), Refusal> {
        match self.members.get(rank) {
            Some(member) if member.process == process && !self.head.broken => Ok(()),
            Some(member) if member.process == process => Err(Refusal::Broken),
            _ => Err(Refusal::Stranger),
        }
    }

    /// Packets of `piece` bytes that members at different places have for each other in the exchange
    /// that is open, of which no member here has [begun](Self::begin).
    pub fn traffic(&self, piece: u32) -> Traffic {
        let (mut all, mut sent, mut got) = (0, [0; STATIONS_MAX], [0; STATIONS_MAX]);
        let place = |rank: Rank| self.members[rank].exchanges_at.index() % STATIONS_MAX;
        for (from, to) in (0..self.members.len()).flat_map(|from| (0..self.members.len()).map(move |to| (from, to))) {
            if self.are_apart(from, to) {
                let packets = self.packets_between(from, to, piece);
                all += packets;
                sent[place(from)] += packets;
                got[place(to)] += packets;
            }
        }
        Traffic { all, most: sent.into_iter().chain(got).max().unwrap_or(0) }
    }

    /// Packets that a member which is here sends to other places in the exchange that is open.
    pub fn packets_sent(&self, rank: Rank, piece: u32) -> u32 {
        let others = (0..self.members.len()).filter(|&to| self.are_apart(rank, to));
        others.map(|to| self.packets_between(rank, to, piece)).sum()
    }

    /// Whether two members exchange at different places.
    fn are_apart(&self, rank: Rank, other: Rank) -> bool {
        self.members[rank].exchanges_at != self.members[other].exchanges_at
    }

    fn packets_between(&self, from: Rank, to: Rank, piece: u32) -> u32 {
        let step = self.exchanged();
        match !self.head.moves || self.members[from].silent[step as usize & 1] {
            true => 0,
            false => packets(self.counts[self.row(step, from).start + to], piece),
        }
    }

    /// The superstep that is exchanged.
    pub fn exchanged(&self) -> u32 {
        self.head.step.wrapping_sub(1)
    }

    /// Where in [`Group::counts`] a member's bytes for each of a superstep are.
    #[inline]
    fn row(&self, step: u32, source: Rank) -> core::ops::Range<usize> {
        let members = self.members.len();
        let start = ((step as usize & 1) * members + source) * members;
        start..start + members
    }
}
