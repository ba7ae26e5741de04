//! Who can still go on: every thread that waits, whom it waits for, and which of them wait in vain.
//!
//! A thread is *held* if nothing that is under way sets it free, and it waits only for threads that
//! are held themselves: the greatest such set is found by taking out whoever may go on until nobody
//! does (as checkers of leaked goroutines find who can still be reached). Whatever the tables leave
//! open counts as going on, so nobody is called held who is not.

use std::collections::{BTreeMap, BTreeSet};
use testbed_definitions::ids::ThreadNumber;

use serde::{Deserialize, Serialize};

use super::snapshot::{Channel, Receiver, Sender, Snapshot, State, Thread};

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// Nothing, or what comes by itself.
    Nothing(Passing),
    /// A partner, on the first of these channels that has one; sends or receives.
    Partner { sends: bool, channels: Vec<(u8, Partner)> },
    /// All of its children that are still there; ends afterwards or goes on.
    Children { numbers: Vec<u16>, ends: bool },
    /// The end of a process.
    Process(u16),
    /// Somebody who lets its process, which is suspended, run again.
    Resumption,
}

/// Whoever can end a thread's wait on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Partner {
    /// The thread that has the other end.
    Is(u16),
    /// The thread that had the other end has ended. Only one with the same id can have it again.
    Ended(u16),
    /// No thread has used the other end yet, so any of the process may.
    Anybody,
    /// The receiving end that the thread waits at belongs to this thread. It waits, until the owner
    /// or the sender comes, and its request fails then.
    Taken(u16),
}

/// Why a thread that does not run goes on by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passing {
    /// It runs, or could.
    Runs,
    /// It communicates on this channel: both partners are there, or the message is on its way.
    Transfer { channel: u8, partner: u16 },
    /// Its time will be over at this cycle.
    Time { deadline: u64, channels: Vec<u8> },
    /// Console input.
    Input,
    /// A page.
    Page(u16),
    /// Another processor: an answer, a new place, a child's birth.
    Answer,
    /// The other members of its group, or what they send.
    Group,
    /// The tables say too little, or contradict each other because a kernel was at work on them.
    Unclear,
}

/// What becomes of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It may go on.
    GoesOn,
    /// It goes on only if a thread is created again whose id an ended one had.
    Abandoned,
    /// It can never go on, whatever others do but end it.
    Held,
}

/// The waits of a moment.
#[derive(Debug)]
pub struct Graph<'a> {
    snapshot: &'a Snapshot,
    /// In the order of the threads.
    pub waits: Vec<Wait>,
    pub fates: Vec<Fate>,
    /// Processes of which some thread was in no table: it is on its way.
    incomplete: BTreeSet<u16>,
}

impl<'a> Graph<'a> {
    pub fn new(snapshot: &'a Snapshot) -> Self {
        let incomplete = snapshot.processes.iter().filter(|process| {
            let here = snapshot.threads.iter().filter(|thread| thread.process == process.id);
            let seen = here.fold(0u64, |seen, thread| seen | 1 << ThreadNumber::from_bits(thread.number).id());
            process.ids & !seen != 0
        });
        let incomplete = incomplete.map(|process| process.id).collect();
        let mut graph = Graph { snapshot, waits: Vec::new(), fates: Vec::new(), incomplete };
        graph.waits = snapshot.threads.iter().map(|thread| graph.wait(thread)).collect();
        let held = graph.held(false);
        let abandoned = graph.held(true);
        let fate = |index: usize| match (held[index], abandoned[index]) {
            (true, _) => Fate::Held,
            (_, true) => Fate::Abandoned,
            _ => Fate::GoesOn,
        };
        graph.fates = (0..snapshot.threads.len()).map(fate).collect();
        graph
    }

    /// Whether some thread is in no table.
    pub fn has_missing(&self) -> bool {
        !self.incomplete.is_empty()
    }

    fn threads_of(&self, process: u16) -> impl Iterator<Item = (usize, &'a Thread)> + '_ {
        self.snapshot.threads.iter().enumerate().filter(move |(_, thread)| thread.process == process)
    }

    fn find(&self, process: u16, number: u16) -> Option<usize> {
        self.threads_of(process).find(|(_, thread)| thread.number == number).map(|(index, _)| index)
    }

    /// What a thread waits for, as the tables have it.
    fn wait(&self, thread: &Thread) -> Wait {
        let passing = match thread.state {
            State::Communicating => return self.communication(thread),
            State::Alternative => return self.alternative(thread),
            State::Waiting | State::Ending => return self.children(thread),
            State::Held => return Wait::Resumption,
            State::Asking => {
                let awaited = |process: &&super::Process| process.waiter == Some((thread.process, thread.number));
                match self.snapshot.processes.iter().find(awaited) {
                    Some(process) => return Wait::Process(process.id),
                    None => Passing::Answer,
                }
            }
            State::Ready => Passing::Runs,
            State::Transmitting => match thread.channels.first() {
                Some(&channel) => self.transfer(thread, channel),
                None => Passing::Unclear,
            },
            State::Moving | State::Returning | State::Courier | State::Creating => Passing::Answer,
            State::Synchronizing | State::Exchanging => Passing::Group,
            State::Paging => thread.page.map_or(Passing::Unclear, Passing::Page),
            State::Delayed => match thread.deadline {
                Some(deadline) => Passing::Time { deadline, channels: Vec::new() },
                None => Passing::Unclear,
            },
            State::Reading => Passing::Input,
            State::Unknown => Passing::Unclear,
        };
        Wait::Nothing(passing)
    }

    /// Every processor's view of a channel.
    fn views(&self, process: u16, channel: u8) -> impl Iterator<Item = &'a Channel> {
        self.snapshot.channels.iter().filter(move |view| view.process == process && view.channel == channel)
    }

    fn view(&self, thread: &Thread, channel: u8) -> Option<&'a Channel> {
        self.views(thread.process, channel).find(|view| view.processor == thread.processor)
    }

    fn communication(&self, thread: &Thread) -> Wait {
        let Some((&channel, view)) =
            thread.channels.first().and_then(|channel| Some((channel, self.view(thread, *channel)?)))
        else {
            return Wait::Nothing(Passing::Unclear);
        };
        let receives = view.receiver_thread == thread.number && view.receiver == Receiver::Waiting;
        let sends = view.sender_thread == thread.number && view.sender == Sender::Waiting;
        let partner = match (sends, receives) {
            (true, false) => self.receiver_for(thread, view),
            (false, true) => self.sender_for_receiver(thread, view),
            _ => None,
        };
        match partner {
            Some(partner) => Wait::Partner { sends, channels: vec![(channel, partner)] },
            None => Wait::Nothing(self.transfer(thread, channel)),
        }
    }

    fn alternative(&self, thread: &Thread) -> Wait {
        if let Some(deadline) = thread.deadline {
            return Wait::Nothing(Passing::Time { deadline, channels: thread.channels.clone() });
        }
        let partner = |&channel: &u8| {
            let view = self.view(thread, channel)?;
            let waits = view.receiver == Receiver::Alternative && view.receiver_thread == thread.number;
            Some((channel, self.sender_for_receiver(thread, view).filter(|_| waits)?))
        };
        let channels: Option<Vec<_>> = thread.channels.iter().map(partner).collect();
        match channels {
            Some(channels) if !channels.is_empty() => Wait::Partner { sends: false, channels },
            _ => Wait::Nothing(Passing::Unclear),
        }
    }

    /// The partner of a thread that receives at `view`, which may have no right to.
    fn sender_for_receiver(&self, thread: &Thread, view: &Channel) -> Option<Partner> {
        // Who has communicated has the end for as long as the process runs.
        let owns = |other: &&Channel| {
            other.receiver != Receiver::Away && other.received != 0 && other.receiver_thread != thread.number
        };
        match self.views(view.process, view.channel).find(owns) {
            Some(owner) if view.received == 0 => Some(Partner::Taken(owner.receiver_thread)),
            _ => self.sender_for(thread, view),
        }
    }

    /// Who could send to a thread that waits at `view`; `None` if something is under way, or may be.
    fn sender_for(&self, thread: &Thread, view: &Channel) -> Option<Partner> {
        let mut ends = self.views(view.process, view.channel).filter(|other| other.sender != Sender::Away);
        match (ends.next(), ends.next()) {
            // An end that is nowhere is on its way.
            (None, _) => (view.sender_thread == 0 && !self.is_incomplete(thread)).then_some(Partner::Anybody),
            (Some(end), None) => {
                let settled = end.sender == Sender::Idle && end.sent == view.received;
                settled.then(|| self.partner(thread, end.sender_thread)).flatten()
            }
            _ => None,
        }
    }

    /// Who could receive from a thread that waits at `view`; `None` as above.
    fn receiver_for(&self, thread: &Thread, view: &Channel) -> Option<Partner> {
        // Another sender, with or without right to the channel, is about to be refused, or has this one refused.
        if self.views(view.process, view.channel).filter(|other| other.sender != Sender::Away).count() != 1 {
            return None;
        }
        let mut ends = self.views(view.process, view.channel).filter(|other| other.receiver != Receiver::Away);
        match (ends.next(), ends.next()) {
            (None, _) => (view.receiver_thread == 0 && !self.is_incomplete(thread)).then_some(Partner::Anybody),
            (Some(end), None) => {
                // Its token has arrived, or needs none.
                let told = end.token.is_some_and(|token| {
                    (token.at, token.sender, token.sequence) == (view.processor, thread.number, view.sent)
                });
                let settled = end.receiver == Receiver::Idle && (told || end.processor == view.processor);
                settled.then(|| self.partner(thread, end.receiver_thread)).flatten()
            }
            _ => None,
        }
    }

    fn partner(&self, thread: &Thread, number: u16) -> Option<Partner> {
        if self.find(thread.process, number).is_some() {
            return Some(Partner::Is(number));
        }
        let home = self.snapshot.processes.iter().find(|process| process.id == thread.process)?;
        (number != 0 && home.ids & 1 << ThreadNumber::from_bits(number).id() == 0).then_some(Partner::Ended(number))
    }

    /// What a thread does whose communication is under way.
    fn transfer(&self, thread: &Thread, channel: u8) -> Passing {
        let partners = self.views(thread.process, channel).flat_map(|view| [view.sender_thread, view.receiver_thread]);
        let partner = partners.into_iter().find(|number| *number != 0 && *number != thread.number);
        partner.map_or(Passing::Unclear, |partner| Passing::Transfer { channel, partner })
    }

    fn children(&self, thread: &Thread) -> Wait {
        let children = self.threads_of(thread.process).filter(|(_, child)| child.parent == thread.number);
        let numbers: Vec<u16> = children.map(|(_, child)| child.number).collect();
        if numbers.is_empty() || numbers.len() != usize::from(thread.children) {
            return Wait::Nothing(Passing::Answer);
        }
        Wait::Children { numbers, ends: thread.state == State::Ending }
    }

    fn is_incomplete(&self, thread: &Thread) -> bool {
        // Nobody knows the ids of a process whose home can't be read.
        self.incomplete.contains(&thread.process)
            || !self.snapshot.processes.iter().any(|process| process.id == thread.process)
    }

    /// The greatest set of threads that only wait for each other. `final_ends`: the ends of threads
    /// that have ended are nobody's any more.
    fn held(&self, final_ends: bool) -> Vec<bool> {
        let mut held: Vec<bool> = self.waits.iter().map(|wait| !matches!(wait, Wait::Nothing(_))).collect();
        loop {
            let free: Vec<usize> =
                (0..held.len()).filter(|&index| held[index] && self.may_go_on(index, &held, final_ends)).collect();
            if free.is_empty() {
                return held;
            }
            free.into_iter().for_each(|index| held[index] = false);
        }
    }

    fn may_go_on(&self, index: usize, held: &[bool], final_ends: bool) -> bool {
        let thread = &self.snapshot.threads[index];
        let somebody = |process: u16| {
            self.incomplete.contains(&process) || self.threads_of(process).any(|(other, _)| !held[other])
        };
        let goes_on = |number: &u16| self.find(thread.process, *number).is_none_or(|other| !held[other]);
        match &self.waits[index] {
            Wait::Nothing(_) => true,
            Wait::Partner { channels, .. } => channels.iter().any(|(_, partner)| match partner {
                Partner::Is(number) => goes_on(number),
                Partner::Ended(_) => !final_ends && somebody(thread.process),
                // Any may move the owner or the sender here.
                Partner::Anybody | Partner::Taken(_) => somebody(thread.process),
            }),
            Wait::Children { numbers, .. } => numbers.iter().all(goes_on),
            // One of which nothing is known is being loaded, or ends.
            Wait::Process(id) => somebody(*id) || self.threads_of(*id).next().is_none(),
            Wait::Resumption => {
                self.snapshot.threads.iter().zip(held).any(|(other, held)| other.process != thread.process && !held)
            }
        }
    }

    /// The threads that a thread which does not go on waits for.
    fn awaited(&self, index: usize) -> Vec<usize> {
        let thread = &self.snapshot.threads[index];
        match &self.waits[index] {
            Wait::Partner { channels, .. } => {
                let known = channels.iter().filter_map(|(_, partner)| match partner {
                    Partner::Is(number) => self.find(thread.process, *number),
                    _ => None,
                });
                known.collect()
            }
            Wait::Children { numbers, .. } => {
                let children = numbers.iter().filter_map(|number| self.find(thread.process, *number));
                children.filter(|child| self.fates[*child] != Fate::GoesOn).collect()
            }
            Wait::Process(id) => self.threads_of(*id).map(|(index, _)| index).collect(),
            _ => Vec::new(),
        }
    }

    /// Circles of threads that wait for each other, each from its lowest thread on, in the order of
    /// waiting; of an alternative or a parent, along the first that leads into a circle.
    pub fn circles(&self) -> Vec<Vec<usize>> {
        let stuck = |index: &usize| self.fates[*index] != Fate::GoesOn;
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for start in (0..self.waits.len()).filter(stuck) {
            if let Some(circle) = self.way_back(start) {
                let lowest = circle.iter().copied().min().unwrap_or(start);
                let at = circle.iter().position(|index| *index == lowest).unwrap_or(0);
                let rotated: Vec<usize> = circle[at..].iter().chain(&circle[..at]).copied().collect();
                found.entry(lowest).or_insert(rotated);
            }
        }
        found.into_values().collect()
    }

    /// The shortest way from a thread over those that it waits for back to itself.
    fn way_back(&self, start: usize) -> Option<Vec<usize>> {
        let mut before: BTreeMap<usize, usize> = BTreeMap::new();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(index) = queue.pop_front() {
            for next in self.awaited(index) {
                if next == start {
                    let mut way = vec![index];
                    while let Some(&previous) = before.get(way.last()?).filter(|_| way.last() != Some(&start)) {
                        way.push(previous);
                    }
                    way.reverse();
                    return Some(way);
                }
                if self.fates[next] != Fate::GoesOn && !before.contains_key(&next) {
                    before.insert(next, index);
                    queue.push_back(next);
                }
            }
        }
        None
    }
}
