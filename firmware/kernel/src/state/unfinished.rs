//! What services leave for later: notes that the main loop goes through in one place
//! ([`crate::dispatch::station`]).

use crate::variant;

/// What is to be done besides what the station takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Task(u8);

/// A task that the small kernel never has.
const fn extended(bit: u8) -> Task {
    Task(if variant::PAGES_GO { bit } else { 0 })
}

/// Packets have arrived that there is no room to answer: they wait, and don't interrupt.
pub const STUCK: Task = Task(1 << 0);
/// Some page has come for a thread that may not have used it yet.
pub const KEEPING: Task = extended(1 << 1);
/// A thread has stopped to wait for a page: the next one may have stopped within its time-slice
/// too.
pub const STOPPED: Task = extended(1 << 2);
/// Packets with parts of files wait for a data buffer.
pub const FILES_WAIT: Task = extended(1 << 3);
/// There was no memory for messages of a process, or of several
/// ([`crate::state::process::Record::doomed`]), which are to end.
pub const DOOMED: Task = extended(1 << 4);

/// A set of tasks.
pub struct Unfinished(u8);

impl Unfinished {
    pub const NOTHING: Unfinished = Unfinished(0);

    #[inline(always)]
    pub const fn is_nothing(&self) -> bool {
        self.0 == 0
    }
    #[inline(always)]
    pub const fn has(&self, task: Task) -> bool {
        self.0 & task.0 != 0
    }
    #[inline(always)]
    pub fn note(&mut self, task: Task) {
        self.0 |= task.0;
    }
    #[inline(always)]
    pub fn done(&mut self, task: Task) {
        self.0 &= !task.0;
    }
}
