//! Whether a run's ordered events are what the protocols allow: the report's Figures 5 to 8 (local communication, remote communication,
//! migration, remote pages), with what `docs/protocols.md` adds (adverts, refusals, alternatives, tokens that follow, calls made again).
//!
//! | of | checked | where |
//! |---|---|---|
//! | each processor | a service that has begun ends as its kind may end, and nothing ends that has not begun | [`service`] |
//! | each thread | it is in one place; what happens to it is possible in the state that it is in | [`thread`] |
//! | each pair of processors | what is served was sent, once and in order; nothing sent is skipped | [`packets`] |
//! | each channel | no *rtr* without token, no *msg* without *rtr*, no release without either; both ends count the same | [`channel`] |
//!
//! An event has neither the process of a message's channel nor, without class `detail`, the channel of a request. Where that leaves
//! several possibilities, the trace conforms if one of them does. What the trace is too poor to say is listed as not checked:
//! the master has no monitor, and after a loss nothing is known of a processor's threads and messages.

mod channel;
mod checker;
pub(crate) mod packets;
pub(crate) mod service;
pub(crate) mod steps;
pub(crate) mod thread;

pub use checker::Checker;

use std::collections::BTreeMap;

use crate::capture::{verify, Capture, CaptureError};
use crate::order::{events, Convention, Event};
use testbed_definitions::event::{DIAG_DETAIL, DIAG_PROFILE, DIAG_READY};

/// An event that the protocols do not allow where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// Number of the event in the ordered trace, from 0.
    pub number: u64,
    /// The event; for something that is missing at the end, the last that says that it was due.
    pub event: Event,
    pub what: String,
    pub expected: String,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conformance {
    pub deviations: Vec<Deviation>,
    /// What could not be checked, and how often.
    pub unchecked: BTreeMap<String, u64>,
    pub events: u64,
    pub threads: u64,
    /// Packets that were matched with their service, and requests, migrations and page faults that were followed.
    pub packets: u64,
    pub requests: u64,
    pub migrations: u64,
    pub faults: u64,
}

/// Deviations that are kept; more are only counted as not checked.
pub(crate) const DEVIATIONS_MAX: usize = 100;

/// Checks a capture.
///
/// # Errors
/// It can't be read. Damage and losses are no error: they are listed as not checked.
pub fn conform(capture: &Capture) -> Result<Conformance, CaptureError> {
    let record = &capture.record;
    let integrity = verify(capture)?;
    let mut checker = Checker::new(&record.machine.processors, record.dgl & DIAG_DETAIL != 0);
    if Convention::of(record.dgl) == Convention::Ready || record.dgl & DIAG_PROFILE == 0 {
        let mut found = checker.finish(None);
        let class = if record.dgl & DIAG_READY != 0 { "instead of ready" } else { "" };
        found.unchecked.insert(format!("anything: run with class profile {class}").trim_end().into(), 1);
        return Ok(found);
    }
    for damage in &integrity.damage {
        checker.note(format!("{damage}"));
    }
    for event in events(capture, &integrity)? {
        checker.add(&event?);
    }
    let tenth = u64::from(record.machine.clock_hz) / u64::from(record.machine.tick_cycles) / 10;
    let end = (record.complete && !record.is_attached()).then(|| record.cycles / u64::from(record.machine.tick_cycles));
    Ok(checker.finish(end.map(|end| end.saturating_sub(tenth.max(1)))))
}
