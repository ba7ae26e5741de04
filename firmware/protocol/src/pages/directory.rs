//! The home's side of the page protocol.

use super::{Order, Report};
use crate::Processor;
use testbed_definitions::processors::Processors;

/// What is under way for a page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Phase {
    /// There is no such page.
    #[default]
    Absent,
    /// Nothing; nobody waits.
    Quiet,
    /// The owner sends the subject a copy.
    Copying,
    /// All but the subject give up what they have, so that it can write.
    Invalidating,
    /// The subject becomes the owner: by MOVE, or, if it is the owner already, by GRANT.
    Handing,
    /// All give up what they have, and the page with it.
    Ending,
}

/// What the home knows of one page. All zero: there is no such page.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Entry {
    /// Processors with copies; while they are told to give up, those that have not answered.
    pub copies: Processors,
    /// Processors that wait to read, and to write. The subject of what is under way is in neither.
    pub reading: Processors,
    pub writing: Processors,
    /// Owner in bits 3:0, subject in 7:4.
    places: u8,
    /// Phase, and [`FREE`].
    state: u8,
}

/// The page is to be freed.
const FREE: u8 = 0x80;

/// What the home has to do after a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    Nothing,
    /// Give one processor an order.
    Tell {
        to: Processor,
        order: Order,
    },
    /// Order [`Order::Invalidate`] at each of them.
    Invalidate {
        at: Processors,
    },
    /// The page is no more: [`Order::NoPage`] to those that wait for it. `freed`: it has been asked
    /// for ([`free`]).
    Ended {
        waiting: Processors,
        freed: bool,
    },
}

impl Entry {
    pub const fn owner(&self) -> Processor {
        Processor::new(self.places & 0xf)
    }
    pub const fn subject(&self) -> Processor {
        Processor::new(self.places >> 4)
    }
    #[inline]
    pub fn phase(&self) -> Phase {
        match self.state & 7 {
            1 => Phase::Quiet,
            2 => Phase::Copying,
            3 => Phase::Invalidating,
            4 => Phase::Handing,
            5 => Phase::Ending,
            _ => Phase::Absent,
        }
    }
    /// Whether the page is to be freed when what is under way is over.
    pub const fn is_to_be_freed(&self) -> bool {
        self.state & FREE != 0
    }
    fn set_phase(&mut self, phase: Phase) {
        self.state = self.state & FREE | phase as u8;
    }
    fn set_owner(&mut self, owner: Processor) {
        self.places = self.places & 0xf0 | owner.number() & 0xf;
    }
    fn waiting(&self) -> Processors {
        self.reading.or(self.writing)
    }
}

/// A new page, at `owner`. `false`, and nothing changes, if there is one.
#[must_use]
pub fn register(entry: &mut Entry, owner: Processor) -> bool {
    if entry.phase() != Phase::Absent {
        return false;
    }
    *entry = Entry::default();
    entry.set_owner(owner);
    entry.set_phase(Phase::Quiet);
    true
}

/// Frees the page: [`Output::Ended`] with `freed` comes now, or later from [`step`], once for every
/// call on a page that is not being freed. If `ended_by` owns it, it has given the page up already,
/// before it said so.
pub fn free(entry: &mut Entry, ended_by: Option<Processor>) -> Output {
    entry.state |= FREE;
    match entry.phase() {
        Phase::Absent => ended(entry),
        Phase::Quiet => end(entry, ended_by != Some(entry.owner())),
        _ => Output::Nothing,
    }
}

/// Serves what processor `from` reports.
#[inline(always)]
pub fn step(entry: &mut Entry, from: Processor, report: Report) -> Output {
    let phase = entry.phase();
    match report {
        Report::Read | Report::Write => {
            if phase == Phase::Absent {
                return Output::Tell { to: from, order: Order::NoPage };
            }
            let set = if report == Report::Read { &mut entry.reading } else { &mut entry.writing };
            *set = set.with(from);
            if phase == Phase::Quiet {
                return next(entry);
            }
        }
        Report::Invalidated => {
            if matches!(phase, Phase::Invalidating | Phase::Ending) && entry.copies.has(from) {
                entry.copies = entry.copies.without(from);
                return go_on(entry);
            }
        }
        Report::Done => {
            if from != entry.subject() {
                return Output::Nothing;
            }
            match phase {
                Phase::Copying => entry.copies = entry.copies.with(from),
                Phase::Handing => entry.set_owner(from),
                _ => return Output::Nothing,
            }
            return next(entry);
        }
        Report::Gone => {
            if matches!(phase, Phase::Copying | Phase::Handing) && from == entry.owner() {
                entry.reading = entry.reading.with(entry.subject());
                return end(entry, false);
            }
        }
    }
    Output::Nothing
}

/// Begins the next thing to do.
#[inline]
fn next(entry: &mut Entry) -> Output {
    if entry.is_to_be_freed() {
        return end(entry, true);
    }
    if entry.waiting().is_empty() {
        entry.set_phase(Phase::Quiet);
        return Output::Nothing;
    }
    let owner = entry.owner();
    let subject = entry.waiting().after(entry.subject());
    entry.places = owner.number() | subject.number() << 4;
    let reads = entry.reading.has(subject);
    entry.reading = entry.reading.without(subject);
    if reads && subject != owner {
        entry.set_phase(Phase::Copying);
        return Output::Tell { to: owner, order: Order::CopyTo(subject) };
    }
    entry.writing = entry.writing.without(subject);
    if entry.copies.has(subject) {
        // Its copy becomes the page; the owner gives up with the others.
        entry.copies = entry.copies.without(subject).with(owner);
        entry.set_owner(subject);
    }
    entry.set_phase(Phase::Invalidating);
    go_on_or_invalidate(entry)
}

/// All give up what they have; the owner has already, unless `ask_owner`.
fn end(entry: &mut Entry, ask_owner: bool) -> Output {
    if ask_owner {
        entry.copies = entry.copies.with(entry.owner());
    }
    entry.set_phase(Phase::Ending);
    go_on_or_invalidate(entry)
}

#[inline]
fn go_on_or_invalidate(entry: &mut Entry) -> Output {
    if entry.copies.is_empty() {
        go_on(entry)
    } else {
        Output::Invalidate { at: entry.copies }
    }
}

/// Once all have given up: the subject becomes the owner, or the page ends.
#[inline]
fn go_on(entry: &mut Entry) -> Output {
    if !entry.copies.is_empty() {
        return Output::Nothing;
    }
    if entry.phase() == Phase::Ending {
        return ended(entry);
    }
    entry.set_phase(Phase::Handing);
    let (owner, subject) = (entry.owner(), entry.subject());
    Output::Tell { to: owner, order: if owner == subject { Order::Grant } else { Order::MoveTo(subject) } }
}

fn ended(entry: &mut Entry) -> Output {
    let (waiting, freed) = (entry.waiting(), entry.is_to_be_freed());
    *entry = Entry::default();
    Output::Ended { waiting, freed }
}
