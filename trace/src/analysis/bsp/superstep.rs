//! What is known of one superstep, and of each process in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{Predicted, Sums};

/// Why a superstep is incomplete of which events may be missing.
pub const LOST: &str = "events were lost";

/// One process in a superstep. What no event tells is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub rank: u8,
    pub thread: u16,
    /// Where it came to the end of its superstep.
    pub processor: u8,
    /// Its last THROUGH, or where the trace first shows it.
    pub begin_cycle: Option<u64>,
    /// SYNC and THROUGH.
    pub sync_cycle: u64,
    pub through_cycle: Option<u64>,
    /// Cycles in which the thread itself ran, from its beginning to SYNC; `None` if events were lost
    /// meanwhile.
    pub w_cycles: Option<u64>,
    /// Those of them on other processors, from which it has moved away.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elsewhere_cycles: BTreeMap<u8, u64>,
    /// Cycles of which no event tells whether it ran: a call without an event, a message of the group
    /// that the kernel served meanwhile, or time-slices where class `timer` is off.
    pub untold_cycles: u64,
    pub sent_words: Option<u32>,
    pub received_words: Option<u32>,
    /// An event has told that it can't tell how many words there are.
    pub words_untold: bool,
}

impl Member {
    /// From SYNC to THROUGH.
    pub fn waited_cycles(&self) -> Option<u64> {
        self.through_cycle?.checked_sub(self.sync_cycle)
    }

    /// Whether it is through, and has said what it got.
    pub fn is_over(&self) -> bool {
        self.through_cycle.is_some() && (self.words_untold || self.received_words.is_some())
    }

    fn is_whole(&self) -> bool {
        let words = self.words_untold || self.sent_words.is_some();
        words && self.is_over() && self.begin_cycle.is_some() && self.w_cycles.is_some()
    }
}

/// One exchange of a group, with the superstep that it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Superstep {
    /// From 0, within its group, as far as the trace shows it.
    pub exchange: u64,
    /// In order of rank; only those of whose SYNC the trace tells.
    pub members: Vec<Member>,
    /// `None` if the superstep is incomplete.
    pub sums: Option<Sums>,
    /// Why it is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
    /// What the cost model says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

impl Superstep {
    /// The superstep of these members; `spoiled` if something is known to be missing.
    pub fn new(exchange: u64, members: Vec<Member>, spoiled: Option<&'static str>) -> Self {
        let incomplete = spoiled.or_else(|| missing(&members));
        let sums = if incomplete.is_none() { sums(&members) } else { None };
        let incomplete = incomplete.or(sums.is_none().then_some("its stamps contradict each other"));
        Superstep { exchange, members, sums, incomplete: incomplete.map(Into::into), predicted: None }
    }

    /// A process may be missing after all.
    pub fn revoke(&mut self) {
        (self.sums, self.incomplete) = (None, Some(LOST.into()));
    }

    /// The earliest beginning that is known.
    pub fn begin_cycle(&self) -> Option<u64> {
        let begun = |member: &Member| member.begin_cycle.unwrap_or(member.sync_cycle);
        self.members.iter().map(begun).min()
    }

    /// The last that is known of it.
    pub fn end_cycle(&self) -> Option<u64> {
        let ended = |member: &Member| member.through_cycle.unwrap_or(member.sync_cycle);
        self.members.iter().map(ended).max()
    }
}

/// What members that have all come through lack.
fn missing(members: &[Member]) -> Option<&'static str> {
    if members.iter().enumerate().any(|(rank, member)| usize::from(member.rank) != rank) {
        return Some("the trace lacks a process");
    }
    if !members.iter().all(Member::is_whole) {
        return Some("the trace lacks events of a process");
    }
    let all = |of: fn(&Member) -> Option<u32>| members.iter().filter_map(of).map(u64::from).sum::<u64>();
    let differ = all(|member| member.sent_words) != all(|member| member.received_words);
    let untold = members.iter().any(|member| member.words_untold);
    (differ && !untold).then_some("more words were sent than received, or fewer")
}

/// Sums of members of whom everything is known.
fn sums(members: &[Member]) -> Option<Sums> {
    let begin = members.iter().filter_map(|member| member.begin_cycle).min()?;
    let end = members.iter().filter_map(|member| member.through_cycle).max()?;
    let mut work: BTreeMap<u8, u64> = BTreeMap::new();
    let mut words: BTreeMap<u8, (u32, u32)> = BTreeMap::new();
    for member in members {
        let elsewhere: u64 = member.elsewhere_cycles.values().sum();
        *work.entry(member.processor).or_default() += member.w_cycles?.checked_sub(elsewhere)?;
        for (processor, cycles) in &member.elsewhere_cycles {
            *work.entry(*processor).or_default() += cycles;
        }
        let (sent, received) = words.entry(member.processor).or_default();
        *sent = sent.saturating_add(member.sent_words.unwrap_or(0));
        *received = received.saturating_add(member.received_words.unwrap_or(0));
    }
    // Of several in the same tick the one with the highest rank.
    let last = members.iter().max_by_key(|member| member.sync_cycle)?;
    Some(Sums {
        w_cycles: work.values().copied().max()?,
        hs_words: words.values().map(|(sent, _)| *sent).max()?,
        hr_words: words.values().map(|(_, received)| *received).max()?,
        cycles: end.checked_sub(begin)?,
        waited_cycles: members.iter().filter_map(Member::waited_cycles).max()?,
        last: last.rank,
        words_untold: members.iter().any(|member| member.words_untold),
    })
}
