//! Which exchange of which group an event belongs to.
//!
//! A SYNC tells a rank and the process that the group belongs to, a THROUGH only its thread. Groups that
//! belong to the same process are told apart by their members.

use std::collections::BTreeMap;

use super::group::{Finding, Found, Group};
use super::superstep::Member;
use crate::analysis::exchange::Exchange;
use crate::analysis::fact::{Fact, ThreadState};

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
    /// Groups whose members have ended, and when these were established.
    over: Vec<(usize, u64)>,
    /// By processor: the beginning of its last loss.
    lost: BTreeMap<u8, u64>,
}

impl Groups {
    pub fn take(&mut self, fact: &Fact, found: Found) {
        match *fact {
            Fact::Born { thread, cycle } => {
                self.work.insert(thread, Work { begin: Some(cycle), lost: !self.lost.is_empty(), ..Work::default() });
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
            Fact::Lost { processor, from } => self.lose(processor, from, found),
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
                let from = self.lost.get(&processor).copied().unwrap_or(0);
                self.live.iter_mut().filter(|live| live.owner == owner).for_each(|live| {
                    live.doubt(from, found);
                });
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
        let lossy = !self.lost.is_empty();
        let may_join = |live: &Group| alike(live) && live.may_take(rank, cycle, lossy);
        if let Some(found) = self.live.iter().position(may_join) {
            return found;
        }
        // A second group whose members come while those of the first do can't be told from it.
        let mut group = Group::new(self.groups, owner, lossy);
        let mixes = |live: &mut Group| live.owner == owner && live.mixes();
        if self.live.iter_mut().filter_map(|live| mixes(live).then_some(())).count() > 0 {
            group.mix();
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
        let exchange = group.sync(member, found);
        self.whose.insert(processor, Whose { place: group.place, exchange, rank });
    }

    fn through(&mut self, thread: u16, processor: u8, cycle: u64, found: Found) {
        self.work.insert(thread, Work { begin: Some(cycle), ..Work::default() });
        let of = self.live.iter_mut().find_map(|live| live.rank_of(thread).map(|rank| (live, rank)));
        let Some((group, rank)) = of else {
            // A member whose SYNC was lost, of any group.
            let from = self.lost.get(&processor).copied().unwrap_or(0);
            return self.doubt(from, found);
        };
        if let Some(exchange) = group.through(rank, cycle, found) {
            self.whose.insert(processor, Whose { place: group.place, exchange, rank });
        }
    }

    fn close_before(&mut self, cycle: u64, found: Found) {
        self.live.iter_mut().for_each(|group| group.close_before(cycle, found));
    }

    fn lose(&mut self, processor: u8, from: u64, found: Found) {
        self.lost.insert(processor, from);
        self.whose.remove(&processor);
        // What was over when the last event came is not in doubt.
        self.close_before(from, found);
        self.live.iter_mut().for_each(|group| group.lose(processor));
        self.doubt(from, found);
    }

    /// Events after `from` were lost: see [`Group::doubt`].
    fn doubt(&mut self, from: u64, found: Found) {
        self.live.iter_mut().for_each(|group| group.doubt(from, found));
        self.over.retain(|(place, open)| {
            let stays = *open < from;
            if !stays {
                found(Finding::Revoked { place: *place });
            }
            stays
        });
    }

    fn ends(&mut self, thread: u16, found: Found) {
        self.work.remove(&thread);
        self.close_before(u64::MAX, found);
        let over = &mut self.over;
        self.live.retain_mut(|group| {
            let ends = group.end(thread, found);
            over.extend(group.established().filter(|_| ends).map(|open| (group.place, open)));
            !ends
        });
    }

    /// The trace ends.
    pub fn finish(&mut self, found: Found) {
        self.close_before(u64::MAX, found);
        self.live.iter_mut().for_each(|group| group.finish(found));
    }
}
