//! The load that a trace shows: where threads are, when each is ready, when processors run threads,
//! and what passes between processors. The report's metrics of load are made of it.

use std::collections::BTreeMap;

use testbed_trace::analysis::fact::{Doing, Episode, Fact, Stage, ThreadState};
use testbed_trace::analysis::protocol::{Phase, Protocol};

/// Cycles that the copy of a byte takes in a local message, and in a remote one at its sender. The
/// lines are those of the sends of Table 6; lengths of messages do not stand in events.
pub const LOCAL_BYTE: f64 = 0.871;
pub const REMOTE_BYTE: f64 = 1.10;
/// Cycles of the same services for a message of one byte, without the kernel's events.
pub const LOCAL_SERVICE: f64 = 356.0;
const REMOTE_SERVICE: f64 = 464.0;

/// A time in which a thread was somewhere, or ready there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    pub thread: u16,
    pub processor: u8,
    /// Cycles.
    pub from: u64,
    pub to: u64,
}

/// A message from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// When its sender's part was done, in cycles.
    pub cycle: u64,
    /// Sender and receiver, and the processors on which they were.
    pub threads: (u16, u16),
    pub processors: (u8, u8),
    /// `None` where the class `detail` is off.
    pub channel: Option<u8>,
    /// Estimated from the time that its copy took: to about a tenth, and a few tens of bytes.
    pub bytes: u64,
}

/// The load of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Where threads were, from their first event to their end; each thread's in order.
    pub stays: Vec<Stay>,
    /// When threads were ready: they ran, waited for the processor, or were served by the kernel.
    pub ready: Vec<Stay>,
    /// When threads ran.
    pub ran: Vec<Stay>,
    /// Times in which a processor ran a thread: processor, from, to; in order for each processor.
    pub user: Vec<(u8, u64, u64)>,
    /// Messages of threads, in the order in which they ended.
    pub messages: Vec<Message>,
}

/// Adds a time to those of its thread, of which it may continue the last one.
fn join(stays: &mut Vec<Stay>, last: &mut BTreeMap<u16, usize>, stay: Stay) {
    let before = last.get(&stay.thread).map(|&place| &mut stays[place]);
    match before.filter(|before| before.processor == stay.processor && before.to == stay.from) {
        Some(before) => before.to = stay.to,
        None => {
            last.insert(stay.thread, stays.len());
            stays.push(stay);
        }
    }
}

/// Collects a [`Load`] from facts.
#[derive(Debug, Default)]
pub struct Collector {
    load: Load,
    last_stay: BTreeMap<u16, usize>,
    last_ready: BTreeMap<u16, usize>,
    last_ran: BTreeMap<u16, usize>,
}

impl Collector {
    /// Takes what a trace says.
    pub fn take(&mut self, fact: &Fact) {
        match fact {
            &Fact::Thread { thread, processor, state, from, to, .. } => {
                let stay = Stay { thread, processor, from, to };
                join(&mut self.load.stays, &mut self.last_stay, stay);
                if is_ready(state) {
                    join(&mut self.load.ready, &mut self.last_ready, stay);
                }
                if state == ThreadState::Running {
                    join(&mut self.load.ran, &mut self.last_ran, stay);
                }
            }
            &Fact::Processor { processor, doing: Doing::User, from, to } if to > from => {
                self.load.user.push((processor, from, to));
            }
            Fact::Episode(episode) => self.load.messages.extend(message(episode)),
            _ => {}
        }
    }

    /// What has been found.
    pub fn finish(self) -> Load {
        self.load
    }
}

/// Whether a thread in this state wants its processor, or has it. One that gave it up without an
/// event that tells why has yielded, or its time-slice was over.
fn is_ready(state: ThreadState) -> bool {
    use ThreadState::*;
    matches!(state, Running | Interrupted | Ready | Serviced | Untold)
}

/// The message that an episode is.
fn message(episode: &Episode) -> Option<Message> {
    let stage = |phase: Phase| episode.stages.iter().chain(&episode.beside).find(|stage| stage.phase == phase);
    let bytes = |stage: &Stage, service: f64, byte: f64| {
        ((stage.span.corrected() as f64 - service) / byte).round().max(0.0) as u64
    };
    let (sent, processors, bytes) = match episode.protocol {
        Protocol::Local => {
            let copy = stage(Phase::SecondRequest)?;
            (copy, (copy.processor, copy.processor), bytes(copy, LOCAL_SERVICE, LOCAL_BYTE))
        }
        Protocol::Remote => {
            let copy = stage(Phase::RtrService)?;
            let to = stage(Phase::MsgService)?.processor;
            (copy, (copy.processor, to), bytes(copy, REMOTE_SERVICE, REMOTE_BYTE))
        }
        Protocol::Migration | Protocol::Page => return None,
    };
    Some(Message { cycle: sent.to.cycle, threads: episode.threads, processors, channel: episode.channel, bytes })
}
