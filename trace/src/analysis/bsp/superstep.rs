//! What is known of one superstep, and of each process in it.

use serde::{Deserialize, Serialize};

/// The greatest number of words that an event tells; there may be more.
pub const WORDS_TOLD_MAX: u32 = u16::MAX as u32;

/// One process in a superstep. What no event tells is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Cycles in which the thread itself ran, from its beginning to SYNC; `None` if events were lost meanwhile.
    pub w_cycles: Option<u64>,
    /// Cycles of which no event tells whether it ran: a yield, or time-slices where class `timer` is off.
    pub untold_cycles: u64,
    pub sent_words: Option<u32>,
    pub received_words: Option<u32>,
}

impl Member {
    /// From SYNC to THROUGH.
    pub fn waited_cycles(&self) -> Option<u64> {
        self.through_cycle?.checked_sub(self.sync_cycle)
    }

    fn is_whole(&self) -> bool {
        let words = self.sent_words.is_some() && self.received_words.is_some();
        words && self.begin_cycle.is_some() && self.through_cycle.is_some() && self.w_cycles.is_some()
    }
}

/// What a superstep amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// The most work of a process.
    pub w_cycles: u64,
    /// Most words that a process has sent, and received.
    pub hs_words: u32,
    pub hr_words: u32,
    /// From the earliest beginning to the last THROUGH.
    pub cycles: u64,
    /// The longest time from SYNC to THROUGH.
    pub waited_cycles: u64,
    /// The rank whose SYNC came last.
    pub last: u8,
    /// Some process has more words than its event can tell.
    pub more_words: bool,
}

impl Sums {
    /// The larger of words sent and received.
    pub fn h_words(&self) -> u32 {
        self.hs_words.max(self.hr_words)
    }
}

/// What rules the time of a superstep by the formula max{l, w, g hs, g hr}.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    Latency,
    Work,
    Sent,
    Received,
}

impl Term {
    /// As the formula writes it.
    pub fn name(self) -> &'static str {
        ["l", "w", "g hs", "g hr"][self as usize]
    }
}

/// What the cost model says of a superstep, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// max{l, w, g hs, g hr}, and which of the four it is.
    pub max_cycles: f64,
    pub rules: Term,
    /// w + g h + l.
    pub sum_cycles: f64,
}

/// One exchange of a group, with the superstep that it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Superstep {
    /// From 0, within its group.
    pub exchange: u64,
    /// In order of rank; only those of whose SYNC the trace tells.
    pub members: Vec<Member>,
    /// `None` if the superstep is incomplete.
    pub sums: Option<Sums>,
    /// Why it is incomplete.
    pub incomplete: Option<String>,
    /// What the cost model says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

impl Superstep {
    /// Of these members; `spoiled` if something is known to be missing.
    pub fn new(exchange: u64, members: Vec<Member>, spoiled: Option<&'static str>) -> Self {
        let incomplete = spoiled.or_else(|| missing(&members));
        let sums = if incomplete.is_none() { sums(&members) } else { None };
        let incomplete = incomplete.or(sums.is_none().then_some("its stamps contradict each other"));
        Superstep { exchange, members, sums, incomplete: incomplete.map(Into::into), predicted: None }
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
    let (mut sent, mut received, mut more) = (0, 0, false);
    for member in members {
        let words = (member.sent_words.unwrap_or(0), member.received_words.unwrap_or(0));
        more |= words.0.max(words.1) >= WORDS_TOLD_MAX;
        (sent, received) = (sent + words.0, received + words.1);
    }
    (!more && sent != received).then_some("more words were sent than received, or fewer")
}

/// Sums of members of whom everything is known.
fn sums(members: &[Member]) -> Option<Sums> {
    let begin = members.iter().filter_map(|member| member.begin_cycle).min()?;
    let end = members.iter().filter_map(|member| member.through_cycle).max()?;
    let words = |of: fn(&Member) -> Option<u32>| members.iter().filter_map(of).max().unwrap_or(0);
    let (hs_words, hr_words) = (words(|member| member.sent_words), words(|member| member.received_words));
    // Of several in the same tick the one with the highest rank.
    let last = members.iter().max_by_key(|member| member.sync_cycle)?;
    Some(Sums {
        w_cycles: members.iter().filter_map(|member| member.w_cycles).max()?,
        hs_words,
        hr_words,
        cycles: end.checked_sub(begin)?,
        waited_cycles: members.iter().filter_map(Member::waited_cycles).max()?,
        last: last.rank,
        more_words: hs_words.max(hr_words) >= WORDS_TOLD_MAX,
    })
}
