//! What each processor does, from one of its events to the next.

use testbed_definitions::event;
use testbed_definitions::ids::ThreadNumber;

use super::fact::{Doing, Fact};
use crate::conform::service::{Service, FRAMED};
use crate::order::{Event, What};

/// Who of a processor's threads could run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Able {
    /// Surely ready, or interrupted.
    pub ready: bool,
    /// In a call that no event tells of.
    pub untold: bool,
    /// Events were lost: others may be ready.
    pub blurred: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unknown,
    User,
    Service(Doing),
    /// No service, and nobody was scheduled: only the next event tells kernel and idle apart.
    Between,
}

/// One processor's present.
#[derive(Clone, Copy, Debug, Default)]
pub struct Present {
    state: State,
    since: u64,
}

fn code(event: &Event) -> Option<u16> {
    match event.what {
        What::Known(kind) => Some(kind.code),
        _ => None,
    }
}

/// Whether the service of such a message has events.
fn is_framed(message: u16) -> bool {
    FRAMED.contains(&event::message_fields(message).1)
}

impl Present {
    /// Takes an event of this processor; returns what it did until then. `service` is the one after
    /// the event, `runner` the thread that was scheduled last.
    pub fn step(&mut self, event: &Event, cycle: u64, able: Able, service: Service, runner: Option<u16>) -> Fact {
        let doing = self.doing(event, able, runner);
        let from = std::mem::replace(&mut self.since, cycle);
        self.state = self.next(event, service, runner);
        Fact::Processor { processor: event.smi, doing, from, to: cycle }
    }

    /// Events were lost since the last one.
    pub fn lose(&mut self, processor: u8, cycle: u64) -> Fact {
        let from = std::mem::replace(&mut self.since, cycle);
        self.state = State::Unknown;
        Fact::Processor { processor, doing: Doing::Unknown, from, to: cycle }
    }

    /// What it does, and since when, as far as that is told already.
    pub fn now(&self, able: Able) -> (Doing, u64) {
        let doing = match self.state {
            State::Unknown => Doing::Unknown,
            State::User => Doing::User,
            State::Service(doing) => doing,
            // The kernel, or a thread that was interrupted and goes on.
            State::Between if able.ready => Doing::Untold,
            State::Between => Self::between(able),
        };
        (doing, self.since)
    }

    /// The trace ends.
    pub fn end(&mut self, processor: u8, cycle: u64, able: Able) -> Fact {
        let doing = match self.state {
            State::Unknown => Doing::Unknown,
            State::User => Doing::User,
            State::Service(doing) => doing,
            State::Between => Self::between(able),
        };
        Fact::Processor { processor, doing, from: self.since, to: cycle.max(self.since) }
    }

    fn between(able: Able) -> Doing {
        match able {
            Able { ready: true, .. } => Doing::Kernel,
            Able { untold: true, .. } | Able { blurred: true, .. } => Doing::Untold,
            _ => Doing::Idle,
        }
    }

    fn doing(&self, event: &Event, able: Able, runner: Option<u16>) -> Doing {
        let code = code(event);
        match self.state {
            State::Unknown => Doing::Unknown,
            State::Service(doing) => doing,
            // The running thread has made a call that no event tells of. If another one is ready, that goes on at once.
            State::User if untold_call(event, runner) && !able.ready => Doing::Untold,
            State::User => Doing::User,
            State::Between => match code {
                // An interrupted thread has gone on without being scheduled again.
                Some(code) if is_runners(code) => Doing::User,
                // What a service has queued is handed over at once. Other types of messages come of
                // services without events, any time later.
                Some(event::TX_MPC) if event.argument.is_some_and(is_framed) => Doing::Kernel,
                Some(event::PACKED | event::COMMS | event::PACK) => Doing::Kernel,
                _ => Self::between(able),
            },
        }
    }

    fn next(&self, event: &Event, service: Service, runner: Option<u16>) -> State {
        match service {
            Service::Request => return State::Service(Doing::Request),
            Service::Message { .. } => return State::Service(Doing::Message),
            Service::Fault => return State::Service(Doing::Fault),
            Service::None => {}
        }
        let was_service = matches!(self.state, State::Service(_));
        match (event.what, code(event)) {
            (What::Schedule(_), _) | (_, Some(event::USER)) => State::User,
            (_, Some(event::TIMER)) => State::Service(Doing::Timer),
            (_, Some(event::PACK)) => State::Service(Doing::Packing),
            // A message is handed over, or a program's thread ends, while another one runs.
            (_, Some(event::TX_MPC | event::INVOKE | event::PROCESS_END)) if !was_service => self.state,
            (_, Some(event::EXIT)) if event.argument != runner && !was_service => self.state,
            _ => State::Between,
        }
    }
}

/// Whether this event is what the running thread itself does.
pub fn is_runners(code: u16) -> bool {
    matches!(code, event::TRAP7 | event::PAGE_FAULT | event::WAIT | event::BLOCKED | event::SYNC | event::USER)
}

/// Whether this event shows that the running thread has made a call without an event.
pub fn untold_call(event: &Event, runner: Option<u16>) -> bool {
    match (event.what, code(event)) {
        (What::Schedule(_), _) => true,
        // Its child is there: until now it was not.
        (_, Some(event::CREATE)) => {
            let family = runner.zip(event.argument);
            let family =
                family.map(|(runner, child)| (ThreadNumber::from_bits(runner), ThreadNumber::from_bits(child)));
            family.is_some_and(|(runner, child)| runner.is_beside(child))
        }
        _ => false,
    }
}
