//! One group: its members, and its exchanges that are under way.
//!
//! No event tells how many members a group has. But nobody is through before all have come, and nobody
//! comes to the next exchange before it is through. So whoever has come before the first is through is
//! a member, and a group has two exchanges under way at most.
//!
//! What a loss may have hidden makes exchanges incomplete; nothing is filled in. The members of a group
//! are *established* by its first exchange that is complete. A loss that began before that perhaps hides
//! members: what was found of the group is revoked, and the next exchange that looks complete does not
//! count, since somebody may have come to it in the dark.

use std::collections::{BTreeMap, VecDeque};

use super::superstep::{Member, Superstep, LOST};

const ENDED: &str = "a process ended before it was through";
const CUT: &str = "the trace ends before all were through";
const MIXED: &str = "the process has another group that begins at the same time";

/// An exchange that goes on.
#[derive(Debug)]
struct Flight {
    number: u64,
    entries: BTreeMap<u8, Member>,
    /// Cycle in which the first was through: all have come.
    open: Option<u64>,
    spoiled: Option<&'static str>,
}

impl Flight {
    /// Whether a SYNC of `rank` in this cycle can be one of it. Stamps of two processors are exact to a tick.
    fn takes(&self, rank: u8, cycle: u64) -> bool {
        !self.entries.contains_key(&rank) && self.open.is_none_or(|open| open == cycle)
    }

    fn is_over(&self) -> bool {
        self.open.is_some() && self.entries.values().all(Member::is_over)
    }

    /// Whether it was over before this cycle: what happens in the same tick may still belong to it.
    fn was_over(&self, cycle: u64) -> bool {
        let before = |member: &Member| member.through_cycle.is_some_and(|through| through < cycle);
        self.is_over() && self.entries.values().all(before)
    }

    /// Whether a member is through.
    fn has_passed(&self, rank: u8) -> bool {
        self.entries.get(&rank).is_some_and(|member| member.through_cycle.is_some())
    }

    fn spoil(&mut self, why: &'static str) {
        self.spoiled.get_or_insert(why);
    }
}

/// A member: its thread, where that last came to the end of a superstep, and whether it has ended.
#[derive(Clone, Copy, Debug)]
struct Belongs {
    thread: u16,
    processor: u8,
    ended: bool,
}

/// A group some of whose members have not ended.
#[derive(Debug)]
pub struct Group {
    /// In the order in which groups were first seen.
    pub place: usize,
    /// Home and place of the process that it belongs to.
    pub owner: u8,
    members: BTreeMap<u8, Belongs>,
    /// Nobody has been through yet.
    forming: bool,
    /// Events were lost before all members were known.
    unsure: bool,
    /// Cycle in which the exchange opened that has shown all members.
    established: Option<u64>,
    flights: VecDeque<Flight>,
    exchanges: u64,
    /// Groups that can't be told from it.
    mixed: bool,
}

/// What has been found.
pub enum Finding<'a> {
    Superstep(&'a Group, Superstep),
    /// Nothing that was found of the group in this place is certain.
    Revoked {
        place: usize,
    },
}

/// Takes what has been found.
pub type Found<'a> = &'a mut dyn FnMut(Finding);

impl Group {
    /// One of which nothing is known; `lossy` if events were lost already.
    pub fn new(place: usize, owner: u8, lossy: bool) -> Self {
        let (members, flights) = (BTreeMap::new(), VecDeque::new());
        let (forming, unsure, established) = (true, lossy, None);
        Group { place, owner, members, forming, unsure, established, flights, exchanges: 0, mixed: false }
    }

    /// How many members it has, as far as the trace shows.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// The rank of a thread whose process has not ended.
    pub fn rank_of(&self, thread: u16) -> Option<u8> {
        let found = self.members.iter().find(|(_, member)| member.thread == thread && !member.ended);
        found.map(|(rank, _)| *rank)
    }

    /// Whether somebody of whom it does not know yet can be a member, since it comes in this cycle.
    pub fn may_take(&self, rank: u8, cycle: u64, lossy: bool) -> bool {
        let first = self.exchanges == 1 && self.flights.back().is_some_and(|flight| flight.takes(rank, cycle));
        let dark = self.unsure || lossy && self.established.is_none();
        (self.forming || first || dark) && !self.members.contains_key(&rank)
    }

    /// Whether its members can't be told from those of another group of the same process, which comes.
    pub fn mixes(&mut self) -> bool {
        self.mixed |= self.forming;
        self.forming
    }

    /// It can't be told from another one.
    pub fn mix(&mut self) {
        self.mixed = true;
    }

    /// Where events have shown all members: the cycle in which the exchange opened.
    pub fn established(&self) -> Option<u64> {
        self.established
    }

    fn spoil(&mut self, why: &'static str) {
        self.flights.iter_mut().for_each(|flight| flight.spoil(why));
    }

    /// Takes an exchange out, whatever has become of it.
    fn close(&mut self, found: Found) {
        let Some(flight) = self.flights.pop_front() else { return };
        let ended = !flight.is_over() && self.members.values().any(|member| member.ended);
        let lacks = flight.entries.len() != self.members.len();
        let spoiled = flight.spoiled.or(self.mixed.then_some(MIXED));
        let mut spoiled = spoiled.or(ended.then_some(ENDED)).or(lacks.then_some(LOST));
        if spoiled.is_none() && self.unsure {
            (spoiled, self.unsure) = (Some(LOST), false);
        }
        let step = Superstep::new(flight.number, flight.entries.into_values().collect(), spoiled);
        if step.incomplete.is_none() {
            self.established = self.established.or(flight.open);
        }
        found(Finding::Superstep(self, step));
    }

    /// Hands out what was over before this cycle.
    pub fn close_before(&mut self, cycle: u64, found: Found) {
        while self.flights.front().is_some_and(|flight| flight.was_over(cycle)) {
            self.close(found);
        }
    }

    /// Events of a processor were lost. What is over stays so.
    pub fn lose(&mut self, processor: u8) {
        if self.members.values().any(|member| member.processor == processor) {
            self.flights.iter_mut().filter(|flight| !flight.is_over()).for_each(|flight| flight.spoil(LOST));
        }
    }

    /// A member's thread ends. Returns whether all have ended.
    pub fn end(&mut self, thread: u16, found: Found) -> bool {
        if let Some(rank) = self.rank_of(thread) {
            let others = self.flights.iter_mut().filter(|flight| !flight.has_passed(rank));
            others.for_each(|flight| flight.spoil(ENDED));
            if let Some(member) = self.members.get_mut(&rank) {
                member.ended = true;
            }
        }
        let over = self.members.values().all(|member| member.ended);
        while over && !self.flights.is_empty() {
            self.close(found);
        }
        over
    }

    /// The trace ends.
    pub fn finish(&mut self, found: Found) {
        self.spoil(CUT);
        while !self.flights.is_empty() {
            self.close(found);
        }
    }

    /// Events after `from` were lost. Somebody may be a member of whom nobody knows.
    pub fn doubt(&mut self, from: u64, found: Found) {
        if self.established.is_some_and(|open| open < from) {
            return;
        }
        if self.established.take().is_some() {
            found(Finding::Revoked { place: self.place });
        }
        self.unsure = true;
        self.spoil(LOST);
    }

    /// A member comes. Returns the number of the exchange to which it does.
    pub fn sync(&mut self, member: Member, found: Found) -> u64 {
        if !self.flights.back().is_some_and(|flight| flight.takes(member.rank, member.sync_cycle)) {
            // Somebody comes again, so all must have been through.
            if let Some(flight) = self.flights.back_mut().filter(|flight| flight.open.is_none()) {
                flight.spoil(LOST);
            }
            while self.flights.len() > 1 {
                self.close(found);
            }
            let (number, entries) = (self.exchanges, BTreeMap::new());
            self.flights.push_back(Flight { number, entries, open: None, spoiled: None });
            self.exchanges += 1;
        }
        let Member { rank, thread, processor, .. } = member;
        self.members.insert(rank, Belongs { thread, processor, ended: false });
        if let Some(flight) = self.flights.back_mut() {
            flight.entries.insert(rank, member);
        }
        self.exchanges - 1
    }

    /// A member is through. Returns the number of the exchange.
    pub fn through(&mut self, rank: u8, cycle: u64, found: Found) -> Option<u64> {
        let waits = |flight: &Flight| flight.entries.contains_key(&rank) && !flight.has_passed(rank);
        let Some(place) = self.flights.iter().rposition(waits) else {
            self.spoil(LOST);
            return None;
        };
        // Whoever is through the next exchange was through this one.
        for _ in 0..place {
            if let Some(flight) = self.flights.front_mut().filter(|flight| !flight.is_over()) {
                flight.spoil(LOST);
            }
            self.close(found);
        }
        let flight = self.flights.front_mut()?;
        flight.entries.get_mut(&rank)?.through_cycle = Some(cycle);
        flight.open.get_or_insert(cycle);
        self.forming = false;
        Some(flight.number)
    }

    /// What is known of a member in an exchange that is under way.
    pub fn entry(&mut self, exchange: u64, rank: u8) -> Option<&mut Member> {
        self.flights.iter_mut().find(|flight| flight.number == exchange)?.entries.get_mut(&rank)
    }
}
