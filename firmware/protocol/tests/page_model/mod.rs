//! A machine whose processors share pages, for the model checker: threads that read and write as
//! they like, a first-in-first-out channel for each pair of processors (also from each to itself),
//! and the value that a page's frame has where.

use stateright::{Model, Property};
use testbed_definitions::page::{PTE_OWNED, PTE_READ, PTE_VALID, PTE_WRITE};
use testbed_definitions::processors::Processors;
use testbed_protocol::pages::directory::{self, Entry, Phase};
use testbed_protocol::pages::holder::{self, Touch};
use testbed_protocol::pages::keeping::Keeper;
use testbed_protocol::pages::{Order, Report};
use testbed_protocol::Processor;

mod calls;
mod properties;
mod steps;

/// The processor with the directory.
const HOME: Processor = Processor::MASTER;
/// A page to write.
const WRITABLE: u32 = PTE_VALID | PTE_READ | PTE_WRITE | PTE_OWNED;

/// What is explored.
#[derive(Clone, Default)]
pub struct World {
    pub processors: u8,
    /// Each page's first owner.
    pub owners: Vec<Processor>,
    /// Where each thread runs, how many reads or writes it does, and whether it may write.
    pub threads: Vec<(Processor, u8, bool)>,
    /// Of each thread, if it makes calls: each touch writes to all pages of this row, from the
    /// first to before the second.
    pub calls: Vec<(u8, u8)>,
    /// A thread that waited goes on before its processor does anything else; otherwise the page may
    /// be taken away first.
    pub at_once: bool,
    /// The first page ends once, when a thread of this processor ends.
    pub ends_at: Option<Processor>,
    /// After its end the first page begins again, at this processor.
    pub begins_at: Option<Processor>,
    /// Answers to the home that arrive twice, at most.
    pub doubles: u8,
    pub bug: Option<Bug>,
}

/// Mistakes that a protocol like this one could have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The home hands the page over without waiting for INVALIDATED.
    SkipInvalidated,
    /// The home grants the page to one who has nothing.
    GrantNothing,
    /// The home grants the page to one who has a copy, and does not tell the owner.
    GrantBoth,
    /// The owner goes on writing after it has sent a copy.
    KeepWriting,
    /// The home forgets who waits to write when something is done.
    ForgetWaiter,
    /// A processor answers INVALIDATED and keeps its copy.
    KeepCopy,
    /// The home goes on without DONE.
    SkipDone,
    /// The home does not note who has a copy.
    UnknownCopy,
    /// The owner sends the page away and keeps it.
    KeepPage,
    /// When a page ends, those who wait for it are not told.
    SilentEnd,
    /// When a page ends, its owner is not told.
    LeakPage,
    /// The owner frees the page's frame when it has sent the page away, though it has asked for the page again.
    FreeWanted,
    /// A call keeps one page only.
    KeepTooFew,
    /// A call keeps all that has come, whatever it waits for.
    KeepAll,
    /// A page is kept for one of the threads that have waited for it.
    KeepForOne,
    /// A call that has lost a page asks only for what is not here.
    Careless,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    Report(Report),
    /// With the page's value, if the order carries data.
    Order(Order, u8),
    /// A thread has ended, and the page with it.
    Exited,
    /// The page begins at the receiver.
    Begin,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    from: Processor,
    to: Processor,
    page: u8,
    content: Content,
}

/// What the page's processor has of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Held {
    entry: u32,
    /// What its frame holds.
    value: u8,
    /// Frames that belong to the entry.
    frames: i8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Thread {
    /// Reads and writes that are left.
    left: u8,
    touch: Doing,
    /// What has come for the thread's call, and how often it has waited.
    keeper: Keeper,
    waits: u8,
}

impl Thread {
    const fn new(left: u8) -> Self {
        Thread { left, touch: Doing::Nothing, keeper: Keeper::NONE, waits: 0 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Doing {
    Nothing,
    Blocked { page: u8, write: bool },
    Ready { page: u8, write: bool },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    entries: Vec<Entry>,
    /// By page, then processor.
    held: Vec<Held>,
    /// The value that was written last to each page.
    last: Vec<u8>,
    threads: Vec<Thread>,
    /// Of each processor the pages, as bits, that have come for calls and for which it has not said DONE.
    owed: Vec<u8>,
    /// Under way; in order for each pair.
    messages: Vec<Message>,
    ends_left: u8,
    begins_left: u8,
    doubles_left: u8,
    /// Calls of `free` that have not been answered by `freed`.
    freeing: u8,
    /// A thread has read something else than what was written last.
    stale: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Touch {
        thread: u8,
        page: u8,
        write: bool,
    },
    /// A thread whose page has come touches it again.
    Retry {
        thread: u8,
    },
    Deliver {
        from: Processor,
        to: Processor,
    },
    /// As `Deliver`, and the same message will come again.
    Double {
        from: Processor,
    },
    /// The thread that had the first page for its stack ends.
    End,
    /// The first page begins again.
    Begin,
}

impl State {
    fn send(&mut self, from: Processor, to: Processor, page: u8, content: Content) {
        let at = self.messages.iter().position(|other| (other.from, other.to) > (from, to));
        self.messages.insert(at.unwrap_or(self.messages.len()), Message { from, to, page, content });
    }

    fn report(&mut self, from: Processor, page: u8, report: Report) {
        self.send(from, HOME, page, Content::Report(report));
    }

    /// The message that arrives next from `from` at `to`.
    fn take(&mut self, from: Processor, to: Processor) -> Option<Message> {
        let at = self.messages.iter().position(|message| (message.from, message.to) == (from, to))?;
        Some(self.messages.remove(at))
    }
}

impl Held {
    /// The home has been asked: what is not here needs a frame.
    fn give_frame(&mut self) {
        self.frames += (self.entry & PTE_VALID == 0) as i8;
    }
}

impl World {
    fn index(&self, page: u8, processor: Processor) -> usize {
        (page * self.processors + processor.number()) as usize
    }
    fn all_processors(&self) -> impl Iterator<Item = Processor> {
        (0..self.processors).map(Processor::new)
    }
    fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }
}

impl World {
    /// An action in words; `state` is the one before it.
    pub fn describe(&self, state: &State, action: Action) -> String {
        match action {
            Action::Deliver { from, to } => {
                let message = state.messages.iter().find(|message| (message.from, message.to) == (from, to));
                let content = message.map(|message| match message.content {
                    Content::Order(order, _) => format!("{order:?}"),
                    Content::Report(report) => format!("{report:?}"),
                    other => format!("{other:?}"),
                });
                format!("{from} -> {to}: {}", content.unwrap_or_default())
            }
            Action::Touch { thread, page, write } => {
                let verb = if write { "writes" } else { "reads" };
                format!("thread at {} {verb} page {page}", self.threads[thread as usize].0)
            }
            other => format!("{other:?}"),
        }
    }
}

impl Model for World {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let mut state = State {
            entries: vec![Entry::default(); self.owners.len()],
            held: vec![Held::default(); self.owners.len() * self.processors as usize],
            last: vec![0; self.owners.len()],
            threads: self.threads.iter().map(|&(_, left, _)| Thread::new(left)).collect(),
            owed: vec![0; self.processors as usize],
            messages: Vec::new(),
            ends_left: self.ends_at.is_some() as u8,
            begins_left: self.begins_at.is_some() as u8,
            doubles_left: self.doubles,
            freeing: 0,
            stale: false,
        };
        for (page, &owner) in self.owners.iter().enumerate() {
            assert!(directory::register(&mut state.entries[page], owner));
            state.held[self.index(page as u8, owner)] = Held { entry: WRITABLE, frames: 1, value: 0 };
        }
        vec![state]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for (thread, task) in state.threads.iter().enumerate() {
            let may_write = self.threads[thread].2;
            let thread = thread as u8;
            match task.touch {
                Doing::Nothing if task.left != 0 && !self.calls.is_empty() => {
                    actions.push(Action::Touch { thread, page: self.calls[thread as usize].0, write: true });
                }
                Doing::Nothing if task.left != 0 => {
                    for page in 0..self.owners.len() as u8 {
                        actions.push(Action::Touch { thread, page, write: false });
                        if may_write {
                            actions.push(Action::Touch { thread, page, write: true });
                        }
                    }
                }
                Doing::Ready { .. } => actions.push(Action::Retry { thread }),
                _ => {}
            }
        }
        let mut last = None;
        for &Message { from, to, content, .. } in &state.messages {
            if last.replace((from, to)) != Some((from, to)) {
                actions.push(Action::Deliver { from, to });
                let answer = matches!(content, Content::Report(Report::Invalidated | Report::Done | Report::Gone));
                if answer && state.doubles_left != 0 {
                    actions.push(Action::Double { from });
                }
            }
        }
        if state.ends_left != 0 {
            actions.push(Action::End);
        }
        if state.begins_left != 0 && state.entries[0].phase() == Phase::Absent {
            actions.push(Action::Begin);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Touch { thread, page, write } => self.touch(&mut state, thread, page, write),
            Action::Retry { thread } => {
                let Doing::Ready { page, write } = state.threads[thread as usize].touch else { return None };
                self.touch(&mut state, thread, page, write);
            }
            Action::Deliver { from, to } => {
                let message = state.take(from, to)?;
                self.deliver(&mut state, message);
            }
            Action::Double { from } => {
                let message = *state.messages.iter().find(|message| (message.from, message.to) == (from, HOME))?;
                state.doubles_left -= 1;
                self.deliver(&mut state, message);
            }
            Action::End => {
                let at = self.ends_at?;
                state.ends_left = 0;
                state.freeing += 1;
                let held = &mut state.held[self.index(0, at)];
                if holder::end(&mut held.entry) {
                    held.value = 0;
                    held.frames -= 1;
                }
                state.send(at, HOME, 0, Content::Exited);
            }
            Action::Begin => {
                let at = self.begins_at?;
                state.begins_left = 0;
                // What the frame holds then counts as written last.
                state.last[0] = 0;
                assert!(directory::register(&mut state.entries[0], at));
                state.send(HOME, at, 0, Content::Begin);
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all(self)
    }
}
