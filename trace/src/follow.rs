//! Who runs on a processor: what each event says of it. One truth for all who follow a trace.
//!
//! [`crate::conform`] checks threads' states against it, [`crate::export`] shows it to other tools, and
//! [`crate::analysis`] measures by it; [`crate::watch`] looks on at the last. In which state a thread
//! is besides, `conform`'s state machine of threads says, and `analysis` divides its states further.

use testbed_definitions::event;

use crate::order::{Event, What};

/// What an event says of who runs on its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The thread that is named runs from here on.
    Begins(u16),
    /// Whoever ran runs no more, and is ready to run again.
    Yields,
    /// Whoever ran runs no more, and waits.
    Stops,
    /// The thread that is named is ready, whoever runs.
    Readies(u16),
    /// The thread that is named ends or goes to another processor, whether it ran or was ready.
    Leaves(u16),
    /// Nothing: whoever runs goes on, or is interrupted for a while.
    GoesOn,
}

impl Turn {
    /// The turn that an event begins or ends.
    pub fn of(event: &Event) -> Turn {
        match event.what {
            What::Schedule(thread) => Turn::Begins(thread),
            What::Joins(thread) => Turn::Readies(thread),
            What::Leaves(thread) => Turn::Leaves(thread),
            What::Known(kind) => Turn::of_kind(kind.code, event.argument.unwrap_or(0)),
            What::Unknown(_) | What::Gap(_) | What::Total { .. } => Turn::GoesOn,
        }
    }

    fn of_kind(code: u16, argument: u16) -> Turn {
        match code {
            // After TRAP72 both partners are ready, but only the one that ran is known.
            event::TRAP72 | event::TIMER => Turn::Yields,
            event::TRAP70 | event::PAGE_BLOCKED | event::WAIT | event::BLOCKED | event::SYNC => Turn::Stops,
            event::COMMS | event::COMMR | event::UNPACKED | event::PAGE_READY | event::THROUGH => {
                Turn::Readies(argument)
            }
            event::EXIT | event::PACK => Turn::Leaves(argument),
            _ => Turn::GoesOn,
        }
    }

    /// Who runs behind the event, if `running` did before it.
    pub fn after(self, running: Option<u16>) -> Option<u16> {
        match self {
            Turn::Begins(thread) => Some(thread),
            Turn::Yields | Turn::Stops => None,
            Turn::Leaves(thread) => running.filter(|running| *running != thread),
            Turn::Readies(_) | Turn::GoesOn => running,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_lasts_until_its_thread_stops() {
        let turns = |codes: &[(u16, u16)], running| {
            codes.iter().fold(running, |running, &(code, argument)| Turn::of_kind(code, argument).after(running))
        };
        assert_eq!(Turn::Begins(65).after(Some(66)), Some(65));
        // Requests, faults and messages interrupt it, and others become ready or leave meanwhile.
        let meanwhile = [event::TRAP7, event::PAGE_FAULT, event::RX_MPC, event::COMMS, event::PAGE_READY, event::EXIT];
        assert_eq!(turns(&meanwhile.map(|code| (code, 70)), Some(65)), Some(65));
        for code in [event::TRAP70, event::TRAP72, event::TIMER, event::WAIT, event::BLOCKED, event::PAGE_BLOCKED] {
            assert_eq!(turns(&[(code, 65)], Some(65)), None, "{code}");
        }
        for code in [event::EXIT, event::PACK] {
            assert_eq!((turns(&[(code, 65)], Some(65)), turns(&[(code, 65)], Some(66))), (None, Some(66)));
        }
    }
}
