//! An event as episodes see it, and stages between marks.

use testbed_definitions::event;

use crate::analysis::fact::{Flight, Stage};
use crate::analysis::measure::{Mark, Span};
use crate::analysis::protocol::Phase;
use crate::conform::service::Service;
use crate::conform::steps::{Move, Steps};
use crate::conform::thread::Happening;
use crate::order::Event;

/// One event, with all that is known of it.
pub struct Seen<'a> {
    pub event: &'a Event,
    /// Its number in the trace.
    pub number: u64,
    pub mark: Mark,
    pub code: Option<u16>,
    /// The service in which it came, and the one that goes on after it.
    pub before: Service,
    pub after: Service,
    pub steps: &'a Steps,
    pub flight: Option<Flight>,
}

impl Seen<'_> {
    pub fn me(&self) -> u8 {
        self.event.smi
    }
    pub fn argument(&self) -> u16 {
        self.event.argument.unwrap_or(0)
    }
    /// Other processor, type and channel of an RX_MPC or TX_MPC.
    pub fn message(&self) -> (u8, u8, u8) {
        event::message_fields(self.argument())
    }
    pub fn moved(&self, happening: Happening) -> Option<Move> {
        self.steps.threads.iter().copied().find(|step| step.happening == happening)
    }
}

/// A stage between two marks; `None` if they are in the wrong order.
pub fn stage(phase: Phase, from: Mark, to: Mark) -> Option<Stage> {
    Some(Stage { phase, processor: to.processor, from, to, span: Span::between(from, to)?, busy: None })
}

/// The flight of a packet as a stage; `None` if its marks are in the wrong order.
pub fn flight_stage(phase: Phase, flight: &Flight) -> Option<Stage> {
    Some(Stage { busy: Some(flight.busy), ..stage(phase, flight.sent, flight.served)? })
}
