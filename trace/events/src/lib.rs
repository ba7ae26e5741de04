//! The events of the monitors: from words to events, and what they mean in words.
//!
//! | module | what it does |
//! |---|---|
//! | [`event`] | an event, what happened in it, and its place in time |
//! | [`unwrap`] | epochs of one SMI's pairs, from its wrap markers (feature `alloc`) |
//! | [`grammar`] | events from words, some of which take two |
//! | [`wording`] | what an event says, for people |
//!
//! Neither a host nor a heap is needed but where the feature `alloc` is named, so a program on the
//! Testbed can read its own machine's events as the host does.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod belief;
pub mod event;
pub mod grammar;
#[cfg(feature = "alloc")]
pub mod unwrap;
pub mod wording;

pub use event::{Convention, Epoch, Event, What};

/// A place in a stream where pairs are missing or can't be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Number in the stream of the pair behind it.
    pub index: u64,
    /// No more pairs than this are missing, if that is known.
    pub at_most: Option<u64>,
}

/// What goes with words whose epoch has been found.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub epoch: Epoch,
    /// Number of the first pair in the stream.
    pub index: u64,
    /// Pairs may be missing before it.
    pub behind_hole: bool,
}

/// The high byte of a packed pair's datum: of a marker its kind.
pub(crate) const fn mark(word: u32) -> u8 {
    (word >> 24) as u8
}
