//! Which exchange of which group an event belongs to.
//!
//! A SYNC tells a rank and the process that the group belongs to, a THROUGH only its thread, and no
//! event how many members a group has. But nobody is through before all have come, and nobody comes to
//! the next exchange before it is through. So whoever has come before the first is through is a member,
//! and a group has two exchanges under way at most. Groups that belong to the same process are told
//! apart by their members. What a loss may have hidden makes exchanges incomplete; nothing is filled in.

use std::collections::{BTreeMap, VecDeque};

use super::superstep::{Member, Superstep};
use crate::analysis::exchange::Exchange;
use crate::analysis::fact::{Fact, ThreadState};

const LOST: &str = "events were lost";
const ENDED: &str = "a process ended before it was through";
const CUT: &str = "the trace ends before all were through";
const MIXED: &str = "the process has another group that begins at the same time";

/// What a thread has done since its superstep began.
#[derive(Clone, Debug, Default)]
struct Work {
    begin: Option<u64>,
    /// Cycles by processor.
    ran: BTreeMap<u8, u64>,
    untold: u64,
    /// Events of its processor were lost meanwhile.
    lost: bool,
}

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
    /// Members may be unknown still: nobody has been through, or events were lost before somebody was.
    forming: bool,
    unsure: bool,
    flights: VecDeque<Flight>,
    exchanges: u64,
    /// Groups that can't be told from it.
    mixed: bool,
}

/// What has been found: a superstep of the group in that place.
pub type Found<'a> = &'a mut dyn FnMut(&Group, Superstep);

impl Group {
    fn new(place: usize, owner: u8) -> Self {
        let (members, flights) = (BTreeMap::new(), VecDeque::new());
        Group { place, owner, members, forming: true, unsure: false, flights, exchanges: 0, mixed: false }
    }

    /// How many members it has, as far as the trace shows.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    fn rank_of(&self, thread: u16) -> Option<u8> {
        let found = self.members.iter().find(|(_, member)| member.thread == thread && !member.ended);
        found.map(|(rank, _)| *rank)
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
        let spoiled = spoiled.or(ended.then_some(ENDED)).or(lacks.then_some(LOST));
        let step = Superstep::new(flight.number, flight.entries.into_values().collect(), spoiled);
        found(self, step);
    }

    fn sync(&mut self, member: Member, found: Found) {
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
    }

    /// Returns the number of the exchange that the member is through.
    fn through(&mut self, rank: u8, cycle: u64, found: Found) -> Option<u64> {
        let waits = |flight: &Flight| {
            flight.entries.get(&rank).is_some_and(|member| member.through_cycle.is_none())
        };
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

    fn entry(&mut self, exchange: u64, rank: u8) -> Option<&mut Member> {
        self.flights.iter_mut().find(|flight| flight.number == exchange)?.entries.get_mut(&rank)
    }
}

/// Whose number of words the next event of a processor tells.
#[derive(Clone, Copy, Debug)]
struct Whose {
    place: usize,
    exchange: u64,
    rank: u8,
}

/// All groups of a machine.
#[derive(Debug, Default)]
pub struct Groups {
    work: BTreeMap<u16, Work>,
    live: Vec<Group>,
    /// By processor.
    whose: BTreeMap<u8, Whose>,
    groups: usize,
    /// Events were lost: a thread that is seen first now may have begun before.
    lost: bool,
}

impl Groups {
    pub fn take(&mut self, fact: &Fact, found: Found) {
        match *fact {
            Fact::Born { thread, cycle } => {
                self.work.insert(thread, Work { begin: Some(cycle), lost: self.lost, ..Work::default() });
            }
            Fact::Thread { thread, processor, state, from, to, .. } => {
                let work = self.work.entry(thread).or_default();
                match state {
                    ThreadState::Running => *work.ran.entry(processor).or_default() += to - from,
                    ThreadState::Untold => work.untold += to - from,
                    ThreadState::Unknown => work.lost = true,
                    _ => {}
                }
            }
            Fact::Died { thread, .. } => self.ends(thread, found),
            Fact::Lost { processor, .. } => self.lose(processor),
            Fact::Exchange { processor, cycle, what } => self.exchange(processor, cycle, what, found),
            _ => {}
        }
    }

    fn exchange(&mut self, processor: u8, cycle: u64, what: Exchange, found: Found) {
        self.close_before(cycle, found);
        let whose = self.whose.remove(&processor);
        match what {
            Exchange::Sync { thread: Some(thread), rank, owner } => {
                self.sync((thread, processor), (rank, owner), cycle, found);
            }
            // Its thread is not known, so events were lost.
            Exchange::Sync { owner, .. } => {
                self.live.iter_mut().filter(|live| live.owner == owner).for_each(|live| live.spoil(LOST));
            }
            Exchange::Sent { words } => {
                if let Some(member) = self.entry(whose) {
                    member.sent_words = words;
                    member.words_untold |= words.is_none();
                }
            }
            Exchange::Through { thread } => self.through(thread, processor, cycle, found),
            Exchange::Received { words } => {
                if let Some(member) = self.entry(whose).filter(|member| member.through_cycle.is_some()) {
                    member.received_words = words;
                    member.words_untold |= words.is_none();
                }
            }
        }
    }

    fn entry(&mut self, whose: Option<Whose>) -> Option<&mut Member> {
        let Whose { place, exchange, rank } = whose?;
        self.live.iter_mut().find(|live| live.place == place)?.entry(exchange, rank)
    }

    /// The group of a member that comes; a new one if it can belong to none.
    fn group_of(&mut self, thread: u16, rank: u8, owner: u8, cycle: u64) -> usize {
        let alike = |live: &Group| live.owner == owner;
        let known = |live: &Group| alike(live) && live.rank_of(thread) == Some(rank);
        if let Some(found) = self.live.iter().position(known) {
            return found;
        }
        let may_join = |live: &Group| {
            let first = live.forming || live.exchanges == 1 && live.flights.back().is_some_and(|flight| flight.takes(rank, cycle));
            alike(live) && (first || live.unsure) && !live.members.contains_key(&rank)
        };
        if let Some(found) = self.live.iter().position(may_join) {
            return found;
        }
        // A second group whose members come while those of the first do can't be told from it.
        let mut group = Group::new(self.groups, owner);
        for other in self.live.iter_mut().filter(|live| live.forming && live.owner == owner) {
            (other.mixed, group.mixed) = (true, true);
        }
        self.groups += 1;
        self.live.push(group);
        self.live.len() - 1
    }

    fn sync(&mut self, (thread, processor): (u16, u8), (rank, owner): (u8, u8), cycle: u64, found: Found) {
        let mut work = self.work.get(&thread).cloned().unwrap_or_default();
        let ran = work.ran.values().sum();
        work.ran.remove(&processor);
        let member = Member {
            rank,
            thread,
            processor,
            begin_cycle: work.begin,
            sync_cycle: cycle,
            through_cycle: None,
            w_cycles: (!work.lost).then_some(ran),
            elsewhere_cycles: work.ran,
            untold_cycles: work.untold,
            sent_words: None,
            received_words: None,
            words_untold: false,
        };
        let place = self.group_of(thread, rank, owner, cycle);
        let group = &mut self.live[place];
        group.sync(member, found);
        let exchange = group.exchanges - 1;
        self.whose.insert(processor, Whose { place: group.place, exchange, rank });
    }

    fn through(&mut self, thread: u16, processor: u8, cycle: u64, found: Found) {
        self.work.insert(thread, Work { begin: Some(cycle), ..Work::default() });
        let of = self.live.iter_mut().find_map(|live| live.rank_of(thread).map(|rank| (live, rank)));
        let Some((group, rank)) = of else {
            // A member whose SYNC was lost: of any group whose members are not known.
            for group in self.live.iter_mut().filter(|live| live.exchanges <= 1) {
                group.unsure = true;
                group.spoil(LOST);
            }
            return;
        };
        if let Some(exchange) = group.through(rank, cycle, found) {
            self.whose.insert(processor, Whose { place: group.place, exchange, rank });
        }
    }

    /// Hands out what is over since an earlier cycle: what happens in the same tick may still belong to it.
    fn close_before(&mut self, cycle: u64, found: Found) {
        for group in &mut self.live {
            while group.flights.front().is_some_and(|flight| flight.is_over() && ended_before(flight, cycle)) {
                group.close(found);
            }
        }
    }

    fn lose(&mut self, processor: u8) {
        self.lost = true;
        self.whose.remove(&processor);
        for group in &mut self.live {
            let here = group.members.values().any(|member| member.processor == processor);
            group.unsure |= group.forming;
            if here || group.forming {
                // What is over stays so.
                group.flights.iter_mut().filter(|flight| !flight.is_over()).for_each(|flight| flight.spoil(LOST));
            }
        }
    }

    fn ends(&mut self, thread: u16, found: Found) {
        self.work.remove(&thread);
        self.close_before(u64::MAX, found);
        for group in &mut self.live {
            let Some(rank) = group.rank_of(thread) else { continue };
            let through = |flight: &Flight| {
                flight.entries.get(&rank).is_some_and(|member| member.through_cycle.is_some())
            };
            group.flights.iter_mut().filter(|flight| !through(flight)).for_each(|flight| flight.spoil(ENDED));
            if let Some(member) = group.members.get_mut(&rank) {
                member.ended = true;
            }
            if group.members.values().all(|member| member.ended) {
                while !group.flights.is_empty() {
                    group.close(found);
                }
            }
        }
        self.live.retain(|group| !group.members.values().all(|member| member.ended));
    }

    /// The trace ends.
    pub fn finish(&mut self, found: Found) {
        self.close_before(u64::MAX, found);
        for group in &mut self.live {
            group.spoil(CUT);
            while !group.flights.is_empty() {
                group.close(found);
            }
        }
    }
}

fn ended_before(flight: &Flight, cycle: u64) -> bool {
    flight.entries.values().all(|member| member.through_cycle.is_some_and(|through| through < cycle))
}
