//! One processor's kernel between the beginning and the end of a service: the vertices of Figures 5 to 8.

use itertools::Itertools;
use testbed_definitions::{event, mpc};

/// What the kernel is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Service {
    /// None of the below; threads run.
    #[default]
    None,
    /// From TRAP7 on.
    Request,
    /// From RX_MPC on: message type and channel.
    Message { kind: u8, channel: u8 },
    /// From PAGE_FAULT on.
    Fault,
}

/// What an event means for the service that is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It goes on.
    Within,
    /// The event ends it.
    Ends,
    /// It had ended before without an event of its own, as it may; the event stands outside.
    Ended,
    /// It should have ended first.
    Unfinished,
    /// Nothing has begun that this event could end.
    Stray,
}

/// Types of messages whose service is framed by events; the others are served without.
pub const FRAMED: &[u8] =
    &[mpc::FOCUS, mpc::RTR, mpc::MSG, mpc::ADVERT, mpc::REFUSE, mpc::THREAD, mpc::ENDS, mpc::PAGE, mpc::PAGE_DATA];

/// Events that end the service of a message of type `kind` (Table 3, and `docs/firmware.md`).
pub fn endings(kind: u8) -> &'static [u16] {
    use testbed_definitions::event::{COMMR, COMMS, PAGE_END, RX_END, RX_FOCUS, UNPACKED};
    match kind {
        mpc::FOCUS | mpc::ADVERT => &[RX_FOCUS, RX_END],
        mpc::RTR => &[COMMS, RX_END],
        mpc::MSG => &[COMMR, RX_END],
        mpc::REFUSE => &[COMMS, COMMR, RX_END],
        mpc::THREAD => &[UNPACKED, RX_END],
        mpc::PAGE | mpc::PAGE_DATA => &[PAGE_END],
        _ => &[RX_END],
    }
}

/// Events that end something, and so need it.
const ONLY_ENDS: &[u16] = &[
    event::TRAP70,
    event::TRAP72,
    event::RX_FOCUS,
    event::RX_END,
    event::COMMR,
    event::UNPACKED,
    event::PAGE_BLOCKED,
    event::PAGE_END,
];

impl Service {
    /// The step that an event of the table makes; `None` is an event that schedules a thread. Within
    /// a request or a fault, an event that is named nowhere here says that it was over before.
    pub fn step(self, code: Option<u16>) -> Step {
        // Messages leave, threads become ready and programs' events pass whatever the kernel does.
        if matches!(code, Some(event::TX_MPC | event::PAGE_READY | event::REQUEST | event::USER)) {
            return Step::Within;
        }
        let is = |all: &[u16]| code.is_some_and(|code| all.contains(&code));
        match self {
            Service::None if is(ONLY_ENDS) => Step::Stray,
            Service::None => Step::Within,
            Service::Request if is(&[event::TRAP70, event::TRAP72]) => Step::Ends,
            Service::Fault if is(&[event::PAGE_BLOCKED]) => Step::Ends,
            // Refused with an error, or answered at once.
            Service::Request | Service::Fault if is(ONLY_ENDS) => Step::Stray,
            Service::Request | Service::Fault => Step::Ended,
            Service::Message { kind, .. } if is(endings(kind)) => Step::Ends,
            // A thread, or all of a process, ends for want of memory or a page, or a message is packed meanwhile.
            Service::Message { .. } if is(&[event::EXIT, event::PROCESS_END, event::COMMS, event::PACKED]) => {
                Step::Within
            }
            Service::Message { .. } => Step::Unfinished,
        }
    }

    /// What would end it, for people.
    pub fn expected(self) -> String {
        let names = |codes: &[u16]| {
            let name = |code: &u16| event::kind(*code).map_or("?", |kind| kind.name);
            codes.iter().map(name).join(" or ")
        };
        match self {
            Service::None => "TRAP7, RX_MPC or PAGE_FAULT first".into(),
            Service::Request => names(&[event::TRAP70, event::TRAP72]),
            Service::Fault => names(&[event::PAGE_BLOCKED]),
            Service::Message { kind, .. } => {
                format!("{}, to end the service of a {}", names(endings(kind)), mpc::name(kind).unwrap_or("message"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every message that is framed has an ending, and each ending needs a beginning.
    #[test]
    fn endings_and_beginnings_fit() {
        for &kind in FRAMED {
            let service = Service::Message { kind, channel: 0 };
            for &code in endings(kind) {
                assert_eq!(service.step(Some(code)), Step::Ends);
                assert!(code == event::COMMS || Service::None.step(Some(code)) == Step::Stray);
            }
            assert_eq!(service.step(None), Step::Unfinished);
        }
    }

    #[test]
    fn a_request_that_fails_has_no_end_of_its_own() {
        assert_eq!(Service::Request.step(None), Step::Ended);
        assert_eq!(Service::Request.step(Some(event::RX_FOCUS)), Step::Stray);
    }
}
