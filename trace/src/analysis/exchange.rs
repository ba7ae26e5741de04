//! What single events tell of the ends of supersteps.

use testbed_definitions::event;

/// The end of a superstep, or of the exchange behind it, as events tell it. [`Exchange::Sent`] follows
/// [`Exchange::Sync`] on its processor, and [`Exchange::Received`] follows [`Exchange::Through`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// The running thread has come to the end of its superstep.
    Sync {
        /// `None` if it is not known which thread runs, after a loss.
        thread: Option<u16>,
        rank: u8,
        /// Home and place of the process that the group belongs to.
        owner: u8,
    },
    /// Words for others; `None` if the event can't tell how many.
    Sent {
        words: Option<u32>,
    },
    Through {
        thread: u16,
    },
    /// Words from others; `None` if the event can't tell how many.
    Received {
        words: Option<u32>,
    },
}

impl Exchange {
    /// What an event says of the end of a superstep; `runner` is the thread that was scheduled last.
    pub fn of(code: u16, argument: u16, runner: Option<u16>) -> Option<Self> {
        let words = || (argument != event::WORDS_UNTOLD).then_some(argument.into());
        Some(match code {
            event::SYNC => {
                let (owner, rank) = event::member_fields(argument);
                Exchange::Sync { thread: runner, rank, owner }
            }
            event::SENT => Exchange::Sent { words: words() },
            event::THROUGH => Exchange::Through { thread: argument },
            event::RECEIVED => Exchange::Received { words: words() },
            _ => return None,
        })
    }
}
