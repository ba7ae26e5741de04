//! What single events tell of the ends of supersteps.

use testbed_definitions::event;

/// The end of a superstep, or of the exchange behind it, as events tell it. [`Exchange::Sent`] follows
/// [`Exchange::Sync`] on its processor, and [`Exchange::Received`] follows [`Exchange::Through`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// The running thread has come; `None` if it is not known after a loss.
    Sync { thread: Option<u16>, rank: u8, group: u8 },
    Sent { words: u32 },
    Through { thread: u16 },
    Received { words: u32 },
}

impl Exchange {
    /// What an event says of the end of a superstep; `runner` is the thread that was scheduled last.
    pub fn of(code: u16, argument: u16, runner: Option<u16>) -> Option<Self> {
        Some(match code {
            event::SYNC => Exchange::Sync { thread: runner, rank: argument as u8, group: (argument >> 8) as u8 },
            event::SENT => Exchange::Sent { words: argument.into() },
            event::THROUGH => Exchange::Through { thread: argument },
            event::RECEIVED => Exchange::Received { words: argument.into() },
            _ => return None,
        })
    }
}
