//! The slave's choice of a thread for a request that names none: the report's Figure 40.

use testbed_definitions::ids::ThreadNumber;

use crate::request::Link;

/// What the choice looks at of a thread of the slave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub thread: ThreadNumber,
    pub has_children: bool,
    /// It is in the ready queue.
    pub is_ready: bool,
    /// The link of its last communication; `None` if that was local, or it never communicated.
    pub last: Option<Link>,
}

impl Candidate {
    fn can_move(&self) -> bool {
        !self.has_children && self.is_ready
    }
}

/// How candidates are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Choice {
    /// As the report's text describes it.
    #[default]
    Described,
    /// As the report's Figure 40 prints it: the last thread is never looked at, and a thread whose
    /// last communication was local can be returned for a link.
    Printed,
}

/// The thread that moves to relieve `link`, or the processor if there is none; `None` if no thread
/// can.
pub fn select(
    choice: Choice,
    threads: impl Iterator<Item = Candidate> + Clone,
    link: Option<Link>,
) -> Option<ThreadNumber> {
    match choice {
        Choice::Described => described(threads, link),
        Choice::Printed => printed(threads, link),
    }
}

/// Without a link the first that can move. With one the first that last used it, else the first
/// whose last communication was remote.
fn described(threads: impl Iterator<Item = Candidate> + Clone, link: Option<Link>) -> Option<ThreadNumber> {
    let mut able = threads.filter(Candidate::can_move);
    let Some(link) = link else { return able.next().map(|thread| thread.thread) };
    let used = able.clone().find(|thread| thread.last == Some(link));
    used.or_else(|| able.find(|thread| thread.last.is_some())).map(|thread| thread.thread)
}

/// Figure 40 to the letter.
fn printed(threads: impl Iterator<Item = Candidate>, link: Option<Link>) -> Option<ThreadNumber> {
    let mut best: Option<Candidate> = None;
    let mut threads = threads.peekable();
    while let Some(thread) = threads.next() {
        if threads.peek().is_none() {
            break;
        }
        if !thread.can_move() {
            continue;
        }
        let Some(link) = link else { return Some(thread.thread) };
        if thread.last == Some(link) {
            return Some(thread.thread);
        }
        if best.is_none_or(|best| best.last.is_none()) {
            best = Some(thread);
        }
    }
    best.map(|best| best.thread)
}
