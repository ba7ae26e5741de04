//! Effects: what services leave to be done when what is being done has been done. It is noted here
//! and done in one place ([`crate::dispatch::effects`]), so that no service calls what has called it.
//!
//! | note | what is left | what it is kept in |
//! |---|---|---|
//! | [`ENDING`] | threads end | a list, [`Kernel::ends`](crate::state::kernel::Kernel::ends) |
//! | [`DOOMED`] | processes end | their records: each may be found out of memory several times |
//! | [`PARKED`] | threads that have come get a control block | pages, since there is none |
//! | [`MOUNTS`] | a file is asked for, pieces of files leave | what is known of the files |
//! | [`COPIED`] | a communication is counted | its threads and bytes, [`Kernel::agent`](crate::state::kernel::Kernel::agent) |
//! | [`MOVES`] | threads move for requests | the requests, [`Kernel::moves`](crate::state::kernel::Kernel::moves) |
//! | [`LEAVING`] | members of groups go on | what is known of the groups |
//! | [`KEEPING`] | homes are told of pages that have been used | lists of threads and processes |
//!
//! Requests to move a thread are served only where the registers of all threads are saved, in the
//! main loop: any ready thread may leave.
//!
//! Messages and threads that leave are in a queue of their own, whose being empty says it all.
//! A thread that is ready needs no note: services put it into the ready ring themselves, which
//! changes nothing else. Three notes are no effects but something that is known, in the same word so
//! that one look tells whether there is anything: [`STUCK`], [`STOPPED`] and [`BY_REPORT`].

use crate::variant;

/// Something to be done, or known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Note(u16);

/// A note that the small kernel never makes.
const fn extended(bit: u16) -> Note {
    Note(if variant::PAGES_GO { bit } else { 0 })
}

/// Packets have arrived that there is no room to answer: they wait, and don't interrupt. It is
/// known as long as it is so, and not done with.
pub const STUCK: Note = Note(1 << 0);
/// Some page has come for a thread that may not have used it yet.
pub const KEEPING: Note = extended(1 << 1);
/// A thread has stopped to wait for a page: the next one may have stopped within its time-slice
/// too. Whoever chooses the next thread asks for it.
pub const STOPPED: Note = extended(1 << 2);
/// There may be something to be sent of files, or to be asked for.
pub const MOUNTS: Note = extended(1 << 3);
/// There was no memory for messages of a process, or of several, which are to end.
pub const DOOMED: Note = extended(1 << 4);
/// Threads are to end.
pub const ENDING: Note = extended(1 << 5);
/// Threads have come while no control block was free.
pub const PARKED: Note = extended(1 << 6);
/// A request to move a thread may have found one.
pub const MOVES: Note = extended(1 << 7);
/// Two threads have communicated, which the agent counts.
pub const COPIED: Note = extended(1 << 8);
/// Memory of processes leaves; members of groups that have sent it wait until it has.
pub const LEAVING: Note = extended(1 << 9);
/// The policy is the report's ([`crate::state::policy`]): whoever looks for what is left to do before
/// a thread goes on finds this, so that nobody else need ask.
pub const BY_REPORT: Note = extended(1 << 10);
/// Any of what the station has to do with.
pub const FOR_STATION: Note = Note(MOUNTS.0 | PARKED.0);
/// Any of what ends.
pub const ENDS: Note = Note(ENDING.0 | DOOMED.0);

/// Any of what is looked for when a packet has been served.
pub const AFTER_PACKETS: Note = Note(FOR_STATION.0 | ENDS.0);

/// A set of notes.
pub struct Effects(u16);

impl Effects {
    pub const NOTHING: Effects = Effects(0);

    #[inline(always)]
    pub const fn is_nothing(&self) -> bool {
        self.0 & !BY_REPORT.0 == 0
    }
    /// Whether any note has been made, whatever it is.
    #[inline(always)]
    pub const fn has_any(&self) -> bool {
        self.0 != 0
    }
    /// Whether the note, or any of them, has been made.
    #[inline(always)]
    pub const fn has(&self, note: Note) -> bool {
        self.0 & note.0 != 0
    }
    #[inline(always)]
    pub fn note(&mut self, note: Note) {
        self.0 |= note.0;
    }
    #[inline(always)]
    pub fn done(&mut self, note: Note) {
        self.0 &= !note.0;
    }
}
