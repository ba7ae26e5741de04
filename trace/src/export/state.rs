//! What the events until now say of the machine: which threads run and are ready, what is served, what is under way.
//!
//! Only proven events count. Where events were lost, what was known of their processor is
//! forgotten; packets from and to it are not followed any more, since from then on nobody can say
//! which of two alike is served.

use std::collections::HashSet;

use testbed_definitions::{event, packet};

use crate::conform::packets::{Packet, Packets, Served};
use crate::conform::service::{Service, Step as StepOf, FRAMED};
use crate::follow::Turn;
use crate::order::{Event, What};

/// Destination of a broadcast, as the four bits in an event show it.
const ALL: u8 = packet::BROADCAST & 0xf;
/// Processors that an event's four bits can name.
const PROCESSORS: usize = 16;
/// Packets of one pair of processors that are followed at a time. Kernels hold far fewer; only damaged traces reach it.
const UNDER_WAY_MAX: usize = 4_096;

/// The thread that an event names.
pub fn thread_of(event: &Event) -> Option<u16> {
    match event.what.field() {
        Some("thread") => event.value().map(|value| value as u16),
        _ => None,
    }
}

/// What is known of a processor.
#[derive(Debug, Default)]
struct Processor {
    running: Option<u16>,
    ready: HashSet<u16>,
    service: Service,
    /// Its packets can't be followed.
    dark: bool,
    /// Events that gap markers count; `None` once a count is missing.
    lost: Option<u64>,
}

impl Processor {
    fn turn(&mut self, turn: Turn) {
        match turn {
            Turn::Begins(thread) | Turn::Leaves(thread) => drop(self.ready.remove(&thread)),
            Turn::Readies(thread) => drop(self.ready.insert(thread)),
            Turn::Yields => self.ready.extend(self.running),
            Turn::Stops | Turn::GoesOn => {}
        }
        self.running = turn.after(self.running);
    }
}

/// A packet at one of its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Message {
    #[default]
    None,
    /// Handed to Centrenet for the processors of these bits, as far as it is followed.
    Sent(u16),
    /// Served, having been sent by `from` in event `number`.
    Served { from: u8, number: u64, sent: Event },
}

/// What one event changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Number of the event in the ordered trace, from 0.
    pub number: u64,
    /// The thread that runs when the event happens, if that is known; it may be its last.
    pub running: Option<u16>,
    /// The thread that ran before.
    pub before: Option<u16>,
    /// A service of the kernel ends with the event, or, if `false`, had ended some time before it.
    pub ends: Option<bool>,
    /// A service begins.
    pub begins: bool,
    pub message: Message,
}

/// What is known of the machine after the events until now.
#[derive(Debug)]
pub struct State {
    processors: Vec<Processor>,
    /// How many processors the machine has, the master counted.
    count: usize,
    packets: Packets,
    number: u64,
}

impl State {
    /// For a machine of so many processors, the first of which has no monitor.
    pub fn new(count: usize) -> Self {
        let processor =
            |number| Processor { dark: number == 0 || number >= count, lost: Some(0), ..Processor::default() };
        State {
            processors: (0..PROCESSORS.max(count)).map(processor).collect(),
            count,
            packets: Packets::default(),
            number: 0,
        }
    }

    /// The thread that runs on a processor.
    pub fn running(&self, processor: u8) -> Option<u16> {
        self.processors.get(processor as usize)?.running
    }

    /// Threads known to be in the ready queue of a processor. Of classes other than `ready` not all
    /// joins are told, so there may be more.
    pub fn ready(&self, processor: u8) -> usize {
        self.processors.get(processor as usize).map_or(0, |processor| processor.ready.len())
    }

    /// Packets handed to Centrenet on one processor and not served yet on another; 0 where they can't be followed.
    pub fn under_way(&self, from: u8, to: u8) -> usize {
        self.packets.under_way(from, to)
    }

    /// Packets under way from a processor to all others.
    pub fn under_way_from(&self, from: u8) -> usize {
        (0..self.count as u8).map(|to| self.under_way(from, to)).sum()
    }

    /// Events of a processor that were lost until now, if every loss was counted.
    pub fn lost(&self, processor: u8) -> Option<u64> {
        self.processors.get(processor as usize)?.lost
    }

    /// What the kernel of a processor is doing.
    pub(crate) fn service(&self, processor: u8) -> Service {
        self.processors.get(processor as usize).map_or(Service::None, |processor| processor.service)
    }

    /// Takes the next event.
    pub fn add(&mut self, event: &Event) -> Step {
        let number = self.number;
        self.number += 1;
        let me = event.smi;
        let mut step = Step { number, ..Step::default() };
        if me as usize >= self.processors.len() {
            return step;
        }
        step.before = self.running(me);
        let breaks = matches!(event.what, What::Gap(_)) || event.lacks_argument() || event.changes_classes();
        if breaks || !event.epoch.is_certain() {
            step.ends = (self.service(me) != Service::None).then_some(false);
            self.lose(me, event);
            return step;
        }
        if event.doubtful {
            return step;
        }
        match event.what {
            What::Schedule(_) => self.serve(me, None, &mut step),
            What::Known(kind) => {
                self.serve(me, Some(kind.code), &mut step);
                self.known(me, kind.code, event, &mut step);
            }
            What::Joins(_) | What::Leaves(_) | What::Unknown(_) | What::Gap(_) | What::Total { .. } => {}
        }
        let turn = Turn::of(event);
        self.processors[me as usize].turn(turn);
        step.running = if let Turn::Begins(thread) = turn { Some(thread) } else { step.before };
        step
    }

    fn lose(&mut self, me: u8, event: &Event) {
        self.packets.forget(me);
        let lost = match (self.lost(me), event.what) {
            (Some(lost), What::Gap(count)) => count.map(|count| lost + u64::from(count)),
            (lost, _) => lost,
        };
        self.processors[me as usize] = Processor { dark: true, lost, ..Processor::default() };
    }

    /// Moves the kernel's service on.
    fn serve(&mut self, me: u8, code: Option<u16>, step: &mut Step) {
        let processor = &mut self.processors[me as usize];
        step.ends = match processor.service.step(code) {
            _ if processor.service == Service::None => None,
            StepOf::Ends => Some(true),
            StepOf::Ended | StepOf::Unfinished => Some(false),
            StepOf::Within | StepOf::Stray => None,
        };
        if step.ends.is_some() {
            processor.service = Service::None;
        }
    }

    fn known(&mut self, me: u8, code: u16, event: &Event, step: &mut Step) {
        let argument = event.argument.unwrap_or(0);
        let processor = &mut self.processors[me as usize];
        let begins = match code {
            event::TRAP7 => Some(Service::Request),
            event::PAGE_FAULT => Some(Service::Fault),
            event::RX_MPC => {
                let (_, kind, channel) = event::message_fields(argument);
                // Other messages have no event at the end of their service.
                FRAMED.contains(&kind).then_some(Service::Message { kind, channel })
            }
            _ => None,
        };
        if let Some(service) = begins {
            (processor.service, step.begins) = (service, true);
        }
        match code {
            event::TX_MPC => step.message = self.sent(me, argument, event, step.number),
            event::RX_MPC => step.message = self.served(me, argument),
            _ => {}
        }
    }

    fn sent(&mut self, from: u8, argument: u16, event: &Event, number: u64) -> Message {
        let (to, kind, channel) = event::message_fields(argument);
        if !FRAMED.contains(&kind) {
            return Message::None;
        }
        let to_all = to == ALL && self.count <= usize::from(ALL);
        let mut bits = 0;
        for other in (0..self.count as u8).filter(|other| *other != from && (to_all || *other == to)) {
            if self.is_dark(from) || self.is_dark(other) {
                continue;
            }
            if self.packets.under_way(from, other) >= UNDER_WAY_MAX {
                self.packets.drop_oldest(from, other);
            }
            self.packets.send(from, other, Packet { kind, channel, sent: *event, number });
            bits |= 1 << other;
        }
        Message::Sent(bits)
    }

    fn served(&mut self, me: u8, argument: u16) -> Message {
        let (from, kind, channel) = event::message_fields(argument);
        if from == me || self.is_dark(from) || self.is_dark(me) {
            return Message::None;
        }
        match self.packets.serve(from, me, kind, channel) {
            Served::Next(packet) | Served::Skips(packet, _) => {
                Message::Served { from, number: packet.number, sent: packet.sent }
            }
            Served::Unsent => Message::None,
        }
    }

    fn is_dark(&self, processor: u8) -> bool {
        self.processors.get(processor as usize).is_none_or(|processor| processor.dark)
    }
}
